"""DuckDB: the engine that keeps a hard memory limit, for files larger than memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from glob import escape
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb
import narwhals as nw
import polars as pl
import pyarrow.parquet as pq

from lookalike.engine.numbering import Numbering
from lookalike.engine.scratch import Scratch
from lookalike.engine.table import ROW
from lookalike.errors import BadFile

BATCH = 100_000
"""Rows at a time, where a relation is copied."""


class DuckDBEngine:
    """One connection with a memory limit and a private spill directory.

    Window results come out of file order, so every table carries `ROW`.
    """

    name = "duckdb"

    def __init__(self, *, memory_bytes: int | None = None) -> None:
        self._scratch = Scratch()
        settings: dict[str, Any] = {
            "temp_directory": str(self._scratch.file("spill")),
            "autoinstall_known_extensions": False,
        }
        if memory_bytes is not None:
            settings["memory_limit"] = f"{memory_bytes}B"
        self.connection = duckdb.connect(":memory:", config=settings)
        self.connection.execute("SET enable_progress_bar = false")

    def scan_parquet(self, files: Sequence[Path]) -> nw.LazyFrame[Any]:
        """See `Engine`; `ROW` counts on from file to file."""
        _refuse_names(pq.read_schema(files[0]).names)
        parts, start = [], 0
        for file in files:
            # A name is a name, not a pattern; a folder called year=2020 is not a column.
            quoted = escape(str(file)).replace("'", "''")
            parts.append(
                f"SELECT * EXCLUDE (file_row_number), file_row_number + {start} AS {ROW} "
                f"FROM read_parquet('{quoted}', file_row_number = true, hive_partitioning = false)"
            )
            start += pq.read_metadata(file).num_rows
        return _lazy(self.connection.sql(" UNION ALL BY NAME ".join(parts)))

    def adopt(self, frame: pl.DataFrame) -> nw.LazyFrame[Any]:
        """See `Engine`."""
        _refuse_names(frame.columns)
        name = f"adopted_{uuid4().hex}"
        self.connection.register(name, frame.with_row_index(ROW).to_arrow())
        return _lazy(self.connection.table(name))

    def adopt_relation(self, relation: Any) -> nw.LazyFrame[Any]:
        """A relation of the user's own connection, copied to the scratch directory in the order of its rows.

        A relation is a query. Run anew for each question it may give its rows in another order, or other rows.
        """
        file = self._scratch.file(f"{uuid4().hex}.parquet")
        with closing(relation.to_arrow_reader(BATCH)) as reader, pq.ParquetWriter(file, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)
        return self.scan_parquet([file])

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
        """See `Engine`; in no order. The connection answers nothing else until the last piece is taken."""
        with closing(frame.to_native().to_arrow_reader(rows)) as reader:
            for batch in reader:
                piece = pl.from_arrow(batch)
                assert isinstance(piece, pl.DataFrame)
                yield piece

    def write_parquet(self, frame: nw.LazyFrame[Any], path: Path) -> None:
        """See `Engine`; sorted back into the order of the source."""
        names = frame.collect_schema().names()
        ordered = frame.sort(ROW).select([c for c in names if c != ROW]) if ROW in names else frame
        ordered.to_native().write_parquet(str(path))


def _refuse_names(names: Sequence[str]) -> None:
    """DuckDB takes 'Age' and 'age' for one name and would rename the second without a word."""
    alike = Counter(name.lower() for name in names)
    odd = [f"'{name}'" for name in names if alike[name.lower()] > 1 or name.lower() == "file_row_number"]
    if odd:
        raise BadFile(
            f"DuckDB cannot tell apart, or keeps for itself, the column names {', '.join(odd[:20])}. "
            "Rename the columns, or choose another engine."
        )


def _lazy(relation: Any) -> nw.LazyFrame[Any]:
    frame: nw.LazyFrame[Any] = nw.from_native(relation)
    return frame
