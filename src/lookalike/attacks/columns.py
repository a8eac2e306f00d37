"""Columns of several files in one code book: equal numbers if and only if equal values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.engine import number
from lookalike.engine.packing import pack

DIRECT = 4
"""Packed keys below so many times the records are counted where they stand, without numbering them first."""

_TEXTS = (pl.Categorical, pl.Enum)


class Numbered(NamedTuple):
    """The class of every record, one array a file, all below `room`; not every number need occur."""

    files: list[NDArray[np.int64]]
    room: int


def numbered(files: Sequence[pl.DataFrame], names: Sequence[str]) -> Numbered:
    """Number the records of all files by their values in some columns; a missing value equals a missing value.

    >>> one, other = pl.DataFrame({"a": [1, 2]}), pl.DataFrame({"a": [2.0, None]})
    >>> found = numbered([one, other], ["a"]).files
    >>> bool(found[0][1] == found[1][0]), len(set(np.concatenate(found).tolist()))
    (True, 3)
    """
    heights = [file.height for file in files]
    if not names:
        return Numbered([np.zeros(height, np.int64) for height in heights], 1)
    packed = pack(stacked(files, names).lazy(), names)
    return _split(*compact(packed), heights)


def ordered(columns: Sequence[pl.Series]) -> list[NDArray[np.int64]]:
    """One column of all files numbered from 0 in the order of its values as texts, missing last; always the same.

    >>> [codes.tolist() for codes in ordered([pl.Series(["b", None]), pl.Series(["a"])])]
    [[1, 2], [0]]
    """
    joined = pl.concat(alike(columns)).cast(pl.String)
    codes = (joined.rank("dense").cast(pl.Int64) - 1).fill_null(joined.n_unique() - 1).to_numpy()
    return np.split(codes, np.cumsum([len(c) for c in columns])[:-1])


def compact(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Keys from 0 to some small room, equal where they were equal."""
    room = int(keys.max(initial=0)) + 1
    if keys.min(initial=0) >= 0 and room <= DIRECT * len(keys):
        return keys, room
    found = number(keys)
    return found.index.astype(np.int64), len(found.sizes)


def _split(keys: NDArray[np.int64], room: int, heights: Sequence[int]) -> Numbered:
    return Numbered(np.split(keys, np.cumsum(heights)[:-1]), room)


def stacked(files: Sequence[pl.DataFrame], names: Sequence[str]) -> pl.DataFrame:
    """Some columns of all files, one under the other, in types in which they can be compared."""
    return pl.DataFrame([pl.concat(alike([file[name] for file in files])).alias(name) for name in names])


def alike(columns: Sequence[pl.Series]) -> list[pl.Series]:
    """Columns in one type: numbers as numbers, all else that differs as text; "not a number" is missing.

    >>> [c.to_list() for c in alike([pl.Series([18.0, 19.0]), pl.Series(["18", "[19;20]"])])]
    [['18', '19'], ['18', '[19;20]']]
    """
    plain = [_plain(column) for column in columns]
    types = {column.dtype for column in plain if column.dtype != pl.Null}
    if len(types) > 1:
        common = _common(types)
        plain = [as_texts(c) if common == pl.String else c.cast(common) for c in plain]
    elif types:
        plain = [c.cast(next(iter(types))) for c in plain]
    return [column.alias("v") for column in plain]


def _plain(column: pl.Series) -> pl.Series:
    if isinstance(column.dtype, _TEXTS):
        return column.cast(pl.String)
    return column.fill_nan(None) if column.dtype.is_float() else column


def _common(types: set[pl.DataType]) -> type[pl.DataType]:
    if all(t.is_integer() for t in types):
        return pl.Int64 if pl.UInt64 not in types and pl.Int128 not in types else pl.Int128
    return pl.Float64 if all(t.is_numeric() for t in types) else pl.String


def as_texts(column: pl.Series) -> pl.Series:
    """Numbers as a person would write them: 18, not 18.0."""
    if column.dtype.is_float() and column.drop_nulls().eq(column.drop_nulls().round()).all():
        column = column.cast(pl.Int64)
    return column.cast(pl.String).str.strip_chars()
