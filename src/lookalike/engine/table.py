"""A lazy table on an engine, and what an engine must be able to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import narwhals as nw
import polars as pl

from lookalike.engine.numbering import Numbering

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

    def number(self, frame: nw.LazyFrame[Any], keys: Sequence[str]) -> Numbering | None:
        """The classes of equal keys numbered in memory; None if the engine does not hold records in memory."""
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
