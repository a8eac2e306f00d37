"""The masking order of seed 004's table S3: until a record is not unique, and no further."""

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.suppressing.mask import Mask
from lookalike.anonymize.suppressing.safe_harbor import AGES_5, AGES_20, SafeHarbor
from lookalike.data import is_generalized
from lookalike.errors import BadPlan


def changed(table: pl.DataFrame, method: SafeHarbor, quasi: list[str] | None = None) -> Changed:
    file = la.read(table, quasi_identifiers=quasi or table.columns)
    return method.change(Asked(file=file, rng=np.random.default_rng(1)))


HIPAA = SafeHarbor.hipaa(
    age="age", ethnicity="ethnicity", race="race", sex="sex", quarter="quarter", zip_code="zip", county="county"
)


def test_the_order_is_that_of_table_s3() -> None:
    assert [(step.column, step.how) for step in map(Mask.of, HIPAA.order)] == [
        ("age", "19 ranges"),  # and unknown
        ("ethnicity", "suppressed"),
        ("race", "suppressed"),
        ("sex", "suppressed"),
        ("age", "5 ranges"),
        ("age", "suppressed"),
        ("quarter", "suppressed"),
        ("zip", "3 characters kept"),
        ("county", "suppressed"),
        ("zip", "suppressed"),
    ]
    assert (len(AGES_20), len(AGES_5)) == (19, 5)


def test_a_record_is_masked_until_it_is_not_unique_and_no_further() -> None:
    table = pl.DataFrame(
        {
            "age": [30, 30, 31, 33, 60, 62, 7],
            "sex": ["F", "F", "M", "M", "F", "M", "F"],
            "zip": ["93722", "93722", "93722", "93722", "93611", "93611", "10115"],
        }
    )
    order = (Mask(column="age", ranges=(0, 18, 65)), Mask(column="sex"), Mask(column="zip", keep=3), Mask(column="zip"))
    made = changed(table, SafeHarbor(order=order))
    assert pl.DataFrame(dict(made.columns)).rows() == [
        ("30", "F", "93722"),
        ("30", "F", "93722"),
        ("[18;64]", "M", "93722"),  # alike after the first step
        ("[18;64]", "M", "93722"),
        ("[18;64]", None, "93611"),  # after the second
        ("[18;64]", None, "93611"),
        ("[0;17]", None, None),  # never
    ]
    assert made.figures == {"unique records": 5, "masked records": 5, "records still unique": 1}
    assert [step["records"] for step in made.details["order"]] == [5, 3, 1, 1]
    assert made.caveats == ("1 records went through the whole order and are still in classes of fewer than 2.",)


def literal(rows: list[tuple[Any, ...]], order: list[tuple[int, dict[Any, Any]]], k: int) -> list[tuple[Any, ...]]:
    """One step after another, all records compared as written each time."""
    now = [
        tuple(map(str, row)) if None not in row else tuple(None if c is None else str(c) for c in row) for row in rows
    ]
    for column, becomes in order:
        counts = Counter(now)
        now = [
            row if counts[row] >= k else (*row[:column], becomes[original[column]], *row[column + 1 :])
            for row, original in zip(now, rows, strict=True)
        ]
    return now


ROWS = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 9)), st.one_of(st.none(), st.sampled_from("FM"))),
    min_size=2,
    max_size=30,
)


@given(rows=ROWS, k=st.integers(2, 4))
@settings(max_examples=80, deadline=None)
def test_it_is_the_order_applied_step_by_step(rows: list[tuple[Any, ...]], k: int) -> None:
    k = min(k, len(rows))
    table = pl.DataFrame(rows, schema={"age": pl.Int64, "sex": pl.String}, orient="row")
    coarse = (Mask(column="age", ranges=(0, 3, 7)), Mask(column="sex"), Mask(column="age", ranges=(0, 5)))
    made = changed(table, SafeHarbor(order=(*coarse, Mask(column="age")), k=k))
    thirds = {None: None, **{a: "[0;2]" if a < 3 else "[3;6]" if a < 7 else "7+" for a in range(10)}}
    halves = {None: None, **{a: "[0;4]" if a < 5 else "5+" for a in range(10)}}
    nothing: dict[Any, None] = dict.fromkeys([None, *range(10), "F", "M"])
    wanted = literal(rows, [(0, thirds), (1, nothing), (0, halves), (0, nothing)], k)
    found = pl.DataFrame(dict(made.columns)).rows()
    assert found == wanted
    counts = Counter(found)
    assert sum(count for count in counts.values() if count < k) == made.figures["records still unique"]
    # Who is still unique has gone through the whole order.
    assert all(row == (None, None) for row, count in counts.items() if count < k)


