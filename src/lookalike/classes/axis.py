"""A column as places on an axis: what distances, intervals and groups are computed on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.classes.codes import MISSING, distinct_and_codes
from lookalike.data import Kind, Microdata, Variable
from lookalike.data.variable import in_order, is_number, is_range
from lookalike.engine import records


@dataclass(frozen=True)
class Axis:
    """The values of a column in an order, each record's place among them, and where each value lies.

    >>> import lookalike as la
    >>> file = la.read(pl.DataFrame({"age": [30, 45, None, 30]}))
    >>> axis = axis_of(file, "age")
    >>> axis.values.to_list(), axis.codes.tolist(), axis.positions.tolist()
    ([30, 45], [0, 1, -1, 0], [30.0, 45.0])
    >>> axis.mean, round(axis.deviation ** 2, 9)
    (35.0, 50.0)
    """

    name: str
    values: pl.Series
    """The distinct values in their order, missing left out."""
    codes: NDArray[np.int32]
    """The place of each record's value among them; -1 is missing."""
    positions: NDArray[np.float64]
    """Numbers themselves, days of dates; of other values the rank."""
    metric: bool
    """Whether positions are sizes, not ranks."""

    @cached_property
    def texts(self) -> pl.Series:
        """The values as they are written."""
        return self.values.cast(pl.String)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many records have each value."""
        return np.bincount(self.codes[self.codes >= 0] if self.gaps else self.codes, minlength=len(self.values))

    @cached_property
    def gaps(self) -> bool:
        """Whether a record misses the value."""
        return bool(len(self.codes)) and int(self.codes.min()) < 0

    @cached_property
    def mean(self) -> float:
        """The mean position of the records that have a value; 0 if none has."""
        return float(np.average(self.positions, weights=self.counts)) if len(self.values) else 0.0

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of their positions, over n (Sánchez et al. 2016, equation 2); 0 if all are equal."""
        if len(self.values) < 2:
            return 0.0
        return float(np.sqrt(np.average((self.positions - self.mean) ** 2, weights=self.counts)))

    def spread(self, values: NDArray[np.float64], missing: float) -> NDArray[np.float64]:
        """A number per value at each record; `missing` where the record has none."""
        # A code of -1 finds the last entry.
        found: NDArray[np.float64] = np.append(values, missing)[self.codes]
        return found


def axis_of(file: Microdata, name: str) -> Axis:
    """The axis of one column: numbers and dates by size, ordinal values by their levels, others by their text.

    Text codes that are all numbers lie at their number, as the postal codes of Sánchez et al. (2016) do. The order of
    nominal values is that of their texts: it is stated, not meant.
    """
    return axis(file.variable(name), records(file.table, [name])[name])


def axis(variable: Variable, cells: pl.Series) -> Axis:
    """The same for a column in memory."""
    whole = cells.drop_nulls()
    if not len(whole):
        return Axis(cells.name, whole, np.full(len(cells), MISSING, np.int32), np.empty(0), metric=False)
    values, places = _distinct(whole)
    order, positions = _placed(variable, values)
    rank = np.empty(len(values), np.int32)
    rank[order] = np.arange(len(values), dtype=np.int32)
    codes = rank[places]
    if len(whole) < len(cells):
        codes = np.full(len(cells), MISSING, np.int32)
        codes[cells.is_not_null().to_numpy()] = rank[places]
    where = np.arange(len(values), dtype=np.float64) if positions is None else positions[order]
    return Axis(cells.name, values.gather(order), codes, where, metric=positions is not None)


def _distinct(whole: pl.Series) -> tuple[pl.Series, NDArray[np.int32]]:
    if whole.dtype != pl.String:
        return distinct_and_codes(whole)
    values = whole.unique().sort()
    return values, whole.cast(pl.Enum(values)).to_physical().cast(pl.Int32).to_numpy()


def _placed(variable: Variable, values: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """The order of sorted values, and their positions if they have sizes."""
    as_they_are = np.arange(len(values))
    if values.dtype.is_numeric():
        return as_they_are, values.cast(pl.Float64).to_numpy()
    if values.dtype.is_temporal():
        days = 86_400_000_000 if values.dtype == pl.Datetime else 1
        physical = values.cast(pl.Datetime("us")) if values.dtype == pl.Datetime else values
        return as_they_are, physical.to_physical().cast(pl.Float64).to_numpy() / days
    texts = values.cast(pl.String).to_list()
    if all(is_number(t) for t in texts):
        numbers = np.array([float(t.replace(",", ".")) for t in texts])
        return np.argsort(numbers, kind="stable"), numbers
    sized = all(is_number(t) or is_range(t) for t in texts)
    levels = in_order(texts) if sized else variable.levels
    if levels and (sized or variable.kind is Kind.ORDINAL):
        place = {level: i for i, level in enumerate(levels)}
        return np.array(sorted(as_they_are, key=lambda i: (place.get(texts[i], len(levels)), texts[i]))), None
    return as_they_are, None
