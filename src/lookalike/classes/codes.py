"""Values as small whole numbers, and several of them as one: exact, so that no two classes are merged."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.engine import number

Codes = NDArray[np.int64]
MISSING = -1

_DIRECT = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.Date, pl.Boolean)


def encode(column: pl.Series) -> Codes:
    """Codes from 0 in the order of the values, `MISSING` for nulls; equal codes if and only if equal values.

    >>> encode(pl.Series(["b", "a", None, "b"])).tolist()
    [1, 0, -1, 1]
    >>> encode(pl.Series([10, 12, None])).tolist()
    [0, 2, -1]
    """
    if column.null_count() == len(column):
        return np.full(len(column), MISSING, np.int64)
    if column.dtype in _DIRECT:
        numbers = column.to_physical().cast(pl.Int64)
        low, high = numbers.min(), numbers.max()
        assert isinstance(low, int)
        assert isinstance(high, int)
        if high - low < 2**31:
            return (numbers - low).fill_null(MISSING).to_numpy()
    return (column.rank("dense").cast(pl.Int64) - 1).fill_null(MISSING).to_numpy()


def distinct_and_codes(column: pl.Series) -> tuple[pl.Series, NDArray[np.int32]]:
    """The distinct values in order, and the place of each record's value among them; for a column without nulls.

    >>> distinct, codes = distinct_and_codes(pl.Series([12, 10, 12]))
    >>> distinct.to_list(), codes.tolist()
    ([10, 12], [1, 0, 1])
    """
    if column.dtype in _DIRECT:
        numbers = column.to_physical().cast(pl.Int64).to_numpy()
        low = int(numbers.min())
        if int(numbers.max()) - low < 8 * len(numbers) + 2**20:
            numbers = numbers - low if low else numbers
            present = np.zeros(int(numbers.max()) + 1, bool)
            present[numbers] = True
            distinct = pl.Series(column.name, np.flatnonzero(present) + low).cast(column.to_physical().dtype)
            places = np.cumsum(present, dtype=np.int32)
            places -= 1
            return distinct.cast(column.dtype), places[numbers]
    distinct = column.unique().sort()
    return distinct, (column.rank("dense").cast(pl.Int32) - 1).to_numpy()


def encode_together(one: pl.Series, other: pl.Series) -> tuple[Codes, Codes]:
    """Codes of two columns in one code book.

    Numbers of different types are compared as numbers, whole numbers exactly; other columns of different types
    as texts.

    >>> [codes.tolist() for codes in encode_together(pl.Series(["1", "2"]), pl.Series([2, 3]))]
    [[0, 1], [1, 2]]
    """
    if one.dtype != other.dtype:
        common = _common(one.dtype, other.dtype)
        one, other = one.cast(common), other.cast(common)
    codes = encode(pl.concat([one.alias("v"), other.alias("v")]))
    return codes[: len(one)], codes[len(one) :]


def _common(one: pl.DataType, other: pl.DataType) -> type[pl.DataType]:
    if one.is_integer() and other.is_integer():
        return pl.Int64 if one in _DIRECT and other in _DIRECT else pl.Int128
    return pl.Float64 if one.is_numeric() and other.is_numeric() else pl.String


def group(columns: Iterable[Codes]) -> NDArray[np.int32]:
    """One number per row, equal if and only if the rows are equal on all columns; from 0 without gaps, in no order.

    >>> group([np.array([1, 1, 0]), np.array([5, 5, 5])]).tolist()
    [1, 1, 0]
    """
    key, room = np.zeros(1, np.int64), 1
    for codes in columns:
        if room == 1:
            key = np.zeros(len(codes), np.int64)
        radix = int(codes.max(initial=MISSING)) + 2
        if room * radix >= 2**62:
            key = number(key).index.astype(np.int64)
            room = int(key.max(initial=0)) + 1
        key *= radix
        key += codes
        key += 1
        room *= radix
    return number(key).index


def totals(labels: NDArray[np.int32], amounts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of `amounts` per label of `group`; whole numbers, exact while they stay below 2**53.

    >>> totals(np.array([1, 1, 0]), np.array([2, 3, 4])).tolist()
    [4, 5]
    """
    return np.bincount(labels, weights=amounts).astype(np.int64)
