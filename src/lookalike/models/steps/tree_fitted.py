"""A column drawn from the leaves of trees: what `Cart`, `ConditionalTree`, `Forest` and `Bagging` learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.models.steps.tree_donors import Donors, DonorTrees


@dataclass(frozen=True, slots=True)
class FittedTree:
    """The law of a column: the cells of the donors in the leaf, or in the leaves of several trees.

    Fitted without predictors it takes only the number of rows from the table it draws for.
    """

    response: Column
    trees: DonorTrees
    safe: int

    @property
    def caveats(self) -> tuple[str, ...]:
        """Every cell is a copy of a real one; of how few."""
        return caveats(self.trees, self.safe, copied=isinstance(self.response, Numbers))

    @property
    def figures(self) -> Mapping[str, float]:
        """Leaves, depth, the fewest donors of a leaf, the share of fitted rows in leaves of fewer than `safe`, Gini."""
        found = dict(self.trees.figures(self.safe))
        if isinstance(self.response, Categories):
            rows, leaf = self.trees.leaf_of_donors()
            found["gini"] = gini(self.response.codes[rows], leaf)
        return found

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Column:
        """The cell of a donor for each row."""
        return self.draw_traced(predictors, rng=rng, threads=threads)[0]

    def draw_traced(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> tuple[Column, Donors]:
        """The same cells for the same rng, and where each comes from: for the share drawn from too few donors."""
        found = self.trees.draw(predictors, rng=rng, threads=threads)
        return self.response.take(found.rows), found


def gini(codes: NDArray[np.integer], leaf: NDArray[np.integer]) -> float:
    """Σ_t (n_t/n) (1 − Σ_k p_kt²): how mixed the classes are inside leaves (thesis, section 4.4.7).

    >>> gini(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]))    # 3/4 · (1 − 4/9 − 1/9)
    0.3333333333333333
    """
    table = np.zeros((int(leaf.max()) + 1, int(codes.max()) + 1))
    np.add.at(table, (leaf, codes), 1.0)
    sizes = table.sum(axis=1)
    return float((sizes - (table**2).sum(axis=1) / np.maximum(sizes, 1)).sum() / len(codes))


def caveats(trees: DonorTrees, safe: int, *, copied: bool) -> tuple[str, ...]:
    """What holds for cells of donors; numbers give more away than the levels of a category."""
    found = ["Every number is the number of a real record: rare and extreme ones come as they are."] if copied else []
    share = trees.figures(safe)[f"share_below_{safe}_donors"]
    if share > 0:
        found.append(f"{share:.1%} of the fitted records are in leaves of fewer than {safe} donors.")
    return tuple(found)
