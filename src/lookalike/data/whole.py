"""Whole numbers and days that a format stores as reals and points in time: given back as what they are."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import polars.selectors as cs

EXACT = 2**53
"""Whole numbers up to here are held exactly by a real of 64 bits."""


def as_whole(table: pl.DataFrame | pl.LazyFrame) -> Iterator[pl.Expr]:
    """Casts for the columns of reals that hold nothing but whole numbers.

    >>> table = pl.DataFrame({"age": [30.0, None], "height": [1.7, 1.8]})
    >>> table.with_columns(as_whole(table)).dtypes
    [Int64, Float64]
    """
    reals = cs.by_dtype(pl.Float32, pl.Float64)
    whole = ((reals % 1 == 0) & (reals.abs() < EXACT)).all() & reals.is_not_null().any()
    for name in _where(table, whole):
        yield pl.col(name).cast(pl.Int64)


def as_dates(table: pl.DataFrame | pl.LazyFrame) -> Iterator[pl.Expr]:
    """Casts for the columns of points in time that all are midnights."""
    times = cs.datetime(time_zone=None)
    midnight = (times.dt.time() == pl.time(0)).all() & times.is_not_null().any()
    for name in _where(table, midnight):
        yield pl.col(name).cast(pl.Date)


def _where(table: pl.DataFrame | pl.LazyFrame, test: pl.Expr) -> list[str]:
    """The columns that pass."""
    found = table.lazy().select(test).collect(engine="streaming")
    return [name for name, passes in found.row(0, named=True).items() if passes] if found.width else []
