"""Frames of other libraries become the same microdata."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lookalike as la
from lookalike.data.variable import Kind

SECRET = "Rumpelstilzchen"
ROWS = [(30, "F", 1.5), (None, "M", None), (51, None, 2.0)]


LIBRARIES = ("polars", "polars lazy", "arrow", "pandas nullable", "pandas objects", "duckdb")


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture
def frames(con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """One table in every library."""
    columns: dict[str, list[Any]] = {"age": [30, None, 51], "sex": ["F", "M", None], "x": [1.5, None, 2.0]}
    typed = pl.DataFrame(columns)
    arrow = typed.to_arrow()
    return {
        "polars": typed,
        "polars lazy": typed.lazy(),
        "arrow": arrow,
        "pandas nullable": pd.DataFrame(
            {
                "age": pd.array([30, None, 51], dtype="Int64"),
                "sex": pd.array(["F", "M", None], dtype="string"),
                "x": pd.array([1.5, None, 2.0], dtype="Float64"),
            }
        ),
        "pandas objects": pd.DataFrame(
            {
                "age": pd.Series([30, None, 51], dtype=object),
                "sex": pd.Series(["F", "M", None], dtype=object),
                "x": [1.5, np.nan, 2.0],
            }
        ),
        "duckdb": con.from_arrow(arrow),
    }


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_same_microdata(frames: dict[str, Any], library: str) -> None:
    data = la.read(frames[library], quasi_identifiers=["age", "sex"])
    assert data.head().rows() == ROWS
    assert data.records == 3
    assert data.name == "frame"
    assert data.files == ()
    assert data.quasi_identifiers == ("age", "sex")
    assert [v.kind for v in data.variables] == [Kind.NUMERIC, Kind.NOMINAL, Kind.NUMERIC]


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("library", ["polars", "pandas nullable", "arrow"])
def test_a_frame_in_memory_runs_on_the_engine_asked_for(frames: dict[str, Any], library: str, engine: str) -> None:
    data = la.read(frames[library], engine=engine)
    assert data.table.engine.name == engine
    assert data.head().rows() == ROWS


def test_categories_are_their_texts(con: duckdb.DuckDBPyConnection) -> None:
    for frame in (
        pd.DataFrame({"sex": pd.Categorical(["F", None, "M"])}),
        pl.DataFrame({"sex": pl.Series(["F", None, "M"], dtype=pl.Categorical)}),
        pl.DataFrame({"sex": pl.Series(["F", None, "M"], dtype=pl.Enum(["F", "M"]))}),
        pa.table({"sex": pa.array(["F", None, "M"]).dictionary_encode()}),
        con.sql("SELECT unnest(['F', NULL, 'M'])::ENUM('F', 'M') AS sex"),
    ):
        sexes = la.read(frame).head()["sex"]
        assert sexes.dtype == pl.String
        assert sexes.to_list() == ["F", None, "M"]


def test_not_a_number_is_missing() -> None:
    for frame in (pd.DataFrame({"x": [1.5, np.nan]}), pl.DataFrame({"x": [1.5, float("nan")]})):
        assert la.read(frame).head()["x"].to_list() == [1.5, None]


def test_bands_and_periods_of_pandas_are_texts() -> None:
    frame = pd.DataFrame({"band": pd.cut([1, 5, 9], [0, 4, 10]), "year": pd.period_range("2019", periods=3, freq="Y")})
    assert la.read(frame).head().rows() == [("(0, 4]", "2019"), ("(4, 10]", "2020"), ("(4, 10]", "2021")]


def test_times_and_truth_values_keep_their_types() -> None:
    frame = pd.DataFrame({"day": pd.to_datetime(["2020-01-02", None]), "yes": pd.array([True, None], dtype="boolean")})
    found = la.read(frame).head()
    assert found.rows() == [(datetime(2020, 1, 2), True), (None, None)]
    assert la.read(pl.DataFrame({"day": [date(2020, 1, 2)]})).variable("day").kind is Kind.DATE


def test_numbers_as_names_are_texts_and_the_index_is_left_out() -> None:
    assert la.read(pd.DataFrame([[1, 2]], index=["row"])).columns == ("0", "1")


def test_a_column_of_nulls_is_text() -> None:
    for frame in (pl.DataFrame({"n": [None, None]}), pa.table({"n": pa.nulls(2)})):
        assert la.read(frame).head().dtypes == [pl.String]


def test_a_frame_is_not_changed() -> None:
    frame = pd.DataFrame({"band": pd.cut([1, 5], [0, 4, 10]), "x": [1.0, np.nan]})
    before = frame.copy()
    la.read(frame, missing={"x": ["1"]})
    pd.testing.assert_frame_equal(frame, before)


def two(name: str, other: str) -> pd.DataFrame:
    return pd.DataFrame([[1, 2]], columns=[name, other])


MIXED = {"ok": [1, 2], "a": pd.Series([1, SECRET], dtype=object), "b": [date(2020, 1, 1), SECRET]}
TOLD = "give a pandas, Polars, Arrow, DuckDB or Spark table."
Maker = Callable[[duckdb.DuckDBPyConnection], Any]
REFUSALS: list[tuple[Maker, str]] = [
    (
        lambda _: pd.DataFrame(MIXED),
        "The frame has columns of mixed types: give each column one type. Look at 'a', 'b'.",
    ),
    (lambda _: two("a", "a"), "The frame has columns of the same name: 'a'. Rename them."),
    (lambda _: pa.table([[1], [2]], names=["a", "a"]), "The frame has columns of the same name: 'a'. Rename them."),
    (
        lambda _: two("a", "__row"),
        "The frame has columns with names that Lookalike keeps for itself: '__row'. Rename them.",
    ),
    (
        lambda con: con.sql("SELECT 1 AS __size"),
        "The frame has columns with names that Lookalike keeps for itself: '__size'. Rename them.",
    ),
    (
        lambda con: con.sql("SELECT INTERVAL 1 DAY AS stay"),
        "The frame has columns of intervals of time: 'stay'. Turn them into numbers.",
    ),
    (
        lambda _: pl.DataFrame({"a": pl.Series([SECRET, {}], dtype=pl.Object)}),
        "The frame has columns of Python objects: 'a'. Give each column one type.",
    ),
    (lambda _: pd.DataFrame({"a": []}), "The frame has no records."),
    (lambda _: pl.DataFrame(), "The frame has no records."),
    (lambda _: pl.LazyFrame({"a": []}), "The frame has no records."),
    (lambda con: con.sql("SELECT 1 AS a WHERE false"), "The frame has no records."),
    (
        lambda _: pl.DataFrame({f"c{i}": [1] for i in range(5001)}),
        "The frame has 5,001 columns; at most 5,000 are read. One column a person? Then turn the table; else keep the "
        "columns you need.",
    ),
    (lambda _: {"a": [1]}, f"Microdata cannot be made from a dict: {TOLD}"),
    (lambda _: pd.Series([1]), f"Microdata cannot be made from a Series: {TOLD}"),
    (lambda _: np.zeros((2, 2)), f"Microdata cannot be made from a ndarray: {TOLD}"),
    (lambda _: None, f"Microdata cannot be made from a NoneType: {TOLD}"),
]


@pytest.mark.parametrize(("make", "message"), REFUSALS)
def test_a_frame_that_is_no_table_of_records_is_refused(
    con: duckdb.DuckDBPyConnection, make: Maker, message: str
) -> None:
    frame = make(con)
    with pytest.raises(la.BadFile) as caught:
        la.read(frame)
    assert str(caught.value) == message
    assert SECRET not in str(caught.value)


def test_durations_in_memory_are_read() -> None:
    assert la.read(pl.DataFrame({"stay": [timedelta(days=2)]})).head()["stay"].to_list() == [timedelta(days=2)]


def test_lists_are_read_but_cannot_be_quasi_identifiers() -> None:
    data = la.read(pl.DataFrame({"codes": [["a"], ["b"]], "age": [1, 2]}), quasi_identifiers=["age", "codes"])
    with pytest.raises(la.BadPlan) as caught:
        la.assess(data, population=100)
    assert str(caught.value) == "Column 'codes' holds lists or bytes, not single values: it cannot be compared."
