"""A column of the file inside a sequence: what stands where there is no number, and the numbers themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from lookalike.models.mixed import UNKNOWN, Categories, Column, Mixed, Numbers
from lookalike.models.sequential.asked import Cells

SPIKE = 0.2
"""The share of records from which a number is a spike."""
LEFT = 10
"""Other values that must be left."""


@dataclass(frozen=True, slots=True)
class Inner:
    """The cells of a column as they are drawn: first which of them hold a number, then what they hold."""

    what: Column
    which: Categories | None = None
    """0 where there is a number; other codes stand for gaps, codes and spikes. None if every cell holds one."""

    @property
    def there(self) -> NDArray[np.bool_]:
        """Where `what` says something: there is a number or a level, and it is known."""
        return self.what.known if self.which is None else (self.which.codes == 0) & self.what.known

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where the cell of the file is known."""
        return self.what.known if self.which is None else self.which.known & ((self.which.codes > 0) | self.what.known)

    def take(self, rows: NDArray[np.integer]) -> Inner:
        """These rows."""
        return Inner(self.what.take(rows), None if self.which is None else self.which.take(rows))

    def where(self, keep: NDArray[np.bool_], other: Inner) -> Inner:
        """These cells where `keep` says so, those of the other elsewhere."""
        which = None
        if self.which is not None and other.which is not None:
            which = _chosen(keep, self.which, other.which)
        assert which is None or isinstance(which, Categories)
        return Inner(_chosen(keep, self.what, other.what), which)


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """One column of the file: where it stands in the table, and how its cells are taken apart.

    `spikes` are numbers that many records hold, drawn as levels of their own before the rest; a number with few
    distinct `values` is drawn as a category.
    """

    name: str
    places: tuple[int, ...]
    spikes: tuple[float, ...] = ()
    values: NDArray[np.float64] | None = None
    own: int = 0
    """Codes of the table for what stands where there is no number; the first is for a number."""
    middle: float = 0.0
    """The mean of the numbers: what a predictor holds where there is none."""

    def inner(self, cells: Cells) -> Inner:
        """The cells taken apart."""
        first = cells[0]
        if isinstance(first, Categories):
            return Inner(first)
        which = cells[1] if len(cells) > 1 else None
        assert which is None or isinstance(which, Categories)
        if self.spikes:
            return self._without_spikes(first, which)
        return Inner(self._levels(first), which)

    def _without_spikes(self, numbers: Numbers, which: Categories | None) -> Inner:
        codes = np.zeros(len(numbers), np.int32) if which is None else which.codes.copy()
        values = numbers.values.copy()
        for k, spike in enumerate(self.spikes):
            at = (codes == 0) & (values == spike)
            codes[at], values[at] = max(self.own, 1) + k, np.nan
        if which is None:
            codes[np.isnan(numbers.values)] = UNKNOWN
        levels = max(self.own, 1) + len(self.spikes)
        return Inner(self._levels(Numbers(values)), Categories(codes, levels))

    def _levels(self, numbers: Numbers) -> Column:
        if self.values is None:
            return numbers
        codes = np.searchsorted(self.values, numbers.values).astype(np.int32)
        return Categories(np.where(numbers.known, codes, UNKNOWN).astype(np.int32), len(self.values), True)

    def cells(self, inner: Inner) -> Cells:
        """The cells put together again, a number in every row."""
        if not self.numeric:
            return (inner.what,)
        numbers = self._numbers(inner.what)
        codes = None if inner.which is None else inner.which.codes
        if codes is not None:
            numbers = np.where(codes == 0, numbers, self.middle)
            for k, spike in enumerate(self.spikes):
                numbers = np.where(codes == max(self.own, 1) + k, spike, numbers)
        if len(self.places) == 1:
            return (Numbers(numbers),)
        assert codes is not None
        gaps = np.where(codes >= max(self.own, 1), 0, codes).astype(np.int32)
        return Numbers(numbers), Categories(gaps, self.own)

    def _numbers(self, what: Column) -> NDArray[np.float64]:
        if isinstance(what, Numbers):
            return what.values
        assert self.values is not None
        return np.where(what.known, self.values[np.maximum(what.codes, 0)], np.nan)

    @property
    def numeric(self) -> bool:
        """Whether the file holds numbers here."""
        return not np.isnan(self.middle)

    def predictors(self, inner: Inner) -> Cells:
        """The cells as predictors of others: every cell known, the mean where there is no number."""
        what = inner.what
        if isinstance(what, Numbers):
            what = Numbers(np.where(inner.there, what.values, self.middle))
        elif not what.known.all():
            # No level where there is no number; what stands there is told by `which`.
            what = Categories(np.where(what.known, what.codes, 0).astype(np.int32), what.levels, what.ordered)
        return (what,) if inner.which is None else (inner.which, what)


def spikes_of(column: Numbers) -> tuple[float, ...]:
    """Values that a fifth of the records hold or more, if enough other values are left.

    >>> spikes_of(Numbers(np.append(np.zeros(50), np.arange(1.0, 51))))
    (0.0,)
    """
    values, counts = np.unique(column.values[column.known], return_counts=True)
    often = counts >= SPIKE * counts.sum()
    return tuple(values[often].tolist()) if (~often).sum() >= LEFT else ()


def units_of(
    table: Mixed, names: Sequence[str], *, spikes: Mapping[str, tuple[float, ...]], few: int
) -> dict[str, Unit]:
    """The columns of the file in a table, by name; numbers of at most `few` distinct values become categories."""
    found = {}
    for name, group in groupby(range(len(names)), key=lambda j: names[j]):
        places = tuple(group)
        found[name] = _unit(name, places, [table.columns[j] for j in places], tuple(spikes.get(name, ())), few)
    return found


def _unit(name: str, places: tuple[int, ...], columns: list[Column], spikes: tuple[float, ...], few: int) -> Unit:
    first = columns[0]
    if isinstance(first, Categories):
        return Unit(name, places, middle=np.nan)
    real = first.values[first.known & ~np.isin(first.values, spikes)]
    values = np.unique(real) if few else None
    second = columns[1] if len(columns) > 1 else None
    return Unit(
        name,
        places,
        spikes,
        values if values is not None and 0 < len(values) <= few else None,
        second.levels if isinstance(second, Categories) else 0,
        float(real.mean()) if len(real) else 0.0,
    )


def _chosen(keep: NDArray[np.bool_], one: Column, other: Column) -> Column:
    if isinstance(one, Numbers):
        assert isinstance(other, Numbers)
        return Numbers(np.where(keep, one.values, other.values))
    assert isinstance(other, Categories)
    return Categories(np.where(keep, one.codes, other.codes).astype(np.int32), one.levels, one.ordered)
