"""Several columns as one 64-bit number per record: exact, so that no two classes are merged.

Columns of small whole numbers become digits of a mixed-radix number, computed while the file streams by. Other
columns are coded one at a time. Where the product of the radices would not fit, what is packed so far is
numbered anew: there are never more classes than records, so everything fits in the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.engine.numbering import number

_WHOLE = (pl.Boolean, pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.Date)
_LARGEST = 2**62
_WIDEST = 2**40
_MANY = 100


class _Digit(NamedTuple):
    """A column of whole numbers: 0 is missing, v - low + 1 is the value v."""

    name: str
    low: int
    radix: int

    def code(self) -> pl.Expr:
        # In this order: low - 1 does not exist for the least 64-bit number.
        return (pl.col(self.name).to_physical().cast(pl.Int64) - self.low + 1).fill_null(0)


class _Part(NamedTuple):
    """Numbers below `room`, one a record."""

    numbers: NDArray[np.int64]
    room: int


def pack(lazy: pl.LazyFrame, keys: Sequence[str]) -> NDArray[np.int64]:
    """One number per record, equal if and only if the records are equal on all keys; missing equals missing.

    >>> pack(pl.LazyFrame({"a": [1, 1, None], "b": ["x", "x", "x"]}), ["a", "b"]).tolist()
    [3, 3, 1]
    """
    schema = lazy.collect_schema()
    # Collected once: two passes over memory are cheaper than two over the file.
    whole = lazy.select(k for k in keys if schema[k] in _WHOLE).collect(engine="streaming")
    digits = _digits(whole)
    packed = {d.name for d in digits}
    parts = _digit_parts(whole, digits)
    del whole
    others = [k for k in keys if k not in packed]
    # Wide files are short: many columns at a time cost less than a query each.
    at_once = _MANY if len(others) > _MANY else 1
    for start in range(0, len(others), at_once):
        parts += map(_coded, lazy.select(others[start : start + at_once]).collect(engine="streaming"))
    joined = parts[0]
    for part in parts[1:]:
        joined = _join(joined, part)
    return joined.numbers


def _digits(table: pl.DataFrame) -> list[_Digit]:
    if not table.width:
        return []
    ends = table.lazy().select(
        getattr(pl.col(k), end)().to_physical().cast(pl.Int64).alias(f"{end}{i}")
        for i, k in enumerate(table.columns)
        for end in ("min", "max")
    )
    row = ends.collect(engine="streaming").row(0, named=True)
    digits = []
    for i, k in enumerate(table.columns):
        low, high = row[f"min{i}"] or 0, row[f"max{i}"] or 0
        digits.append(_Digit(k, low, high - low + 2))
    return [d for d in digits if d.radix < _WIDEST]


def _digit_parts(table: pl.DataFrame, digits: Sequence[_Digit]) -> list[_Part]:
    """As few numbers as hold all digits."""
    expressions: list[pl.Expr] = []
    rooms: list[int] = []
    for d in digits:
        if rooms and rooms[-1] * d.radix < _LARGEST:
            expressions[-1] = expressions[-1] * d.radix + d.code()
            rooms[-1] *= d.radix
        else:
            expressions.append(d.code())
            rooms.append(d.radix)
    if not digits:
        return []
    packed = table.lazy().select(e.alias(str(i)) for i, e in enumerate(expressions)).collect(engine="streaming")
    return [_Part(packed[str(i)].to_numpy(), room) for i, room in enumerate(rooms)]


def _coded(column: pl.Series) -> _Part:
    """A column of texts, reals or wide numbers; 0 is missing."""
    if column.dtype == pl.String:
        # In the order of the file: classes in another order would add up otherwise in the last digit.
        book = pl.Enum(column.unique(maintain_order=True).drop_nulls())
        codes = column.cast(book).to_physical().cast(pl.Int64) + 1
    else:
        codes = column.rank("dense").cast(pl.Int64)
    numbers = codes.fill_null(0).to_numpy()
    return _Part(numbers, int(numbers.max()) + 1)


def _join(one: _Part, other: _Part) -> _Part:
    if one.room * other.room >= _LARGEST:
        one = _renumber(one)
    if one.room * other.room >= _LARGEST:
        other = _renumber(other)
    return _Part(one.numbers * other.room + other.numbers, one.room * other.room)


def _renumber(part: _Part) -> _Part:
    found = number(part.numbers)
    return _Part(found.index.astype(np.int64), len(found.sizes))
