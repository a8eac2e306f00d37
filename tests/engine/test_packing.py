"""Keys are packed exactly: no two classes are merged, whatever the types and ranges."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, time

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.engine import numbering
from lookalike.engine.numbering import LARGE, number
from lookalike.engine.packing import pack
from lookalike.errors import LookalikeError

LOW, HIGH = -(2**63), 2**63 - 1


def assert_same_groups(frame: pl.DataFrame) -> None:
    """Packed keys are equal exactly where the rows are."""
    packed = pack(frame.lazy(), frame.columns).tolist()
    rows = frame.rows()
    assert len(packed) == len(rows)
    assert len(set(packed)) == len(set(rows)) == len(set(zip(packed, rows, strict=True)))


COLUMNS = {
    "least and greatest": pl.Series([LOW, HIGH, LOW + 1, HIGH - 1, 0, None, LOW], dtype=pl.Int64),
    "only least": pl.Series([LOW, LOW + 1, None, LOW, LOW + 2, LOW, None], dtype=pl.Int64),
    "only greatest": pl.Series([HIGH, HIGH - 1, None, HIGH, HIGH - 2, HIGH, None], dtype=pl.Int64),
    "unsigned": pl.Series([2**64 - 1, 2**64 - 2, 2**63, 2**63 - 1, 0, None, 0], dtype=pl.UInt64),
    "small unsigned": pl.Series([255, 254, 0, None, 255, 1, 0], dtype=pl.UInt8),
    "negative": pl.Series([-1, -128, 127, 0, None, -1, 127], dtype=pl.Int8),
    "flag": pl.Series([True, False, None, True, True, False, None]),
    "before 1970": pl.Series(
        [date(1, 1, 1), date(1969, 12, 31), date(1970, 1, 1), None, date(9999, 12, 31)] + [None] * 2
    ),
    "moment": pl.Series(
        [datetime(1900, 1, 1), datetime(1900, 1, 1, 0, 0, 0, 1), None, None] + [datetime(2024, 1, 1)] * 3
    ),
    "clock": pl.Series([time(1), time(2), None, time(1), time(23, 59, 59, 999_999), None, time(0)]),
    "text": pl.Series(["", None, " ", "a", "a\0", "é", ""]),
    "real": pl.Series([0.0, 1e-300, None, 0.1, 0.1 + 1e-17, -0.1, 2.0**53]),
    "all missing": pl.Series([None] * 7, dtype=pl.Int32),
    "all missing text": pl.Series([None] * 7, dtype=pl.String),
    "one value": pl.Series([5] * 7),
    "price": pl.Series(["0.10", "0.11", None, "0.1", "99999.99", "-1", None]).cast(pl.Decimal(9, 2)),
    "wide": pl.Series([2**100, 2**100 + 1, None, 2**100, 0, 0, 1], dtype=pl.Int128),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_of_any_type(name: str) -> None:
    assert_same_groups(pl.DataFrame({name: COLUMNS[name]}))


def test_all_columns_together() -> None:
    assert_same_groups(pl.DataFrame(COLUMNS))


def test_zero_has_one_class_and_not_a_number_another() -> None:
    nan = float("nan")
    packed = pack(pl.LazyFrame({"x": [0.0, -0.0, nan, -nan, None]}), ["x"])
    assert Counter(packed.tolist()).most_common() == [(packed[0], 2), (packed[2], 2), (packed[4], 1)]


@pytest.mark.parametrize("digits", [20, 21, 22, 30, 31, 32, 39, 40, 41])
@pytest.mark.parametrize("columns", [2, 3, 4, 7])
def test_ranges_whose_product_is_near_and_above_64_bits(digits: int, columns: int) -> None:
    # Rows that differ in one column by one, at both ends of the range: an overflow anywhere merges some.
    low, high = -(2 ** (digits - 1)), 2 ** (digits - 1)
    rows = [[end] * columns for end in (low, high)]
    rows += [
        [step if i == at else end for i in range(columns)]
        for at in range(columns)
        for end, step in ((low, low + 1), (high, high - 1), (low, high), (high, low))
    ]
    rows += rows
    assert_same_groups(pl.DataFrame(rows, schema=[f"c{i}" for i in range(columns)], orient="row"))


def steps(*bits: int) -> pl.DataFrame:
    """Two rows whose numbers would be 2**64 apart, so equal in 64 bits, between the ends of the ranges.

    The first column is a digit of 2**bits[0] + 2 values, each other one of 2**bits[i] (code 0 is missing).
    """
    assert sum(bits) == 64
    tops = [2 ** bits[0], *(2**b - 2 for b in bits[1:])]
    rows = [[0] * len(bits), tops, [0, *(t // 2 for t in tops[1:])], [2 ** bits[0], *(t // 2 for t in tops[1:])]]
    return pl.DataFrame(rows, schema=[f"c{i}" for i in range(len(bits))], orient="row")


@pytest.mark.parametrize("bits", [(31, 33), (32, 32), (26, 38), (38, 26), (20, 22, 22), (4, 20, 20, 20), (8,) * 8])
def test_numbers_that_would_meet_after_an_overflow_stay_apart(bits: tuple[int, ...]) -> None:
    assert_same_groups(steps(*bits))


def test_numbers_that_would_meet_when_a_text_is_joined_stay_apart() -> None:
    # (d1 * 2**31 + d2) * 8 + text: the digits alone fit, with eight texts they do not.
    rows = [(0, 5, "a"), (2**30, 5, "a"), (0, 2**31 - 2, "a"), *((0, 0, text) for text in "bcdefg")]
    assert_same_groups(pl.DataFrame(rows, schema=["c0", "c1", "text"], orient="row"))


def test_a_large_file_has_as_many_keys_as_rows_that_differ() -> None:
    rng = np.random.default_rng(2)
    n = 300_000
    frame = pl.DataFrame(
        {
            "age": rng.integers(0, 100, n),
            "zip": pl.Series(rng.integers(0, 3000, n)).cast(pl.String),
            "pay": rng.lognormal(10, 1, n).round(-2),
            "ill": rng.random(n) < 0.1,
        }
    ).with_columns(pl.when(pl.col("age") > 0).then("age"))
    packed = pl.Series(pack(frame.lazy(), frame.columns))
    both = frame.with_columns(packed.alias("packed"))
    assert packed.n_unique() == frame.n_unique() == both.n_unique()


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.none() | st.integers(LOW, HIGH),
            st.none() | st.sampled_from([LOW, -1, 0, 1, HIGH]),
            st.none() | st.text(max_size=2),
            st.none() | st.booleans(),
            st.none() | st.dates(),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_any_rows(rows: list[tuple[object, ...]]) -> None:
    types = {"a": pl.Int64, "b": pl.Int64, "c": pl.String, "d": pl.Boolean, "e": pl.Date}
    assert_same_groups(pl.DataFrame(rows, schema=types, orient="row"))


@pytest.mark.parametrize("records", [1, 2, 999, LARGE, LARGE + 1])
def test_numbers_have_no_gaps_and_belong_to_their_keys(records: int) -> None:
    rng = np.random.default_rng(records)
    keys = rng.integers(LOW, HIGH, records, endpoint=True)
    keys[: records // 2] = keys[records - records // 2 :]  # half of them twice
    keys[0], keys[-1] = LOW, HIGH
    found = number(keys)
    assert (keys[found.first][found.index] == keys).all()
    assert (np.bincount(found.index) == found.sizes).all()
    assert len(found.sizes) == len(set(keys.tolist()))


def test_many_equal_keys_and_a_few_others() -> None:
    keys = np.zeros(LARGE + 10, np.int64)
    keys[:10] = np.arange(10) << 58  # equal in their low bits
    found = number(keys)
    assert (keys[found.first][found.index] == keys).all()
    assert sorted(found.sizes.tolist()) == [1] * 9 + [LARGE + 1]


def test_more_records_than_can_be_numbered_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbering, "MOST", 3)
    assert len(number(np.arange(3)).sizes) == 3
    with pytest.raises(LookalikeError, match=r"at most 3 records are counted\. Choose the engine duckdb or spark\."):
        number(np.arange(4))
