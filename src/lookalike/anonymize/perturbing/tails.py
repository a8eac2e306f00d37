"""The ends of a column: where the highest and the lowest values begin, and what stands for them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.anonymize.columns.kept_form import blanked


@dataclass(frozen=True)
class Limits:
    """Values below `low` and values from `high` on are cut; None cuts nothing. `read`: found in the file."""

    low: float | None = None
    high: float | None = None
    read: bool = False

    def below(self, cells: pl.Series) -> NDArray[np.bool_]:
        """Which cells are cut at the lower end."""
        return _true(_wide(cells) < self.low) if self.low is not None else np.zeros(len(cells), bool)

    def above(self, cells: pl.Series) -> NDArray[np.bool_]:
        """Which cells are cut at the upper end."""
        if self.high is None:
            return np.zeros(len(cells), bool)
        return _true(_wide(cells) >= self.high)


def limits_by_count(cells: pl.Series, lowest: int, highest: int) -> Limits:
    """Limits with at least so many values beyond each; ties join them; 0 means none, as does a cut that takes all.

    >>> limits_by_count(pl.Series([1, 2, 3, 3, 9]), 1, 2)
    Limits(low=2, high=3, read=True)
    >>> limits_by_count(pl.Series([4, 4, 4]), 1, 1)
    Limits(low=None, high=None, read=True)
    """
    known = _wide(cells).drop_nulls().sort()
    n = len(known)
    low = high = None
    if 0 < highest < n and known[n - highest] > known[0]:
        high = known[n - highest]
    if 0 < lowest < n and known[lowest - 1] < known[-1]:
        edge = known[lowest - 1]
        # "<5" must take in the value at the edge: the next whole number, or the next value there is.
        low = edge + 1 if cells.dtype.is_integer() else known.filter(known > edge)[0]
    return Limits(low, high, read=True)


def written(number: float) -> str:
    """A limit as it stands in a code.

    >>> written(85.0), written(1500000.5), written(-3)
    ('85', '1500000.5', '-3')
    """
    return str(int(number)) if number == math.floor(number) else np.format_float_positional(number, trim="-")


def coded(cells: pl.Series, limits: Limits) -> pl.Series:
    """Text with `85+` and `<5` at the ends.

    >>> coded(pl.Series([3, 5, 85, 99, None]), Limits(5, 85)).to_list()
    ['<5', '5', '85+', '85+', None]
    """
    above, below = limits.above(cells), limits.below(cells)
    top = f"{written(limits.high)}+" if limits.high is not None else None
    bottom = f"<{written(limits.low)}" if limits.low is not None else None
    texts = pl.when(pl.lit(above)).then(pl.lit(top)).when(pl.lit(below)).then(pl.lit(bottom))
    return pl.select(texts.otherwise(cells.cast(pl.String)).alias(cells.name)).to_series()


def at_limits(cells: pl.Series, limits: Limits) -> pl.Series:
    """The limits themselves at the ends.

    >>> at_limits(pl.Series([3, 5, 85, 99, None]), Limits(5, 85)).to_list()
    [5, 5, 85, 85, None]
    """
    values = _plain(cells)
    for rows, limit in ((limits.below(cells), limits.low), (limits.above(cells), limits.high)):
        if limit is not None:
            values[rows] = limit
    return _as(cells, values)


def at_means(cells: pl.Series, limits: Limits, *, rng: Generator) -> pl.Series:
    """The mean of what is cut, at each end: the total stays.

    Whole numbers stay whole: some, chosen at random, get the next one below the mean and some the next above, as
    many as keep the total exactly.

    >>> at_means(pl.Series([1, 2, 85, 90, 90]), Limits(high=85), rng=np.random.default_rng(1)).to_list()
    [1, 2, 89, 88, 88]
    """
    values = _plain(cells)
    for rows in (np.flatnonzero(limits.below(cells)), np.flatnonzero(limits.above(cells))):
        if len(rows) and cells.dtype.is_integer():
            part, more = divmod(int(values[rows].sum()), len(rows))
            values[rows] = part
            values[rng.permutation(rows)[:more]] += 1
        elif len(rows):
            values[rows] = values[rows].mean()
    return _as(cells, values)


def _wide(cells: pl.Series) -> pl.Series:
    """Numbers that can be compared with any limit; NaN, which Polars holds above every number, is missing."""
    return cells.cast(pl.Int64) if cells.dtype.is_integer() else cells.cast(pl.Float64).fill_nan(None)


def _plain(cells: pl.Series) -> NDArray[np.int64] | NDArray[np.float64]:
    return np.array(_wide(cells).fill_null(0).to_numpy())


def _as(cells: pl.Series, values: NDArray[np.int64] | NDArray[np.float64]) -> pl.Series:
    made = pl.Series(cells.name, values)
    typed = made.cast(cells.dtype, strict=False)
    return blanked(made if typed.null_count() else typed, cells.fill_nan(None) if cells.dtype.is_float() else cells)


def _true(answers: pl.Series) -> NDArray[np.bool_]:
    return answers.fill_null(value=False).to_numpy()
