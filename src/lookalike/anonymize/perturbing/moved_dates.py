"""Dates moved by days, whatever their type; and what remains of a person's dates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

_ISO = r"^\d{4}-\d{2}-\d{2}([T ].*)?$"


def is_iso(cells: pl.Series) -> pl.Series:
    """Whether a cell is a date: by its type, or as a text that begins with YYYY-MM-DD; missing counts as one.

    >>> is_iso(pl.Series(["2024-02-29 10:15", "2023-02-29", "1.3.2024", None])).to_list()
    [True, False, False, True]
    """
    if cells.dtype != pl.String:
        return pl.repeat(value=True, n=len(cells), eager=True)
    dated = cells.str.contains(_ISO) & cells.str.head(10).str.to_date("%Y-%m-%d", strict=False).is_not_null()
    return dated.fill_null(value=True) | cells.is_null()


def moved(cells: pl.Series, days: NDArray[np.int64]) -> pl.Series:
    """Dates so many days later; the time of day stays, on the clock of their time zone.

    >>> moved(pl.Series(["2024-02-29 10:15", None]), np.array([1, 1])).to_list()
    ['2024-03-01 10:15', None]
    """
    if cells.dtype == pl.String:
        later = _plus(cells.str.head(10).str.to_date("%Y-%m-%d"), days).dt.strftime("%Y-%m-%d")
        return (later + cells.str.slice(10)).alias(cells.name)
    zone = getattr(cells.dtype, "time_zone", None)
    if zone is None:
        return _plus(cells, days)
    clock = _plus(cells.dt.replace_time_zone(None), days)
    found = clock.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    # An hour that a clock leaps over in spring: there the time that has passed counts, not the clock.
    return found.zip_with(found.is_not_null(), _plus(cells, days)).alias(cells.name)


def _plus(cells: pl.Series, days: NDArray[np.int64]) -> pl.Series:
    shift = pl.select(pl.duration(days=pl.lit(pl.Series(days)))).to_series()
    return (cells + shift).cast(cells.dtype).alias(cells.name)


def day_of(cells: pl.Series) -> NDArray[np.float64]:
    """Days since 1970, NaN where missing."""
    dates = cells.str.head(10).str.to_date("%Y-%m-%d") if cells.dtype == pl.String else cells.dt.date()
    return dates.to_physical().cast(pl.Float64).fill_null(np.nan).to_numpy()


def in_same_month(before: Sequence[NDArray[np.float64]], after: Sequence[NDArray[np.float64]]) -> float:
    """The share of dates whose month of the year is as it was.

    >>> in_same_month([np.array([0.0, 30.0])], [np.array([365.0, 31.0])])
    0.5
    """
    one, other = np.concatenate(list(before)), np.concatenate(list(after))
    known = np.isfinite(one)
    if not known.any():
        return 1.0
    return float((_month(one[known]) == _month(other[known])).mean())


def _month(days: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.asarray(days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12)


def alone_by_intervals(persons: NDArray[np.int64], days: Sequence[NDArray[np.float64]]) -> tuple[int, int]:
    """Persons with two dates or more, and how many of them nobody shares the days between them with: (alone, all).

    Dates are compared column by column: an admission is not a discharge.

    >>> alone_by_intervals(np.array([0, 0, 1, 1, 2, 2, 3]), [np.array([1.0, 5.0, 11.0, 15.0, 7.0, 8.0, 3.0])])
    (1, 3)
    """
    known = [np.isfinite(column) for column in days]
    pieces = [
        pl.DataFrame(
            {"person": persons[there], "day": column[there].astype(np.int64), "which": np.full(there.sum(), j)}
        )
        for j, (column, there) in enumerate(zip(days, known, strict=True))
    ]
    dates = pl.concat(pieces).sort("person", "day", "which")
    each = dates.with_columns(gap=pl.col("day") - pl.col("day").min().over("person"))
    said = each.group_by("person").agg(
        pl.format("{}:{}", "which", "gap").str.join(" ").alias("pattern"), pl.len().alias("many")
    )
    several = said.filter(pl.col("many") > 1)
    return int((several.group_by("pattern").len()["len"] == 1).sum()), several.height
