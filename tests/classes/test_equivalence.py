"""Equivalence classes by hand and by brute force, with missing values in all three readings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.classes import Missing, equivalence, matching

Row = tuple[int | None, ...]

TABLE = pl.DataFrame(
    {
        "age": [30, 30, 30, 31, None, None],
        "sex": ["F", "F", None, "M", "M", "M"],
        "weight": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0],
    }
)
KNOWN = ["age", "sex"]


def classes_of(
    table: pl.DataFrame, missing: Missing = Missing.OWN, names: Sequence[str] = KNOWN
) -> la.EquivalenceClasses:
    return la.EquivalenceClasses.of(la.read(table), names, missing=missing)


def test_a_missing_value_is_a_category_of_its_own() -> None:
    classes = classes_of(TABLE)
    assert dict(zip(classes.keys.rows(), classes.sizes.tolist(), strict=True)) == {
        (30, "F"): 2,
        (30, None): 1,
        (31, "M"): 1,
        (None, "M"): 2,
    }
    assert classes.size_per_record().tolist() == [2, 2, 1, 1, 2, 2]
    assert classes.lookalikes.tolist() == classes.sizes.tolist()


def test_a_missing_value_matches_all() -> None:
    classes = classes_of(TABLE, Missing.WILDCARD)
    assert len(classes) == 4
    # Row 2 (30, ?) may be rows 0, 1, 4 and 5; rows 4 and 5 (?, M) may be each other, 2 and 3.
    assert classes.size_per_record().tolist() == [3, 3, 5, 3, 4, 4]
    assert classes.records == 6


def test_a_missing_value_matches_nothing() -> None:
    classes = classes_of(TABLE, Missing.CONSERVATIVE)
    assert len(classes) == classes.keys.height == 5
    assert sorted(classes.sizes.tolist()) == [1, 1, 1, 1, 2]
    assert classes.size_per_record().tolist() == [2, 2, 1, 1, 1, 1]
    assert classes.records == 6


def test_every_record_has_its_own_class_in_a_conservative_reading() -> None:
    classes = classes_of(TABLE, Missing.CONSERVATIVE)
    assert classes.index is not None
    assert (np.bincount(classes.index) == classes.sizes).all()
    assert classes.keys[classes.index].rows() == TABLE.select(KNOWN).rows()


@pytest.mark.parametrize("missing", list(Missing))
def test_a_value_per_class_goes_to_its_records_in_order(missing: Missing) -> None:
    classes = classes_of(TABLE, missing)
    ages = classes.keys["age"].fill_null(-1).to_numpy()
    assert classes.per_record(ages).tolist() == TABLE["age"].fill_null(-1).to_list()


def test_weights_are_summed_per_class() -> None:
    for missing in Missing:
        classes = la.EquivalenceClasses.of(la.read(TABLE), KNOWN, missing=missing, sums=["weight"])
        assert classes.sums("weight").sum() == 1 + 2 + 4 + 8 + 16 + 32
        assert len(classes.sums("weight")) == len(classes)
    own = la.EquivalenceClasses.of(la.read(TABLE), KNOWN, sums=["weight"])
    assert dict(zip(own.keys.rows(), own.sums("weight").tolist(), strict=True)) == {
        (30, "F"): 1 + 2,
        (30, None): 4,
        (31, "M"): 8,
        (None, "M"): 16 + 32,
    }


def test_records_without_any_value_are_counted() -> None:
    table = pl.DataFrame({"age": [None, None, 30], "sex": [None, None, None]}, schema_overrides={"sex": pl.String})
    for missing in Missing:
        assert classes_of(table, missing).empty_records() == 2
        assert classes_of(TABLE, missing).empty_records() == 0


@pytest.mark.parametrize("many", [0, 10])
def test_classes_on_fewer_variables(monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    monkeypatch.setattr(equivalence, "MANY", many)  # counted by the engine, or from the class table
    expected = {
        Missing.OWN: {"age": [1, 2, 3], "sex": [1, 2, 3]},
        Missing.WILDCARD: {"age": [1, 2, 3], "sex": [1, 2, 3]},
        Missing.CONSERVATIVE: {"age": [1, 1, 1, 3], "sex": [1, 2, 3]},
    }
    for missing, sizes in expected.items():
        classes = classes_of(TABLE, missing)
        for name, on_one in sizes.items():
            assert sorted(classes.sizes_on([name]).tolist()) == on_one, (missing, name)
        assert sorted(classes.sizes_on(KNOWN).tolist()) == sorted(classes.sizes.tolist())


def test_no_record_is_whole_in_a_conservative_reading() -> None:
    table = pl.DataFrame({"age": [None, None, 30], "sex": ["F", "F", None]})
    classes = classes_of(table, Missing.CONSERVATIVE)
    assert classes.sizes_on(KNOWN).tolist() == [1, 1, 1]
    assert sorted(classes.sizes_on(["sex"]).tolist()) == [1, 2]


PEOPLE = pl.DataFrame(
    {
        "age": [30, 30, 30, 30, 31, None, 99],
        "sex": ["F", "F", "F", None, None, "M", "M"],
    }
)


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        # rows of TABLE: (30,F) (30,F) (30,?) (31,M) (?,M) (?,M)
        (Missing.OWN, [3, 3, 1, 0, 1, 1]),
        (Missing.WILDCARD, [4, 4, 5, 2, 4, 4]),
        (Missing.CONSERVATIVE, [3, 3, 1, 0, 1, 1]),
    ],
)
def test_lookalikes_in_a_population(missing: Missing, expected: list[int]) -> None:
    sample, population = classes_of(TABLE, missing), classes_of(PEOPLE, missing)
    assert sample.per_record(sample.sizes_in(population)).tolist() == expected


def test_lookalikes_in_a_population_on_one_variable() -> None:
    sample, population = classes_of(TABLE), classes_of(PEOPLE)
    assert sample.per_record(sample.sizes_in(population, ["sex"])).tolist() == [3, 3, 2, 2, 2, 2]
    assert sample.per_record(sample.sizes_in(population)).tolist() == [3, 3, 1, 0, 1, 1]


def test_the_code_books_follow_the_population_asked_for() -> None:
    sample = classes_of(TABLE)
    other = classes_of(pl.DataFrame({"age": [31, 31], "sex": ["M", "M"]}))
    first = sample.sizes_in(classes_of(PEOPLE)).tolist()
    assert sample.per_record(sample.sizes_in(other)).tolist() == [0, 0, 0, 2, 0, 0]
    assert sample.sizes_in(classes_of(PEOPLE)).tolist() == first


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt32, pl.UInt64, pl.Float64, pl.String, pl.Int128])
def test_a_population_file_with_other_types(dtype: type[pl.DataType]) -> None:
    sample, population = classes_of(TABLE), classes_of(PEOPLE.with_columns(pl.col("age").cast(dtype)))
    assert sample.per_record(sample.sizes_in(population)).tolist() == [3, 3, 1, 0, 1, 1]


def agree(one: Row, other: Row) -> bool:
    """The definition: equal wherever neither is missing."""
    return all(a == b or -1 in (a, b) for a, b in zip(one, other, strict=True))


rows_of_codes = st.integers(1, 4).flatmap(
    lambda q: st.tuples(
        st.lists(st.tuples(*[st.integers(-1, 2)] * q), min_size=1, max_size=25),
        st.lists(st.tuples(st.tuples(*[st.integers(-1, 2)] * q), st.integers(1, 9)), min_size=1, max_size=25),
    )
)


@settings(max_examples=300, deadline=None)
@given(rows_of_codes)
def test_matching_is_its_definition(drawn: tuple[list[Row], list[tuple[Row, int]]]) -> None:
    ours, theirs = drawn
    found = matching(np.array(ours), np.array([row for row, _ in theirs]), np.array([size for _, size in theirs]))
    assert found.tolist() == [sum(size for row, size in theirs if agree(mine, row)) for mine in ours]


columns = st.lists(
    st.tuples(st.none() | st.integers(0, 2), st.none() | st.sampled_from("FM"), st.none() | st.booleans()),
    min_size=1,
    max_size=25,
)


def frame(rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"age": pl.Int64, "sex": pl.String, "ill": pl.Boolean}, orient="row")


@settings(max_examples=100, deadline=None)
@given(columns, columns)
def test_all_readings_are_their_definitions(ours: list[Row], theirs: list[Row]) -> None:
    def alike(mine: Row, row: Row) -> bool:
        return all(a == b or a is None or b is None for a, b in zip(mine, row, strict=True))

    names = ["age", "sex", "ill"]
    for missing in Missing:
        sample, people = classes_of(frame(ours), missing, names), classes_of(frame(theirs), missing, names)
        if missing is Missing.WILDCARD:
            f = [sum(alike(mine, row) for row in ours) for mine in ours]
            F = [sum(alike(mine, row) for row in theirs) for mine in ours]
        else:
            f = [Counter(ours)[mine] for mine in ours]
            F = [Counter(theirs)[mine] for mine in ours]
        if missing is Missing.CONSERVATIVE:
            f = [1 if None in mine else size for mine, size in zip(ours, f, strict=True)]
            F = [1 if None in mine else size for mine, size in zip(ours, F, strict=True)]
        assert sample.size_per_record().tolist() == f
        assert sample.per_record(sample.sizes_in(people)).tolist() == F
