"""A file of categories as its distinct rows with counts: what every model of this room learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Counts:
    """Distinct rows of codes with how often each occurs; identical rows collapse, so cost follows the rows here.

    Codes run from 0 to `levels[j] - 1` in each column, in the order of the values; every level occurs. A missing
    value is a level of its own (the first). Counts need not be whole: survey weights may stand in their place.

    >>> table = Counts.of(np.array([[3, -1], [5, 0], [3, 0]]), np.array([2, 1, 1]))
    >>> table.codes.tolist(), table.levels, table.total
    ([[0, 0], [1, 1], [0, 1]], (2, 2), 4.0)
    >>> table.variables, table.margin(0).tolist(), table.only([1]).levels
    (2, [3.0, 1.0], (2,))
    """

    codes: NDArray[np.int32]
    """One row a distinct row of the file, one column a variable; rows in one piece (C order)."""
    counts: NDArray[np.float64]
    levels: tuple[int, ...]

    @classmethod
    def of(cls, codes: NDArray[np.integer], counts: NDArray[np.integer] | NDArray[np.floating]) -> Counts:
        """From codes that may have gaps; a code below any other, such as -1, comes first."""
        dense = np.empty(codes.shape, np.int32)
        levels = []
        for j in range(codes.shape[1]):
            dense[:, j], found = _dense(codes[:, j])
            levels.append(found)
        return cls(dense, np.asarray(counts, np.float64), tuple(levels))

    @property
    def total(self) -> float:
        """The number of records, or the sum of their weights."""
        return float(self.counts.sum())

    @property
    def variables(self) -> int:
        """The number of columns."""
        return len(self.levels)

    def margin(self, j: int) -> NDArray[np.float64]:
        """The count of every level of one column."""
        return np.bincount(self.codes[:, j], weights=self.counts, minlength=self.levels[j]).astype(np.float64)

    def only(self, columns: Sequence[int]) -> Counts:
        """Some of the columns; rows that became equal are not merged."""
        picked = np.ascontiguousarray(self.codes[:, list(columns)])
        return Counts(picked, self.counts, tuple(self.levels[j] for j in columns))


def _dense(column: NDArray[np.integer]) -> tuple[NDArray[np.int32], int]:
    """The place of each code among those that occur, and how many do."""
    low, high = int(column.min()), int(column.max())
    if high - low >= 8 * len(column) + 2**20:
        values, places = np.unique(column, return_inverse=True)
        return places.astype(np.int32), len(values)
    present = np.zeros(high - low + 1, bool)
    present[column - low] = True
    places = np.cumsum(present, dtype=np.int32) - np.int32(1)
    return places[column - low], int(present.sum())
