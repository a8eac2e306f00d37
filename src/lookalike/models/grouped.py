"""The columns of a mixed table as a few codes each, for two-way tables; and distinct values with counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.models.margin import Floats
from lookalike.models.mixed import Categories, Mixed, Numbers

FINE = 1024
"""Groups of a number whose normal scores are taken."""

FEW_TIES = 0.05
"""The largest share of one value up to which a number's normal scores are taken as they are."""

WIDEST = 64
"""Levels of a category beyond which neighbours of its row are merged, for the fit of correlations only."""

Codes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Distinct:
    """The distinct values of a number that are known, rising, with counts."""

    values: Floats
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, column: Numbers) -> Distinct:
        """By one sort."""
        x = np.sort(column.values[column.known])
        new = np.append(True, x[1:] != x[:-1])[: len(x)]
        first = np.flatnonzero(new)
        return cls(x[first], np.diff(np.append(first, len(x))))

    @property
    def shares(self) -> Floats:
        """Of each value."""
        return np.asarray(self.counts / self.counts.sum(), np.float64)

    @property
    def fine(self) -> bool:
        """Whether no value is shared by many."""
        return bool(self.counts.max() <= FEW_TIES * self.counts.sum())


@dataclass(frozen=True, slots=True)
class Grouped:
    """A column in groups of neighbours: a code a record, and the share of each group."""

    codes: NDArray[np.integer]
    shares: Floats


def group_numbers(column: Numbers, distinct: Distinct, groups: int, unseen: int) -> Grouped:
    """At most so many groups of about equal share; a value is never split.

    >>> column = Numbers(np.array([3.0, 1.0, 2.0, 2.0, np.nan]))
    >>> group_numbers(column, Distinct.of(column), 2, 255).codes.tolist()
    [1, 0, 1, 1, 255]
    """
    group = _runs(distinct.shares, groups)
    first = np.flatnonzero(np.diff(group, prepend=-1))
    codes = np.searchsorted(distinct.values[first], column.values, side="right") - 1
    kind = np.uint8 if unseen == 255 else np.int32
    return Grouped(
        np.where(column.known, codes, unseen).astype(kind),
        np.add.reduceat(distinct.counts, first) / distinct.counts.sum(),
    )


def group_levels(column: Categories, order: NDArray[np.int64], shares: Floats, unseen: int) -> Grouped:
    """The places of codes in their row; levels nobody has are left out, beyond WIDEST neighbours are merged."""
    seen = order[shares[order] > 0]
    group = np.arange(len(seen)) if len(seen) <= WIDEST else _runs(shares[seen], WIDEST)
    place = np.full(column.levels + 1, unseen, np.uint8)
    place[seen] = group
    return Grouped(place[column.codes], np.bincount(group, shares[seen]).astype(np.float64))


def top_levels(column: Categories, shares: Floats, unseen: int) -> Grouped:
    """The most frequent levels, the rest together: for a category whose levels have no row yet."""
    by_share = np.argsort(-shares, kind="stable")
    place = np.full(column.levels + 1, unseen, np.uint8)
    group = np.minimum(np.arange(column.levels), WIDEST - 1)
    place[by_share] = group
    return Grouped(place[column.codes], np.bincount(group, shares[by_share]).astype(np.float64))


def level_shares(column: Categories) -> Floats:
    """The share of each level among known cells."""
    counts = np.bincount(column.codes[column.known], minlength=column.levels)
    return np.asarray(counts / counts.sum(), np.float64)


def groups_for(table: Mixed) -> int:
    """How many groups a number is cut into: fewer where the pairs are many."""
    return 25 if len(table.columns) <= 200 else 12


def _runs(shares: Floats, groups: int) -> NDArray[np.int64]:
    """Neighbours in at most so many groups, each by the middle of its share; numbered without gaps."""
    middle = np.cumsum(shares) - shares / 2
    group = np.minimum((middle * groups).astype(np.int64), groups - 1)
    return np.cumsum(np.diff(group, prepend=group[0]) > 0)
