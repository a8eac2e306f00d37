"""DuckDB keeps its limit, spills where it may, and leaves nothing."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

from lookalike.engine import SIZE, Table, class_sizes, count_by, engine_for, rows_of
from lookalike.engine.on_duckdb import DuckDBEngine
from lookalike.errors import BadFile

LIMIT = 50 * 10**6


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A million records, of which a tenth are not alone."""
    rng = np.random.default_rng(5)
    keys = rng.integers(0, 2**62, 1_000_000)
    keys[:100_000] = keys[100_000:200_000]
    file = tmp_path_factory.mktemp("large") / "large.parquet"
    pl.DataFrame({"key": keys, "other": keys // 3, "third": keys % 1000}).write_parquet(file)
    return file


def setting(engine: DuckDBEngine, name: str) -> str:
    found = engine.connection.execute("SELECT value FROM duckdb_settings() WHERE name = ?", [name]).fetchall()
    return str(found[0][0])


def bytes_in(folder: Path) -> int:
    """The size of all files of a folder; a file may go between its listing and the look at it."""
    found = 0
    for file in folder.glob("*"):
        with suppress(FileNotFoundError):
            found += file.stat().st_size
    return found


@contextmanager
def watched(folder: Path) -> Iterator[list[int]]:
    """The sizes of a folder while the block runs."""
    seen: list[int] = []
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.01):
            seen.append(bytes_in(folder))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def test_the_limit_is_kept_and_the_answer_is_the_same(
    large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKALIKE_SCRATCH", str(tmp_path))
    engine = DuckDBEngine(memory_bytes=LIMIT)
    assert setting(engine, "memory_limit") == "47.6 MiB"
    spill = Path(setting(engine, "temp_directory"))
    assert spill.parent.parent == tmp_path
    assert spill.parent.stat().st_mode & 0o777 == 0o700

    table = Table(engine.scan_parquet([large]), engine)
    keys = ["key", "other", "third"]
    with watched(spill) as seen:
        sizes = class_sizes(table, keys)
    assert max(seen) > 10**6  # it did spill, and where it should
    assert bytes_in(spill) == 0
    assert sizes.tolist() == [2] * 200_000 + [1] * 800_000
    assert sorted(np.bincount(count_by(table, keys)[SIZE]).tolist()) == [0, 100_000, 800_000]

    del table, engine
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_more_than_the_limit_is_an_error_and_not_a_smaller_answer(large: Path) -> None:
    engine = DuckDBEngine(memory_bytes=2 * 10**6)
    engine.connection.execute("SET max_temp_directory_size = '1MB'")
    with pytest.raises(duckdb.OutOfMemoryException):
        class_sizes(Table(engine.scan_parquet([large]), engine), ["key", "other", "third"])


def test_a_window_of_duckdb_is_out_of_order(large: Path) -> None:
    # Why every table carries its row numbers: should this pass one day, they could go.
    window = duckdb.sql(f"SELECT key, count(*) OVER (PARTITION BY key) FROM '{large}'")
    first = window.to_arrow_table()["key"].to_numpy()
    assert (first != pl.read_parquet(large)["key"].to_numpy()).any()


def test_sums_of_whole_numbers_are_whole_numbers_and_not_decimals() -> None:
    engine = engine_for("duckdb")
    table = Table(engine.adopt(pl.DataFrame({"k": [1, 1], "w": [2**53, 1]})), engine)
    assert count_by(table, ["k"], sums=["w"]).rows() == [(1, 2, 2**53 + 1)]
    assert count_by(table, ["k"], sums=["w"]).schema["w"] == pl.Int64


def test_two_walks_at_a_time_are_refused_and_not_cut_short() -> None:
    engine = engine_for("duckdb")
    table = Table(engine.adopt(pl.DataFrame({"a": np.arange(3_000_000)})), engine)
    walk = rows_of(table, ["a"])
    assert next(walk).height > 0
    with pytest.raises(duckdb.Error, match="open result"):
        count_by(table, ["a"])
    walk.close()  # type: ignore[attr-defined]
    assert count_by(table, ["a"]).height == 3_000_000


def test_a_column_of_duckdbs_own_name_is_refused(tmp_path: Path) -> None:
    pl.DataFrame({"file_row_number": [1]}).write_parquet(tmp_path / "f.parquet")
    with pytest.raises(BadFile, match="keeps for itself, the column names 'file_row_number'"):
        engine_for("duckdb").scan_parquet([tmp_path / "f.parquet"])


def test_nothing_is_fetched_from_the_network() -> None:
    engine = DuckDBEngine()
    assert setting(engine, "autoinstall_known_extensions") == "false"
