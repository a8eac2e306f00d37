"""A column as numbers, whichever file it comes from: dates as days, an interval by its middle."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data import Variable, number_of
from lookalike.data.cells import ends_of

Floats = NDArray[np.float64]

TIMES = (pl.Date, pl.Datetime, pl.Time, pl.Duration)
"""Types of dates and times."""

_DAY = 86_400_000_000
"""Microseconds."""


def as_numbers(column: pl.Series) -> Floats | None:
    """The cells as numbers, NaN where one is missing; None if some cell is text that stands for no number.

    A generalized cell is what an analyst makes of it: `[20;30]` its middle, `85+` and `<5` the end they name, `*` a
    missing value. Dates and points in time are days since 1970, durations and times of day are days.

    >>> as_numbers(pl.Series(["26", "[24;30]", "*", None])).tolist()
    [26.0, 27.0, nan, nan]
    >>> as_numbers(pl.Series(["26", "unknown"])) is None
    True
    """
    if column.dtype.is_numeric() or column.dtype == pl.Boolean or column.dtype == pl.Null:
        return _floats(column.cast(pl.Float64))
    if isinstance(column.dtype, TIMES):
        return _floats(_days(column))
    return _of_texts(column.cast(pl.String).str.strip_chars())


def known_numbers(column: pl.Series, variable: Variable | None) -> Floats:
    """The cells as numbers, NaN also where a code stands for a missing value; for a column that holds numbers.

    >>> from lookalike.data import Kind
    >>> known_numbers(pl.Series([3, -8]), Variable(name="pay", kind=Kind.NUMERIC, missing=("-8",))).tolist()
    [3.0, nan]
    """
    values = as_numbers(column)
    assert values is not None
    for number in missing_codes(variable):
        values[values == number] = np.nan
    return values


def coded(column: pl.Series, variable: Variable | None) -> pl.Series:
    """Which cells hold a code for a missing value; of numbers -9 and -9.0 are one code.

    >>> from lookalike.data import Kind
    >>> coded(pl.Series([6.5, -9.0, None]), Variable(name="hba1c", kind=Kind.NUMERIC, missing=("-9",))).to_list()
    [False, True, False]
    """
    if column.dtype.is_numeric():
        found = column.cast(pl.Float64).is_in(list(missing_codes(variable)))
    else:
        found = column.cast(pl.String).is_in(list(variable.missing if variable is not None else ()))
    return found.fill_null(False)


def missing_codes(variable: Variable | None) -> tuple[float, ...]:
    """The numbers that stand for a missing value."""
    named = variable.missing if variable is not None else ()
    return tuple(number for code in named if (number := number_of(code)) is not None)


def _days(column: pl.Series) -> pl.Series:
    if column.dtype == pl.Date:
        return column.to_physical().cast(pl.Float64)
    if column.dtype == pl.Time:
        return column.to_physical().cast(pl.Float64) / (1000 * _DAY)
    if isinstance(column.dtype, pl.Datetime):
        return column.dt.epoch("us").cast(pl.Float64) / _DAY
    return column.dt.total_microseconds().cast(pl.Float64) / _DAY


def _of_texts(column: pl.Series) -> Floats | None:
    plain = column.cast(pl.Float64, strict=False)
    odd = column.filter(plain.is_null() & column.is_not_null())
    if odd.is_empty():
        return _floats(plain)
    values = {text: _middle(text) for text in odd.unique().to_list()}
    if None in values.values():
        return None
    middles = column.replace_strict(list(values), list(values.values()), default=None, return_dtype=pl.Float64)
    return _floats(plain.fill_null(middles))


def _middle(text: str) -> float | None:
    """The number a generalized cell stands for, NaN for any value at all; None if it is no number."""
    if not text:
        return float("nan")
    ends = ends_of(text)
    if ends is None:
        return None
    known = [end for end in ends if end is not None]
    return sum(known) / len(known) if known else float("nan")


def _floats(column: pl.Series) -> Floats:
    return np.array(column.fill_null(float("nan")).to_numpy(), np.float64)
