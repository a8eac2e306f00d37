"""Spark: the engine for data beyond one machine (extra `spark`)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import narwhals as nw
import polars as pl
import pyarrow.parquet as pq

from lookalike.engine.numbering import Numbering
from lookalike.engine.scratch import Scratch
from lookalike.engine.spark_session import session_on
from lookalike.engine.table import ROW
from lookalike.errors import BadFile, LookalikeError


class SparkEngine:
    """A Spark session, ours or the user's; every table carries `ROW`.

    Records travel between Spark's workers and this process as Parquet files in a scratch directory. On several
    machines, set `LOOKALIKE_SCRATCH` to a folder that all of them share.
    """

    name = "spark"

    def __init__(self, *, master: str | None = None, session: Any = None, memory_bytes: int | None = None) -> None:
        self._scratch = Scratch()
        self.session = session if session is not None else session_on(master, memory_bytes=memory_bytes)

    def scan_parquet(self, files: Sequence[Path]) -> nw.LazyFrame[Any]:
        """See `Engine`; `ROW` counts on from file to file.

        Spark reads through links with plain names. Of the files' own names it leaves out those that begin with
        `_` or `.`, without a word, and takes brackets for a pattern. A link is named after its file's first row.
        """
        from pyspark.sql import functions as f

        links = self._scratch.file(uuid4().hex)
        links.mkdir()
        start = 0
        for file in files:
            if rows := pq.read_metadata(file).num_rows:
                (links / f"{start:015d}.parquet").symlink_to(Path(file).absolute())
                start += rows
        frame = self.session.read.parquet(*(str(link) for link in sorted(links.iterdir())))
        first = f.substring("_metadata.file_name", 1, 15).cast("long")
        return _lazy(frame.select("*", (f.col("_metadata.row_index") + first).alias(ROW)))

    def adopt(self, frame: pl.DataFrame) -> nw.LazyFrame[Any]:
        """See `Engine`; through a Parquet file in the scratch directory, which the executors read."""
        file = self._scratch.file(f"{uuid4().hex}.parquet")
        frame.write_parquet(file)
        return self.scan_parquet([file])

    def adopt_frame(self, frame: Any) -> nw.LazyFrame[Any]:
        """A Spark frame of the user's, numbered in the order of its partitions.

        It is computed once and kept by the executors: a frame is a query, and running it anew for each question
        may give its rows in another order, or other rows.
        """
        from pyspark.sql import functions as f

        kept = frame.localCheckpoint()
        part = f.spark_partition_id()
        counts = {r["part"]: r["count"] for r in kept.groupBy(part.alias("part")).count().collect()}
        starts, start = [], 0
        for number in range(max(counts, default=0) + 1):
            starts.append(start)
            start += counts.get(number, 0)
        inside = f.monotonically_increasing_id().bitwiseAND(f.lit((1 << 33) - 1))
        return _lazy(kept.withColumn(ROW, inside + f.lit(starts)[part]))

    def number(self, frame: nw.LazyFrame[Any], keys: Sequence[str]) -> Numbering | None:
        """See `Engine`; records stay outside memory, classes are counted by the engine."""
        return None

    def collect(self, frame: nw.LazyFrame[Any]) -> pl.DataFrame:
        """See `Engine`."""
        collected = pl.from_arrow(frame.to_native().toArrow())
        assert isinstance(collected, pl.DataFrame)
        return collected

    def batches(self, frame: nw.LazyFrame[Any], rows: int) -> Iterator[pl.DataFrame]:
        """See `Engine`; in no order."""
        with self._written(frame) as parts:
            for part in parts:
                for batch in pq.ParquetFile(part).iter_batches(rows):
                    piece = pl.from_arrow(batch)
                    assert isinstance(piece, pl.DataFrame)
                    yield piece

    def write_parquet(self, frame: nw.LazyFrame[Any], path: Path) -> None:
        """See `Engine`; sorted back into the order of the source, parts joined into one file."""
        names = frame.collect_schema().names()
        ordered = frame.sort(ROW).select([c for c in names if c != ROW]) if ROW in names else frame
        with self._written(ordered) as parts:
            pl.scan_parquet(parts, glob=False).sink_parquet(path, engine="streaming")

    @contextmanager
    def _written(self, frame: nw.LazyFrame[Any]) -> Iterator[list[Path]]:
        """The frame as Parquet parts, checked to be all there, removed afterwards."""
        from pyspark.sql import Observation
        from pyspark.sql import functions as f

        target = self._scratch.file(uuid4().hex)
        seen = Observation()
        try:
            frame.to_native().observe(seen, f.count(f.lit(1)).alias("rows")).write.parquet(str(target))
            parts = sorted(target.glob("*.parquet"))
            if sum(pq.read_metadata(part).num_rows for part in parts) != seen.get["rows"]:
                raise LookalikeError(
                    "Spark's workers do not see the scratch directory of this machine: set LOOKALIKE_SCRATCH to a "
                    "folder that all machines share."
                )
            yield parts
        finally:
            shutil.rmtree(target, ignore_errors=True)


def _lazy(frame: Any) -> nw.LazyFrame[Any]:
    odd = [f"'{name}'" for name in frame.columns if "." in name or "`" in name]
    if odd:
        raise BadFile(
            f"Spark cannot work with a dot or a backtick in a column name: {', '.join(odd[:20])}. "
            "Rename the columns, or choose another engine."
        )
    lazy: nw.LazyFrame[Any] = nw.from_native(frame)
    return lazy
