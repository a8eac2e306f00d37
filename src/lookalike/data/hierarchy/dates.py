"""Dates by parts: day, month, quarter, year, decade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import polars as pl

from lookalike.data.hierarchy.hierarchy import Hierarchy, Shares, everywhere
from lookalike.errors import unknown

PARTS = {"day": "1d", "month": "1mo", "quarter": "1q", "year": "1y", "decade": "10y"}
"""Each part and its length; each lies whole inside one of the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DateParts(Hierarchy):
    """A date as its month, quarter, year or decade; of a point in time, also its day. Texts such as 2020-03-15 count.

    >>> from datetime import date
    >>> parts = DateParts(parts=("month", "quarter", "year", "decade"))
    >>> [level.to_list() for level in parts.cells(pl.Series([date(2020, 3, 15)]))]
    [['2020-03'], ['2020-Q1'], ['2020'], ['[2020;2029]'], ['*']]
    """

    kind: ClassVar[str] = "date parts"
    parts: tuple[str, ...] = ("month", "quarter", "year")
    everything: bool = True

    @property
    def levels(self) -> int:
        """See `Hierarchy`."""
        return 1 + len(self.parts) + self.everything

    def cells(self, values: pl.Series) -> list[pl.Series]:
        """See `Hierarchy`."""
        days = days_of(values)
        return [*(_written(days, part) for part in self.parts), *([everywhere(values)] if self.everything else [])]

    def shares(self, values: pl.Series, cells: Sequence[pl.Series]) -> list[Shares]:
        """The part of the days from the first to the last date that each cell covers."""
        days = days_of(values)
        found = [_part(days, part) for part in self.parts]
        return [*found, *([np.full(len(values), float(len(values) > 1))] if self.everything else [])]

    def faults(self) -> list[str]:
        """See `Hierarchy`."""
        names = list(PARTS)
        faults = [unknown("Part", p, names, where="of a date", listed="Parts") for p in self.parts if p not in names]
        places = [names.index(part) for part in self.parts if part in names]
        if any(later <= earlier for earlier, later in pairwise(places)):
            faults.append(f"The parts of a date must go from short to long: {', '.join(names)}.")
        return faults


def days_of(values: pl.Series) -> pl.Series:
    """Values as dates; null where one is none.

    >>> days_of(pl.Series(["2020-03-15", "2020-03-15 08:00", "x"])).to_list()
    [datetime.date(2020, 3, 15), datetime.date(2020, 3, 15), None]
    """
    if values.dtype == pl.String:
        return values.str.strip_chars().str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    if values.dtype in (pl.Date, pl.Datetime):
        return values.cast(pl.Date)
    return pl.Series(values.name, [None] * len(values), dtype=pl.Date)


def _written(days: pl.Series, part: str) -> pl.Series:
    if part == "day":
        return days.dt.strftime("%Y-%m-%d")
    if part == "month":
        return days.dt.strftime("%Y-%m")
    year = days.dt.year()
    frame = pl.DataFrame({"year": year, "quarter": days.dt.quarter(), "first": year // 10 * 10})
    text = {
        "quarter": pl.format("{}-Q{}", "year", "quarter"),
        "year": pl.col("year").cast(pl.String),
        "decade": pl.format("[{};{}]", "first", pl.col("first") + 9),
    }[part]
    return frame.select(pl.when(pl.col("year").is_not_null()).then(text).alias(days.name)).to_series()


def _part(days: pl.Series, part: str) -> Shares:
    """(days covered − 1) / (days − 1), what lies before the first and after the last date left out."""
    if days.null_count() == len(days):
        return np.zeros(len(days))
    numbers = days.to_physical()
    ends = numbers.drop_nulls().to_numpy()
    low, high = int(ends.min()), int(ends.max())
    start = days.dt.truncate(PARTS[part])
    last = start.dt.offset_by(PARTS[part]).to_physical() - 1
    covered = last.fill_null(0).to_numpy().clip(max=high) - start.to_physical().fill_null(0).to_numpy().clip(min=low)
    share: Shares = np.clip(covered / max(high - low, 1), 0.0, 1.0)
    return share
