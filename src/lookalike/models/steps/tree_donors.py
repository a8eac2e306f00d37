"""Donors from the leaves of one tree or several: what is drawn is a cell of a real record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from lookalike.models.mixed import Mixed, Numbers
from lookalike.models.normals import each
from lookalike.models.sampler import new_seed
from lookalike.models.steps.tree_growing import Floats, Rows, Tree

if TYPE_CHECKING:
    from lookalike.models.steps._tree_shapes import Nodes

CHUNK = 2**13
"""Records of one random stream; fixed, so that the number of threads changes nothing."""


@dataclass(frozen=True, slots=True)
class Donors:
    """The record each cell comes from, and out of how many it was drawn."""

    rows: Rows
    donors: Rows

    def share_below(self, k: int) -> float:
        """The share of cells drawn from fewer than k donors; 0 if none was drawn.

        >>> Donors(np.array([7, 8]), np.array([3, 9])).share_below(5)
        0.5
        """
        return float((self.donors < k).mean()) if len(self.donors) else 0.0


class DonorTrees:
    """Trees whose leaves hold the fitted rows; a record draws one of those in its leaves."""

    def __init__(self, trees: Sequence[Tree], *, bayes: bool = False) -> None:
        self.bayes = bayes
        self.nodes, self.sets, self.roots = joined(trees)
        self.rows = np.concatenate([tree.rows for tree in trees])
        self.weights = np.concatenate([tree.weights for tree in trees])
        asked = self.nodes.column >= 0
        self._used, places = np.unique(self.nodes.column[asked], return_inverse=True)
        self.nodes.column[asked] = places

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Donors:
        """A donor for each row."""
        from lookalike.models.steps._tree_donors import draw_donors

        n, cumulated, seed = predictors.records, self._cumulated(rng), new_seed(rng)
        found = Donors(np.empty(n, np.int64), np.empty(n, np.int64))

        def work(begin: int) -> None:
            part = slice(begin, min(n, begin + CHUNK))
            cells = matrix(predictors, self._used, part)
            tree = (self.nodes, self.sets, self.roots, self.rows, cumulated)
            draw_donors(*tree, cells, seed, begin // CHUNK, found.rows[part], found.donors[part])

        each(work, range(0, n, CHUNK), threads)
        return found

    def figures(self, k: int) -> Mapping[str, float]:
        """Leaves, depth, the fewest donors of a leaf, and the share of fitted rows in leaves of fewer than k."""
        leaves = self.nodes.column < 0
        sizes = (self.nodes.end - self.nodes.begin)[leaves]
        return {
            "leaves": float(len(sizes)),
            "depth": float(self.nodes.depth.max()),
            "fewest_donors": float(sizes.min()),
            f"share_below_{k}_donors": float(sizes[sizes < k].sum() / sizes.sum()),
        }

    def leaf_of_donors(self) -> tuple[Rows, Rows]:
        """The fitted rows, and the leaf each is in; of several trees one after another."""
        leaves = np.flatnonzero(self.nodes.column < 0)
        sizes = (self.nodes.end - self.nodes.begin)[leaves]
        places = np.concatenate([np.arange(self.nodes.begin[n], self.nodes.end[n]) for n in leaves])
        return self.rows[places], np.repeat(np.arange(len(leaves)), sizes)

    def _cumulated(self, rng: Generator) -> Floats:
        from lookalike.models.steps._tree_donors import bayes_weights

        weights = self.weights
        if self.bayes:
            weights = np.empty(len(self.weights))
            bayes_weights(self.weights, new_seed(rng), weights)
        return np.concatenate([[0.0], np.cumsum(weights)])


def joined(trees: Sequence[Tree]) -> tuple[Nodes, Rows, Rows]:
    """The nodes and sets of the trees one after another, and where each tree begins."""
    sizes = np.array([(len(tree.nodes.column), len(tree.sets), len(tree.rows)) for tree in trees])
    first, first_set, first_row = (np.cumsum(sizes, axis=0) - sizes).T
    moved = {"child": first, "set_from": first_set, "set_to": first_set, "begin": first_row, "end": first_row}
    names = trees[0].nodes._fields
    parts = {name: [getattr(tree.nodes, name) for tree in trees] for name in names}
    for name, by in moved.items():
        parts[name] = [np.where(part >= 0, part + b, part) for part, b in zip(parts[name], by, strict=True)]
    nodes = trees[0].nodes._replace(**{name: np.concatenate(part) for name, part in parts.items()})
    return nodes, np.concatenate([tree.sets for tree in trees]), first.astype(np.int64)


def matrix(table: Mixed, columns: Rows, part: slice) -> Floats:
    """Some columns of some rows as numbers, one row a record."""
    chosen = [table.columns[j] for j in columns]
    cells = np.empty((part.stop - part.start, len(chosen)))
    for j, column in enumerate(chosen):
        cells[:, j] = (column.values if isinstance(column, Numbers) else column.codes)[part]
    return cells
