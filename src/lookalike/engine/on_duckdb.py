"""DuckDB: the engine that keeps a hard memory limit, for files larger than memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import polars as pl
import pyarrow.parquet as pq

from lookalike.engine.numbering import Numbering
from lookalike.engine.scratch import Scratch
from lookalike.engine.table import ROW


class DuckDBEngine:
    """One connection with a memory limit and a private spill directory.

    Window results come out of file order, so every table carries `ROW`.
    """

    name = "duckdb"

    def __init__(self, *, memory_bytes: int | None = None, connection: Any = None) -> None:
        self._scratch = Scratch()
        self._adopted = 0
        if connection is not None:
            self.connection = connection
            return
        settings: dict[str, Any] = {"temp_directory": str(self._scratch.path / "spill")}
        if memory_bytes is not None:
            settings["memory_limit"] = f"{memory_bytes}B"
        self.connection = duckdb.connect(":memory:", config=settings)
        self.connection.execute("SET enable_progress_bar = false")

    def scan_parquet(self, files: Sequence[Path]) -> nw.LazyFrame[Any]:
        """See `Engine`; `ROW` counts on from file to file."""
        parts, start = [], 0
        for file in files:
            quoted = str(file).replace("'", "''")
            parts.append(
                f"SELECT * EXCLUDE (file_row_number), file_row_number + {start} AS {ROW} "
                f"FROM read_parquet('{quoted}', file_row_number = true)"
            )
            start += pq.read_metadata(file).num_rows
        return _lazy(self.connection.sql(" UNION ALL BY NAME ".join(parts)))

    def adopt(self, frame: pl.DataFrame) -> nw.LazyFrame[Any]:
        """See `Engine`."""
        self._adopted += 1
        name = f"adopted_{self._adopted}"
        self.connection.register(name, frame.with_row_index(ROW).to_arrow())
        return _lazy(self.connection.table(name))

    def adopt_relation(self, relation: Any) -> nw.LazyFrame[Any]:
        """A relation of the user's own connection, numbered in the order it yields its rows."""
        return _lazy(relation.project(f"*, row_number() OVER () - 1 AS {ROW}"))

    def number(self, frame: nw.LazyFrame[Any], keys: Sequence[str]) -> Numbering | None:
        """See `Engine`; records stay outside memory, classes are counted by the engine."""
        return None

    def collect(self, frame: nw.LazyFrame[Any]) -> pl.DataFrame:
        """See `Engine`."""
        table = frame.to_native().to_arrow_table()
        collected = pl.from_arrow(table)
        assert isinstance(collected, pl.DataFrame)
        return collected

    def batches(self, frame: nw.LazyFrame[Any], rows: int) -> Iterator[pl.DataFrame]:
        """See `Engine`; in no order."""
        for batch in frame.to_native().to_arrow_reader(rows):
            piece = pl.from_arrow(batch)
            assert isinstance(piece, pl.DataFrame)
            yield piece

    def write_parquet(self, frame: nw.LazyFrame[Any], path: Path) -> None:
        """See `Engine`; sorted back into the order of the source."""
        columns = [c for c in frame.collect_schema().names() if c != ROW]
        ordered = frame.sort(ROW).select(columns) if ROW in frame.collect_schema().names() else frame
        ordered.to_native().write_parquet(str(path))


def _lazy(relation: Any) -> nw.LazyFrame[Any]:
    frame: nw.LazyFrame[Any] = nw.from_native(relation)
    return frame
