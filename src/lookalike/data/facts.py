"""What is known of a column before it is guessed: its values as they are, counted and looked at."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from lookalike.data.variable import is_number, is_range

NEARLY = 0.95
"""The share of records with a value of their own from which a column is "nearly unique"."""
LOOKED_AT = 2000
"""The distinct values whose shape is looked at."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a column: the values that are there, the distinct ones as text, and counts."""

    name: str
    column: pl.Series
    values: tuple[str, ...]
    distinct: int
    rows: int
    records: int

    @property
    def n(self) -> int:
        """The values that are there."""
        return self.column.len()

    @property
    def text(self) -> bool:
        """The values are texts."""
        return self.column.dtype == pl.String

    @property
    def whole(self) -> bool:
        """The values are whole numbers."""
        dtype = self.column.dtype
        return dtype.is_integer() or (dtype.is_float() and bool((self.column == self.column.floor()).all()))

    @property
    def unique(self) -> bool:
        """Nearly every record has its own value."""
        return self.n > 0 and self.distinct >= NEARLY * self.n and (self.text or self.whole)

    @property
    def bands(self) -> bool:
        """The values are ranges of numbers."""
        few = 2 <= self.distinct <= 100 and self.share(is_range) >= 0.5
        return few and self.share(lambda value: is_range(value) or is_number(value)) >= 0.8

    def quantile(self, q: float) -> float:
        """A quantile of the numbers."""
        return float(self.column.quantile(q) or 0.0)

    def share(self, test: str | Callable[[str], object]) -> float:
        """The share of distinct values that have a shape or pass a test."""
        passes = re.compile(test).fullmatch if isinstance(test, str) else test
        return sum(bool(passes(value)) for value in self.values) / max(len(self.values), 1)


def facts_of(column: pl.Series, records: int) -> Facts:
    """Look at one column; blank text and numbers that are not finite count as empty."""
    dtype, there = column.dtype, column.drop_nulls()
    if dtype in (pl.Boolean, pl.Categorical, pl.Enum, pl.Null):
        there = there.cast(pl.String)
    elif dtype == pl.Duration:
        there = there.cast(pl.Int64)
    elif dtype.is_decimal() or dtype.is_float():
        there = there.cast(pl.Float64)
        there = there.filter(there.is_finite())
    if there.dtype == pl.String:
        there = there.filter(there.str.strip_chars() != "")
    distinct = there.unique(maintain_order=True)
    values = tuple(distinct.head(LOOKED_AT).cast(pl.String))
    return Facts(column.name, there, values, distinct.len(), column.len(), records)
