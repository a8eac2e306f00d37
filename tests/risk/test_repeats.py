"""Records that equal another in every column, on the engines of one machine."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.risk import repeated_records

ROWS = pl.DataFrame({"id": range(200), "age": [30, 31] * 100, "pay": [1.5, None, 2.5, None] * 50})


def count(table: pl.DataFrame, engine: str = "polars", **roles: list[str]) -> str:
    return str(repeated_records(la.read(table, engine=engine, **({"quasi_identifiers": ["age"]} | roles))))


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_records_that_stand_twice_are_counted(engine: str) -> None:
    assert count(pl.concat([ROWS, ROWS]), engine) == "400 of 400 records"
    assert count(pl.concat([ROWS, ROWS[:3]]), engine) == "6 of 203 records"  # 6/203 > 1 %
    assert count(ROWS, engine) == "None"


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_one_percent_may_be_chance(engine: str) -> None:
    rows = pl.concat([ROWS[:199], ROWS[:1]])
    assert count(rows, engine) == "None"  # 2 of 200
    assert count(pl.concat([rows, ROWS[:1]]), engine) == "3 of 201 records"


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_many_columns_are_all_compared(engine: str) -> None:
    """The records differ in the last of thirty columns alone."""
    rng = np.random.default_rng(1)
    rows = pl.DataFrame({f"c{i}": [0] * 100 for i in range(29)}).with_columns(age=rng.permutation(100))
    assert count(rows, engine) == "None"
    assert count(rows.with_columns(age=pl.col("age") // 2), engine) == "100 of 100 records"


def test_equal_records_of_quasi_identifiers_alone_are_lookalikes() -> None:
    rows = pl.concat([ROWS, ROWS])
    assert count(rows.select("age"), quasi_identifiers=["age"]) == "None"
    assert count(rows.select("age", "id"), quasi_identifiers=["age"], identifiers=["id"]) == "None"
    assert count(rows.select("age", "id"), quasi_identifiers=["age"]) == "400 of 400 records"


def test_columns_that_cannot_be_compared_tell_nothing() -> None:
    assert count(pl.concat([ROWS, ROWS]).with_columns(visits=pl.concat_list("id", "age"))) == "None"
