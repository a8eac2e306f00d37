"""Which engine `auto` takes, and what is refused."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from lookalike.engine import BYTES_A_RECORD, _free_memory, engine_for
from lookalike.errors import BadPlan, LookalikeError, MissingExtra

GB = 2**30


def test_auto_takes_polars_while_the_work_fits_and_then_duckdb() -> None:
    fitting = GB // BYTES_A_RECORD
    assert engine_for("auto", records=fitting, memory=GB).name == "polars"
    assert engine_for("auto", records=fitting + 1, memory=GB).name == "duckdb"
    assert engine_for("auto").name == "polars"
    assert engine_for().name == "polars"


def test_auto_looks_at_the_free_memory() -> None:
    assert engine_for("auto", records=1000).name == "polars"
    assert engine_for("auto", records=10**13).name == "duckdb"


def test_free_memory_is_what_machine_and_container_leave(tmp_path: Path) -> None:
    assert _free_memory(tmp_path, tmp_path) == 4 * GB
    (tmp_path / "meminfo").write_text("MemTotal:  9000000 kB\nMemAvailable:    6000000 kB\n")
    assert _free_memory(tmp_path, tmp_path) == 6_000_000 * 1024
    (tmp_path / "memory.max").write_text("max\n")
    assert _free_memory(tmp_path, tmp_path) == 6_000_000 * 1024
    (tmp_path / "memory.max").write_text("3000\n")
    (tmp_path / "memory.stat").write_text("anon 1200\nfile 700\n")
    assert _free_memory(tmp_path, tmp_path) == 3000 - 1200
    (tmp_path / "memory.stat").write_text("anon 3100\nfile 0\n")
    assert _free_memory(tmp_path, tmp_path) == 0


def test_an_engine_asked_for_is_taken() -> None:
    assert engine_for("polars", records=10**13, memory=1).name == "polars"
    assert engine_for("duckdb", records=1).name == "duckdb"


def test_an_unknown_engine_is_refused_with_a_hint() -> None:
    with pytest.raises(BadPlan) as error:
        engine_for("duckbd")
    assert str(error.value) == (
        "Engine 'duckbd' is not known. Did you mean 'duckdb'? Engines: auto, polars, duckdb, spark."
    )


def test_spark_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("pyspark"):
            raise ImportError(name)
        return found(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"pip install 'lookalike\[spark\]'"):
        engine_for("spark")


def test_a_master_makes_auto_take_spark_which_needs_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(LookalikeError, match="needs Java 17 or newer"):
        engine_for("auto", spark_master="local[1]")
