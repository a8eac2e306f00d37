"""The levels of a category in two files, as codes of one book."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.classes.codes import distinct_and_codes
from lookalike.utility.numbers import TIMES

MISSING = "missing"
"""How a missing value is called in tables."""

FIRST = 65_536
"""Records among which the levels of a text are looked for first."""


def codes_of_levels(original: pl.Series, release: pl.Series) -> tuple[NDArray[np.int64], pl.Series]:
    """The codes of both columns, one after the other, and the levels as text in the order of the codes.

    Levels are in the order of their values; a missing value is a level of its own, the last. A level that one file
    lacks has its code all the same. Columns of different types are compared as numbers if both hold numbers, else
    as text.

    >>> codes, levels = codes_of_levels(pl.Series(["b", "a", None]), pl.Series(["c", "a"]))
    >>> codes.tolist(), levels.to_list()
    ([1, 0, 3, 2, 0], ['a', 'b', 'c', 'missing'])
    """
    both = _together(original, release)
    known = both.drop_nulls()
    if len(known) == 0:
        return np.zeros(len(both), np.int64), pl.Series("level", [MISSING])
    distinct, places = _coded(known)
    levels = distinct.cast(pl.String).alias("level")
    if len(known) == len(both):
        return places, levels
    codes = np.full(len(both), len(distinct), np.int64)
    codes[both.is_not_null().to_numpy()] = places
    return codes, pl.concat([levels, pl.Series("level", [MISSING])])


def _together(original: pl.Series, release: pl.Series) -> pl.Series:
    """One column after the other, of a type that both can have."""
    one, other = (_plain(column) for column in (original, release))
    if one.dtype != other.dtype:
        common = pl.Float64 if one.dtype.is_numeric() and other.dtype.is_numeric() else pl.String
        one, other = one.cast(common), other.cast(common)
    return pl.concat([one.alias("v"), other.alias("v")])


def _plain(column: pl.Series) -> pl.Series:
    """Texts in place of categories, numbers without NaN, all else as it is."""
    if column.dtype.is_float():
        return column.fill_nan(None)
    if column.dtype == pl.Boolean or column.dtype.is_numeric() or isinstance(column.dtype, (*TIMES, pl.String)):
        return column
    return column.cast(pl.String)


def _coded(values: pl.Series) -> tuple[pl.Series, NDArray[np.int64]]:
    if values.dtype == pl.String:
        return _coded_texts(values)
    distinct, places = distinct_and_codes(values)
    return distinct, places.astype(np.int64)


def _coded_texts(values: pl.Series) -> tuple[pl.Series, NDArray[np.int64]]:
    """Levels looked for among the first records; only if there are others among all. Ranking texts is far slower."""
    distinct = values.head(FIRST).unique().sort()
    if len(distinct) > FIRST // 4:
        distinct = values.unique().sort()
    for _ in range(2):
        codes = pl.Series(np.arange(len(distinct), dtype=np.int64))
        places = values.replace_strict(distinct, codes, default=-1, return_dtype=pl.Int64)
        others = places == -1
        if not others.any():
            break
        distinct = pl.concat([distinct, values.filter(others).unique()]).sort()
    return distinct, places.to_numpy()
