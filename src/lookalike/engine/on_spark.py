"""Spark: the engine for data beyond one machine (extra `spark`)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import narwhals as nw
import polars as pl
import pyarrow.parquet as pq

from lookalike.engine.numbering import Numbering
from lookalike.engine.scratch import Scratch
from lookalike.engine.table import ROW
from lookalike.errors import MissingExtra


class SparkEngine:
    """A Spark session, ours or the user's; every table carries `ROW`."""

    name = "spark"

    def __init__(self, *, master: str = "local[*]", session: Any = None) -> None:
        self._scratch = Scratch()
        self.session = session if session is not None else _session(master, self._scratch.path)

    def scan_parquet(self, files: Sequence[Path]) -> nw.LazyFrame[Any]:
        """See `Engine`; `ROW` counts on from file to file."""
        from pyspark.sql import functions as f

        frames, start = [], 0
        for file in files:
            frame = self.session.read.parquet(Path(file).absolute().as_uri())
            frames.append(frame.select("*", (f.col("_metadata.row_index") + f.lit(start)).alias(ROW)))
            start += pq.read_metadata(file).num_rows
        united = frames[0]
        for frame in frames[1:]:
            united = united.unionByName(frame)
        numbered: nw.LazyFrame[Any] = nw.from_native(united)
        return numbered

    def adopt(self, frame: pl.DataFrame) -> nw.LazyFrame[Any]:
        """See `Engine`; through a Parquet file in the scratch directory, which the executors read."""
        file = self._scratch.file(f"{uuid4().hex}.parquet")
        frame.write_parquet(file)
        return self.scan_parquet([file])

    def adopt_frame(self, frame: Any) -> nw.LazyFrame[Any]:
        """A Spark frame of the user's, numbered in the order of its partitions."""
        from pyspark.sql import functions as f

        part = f.spark_partition_id()
        counts = {r["part"]: r["count"] for r in frame.groupBy(part.alias("part")).count().collect()}
        start = f.lit(0)
        before = 0
        for number in sorted(counts):
            start = f.when(part == number, before).otherwise(start)
            before += counts[number]
        inside = f.monotonically_increasing_id().bitwiseAND(f.lit((1 << 33) - 1))
        numbered: nw.LazyFrame[Any] = nw.from_native(frame.withColumn(ROW, inside + start))
        return numbered

    def number(self, frame: nw.LazyFrame[Any], keys: Sequence[str]) -> Numbering | None:
        """See `Engine`; records stay outside memory, classes are counted by the engine."""
        return None

    def collect(self, frame: nw.LazyFrame[Any]) -> pl.DataFrame:
        """See `Engine`."""
        collected = pl.from_arrow(frame.to_native().toArrow())
        assert isinstance(collected, pl.DataFrame)
        return collected

    def batches(self, frame: nw.LazyFrame[Any], rows: int) -> Iterator[pl.DataFrame]:
        """See `Engine`; in no order, read back from Parquet parts in the scratch directory."""
        target = self._scratch.file(uuid4().hex)
        frame.to_native().write.parquet(target.as_uri())
        for part in sorted(target.glob("*.parquet")):
            for batch in pq.ParquetFile(part).iter_batches(rows):
                piece = pl.from_arrow(batch)
                assert isinstance(piece, pl.DataFrame)
                yield piece
            part.unlink()

    def write_parquet(self, frame: nw.LazyFrame[Any], path: Path) -> None:
        """See `Engine`; sorted back into the order of the source, parts joined into one file."""
        target = self._scratch.file(uuid4().hex)
        columns = [c for c in frame.collect_schema().names() if c != ROW]
        ordered = frame.sort(ROW).select(columns) if ROW in frame.collect_schema().names() else frame
        ordered.to_native().write.parquet(target.as_uri())
        parts = sorted(target.glob("*.parquet"))
        pl.scan_parquet(parts, glob=False).sink_parquet(path)
        for part in parts:
            part.unlink()


def _session(master: str, local: Path) -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingExtra("spark", "the Spark engine") from error
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return (
        SparkSession.builder.master(master)
        .appName("lookalike")
        .config("spark.ui.enabled", "false")
        .config("spark.local.dir", str(local))
        .config("spark.driver.bindAddress", "127.0.0.1" if "127.0.0.1" in master or "local" in master else "")
        .getOrCreate()
    )
