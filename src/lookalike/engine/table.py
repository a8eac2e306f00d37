"""A lazy table on an engine, and what an engine must be able to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import narwhals as nw
import polars as pl

ROW = "__row"
"""The record's position in its source, on engines whose results do not keep the order of rows."""


class Engine(Protocol):
    """The small part of the work that narwhals does not cover, one adapter an engine."""

    name: str

    def scan_parquet(self, files: Sequence[Path]) -> nw.LazyFrame[Any]:
        """The files as one lazy frame in the order given, with `ROW` where the engine needs it."""
        ...

    def adopt(self, frame: pl.DataFrame) -> nw.LazyFrame[Any]:
        """A frame in memory as a lazy frame of this engine, with `ROW` where the engine needs it."""
        ...

    def key(self, frame: nw.LazyFrame[Any], keys: Sequence[str]) -> Keyed:
        """The key columns in the form the engine groups fastest; always exact, never a hash."""
        ...

    def collect(self, frame: nw.LazyFrame[Any]) -> pl.DataFrame:
        """The frame's rows in memory."""
        ...

    def batches(self, frame: nw.LazyFrame[Any], rows: int) -> Iterator[pl.DataFrame]:
        """The frame's rows in pieces of about `rows`, in any order if it has `ROW`, else in order."""
        ...

    def write_parquet(self, frame: nw.LazyFrame[Any], path: Path) -> None:
        """The frame's rows to one Parquet file."""
        ...


@dataclass(frozen=True)
class Keyed:
    """A frame whose key columns may be packed, and the way back from packed keys to values."""

    frame: nw.LazyFrame[Any]
    columns: tuple[str, ...]
    packs: tuple[Pack, ...] = ()

    def unpack(self, counted: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
        """The key columns of a counted table, in the order of `keys`."""
        return counted.select(next((p.value(k) for p in self.packs if k in p.names), pl.col(k)).alias(k) for k in keys)


@dataclass(frozen=True)
class Digit:
    """One integer-like column inside a packed key: code 0 is missing, code v - low + 1 is the value v."""

    name: str
    low: int
    radix: int
    dtype: pl.DataType


@dataclass(frozen=True)
class Pack:
    """Several integer-like columns in one 64-bit mixed-radix number."""

    column: str
    digits: tuple[Digit, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns inside, most significant first."""
        return tuple(d.name for d in self.digits)

    def key(self) -> pl.Expr:
        """The packed number of a row: ((d1 * r2 + d2) * r3 + d3) ..."""
        number = pl.lit(0, pl.Int64)
        for d in self.digits:
            code = (pl.col(d.name).to_physical().cast(pl.Int64) - (d.low - 1)).fill_null(0)
            number = number * d.radix + code
        return number.alias(self.column)

    def value(self, name: str) -> pl.Expr:
        """The value of one column from the packed number."""
        at = self.names.index(name)
        below = 1
        for d in self.digits[at + 1 :]:
            below *= d.radix
        d = self.digits[at]
        code = (pl.col(self.column) // below) % d.radix
        number = pl.when(code > 0).then(code + (d.low - 1))
        if d.dtype == pl.Boolean:
            return number == 1
        narrow = pl.Int32 if d.dtype == pl.Date else d.dtype
        return number.cast(narrow).cast(d.dtype)


@dataclass(frozen=True)
class Table:
    """A lazy table and the engine that runs it.

    `columns` are what the user sees; an engine that loses the order of rows carries `ROW` beside them.
    """

    frame: nw.LazyFrame[Any]
    engine: Engine

    @property
    def schema(self) -> dict[str, nw.dtypes.DType]:
        """Names and types of the columns the user sees."""
        return {name: dtype for name, dtype in self.frame.collect_schema().items() if name != ROW}

    @property
    def columns(self) -> list[str]:
        """Names of the columns the user sees."""
        return list(self.schema)

    @property
    def numbered(self) -> bool:
        """Does it carry `ROW`?"""
        return ROW in self.frame.collect_schema().names()

    def select(self, *columns: str | nw.Expr) -> Table:
        """Some columns, or expressions that keep the number of rows; `ROW` stays."""
        row = [ROW] if self.numbered else []
        return replace(self, frame=self.frame.select(*row, *columns))

    def with_columns(self, *expressions: nw.Expr) -> Table:
        """The table with columns added or replaced."""
        return replace(self, frame=self.frame.with_columns(*expressions)) if expressions else self
