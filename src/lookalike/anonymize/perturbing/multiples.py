"""Multiples of a base near a number, and the periods around a date."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.anonymize.columns.kept_form import blanked, decimals_of, in_form_of, numbers_of

PERIODS = {"day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}
"""Periods a date is taken back to, as Polars calls them; a week begins on Monday."""
_NEAR = 1e-9
"""A number so near to a multiple is one: 0.3 is not exactly three times 0.1."""


def to_multiples(cells: pl.Series, base: float, *, rng: Generator | None = None) -> pl.Series:
    """The nearest multiple, halves up; with `rng` the one below or above, by chance, without bias.

    >>> to_multiples(pl.Series([7, 8, -8, None]), 5).to_list()
    [5, 10, -10, None]
    >>> to_multiples(pl.Series([0.13, 0.25]), 0.1).to_list()
    [0.1, 0.3]
    """
    if cells.dtype.is_integer():
        return _whole(cells, int(base), rng)
    numbers = numbers_of(cells)
    finite = np.isfinite(numbers)
    parts = np.where(finite, numbers, 0.0) / base
    below = np.floor(parts + _NEAR)
    rest = np.maximum(parts - below, 0.0)
    up = rest >= 0.5 - _NEAR if rng is None else rng.random(len(rest)) < rest
    made = np.where(finite, (below + up) * base, numbers)
    return in_form_of(cells, made, decimals_of(np.array([base])))


def _whole(cells: pl.Series, base: int, rng: Generator | None) -> pl.Series:
    """Exact, for whole numbers of any size."""
    numbers = cells.cast(pl.Int64).fill_null(0).to_numpy()
    rest = numbers % base
    up = 2 * rest >= base if rng is None else rng.integers(base, size=len(rest)) < rest
    made = pl.Series(cells.name, numbers - rest + up * base)
    typed = made.cast(cells.dtype, strict=False)
    return blanked(made if typed.null_count() else typed, cells)


def to_periods(cells: pl.Series, period: str, *, rng: Generator | None = None) -> pl.Series:
    """The first day of the period; with `rng` of this one or the next, by chance, without bias.

    >>> from datetime import date
    >>> to_periods(pl.Series([date(2024, 5, 31)]), "month").to_list()
    [datetime.date(2024, 5, 1)]
    """
    first = cells.dt.truncate(PERIODS[period])
    if rng is None:
        return first
    following = first.dt.offset_by(PERIODS[period])
    rest = _time(cells) - _time(first)
    up = rng.random(len(cells)) * (_time(following) - _time(first)) < rest
    return pl.select(pl.when(pl.lit(up)).then(following).otherwise(first).alias(cells.name)).to_series()


def _time(cells: pl.Series) -> NDArray[np.float64]:
    return numbers_of(cells.to_physical())
