"""Nearest neighbours among records of numbers and categories, ties in random order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.engine import number
from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.models.sampler import new_seed

Array = NDArray[np.float64]

ALL = 2**62
"""Compare as many points as it takes."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The distinct records of a table without unknown cells, in a tree.

    Squared distance: Σ (x_j − y_j)²/s_j² over numbers + m² for each category that differs. s_j is the standard
    deviation of the column (1 if `scale` is off), m the median of the standard deviations of what is then compared: 1,
    or without scaling the median of the s_j (Chawla et al. 2002, section 6.1). Constant columns do not count for m.
    Records that agree with a record are its neighbours, the record itself is not. Equal distances come in random order.
    """

    tree: tuple[Any, ...]
    depth: int
    numbers: int
    """The first so many coordinates are numbers, in the order of the table; the others are codes."""
    place: NDArray[np.int64]
    """The point of each record."""
    record: NDArray[np.int64]
    """A record of each point."""

    @classmethod
    def of(cls, table: Mixed, *, scale: bool = True, apart: int | None = None) -> Neighbours:
        """The tree of a table; records that differ in the column `apart` are never neighbours.

        >>> table = Mixed((Numbers(np.array([0.0, 1.0, 1.0, 5.0])),))
        >>> found = Neighbours.of(table).nearest(np.array([1, 3]), 2, rng=np.random.default_rng(1))
        >>> table.columns[0].values[found].tolist()
        [[1.0, 0.0], [1.0, 1.0]]
        """
        from lookalike.models import _neighbours as kernel

        points, weights, numbers = coordinates(table, scale=scale, apart=apart)
        index, first, sizes = _distinct(table)
        points = np.ascontiguousarray(points[first])
        order, ends, split, cut, child, depth = kernel.build(points, weights, numbers)
        # The tree holds the points in its own order, so that those of a leaf lie side by side.
        at = np.empty(len(order), np.int64)
        at[order] = np.arange(len(order))
        tree = (points[order], weights, numbers, sizes[order], ends, split, cut, child)
        return cls(tree, int(depth), numbers, at[index], first[order])

    def nearest(self, records: NDArray[np.int64], k: int, *, rng: Generator, most: int = ALL) -> NDArray[np.int64]:
        """For each record the k nearest others, nearest first, each as a record with the same cells; −1: no more.

        With `most`, a search ends when so many points were compared: then they are near, but maybe not the nearest.
        """
        found, _ = self._searched(records, k, most, rng)
        return np.where(found >= 0, self.record[found], -1)

    def cut(self, k: int, most: int, *, rng: Generator, probes: int = 200) -> float:
        """The share of searches that `most` ends early, by some records at random."""
        records = rng.integers(0, len(self.place), probes)
        return self._searched(records, k, most, rng)[1] / probes

    def _searched(self, records: NDArray[np.int64], k: int, most: int, rng: Generator) -> tuple[NDArray[np.int64], int]:
        from lookalike.models import _neighbours as kernel

        near, found = np.empty((len(records), k)), np.empty((len(records), k), np.int64)
        seed, base = new_seed(rng), self.place[records]
        return found, int(kernel.neighbours(seed, 0, self.tree, self.depth, most, base, near, found))


def coordinates(table: Mixed, *, scale: bool, apart: int | None) -> tuple[Array, Array, int]:
    """Numbers, then codes; the weight of each coordinate; how many are numbers.

    >>> table = Mixed((Categories(np.array([0, 1], np.int32), 2), Numbers(np.array([0.0, 2.0]))))
    >>> points, weights, numbers = coordinates(table, scale=False, apart=None)
    >>> points.tolist(), weights.tolist(), numbers               # 0 and 2 over 4; s = 1 over 4, squared
    ([[0.0, 0.0], [0.5, 1.0]], [1.0, 0.0625], 1)
    """
    numbers = [c.values for c in table.columns if isinstance(c, Numbers)]
    codes = [(j, c.codes) for j, c in enumerate(table.columns) if isinstance(c, Categories)]
    points, spreads = np.empty((table.records, len(table.columns))), np.zeros(len(numbers))
    largest = max((float(np.abs(x).max()) for x in numbers), default=1.0)
    for at, values in enumerate(numbers):
        points[:, at] = _small(values, float(np.abs(values).max()) if scale else largest)
        spreads[at] = points[:, at].std() if (values != values[0]).any() else 0.0
    for at, (_, column) in enumerate(codes, len(numbers)):
        points[:, at] = column
    varies = spreads > 0
    # A spread too small for its square to be told from 0 is as good as none.
    with np.errstate(divide="ignore", over="ignore"):
        factors = np.where(varies & scale, np.minimum(1 / spreads**2, 1e300), 1.0)
    middle = float(np.median(spreads[varies])) if varies.any() and not scale else 1.0
    weights = [np.inf if j == apart else middle**2 for j, _ in codes]
    return points, np.concatenate([factors, weights]), len(numbers)


def _small(values: Array, largest: float) -> Array:
    """Divided by a power of two, so that no square is beyond the largest number and every gap stays exact."""
    return np.asarray(np.ldexp(values, -int(np.frexp(largest)[1])), np.float64)


def _distinct(table: Mixed) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The class of equal records of each record, numbered as they first come; its first record; its records."""
    found = number(_bits(table.columns[0]))
    for column in table.columns[1:]:
        if len(found.sizes) == table.records:
            break
        right = number(_bits(column))
        found = number(found.index.astype(np.int64) * len(right.sizes) + right.index)
    first = np.empty(len(found.sizes), np.int64)
    # Written from the end, so that the first row of a class is the last to be written.
    first[found.index[::-1]] = np.arange(table.records)[::-1]
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[found.index], first[order], found.sizes[order]


def _bits(column: Column) -> NDArray[np.int64]:
    """Whole numbers that are equal if and only if the cells are; scaled values could be equal by rounding."""
    if isinstance(column, Categories):
        return column.codes.astype(np.int64)
    # −0.0 and 0.0 are equal and have different bits.
    return (column.values + 0.0).view(np.int64)
