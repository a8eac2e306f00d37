"""A mixed table as codes and back: numbers go through bins of about equal size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import UNKNOWN, Categories, Column, Mixed, Numbers

Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Bins:
    """Bins of a column of numbers, with the sorted known values of each.

    A value that alone fills a bin has its own, so that heaps stay heaps. A number is drawn inside a bin between two
    neighbours of its k sorted values, x_i + (t − i)(x_{i+1} − x_i) with t uniform on (0, k − 1) and i its whole part:
    it never leaves what the bin spans. Whole numbers stay whole.

    >>> bins = Bins.of(np.array([0.0, 0, 0, 0, 1, 2, 4, 8]), bins=2)
    >>> bins.codes(np.array([0.0, 3, 99, np.nan])).tolist()
    [0, 1, 1, -1]
    >>> bins.values(np.array([0, 1, 1]), np.array([0.5, 0.0, 0.999])).tolist()
    [0.0, 1.0, 8.0]
    """

    sorted: NDArray[np.float64]
    start: NDArray[np.int64]
    """Where each bin begins among the sorted values, and the end."""
    whole: bool

    @classmethod
    def of(cls, values: NDArray[np.float64], *, bins: int) -> Bins:
        """From known values."""
        ordered = np.sort(values)
        begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        sizes = np.diff(np.append(begins, len(ordered)))
        if len(begins) <= bins:
            new = np.ones(len(begins), bool)
        else:
            heap = sizes * bins >= len(ordered)
            group = begins * bins // len(ordered)
            new = np.append(True, (group[1:] != group[:-1]) | heap[1:] | heap[:-1])
        whole = bool((ordered == np.rint(ordered)).all())
        return cls(ordered, np.append(begins[new], len(ordered)).astype(np.int64), whole)

    @property
    def count(self) -> int:
        """The number of bins."""
        return len(self.start) - 1

    def codes(self, values: NDArray[np.float64]) -> Codes:
        """The bin of each value: the first whose largest value is not below it, the last for what is beyond."""
        places = np.searchsorted(self.sorted[self.start[1:] - 1], values)
        return np.where(np.isnan(values), UNKNOWN, np.minimum(places, self.count - 1)).astype(np.int32)

    def values(self, codes: NDArray[np.integer], u: NDArray[np.float64]) -> NDArray[np.float64]:
        """A number in each bin by a uniform number."""
        low, high = self.start[codes], self.start[codes + 1] - 1
        t = u * (high - low)
        left = low + t.astype(np.int64)
        a, b, part = self.sorted[left], self.sorted[np.minimum(left + 1, high)], t - np.floor(t)
        # Not a + part (b − a): the difference of two huge numbers may overflow.
        drawn = np.clip(a * (1 - part) + b * part, a, b)
        return np.asarray(np.rint(drawn) if self.whole else drawn)


class Coding:
    """How the columns of a table become codes."""

    def __init__(self, table: Mixed, bins: int) -> None:
        _refuse(table)
        self.columns = table.columns
        self.bins = [Bins.of(c.values[c.known], bins=bins) if isinstance(c, Numbers) else None for c in table.columns]
        self.levels = tuple(b.count if b else _levels(c) for b, c in zip(self.bins, table.columns, strict=True))
        self.first = np.cumsum([0, *self.levels]).astype(np.int64)
        # Only the kinds are needed from here on; the law is not to carry the file.
        self.columns = table.empty(0).columns

    def codes(self, table: Mixed) -> Codes:
        """One row a record; −1 where a cell is not known."""
        self._same(table)
        out = np.empty((table.records, len(self.levels)), np.int32)
        for j, (column, bins) in enumerate(zip(table.columns, self.bins, strict=True)):
            out[:, j] = bins.codes(column.values) if bins and isinstance(column, Numbers) else _codes(column)
        return out

    def table(
        self, codes: Codes, *, rng: Generator, like: Mixed | None = None, only: Sequence[int] | None = None
    ) -> Mixed:
        """Codes as a table. Of `like` the known cells stay; with `only`, all cells of all other columns."""
        drawn = []
        for j, bins in enumerate(self.bins):
            old = like.columns[j] if like else None
            if old is not None and only is not None and j not in only:
                drawn.append(old)
                continue
            new = codes[:, j]
            keep = old if only is None else None
            drawn.append(_numbers(bins, new, keep, rng) if bins else self._categories(j, new))
        return Mixed(tuple(drawn))

    def _categories(self, j: int, codes: Codes) -> Categories:
        kind = self.columns[j]
        assert isinstance(kind, Categories)
        return Categories(np.ascontiguousarray(codes), kind.levels, kind.ordered)

    def _same(self, table: Mixed) -> None:
        """Refuse a table of other columns than the fitted one."""
        kinds = [c.levels if isinstance(c, Categories) else None for c in table.columns]
        if kinds != [c.levels if isinstance(c, Categories) else None for c in self.columns]:
            raise BadPlan("The table has other columns or other levels than the one that was fitted.")
        _refuse_codes(table)


def _numbers(bins: Bins, codes: Codes, keep: Column | None, rng: Generator) -> Numbers:
    values = bins.values(codes, rng.random(len(codes)))
    return Numbers(np.where(keep.known, keep.values, values) if isinstance(keep, Numbers) else values)


def _codes(column: Column) -> Codes:
    assert isinstance(column, Categories)
    return column.codes


def _levels(column: Column) -> int:
    assert isinstance(column, Categories)
    return column.levels


def _refuse(table: Mixed) -> None:
    """Refuse what nothing can be learned from."""
    if not table.columns or not table.records:
        raise BadPlan("The table holds no record or no column; there is nothing to learn from.")
    _refuse_codes(table)
    nothing = [j + 1 for j, column in enumerate(table.columns) if not column.known.any()]
    endless = [j + 1 for j, c in enumerate(table.columns) if isinstance(c, Numbers) and np.isinf(c.values).any()]
    faults = [f"Column {j} has no known cell; leave it out of the model." for j in nothing]
    faults += [f"Column {j} holds an infinite number; make it unknown or a category." for j in endless]
    if faults:
        raise BadPlan(faults)


def _refuse_codes(table: Mixed) -> None:
    """A code that is no level would be read outside the tables of the law."""
    wrong = [
        j + 1
        for j, c in enumerate(table.columns)
        if isinstance(c, Categories) and len(c) and (c.codes.max() >= c.levels or c.codes.min() < UNKNOWN)
    ]
    if wrong:
        raise BadPlan([f"Column {j} has a code that is none of its levels." for j in wrong])