def test_ranges_are_open_at_both_ends_and_read_as_generalized_cells() -> None:
    table = pl.DataFrame({"age": [3, 20, 40, 90]})
    made = changed(table, SafeHarbor(order=(Mask(column="age", ranges=(18, 30, 31, 65)),)))
    assert made.columns["age"].to_list() == ["<18", "[18;29]", "[31;64]", "65+"]
    assert all(is_generalized(text) for text in made.columns["age"])
    reals = changed(pl.DataFrame({"age": [0.5, 1.5]}), SafeHarbor(order=(Mask(column="age", ranges=(0, 1, 2)),)))
    assert reals.columns["age"].to_list() == ["[0;1]", "[1;2]"]
    single = changed(pl.DataFrame({"age": [0, 7]}), SafeHarbor(order=(Mask(column="age", ranges=(0, 1)),)))
    assert single.columns["age"].to_list() == ["0", "1+"]


def test_records_may_be_compared_on_more_columns_than_are_masked() -> None:
    table = pl.DataFrame({"sex": ["F", "F"], "ward": ["x", "y"]})
    alone = changed(table, SafeHarbor(order=({"column": "sex"},)))
    assert alone.columns["sex"].to_list() == ["F", "F"]
    assert alone.caveats == ("Records were compared on sex; with ward known, they may be unique.",)
    both = changed(table, SafeHarbor(order=({"column": "sex"},), columns=("ward",)))
    assert both.columns["sex"].null_count() == 2
    assert "ward" not in both.columns


def test_a_plan_may_write_the_order_as_tables() -> None:
    tables = ({"column": "age", "ranges": [0, 18]}, {"column": "zip", "keep": 3}, {"column": "sex"})
    assert [Mask.of(t) for t in tables] == [
        Mask(column="age", ranges=(0, 18)),
        Mask(column="zip", keep=3),
        Mask(column="sex"),
    ]


@pytest.mark.parametrize(
    ("method", "told"),
    [
        (SafeHarbor(order=()), "The order has no step. Name the columns to mask, one after another."),
        (SafeHarbor(order=(Mask(column="sex"),), k=1), "k must be at least 2, not 1."),
        (
            SafeHarbor(order=(Mask(column="sex"),), k=9),
            "k = 9 is more than the 2 records of the file. Choose a smaller k.",
        ),
        (
            SafeHarbor(order=(Mask(column="sexx"),)),
            "Column 'sexx' is not in the data. Did you mean 'sex'? Columns: age, sex.",
        ),
        (
            SafeHarbor(order=(Mask(column="sex", ranges=(0, 1)),)),
            "Step on 'sex': ranges are for numbers, and the column has none.",
        ),
        (SafeHarbor(order=(Mask(column="age", ranges=(5, 1)),)), "Step on 'age': the beginnings of ranges must grow."),
        (
            SafeHarbor(order=(Mask(column="age", ranges=(5,), keep=1),)),
            "Step on 'age': give ranges or characters to keep, not both.",
        ),
        (
            SafeHarbor(order=(Mask(column="sex", keep=0),)),
            "Step on 'sex': at least one character must be kept; leave keep out to suppress.",
        ),
        (
            SafeHarbor(order=({"column": "sex", "kept": 1},)),
            "Setting 'kept' is not in a step of the order. Did you mean 'keep'? Settings: column, ranges, keep.",
        ),
        (SafeHarbor(order=({"keep": 1},)), "A step of the order names no column."),
        (
            SafeHarbor(order=({"column": "age", "ranges": 5},)),
            "The ranges of a step must be a list of numbers: where each begins.",
        ),
        (SafeHarbor(order=({"column": "sex", "keep": "x"},)), "A step must keep a whole number of characters."),
    ],
)
def test_it_refuses(method: SafeHarbor, told: str) -> None:
    with pytest.raises(BadPlan) as caught:
        changed(pl.DataFrame({"age": [1, 2], "sex": ["F", "M"]}), method)
    assert str(caught.value) == told
