"""A file is the file that was named, under any name; what an engine cannot hold apart, it refuses."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from lookalike.engine import Engine, Table, class_sizes, column, count_by, height
from lookalike.errors import BadFile

# Patterns to DuckDB and Spark, hidden from Spark, escaped otherwise by Java than by Python.
ODD = ["_p.parquet", ".q.parquet", "b*.parquet", "b?.parquet", "bx.parquet", "[a] {1,2}.parquet", "it's é%20+.parquet"]


@pytest.mark.parametrize("name", ["year=2020", "_odd [x] {y}*"])
def test_odd_file_names_are_names_and_not_patterns(engine: Engine, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    files = [folder / odd for odd in ODD]
    for i, file in enumerate(files):
        pl.DataFrame({"a": [i] * (i + 1)}).write_parquet(file)
    table = Table(engine.scan_parquet(files), engine)
    assert table.columns == ["a"]  # the folder's name is no column
    assert height(table) == 1 + 2 + 3 + 4 + 5 + 6 + 7
    assert column(table, "a").to_list() == [i for i in range(7) for _ in range(i + 1)]
    assert class_sizes(table, ["a"]).tolist() == [i + 1 for i in range(7) for _ in range(i + 1)]


def test_a_part_without_rows_changes_nothing(engine: Engine, tmp_path: Path) -> None:
    files = [tmp_path / f"{i}.parquet" for i in range(4)]
    for i, file in enumerate(files):
        pl.DataFrame({"a": pl.Series([i] * (i % 2), dtype=pl.Int64)}).write_parquet(file)
    assert column(Table(engine.scan_parquet(files), engine), "a").to_list() == [1, 3]


def test_names_that_differ_in_case_are_two_columns_or_refused(engine: Engine, tmp_path: Path) -> None:
    frame = pl.DataFrame({"Age": [1, 1], "age": [1, 2]})
    frame.write_parquet(tmp_path / "f.parquet")
    for opened in (lambda: engine.adopt(frame), lambda: engine.scan_parquet([tmp_path / "f.parquet"])):
        if engine.name == "duckdb":
            with pytest.raises(BadFile, match=r"DuckDB cannot tell apart.*'Age', 'age'\. Rename the columns, or"):
                opened()
        else:
            table = Table(opened(), engine)
            assert class_sizes(table, ["Age"]).tolist() == [2, 2]
            assert class_sizes(table, ["age"]).tolist() == [1, 1]


def test_names_with_a_dot_are_columns_or_refused(engine: Engine) -> None:
    frame = pl.DataFrame({"a.b": [1, 1, 2], "c": [0.5, 0.5, 0.5]})
    if engine.name == "spark":
        with pytest.raises(BadFile, match=r"Spark cannot work with a dot or a backtick in a column name: 'a\.b'\."):
            engine.adopt(frame)
    else:
        table = Table(engine.adopt(frame), engine)
        assert sorted(count_by(table, ["a.b"], sums=["c"]).rows()) == [(1, 2, 1.0), (2, 1, 0.5)]
        assert class_sizes(table, ["a.b", "c"]).tolist() == [2, 2, 1]
