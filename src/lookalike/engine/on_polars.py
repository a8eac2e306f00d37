"""Polars, streaming: the engine of one machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from lookalike.engine.numbering import Numbering, number
from lookalike.engine.packing import pack


class PolarsEngine:
    """Lazy Polars frames run by the streaming engine; windows and scans keep the order of rows."""

    name = "polars"

    def scan_parquet(self, files: Sequence[Path]) -> nw.LazyFrame[Any]:
        """See `Engine`; Polars keeps the order of rows, so no `ROW` is added."""
        return nw.from_native(pl.scan_parquet(list(files), glob=False))

    def adopt(self, frame: pl.DataFrame) -> nw.LazyFrame[Any]:
        """See `Engine`."""
        return nw.from_native(frame.lazy())

    def number(self, frame: nw.LazyFrame[Any], keys: Sequence[str]) -> Numbering | None:
        """The classes numbered in memory: 8 bytes a record for the packed key, 4 for its number."""
        lazy: pl.LazyFrame = frame.to_native()
        return number(pack(lazy, keys))

    def collect(self, frame: nw.LazyFrame[Any]) -> pl.DataFrame:
        """See `Engine`."""
        lazy: pl.LazyFrame = frame.to_native()
        return lazy.collect(engine="streaming")

    def batches(self, frame: nw.LazyFrame[Any], rows: int) -> Iterator[pl.DataFrame]:
        """See `Engine`; in order."""
        lazy: pl.LazyFrame = frame.to_native()
        return iter(lazy.collect_batches(chunk_size=rows, maintain_order=True, engine="streaming"))

    def write_parquet(self, frame: nw.LazyFrame[Any], path: Path) -> None:
        """See `Engine`."""
        lazy: pl.LazyFrame = frame.to_native()
        lazy.sink_parquet(path, engine="streaming")
