"""Algorithm S2 of seed 004: against its own tables, a literal transcription, and what it promises."""

from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike import risk
from lookalike.anonymize.grouping.clustering import Microaggregation
from lookalike.anonymize.method import Asked, Changed
from lookalike.classes import Missing
from lookalike.data import Microdata, spans
from lookalike.errors import BadPlan

# Seed 004, table S2, with the codes of the California file: 1 male, 2 not Hispanic, counties by the alphabet.
TABLE_S2 = pl.DataFrame(
    {
        "hospital": [1] * 6,
        "age": [42, 35, 52, 70, 57, 61],
        "gender": [1, 1, 1, 2, 1, 1],
        "ethnicity": [2, 2, 2, 1, 2, 2],
        "race": [1, 1, 2, 1, 1, 1],
        "zip": [93722, 93611, 93561, 93560, 93555, 93551],
        "county": [10, 10, 15, 15, 15, 19],
        "quarter": [1, 2, 2, 2, 4, 2],
        "los": [33, 47, 13, 1, 2, 2],
    }
)


def changed(table: pl.DataFrame, method: Microaggregation, missing: Missing = Missing.OWN) -> Changed:
    file = la.read(table, quasi_identifiers=table.columns)
    return method.change(Asked(file=file, rng=np.random.default_rng(1), missing=missing))


def classes_of(made: Changed) -> la.EquivalenceClasses:
    return la.EquivalenceClasses.of(la.read(pl.DataFrame(dict(made.columns))), list(made.columns))


def from_zero(rows: list[tuple[int, ...]]) -> list[float]:
    """Equation 2, to the record with all values zero."""
    deviation = [np.std(column) for column in zip(*rows, strict=True)]
    return [float(np.sqrt(sum((a / s) ** 2 for a, s in zip(row, deviation, strict=True) if s))) for row in rows]


def literal(rows: list[tuple[int, ...]], k: int) -> list[list[tuple[int, int]]]:
    """Algorithm S2 line by line."""
    distances = from_zero(rows)
    waiting = sorted(range(len(rows)), key=distances.__getitem__)
    clusters = []
    while len(waiting) >= 2 * k:
        clusters.append(waiting[:k])
        waiting = waiting[k:]
    clusters.append(waiting)
    found: list[list[tuple[int, int]]] = [[] for _ in rows]
    for cluster in clusters:
        ranges = [(min(column), max(column)) for column in zip(*(rows[i] for i in cluster), strict=True)]
        for i in cluster:
            found[i] = ranges
    return found


def written(low: int, high: int) -> str:
    return f"{low}" if low == high else f"[{low};{high}]"


def test_the_papers_records_become_its_table_s6() -> None:
    made = pl.DataFrame(dict(changed(TABLE_S2, Microaggregation(k=3)).columns))
    # The table prints [42-52] for the ages of the first three, one of whom is 35: a misprint.
    first = ("1", "[35;52]", "1", "2", "[1;2]", "[93561;93722]", "[10;15]", "[1;2]", "[13;47]")
    second = ("1", "[57;70]", "[1;2]", "[1;2]", "1", "[93551;93560]", "[15;19]", "[2;4]", "[1;2]")
    assert made.rows() == [first] * 3 + [second] * 3


WIDE = st.lists(st.tuples(*[st.integers(-99, 99_999)] * 3), min_size=1, max_size=15)


