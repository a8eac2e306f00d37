"""Frames of DuckDB and Spark are read as they are, on their own engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import lookalike as la

N = 100_000


@pytest.fixture
def connection() -> Iterator[Any]:
    with duckdb.connect() as opened:
        yield opened


def checked(data: la.Microdata, engine: str) -> la.Microdata:
    assert data.table.engine.name == engine
    return data


def test_a_relation_is_read(connection: Any) -> None:
    relation = connection.sql("SELECT * FROM (VALUES (30, 'F'), (30, 'F'), (NULL, 'M')) AS people(age, sex)")
    data = checked(la.read(relation, quasi_identifiers=["age", "sex"]), "duckdb")
    assert data.head().rows() == [(30, "F"), (30, "F"), (None, "M")]
    assert la.EquivalenceClasses.of(data).size_per_record().tolist() == [2, 2, 1]


def test_a_relation_without_an_order_is_run_once(connection: Any) -> None:
    # Run anew, this query would give other rows to each question.
    relation = connection.sql(f"SELECT (random() * 50)::INT AS a, (random() * 50)::INT AS b FROM range({N})")
    data = la.read(relation)
    rows = data.head(N)
    assert rows.equals(data.head(N))
    expected = rows.select(pl.len().over("a", "b")).to_series()
    assert la.EquivalenceClasses.of(data, ["a", "b"]).size_per_record().tolist() == expected.to_list()


def test_a_relation_keeps_whole_numbers_of_any_size(connection: Any) -> None:
    # As reals, these would all be equal.
    relation = connection.sql("SELECT (1::HUGEINT << 100) + range // 2 AS id FROM range(5)")
    assert la.EquivalenceClasses.of(la.read(relation), ["id"]).size_per_record().tolist() == [2, 2, 2, 2, 1]


def test_the_relation_and_its_connection_stay_as_they_are(connection: Any) -> None:
    relation = connection.sql("SELECT range AS a FROM range(3)")
    before = connection.sql("SELECT count(*) FROM duckdb_tables()").fetchall()
    la.EquivalenceClasses.of(la.read(relation), ["a"])
    assert relation.fetchall() == [(0,), (1,), (2,)]
    assert connection.sql("SELECT count(*) FROM duckdb_tables()").fetchall() == before


@pytest.mark.spark
class TestSpark:
    """Frames of the session that the tests share."""

    @pytest.fixture
    def session(self, spark_master: str) -> Any:
        from lookalike.engine.spark_session import session_on

        return session_on(spark_master)

    def test_a_frame_is_read(self, session: Any) -> None:
        frame = session.createDataFrame([(30, "F"), (30, "F"), (None, "M")], "age int, sex string")
        data = checked(la.read(frame, quasi_identifiers=["age", "sex"]), "spark")
        assert data.head().rows() == [(30, "F"), (30, "F"), (None, "M")]
        assert la.EquivalenceClasses.of(data).size_per_record().tolist() == [2, 2, 1]

    def test_a_frame_that_changes_is_computed_once(self, session: Any) -> None:
        from pyspark.sql import functions as f

        # A shuffle gives rows in the order in which they arrive, and rand() other values in each run.
        frame = session.range(N).repartition(7).select((f.rand() * 50).cast("int").alias("a"), f.col("id"))
        data = la.read(frame)
        rows = data.head(N)
        assert sorted(rows["id"]) == list(range(N))
        times = np.bincount(rows["a"])
        assert (la.EquivalenceClasses.of(data, ["a"]).size_per_record() == times[rows["a"]]).all()

    def test_many_partitions_are_numbered(self, session: Any) -> None:
        data = la.read(session.range(0, 1000, 1, 150))
        assert data.head(1000)["id"].to_list() == list(range(1000))
