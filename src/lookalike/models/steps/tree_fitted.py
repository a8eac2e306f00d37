"""A column drawn from the leaves of trees: what `Cart`, `ConditionalTree`, `Forest` and `Bagging` learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from numpy.random import Generator

from lookalike.models.mixed import Column, Mixed, Numbers
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
        """Leaves, depth, the fewest donors of a leaf, and the share of fitted rows in leaves of fewer than `safe`."""
        return self.trees.figures(self.safe)

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Column:
        """The cell of a donor for each row."""
        return self.draw_traced(predictors, rng=rng, threads=threads)[0]

    def draw_traced(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> tuple[Column, Donors]:
        """The same cells for the same rng, and where each comes from: for the share drawn from too few donors."""
        found = self.trees.draw(predictors, rng=rng, threads=threads)
        return self.response.take(found.rows), found


def caveats(trees: DonorTrees, safe: int, *, copied: bool) -> tuple[str, ...]:
    """What holds for cells of donors; numbers give more away than the levels of a category."""
    found = ["Every number is the number of a real record: rare and extreme ones come as they are."] if copied else []
    share = trees.figures(safe)[f"share_below_{safe}_donors"]
    if share > 0:
        found.append(f"{share:.1%} of the fitted records are in leaves of fewer than {safe} donors.")
    return tuple(found)