@given(rows=WIDE, again=st.lists(st.integers(0, 99), min_size=1, max_size=15), k=st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_it_is_the_algorithm_as_printed(rows: list[tuple[int, ...]], again: list[int], k: int) -> None:
    rows = [*rows, *(rows[i % len(rows)] for i in again)]  # some come twice: ties
    k = min(k, len(rows))
    distances = dict(zip(rows, from_zero(rows), strict=True))
    # Different rows at distances that differ by rounding alone are in no order.
    assume(len({round(d, 6) for d in distances.values()}) == len(distances))
    table = pl.DataFrame(rows, schema=["a", "b", "c"], orient="row")
    made = pl.DataFrame(dict(changed(table, Microaggregation(k=k)).columns)).rows()
    assert made == [tuple(written(*pair) for pair in row) for row in literal(rows, k)]


CELLS: dict[str, Any] = {
    "age": st.one_of(st.none(), st.integers(0, 5)),
    "sex": st.one_of(st.none(), st.sampled_from(["F", "M", "X"])),
    "income": st.one_of(st.none(), st.floats(-2, 2, allow_nan=False)),
    "born": st.one_of(st.none(), st.dates(date(2000, 1, 1), date(2000, 1, 9))),
}
SCHEMA = {"age": pl.Int64, "sex": pl.String, "income": pl.Float64, "born": pl.Date}
MIXED = st.lists(st.tuples(*CELLS.values()), min_size=2, max_size=40)


@given(rows=MIXED, k=st.integers(2, 9), keep_safe=st.booleans())
@settings(max_examples=80, deadline=None)
def test_no_record_is_unique_and_every_class_has_k(rows: list[tuple[Any, ...]], k: int, keep_safe: bool) -> None:
    table = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    k = min(k, table.height)
    made = changed(table, Microaggregation(k=k, keep_safe=keep_safe))
    classes = classes_of(made)
    assert classes.sizes.min() >= k
    assert risk.unique_records(classes).count == 0
    assert sum(made.columns[name].len() for name in table.columns) == 4 * table.height


@given(rows=st.lists(st.integers(0, 4), min_size=2, max_size=40), k=st.integers(2, 6))
@settings(max_examples=50, deadline=None)
def test_with_safe_kept_records_of_full_classes_stay_as_they_are(rows: list[int], k: int) -> None:
    table = pl.DataFrame({"age": rows})
    k = min(k, table.height)
    made = changed(table, Microaggregation(k=k, keep_safe=True))
    sizes = table.select(pl.len().over("age"))["len"]
    kept = (made.columns["age"] == table["age"].cast(pl.String)).to_numpy()
    rest = int((sizes < k).sum())
    if rest == 0 or rest >= k:
        assert kept[(sizes >= k).to_numpy()].all()
    else:
        # Fewer than k are left over: they borrow of one class, and no class falls below k.
        touched = table["age"].filter(pl.Series(~kept) & (sizes >= k))
        assert touched.n_unique() <= 1
    assert classes_of(made).sizes.min() >= k


@given(rows=MIXED, k=st.integers(2, 5))
@settings(max_examples=50, deadline=None)
def test_a_cell_holds_the_value_it_replaces(rows: list[tuple[Any, ...]], k: int) -> None:
    table = pl.DataFrame(rows, schema=SCHEMA, orient="row").select("age")
    made = changed(table, Microaggregation(k=min(k, table.height)))
    both = pl.concat([made.columns["age"].alias("age"), table["age"].cast(pl.String)])
    low, high = spans(both)
    n = table.height
    known = table["age"].is_not_null().to_numpy()
    assert (low[:n] <= low[n:])[known].all()
    assert (high[:n] >= high[n:])[known].all()


def test_ties_keep_the_order_of_the_file() -> None:
    table = pl.DataFrame({"a": [1, 0, 1, 0], "b": [0, 1, 0, 1]})  # all at the same distance
    made = pl.DataFrame(dict(changed(table, Microaggregation(k=2)).columns))
    assert made["a"].to_list() == ["[0;1]"] * 4


def test_a_group_of_which_some_miss_a_value_gives_it_up() -> None:
    table = pl.DataFrame({"age": [30, None, 60, 61], "area": ["x", "x", "y", "y"]})
    made = changed(table, Microaggregation(k=2))
    # The mean of 30, 60 and 61 is 50.3: the record without an age stands between 30 and 60.
    assert made.columns["age"].to_list() == [None, None, "[60;61]", "[60;61]"]


def test_constant_and_empty_columns_do_not_count() -> None:
    table = pl.DataFrame({"one": [7] * 4, "none": pl.Series([None] * 4, dtype=pl.String), "age": [4, 1, 3, 2]})
    made = changed(table, Microaggregation(k=2))
    assert made.columns["age"].to_list() == ["[3;4]", "[1;2]", "[3;4]", "[1;2]"]
    assert made.columns["one"].to_list() == ["7"] * 4
    assert made.columns["none"].null_count() == 4


def test_the_last_group_takes_what_is_left() -> None:
    made = changed(pl.DataFrame({"age": list(range(11))}), Microaggregation(k=3))
    assert made.figures["groups"] == 3
    assert sorted(classes_of(made).sizes.tolist()) == [3, 3, 5]


def test_records_left_over_borrow_from_the_nearest_class() -> None:
    ages = [30] * 4 + [50] * 9 + [49]
    made = changed(pl.DataFrame({"age": ages}), Microaggregation(k=3, keep_safe=True))
    assert made.columns["age"].to_list() == ["30"] * 4 + ["[49;50]"] * 2 + ["50"] * 7 + ["[49;50]"]
    small = changed(pl.DataFrame({"age": [30] * 3 + [50] * 3 + [49]}), Microaggregation(k=3, keep_safe=True))
    assert small.columns["age"].to_list() == ["30"] * 3 + ["[49;50]"] * 4
    assert (small.figures["groups"], small.figures["left alone"]) == (1, 3)


def test_nothing_is_done_where_all_classes_are_full() -> None:
    made = changed(pl.DataFrame({"age": [30, 30, 50, 50]}), Microaggregation(k=2, keep_safe=True))
    assert made.columns["age"].to_list() == ["30", "30", "50", "50"]
    assert made.figures == {"groups": 0, "left alone": 4}


def file_of(records: int = 3) -> Microdata:
    return la.read(pl.DataFrame({"age": list(range(records)), "sex": ["F"] * records}), quasi_identifiers=["age"])


@pytest.mark.parametrize(
    ("method", "told"),
    [
        (Microaggregation(k=4), "k = 4 is more than the 3 records of the file. Choose a smaller k."),
        (Microaggregation(k=1), "k must be at least 2, not 1."),
        (
            Microaggregation(k=2, columns=("sexx",)),
            "Column 'sexx' is not in the data. Did you mean 'sex'? Columns: age, sex.",
        ),
    ],
)
def test_it_refuses(method: Microaggregation, told: str) -> None:
    with pytest.raises(BadPlan) as caught:
        method.change(Asked(file=file_of(), rng=np.random.default_rng(1)))
    assert str(caught.value) == told


def test_it_refuses_a_file_without_quasi_identifiers_and_tells_all_faults() -> None:
    file = la.read(pl.DataFrame({"age": [1]}))
    with pytest.raises(BadPlan) as caught:
        Microaggregation(k=1).change(Asked(file=file, rng=np.random.default_rng(1)))
    assert caught.value.faults == (
        "k must be at least 2, not 1.",
        "There is no quasi-identifier to change. Name the quasi-identifiers, or the columns to change.",
    )
    with pytest.raises(BadPlan, match="k = 2 is more than the 1 record of the file"):
        Microaggregation(k=2, columns=("age",)).change(Asked(file=file, rng=np.random.default_rng(1)))


def test_caveats_name_columns_left_out_and_orders_without_meaning() -> None:
    table = pl.DataFrame({"age": [1, 2, 3], "area": ["x", "y", "z"]})
    file = la.read(table, quasi_identifiers=["age", "area"])
    made = Microaggregation(k=2, columns=("area",)).change(Asked(file=file, rng=np.random.default_rng(1)))
    assert made.caveats == (
        "k holds on the columns that were changed; with age known, it may not.",
        "area: a range stands for the values between its ends in the order of their levels or texts.",
    )


def test_a_conservative_reading_is_told_what_was_given_up() -> None:
    table = pl.DataFrame({"age": [30, None]})
    made = changed(table, Microaggregation(k=2), Missing.CONSERVATIVE)
    assert made.caveats == (
        "2 cells were given up because others of their group miss the value. Read conservatively, a missing value "
        "matches nothing, so their records count as unique.",
    )
