"""Months, quarters and years of a release beside the days of the original: ranges of days as ranges of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lookalike.data.cells import WILDCARD
from lookalike.data.periods import days_of

_FIRST = 100


def holds_days(column: pl.Series) -> bool:
    """Whether every cell is a date, a point in time, or a text such as 2020-03-15.

    >>> holds_days(pl.Series(["2020-03-15", None])), holds_days(pl.Series(["2020"])), holds_days(pl.Series([None]))
    (True, False, False)
    """
    if isinstance(column.dtype, pl.Date | pl.Datetime):
        return True
    if column.dtype != pl.String or column.null_count() == len(column):
        return False
    # A few cells nearly always settle it.
    return all(
        part.str.strip_chars().str.contains(r"^\d{4}-\d{2}-\d{2}([T ].*)?$").all(ignore_nulls=True)
        for part in (column.head(_FIRST), column)
    )


def is_period(text: str) -> bool:
    """Whether a cell stands for several days.

    >>> [is_period(t) for t in ("2020-03", "[2020;2029]", "2020-03-15", "*", "x")]
    [True, True, False, True, False]
    """
    days = days_of(text)
    return text == WILDCARD or (days is not None and days[0] < days[1])


def as_numbers(columns: Sequence[pl.Series]) -> list[pl.Series] | None:
    """Columns of days and of ranges of days as texts with the numbers of the days; None if a cell is neither.

    >>> from datetime import date
    >>> found = as_numbers([pl.Series([date(1970, 1, 2)]), pl.Series(["1970-Q1", "*", None])])
    >>> [c.to_list() for c in found]
    [['1'], ['[0;89]', '*', None]]
    """
    found = []
    for column in columns:
        texts = column.cast(pl.String).str.strip_chars()
        distinct = texts.drop_nulls().unique().to_list()
        read = {text: _written(text) for text in distinct}
        if None in read.values():
            return None
        found.append(texts.replace_strict(list(read), list(read.values()), default=None, return_dtype=pl.String))
    return found


def _written(text: str) -> str | None:
    if text == WILDCARD:
        return text
    days = days_of(text)
    if days is None:
        return None
    return f"{days[0]}" if days[0] == days[1] else f"[{days[0]};{days[1]}]"
