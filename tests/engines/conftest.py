"""Every engine under the same tests. Spark is a standalone cluster of two workers, one for the whole run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lookalike.engine import Engine, Table

NAMES = ["polars", "duckdb", pytest.param("spark", marks=pytest.mark.spark)]


# A shuffle into 200 pieces is for large data, and so is a compiler that optimizes; most tests have ten rows.
SETTINGS = "spark.sql.shuffle.partitions 4\n"
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="session")
def spark_master(java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a cluster that runs as long as the tests."""
    from lookalike.engine.cluster import local_cluster

    folder = tmp_path_factory.mktemp("spark")
    (folder / "spark-defaults.conf").write_text(SETTINGS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(folder))
        patch.setenv("JAVA_TOOL_OPTIONS", JAVA)
        with local_cluster(workers=2) as master:
            yield master


@pytest.fixture(scope="session", params=NAMES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine in turn."""
    from lookalike.engine import engine_for

    if request.param != "spark":
        return engine_for(request.param, memory=2**30)
    return engine_for("spark", spark_master=request.getfixturevalue("spark_master"), memory=2**30)


@pytest.fixture
def reading(engine: Engine, request: pytest.FixtureRequest) -> dict[str, Any]:
    """The arguments with which `la.read` takes this engine."""
    master = request.getfixturevalue("spark_master") if engine.name == "spark" else None
    return {"engine": engine.name, "spark_master": master}


@pytest.fixture(params=["memory", "file", "folder"])
def opened(engine: Engine, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[pl.DataFrame], Table]:
    """Opens a frame from memory, from a Parquet file, or from several files in a folder."""

    def open_it(frame: pl.DataFrame) -> Table:
        if request.param == "memory":
            return Table(engine.adopt(frame), engine)
        return Table(engine.scan_parquet(write_parts(frame, tmp_path, 1 if request.param == "file" else 3)), engine)

    return open_it


def write_parts(frame: pl.DataFrame, folder: Path, parts: int) -> list[Path]:
    """The frame in files of unequal length, in order."""
    cuts = [frame.height * i * i // parts**2 for i in range(parts + 1)]
    files = []
    for i, (start, end) in enumerate(pairwise(cuts)):
        files.append(folder / f"part{i}.parquet")
        frame[start:end].write_parquet(files[-1])
    return files
