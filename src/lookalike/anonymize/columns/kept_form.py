"""Changed values in the form of their column: its type, its decimals, its missing values."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.coded import Axis

Floats = NDArray[np.float64]

EXACT = 2**53
"""Whole numbers from here on cannot be told apart as fractions."""
WIDEST = 2**62
"""Where changed whole numbers end, so that they fit their type whatever was added."""
_MOST = 9
"""Beyond so many decimals numbers count as not rounded."""
_FIRST = 1000
"""Numbers looked at first: most columns that are not rounded show it there."""


def numbers_of(cells: pl.Series) -> Floats:
    """The cells as numbers, missing ones NaN.

    >>> numbers_of(pl.Series([1, None])).tolist()
    [1.0, nan]
    """
    return cells.cast(pl.Float64).fill_null(np.nan).to_numpy()


def too_large(frame: pl.DataFrame) -> list[str]:
    """A fault for each column of whole numbers that are too large to be computed with; mostly they are codes."""
    wide = [cells for cells in frame if cells.dtype.is_integer() and cells.len() > cells.null_count()]
    ends = {cells.name: (cells.cast(pl.Float64).min(), cells.cast(pl.Float64).max()) for cells in wide}
    return [
        f"Column '{name}' holds whole numbers of 16 digits or more, too large to be changed by size. Leave it out."
        for name, pair in ends.items()
        if max(abs(float(end)) for end in pair if isinstance(end, float)) >= EXACT
    ]


def decimals_of(numbers: Floats) -> int | None:
    """The decimals that all finite numbers have at most; None if they are not rounded.

    >>> decimals_of(np.array([1.25, 3.5, np.nan])), decimals_of(np.array([1 / 3]))
    (2, None)
    """
    finite = numbers[np.isfinite(numbers)]
    for decimals in range(_MOST + 1):
        if all(np.array_equal(np.round(some, decimals), some) for some in (finite[:_FIRST], finite)):
            return decimals
    return None


def in_form_of(cells: pl.Series, numbers: Floats, decimals: int | None = None) -> pl.Series:
    """Numbers as cells of a column's type; whole in a column of whole numbers; missing where the column is.

    Numbers that a short type of whole numbers cannot hold widen it, to whole numbers of 64 bits.

    >>> in_form_of(pl.Series("age", [30, None, 50], dtype=pl.Int8), np.array([129.6, np.nan, 50])).to_list()
    [130, None, 50]
    """
    rounded = numbers if decimals is None else np.round(numbers, decimals)
    made = pl.Series(cells.name, rounded)
    if cells.dtype.is_integer():
        made = pl.Series(cells.name, np.clip(np.rint(rounded), -WIDEST, WIDEST)).fill_nan(None).cast(pl.Int64)
    elif not cells.dtype.is_float():
        made = made.fill_nan(None)
    typed = made.cast(cells.dtype, strict=False)
    whole = typed if typed.null_count() == made.null_count() else made
    return whole if not cells.null_count() else blanked(whole, cells)


def blanked(made: pl.Series, cells: pl.Series) -> pl.Series:
    """Cells that are missing where those of a column are."""
    return pl.select(pl.when(cells.is_not_null()).then(made).alias(cells.name)).to_series()


def cells_of(axis: Axis, codes: NDArray[np.int32]) -> pl.Series:
    """The values that places on an axis stand for; -1 is missing."""
    if not len(axis.values):
        return pl.Series(axis.name, [None] * len(codes), dtype=axis.values.dtype)
    places = pl.DataFrame({"place": codes.astype(np.int64)}).select(pl.when(pl.col("place") >= 0).then("place"))
    return axis.values.gather(places.to_series()).alias(axis.name)
