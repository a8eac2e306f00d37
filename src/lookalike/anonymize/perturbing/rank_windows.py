"""The attack on swapped ranks: the true value is not far, in any column; how many records remain?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Codes = NDArray[np.int32]

TRIED = 200
"""Persons whose records are sought."""


@dataclass(frozen=True)
class Swapped:
    """A column before and after: places of values in their order, -1 for missing; and how far a rank may have moved."""

    before: Codes
    after: Codes
    width: int

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """The last rank of each value, and -1 before the first; the same before and after."""
        return np.append(0, np.cumsum(np.bincount(self.before[self.before >= 0]))) - 1

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The records by their value after; those without one are left out."""
        order = np.argsort(self.after, kind="stable")
        return order[np.count_nonzero(self.after < 0) :]

    @property
    def unchanged(self) -> float:
        """The share of values that are as they were."""
        known = self.before >= 0
        return float((self.before == self.after)[known].mean()) if known.any() else 1.0

    def window(self, value: int) -> tuple[int, int]:
        """The lowest and the highest value that may stand for this one."""
        first, last = self.ends[value] + 1, self.ends[value + 1]
        low = int(np.searchsorted(self.ends[1:], first - self.width))
        high = int(np.searchsorted(self.ends[:-1] + 1, last + self.width, side="right")) - 1
        return low, high


def candidates(columns: Sequence[Swapped], *, rng: Generator) -> NDArray[np.int64] | None:
    """For some persons whose true values are known: the records that may be theirs (Nin, Herranz and Torra 2008).

    A record may be a person's if in every column its value is no further from the true one than swapping goes. None if
    no value is known.

    >>> swapped = Swapped(np.arange(6, dtype=np.int32), np.array([1, 0, 3, 2, 5, 4], np.int32), 1)
    >>> candidates([swapped], rng=np.random.default_rng(1)).tolist()
    [2, 3, 3, 3, 3, 2]
    """
    known = np.flatnonzero(np.any([column.before >= 0 for column in columns], axis=0))
    if not len(known):
        return None
    persons = np.sort(rng.choice(known, min(TRIED, len(known)), replace=False))
    return np.array([_candidates(columns, person) for person in persons])


def _candidates(columns: Sequence[Swapped], person: int) -> int:
    rows: NDArray[np.int64] | None = None
    for column in columns:
        if column.before[person] < 0:
            continue
        low, high = column.window(int(column.before[person]))
        if rows is None:
            rows = column.order[column.ends[low] + 1 : column.ends[high + 1] + 1]
        else:
            rows = rows[(column.after[rows] >= low) & (column.after[rows] <= high)]
    assert rows is not None
    return len(rows)
