"""Engines: where data is read and counted. The only folder that imports duckdb or pyspark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lookalike.engine.numbering import number
from lookalike.engine.progress import Stage, listening, stage
from lookalike.engine.scratch import Scratch
from lookalike.engine.table import ROW, Engine, Table
from lookalike.engine.verbs import (
    SIZE,
    Grouping,
    class_sizes,
    column,
    count_by,
    count_repeated,
    group_records,
    head,
    height,
    histogram_by,
    look_up,
    map_partitions,
    records,
    rows_of,
    sample_rows,
    write,
)
from lookalike.errors import BadPlan, unknown

ENGINES = ("auto", "polars", "duckdb", "spark")

BYTES_A_RECORD = 120
"""Memory Polars needs per record to count classes of some ten quasi-identifiers, measured."""

__all__ = [
    "ENGINES",
    "ROW",
    "SIZE",
    "Engine",
    "Grouping",
    "Scratch",
    "Stage",
    "Table",
    "class_sizes",
    "column",
    "count_by",
    "count_repeated",
    "engine_for",
    "group_records",
    "head",
    "height",
    "histogram_by",
    "listening",
    "look_up",
    "map_partitions",
    "native_table",
    "number",
    "records",
    "rows_of",
    "sample_rows",
    "stage",
    "write",
]


def engine_for(
    name: str = "auto", *, records: int = 0, memory: int | None = None, spark_master: str | None = None
) -> Engine:
    """The engine of that name; `auto` takes Polars while the work fits in half the free memory.

    >>> engine_for("auto", records=1000).name
    'polars'
    >>> engine_for("auto", records=10**9, memory=2**30).name
    'duckdb'
    """
    if name not in ENGINES:
        raise BadPlan(unknown("Engine", name, ENGINES, where="known", listed="Engines"))
    budget = memory if memory is not None else _free_memory() // 2
    if name == "auto":
        fits = records * BYTES_A_RECORD <= budget
        name = "spark" if spark_master else "polars" if fits else "duckdb"
    if name == "polars":
        from lookalike.engine.on_polars import PolarsEngine

        return PolarsEngine()
    if name == "duckdb":
        from lookalike.engine.on_duckdb import DuckDBEngine

        return DuckDBEngine(memory_bytes=budget)
    from lookalike.engine.on_spark import SparkEngine

    return SparkEngine(master=spark_master, memory_bytes=budget)


def native_table(frame: Any) -> Table | None:
    """A DuckDB relation or a Spark frame as a table on its own engine; None for anything else."""
    module = type(frame).__module__
    if module.startswith(("duckdb", "_duckdb")):
        from lookalike.engine.on_duckdb import DuckDBEngine

        on_duckdb = DuckDBEngine(memory_bytes=_free_memory() // 2)
        return Table(on_duckdb.adopt_relation(frame), on_duckdb)
    if module.startswith("pyspark"):
        from lookalike.engine.on_spark import SparkEngine

        on_spark = SparkEngine(session=frame.sparkSession)
        return Table(on_spark.adopt_frame(frame), on_spark)
    return None


def _free_memory(processes: Path = Path("/proc"), container: Path = Path("/sys/fs/cgroup")) -> int:
    """Bytes of memory that can be had now, in the machine and in the container; 4 GB where neither tells."""
    free = 4 * 2**30
    if (machine := processes / "meminfo").exists():
        fields = dict(line.split(":", 1) for line in machine.read_text().splitlines() if ":" in line)
        free = int(fields["MemAvailable"].split()[0]) * 1024
    limit = container / "memory.max"
    if limit.exists() and (text := limit.read_text().strip()).isdigit():
        # What files occupy in memory is given up when it is asked for.
        used = dict(line.split() for line in (container / "memory.stat").read_text().splitlines())["anon"]
        free = min(free, max(0, int(text) - int(used)))
    return free
