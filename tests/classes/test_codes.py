"""Codes are equal exactly where values are, and follow their order."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.classes import encode, group, totals
from lookalike.classes.codes import encode_together

LOW, HIGH = -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pl.Series([3, None, 5, 3]), [0, -1, 2, 0]),
        (pl.Series([-2, 1, 0]), [0, 3, 2]),
        (pl.Series([LOW, LOW + 2, None]), [0, 2, -1]),
        (pl.Series([HIGH, HIGH - 1]), [1, 0]),
        (pl.Series([LOW, HIGH, 0]), [0, 2, 1]),
        (pl.Series([2**64 - 1, 0, None], dtype=pl.UInt64), [1, 0, -1]),
        (pl.Series(["b", "", None, "a"]), [2, 0, -1, 1]),
        (pl.Series([True, None, False]), [1, -1, 0]),
        (pl.Series([date(1970, 1, 2), date(1969, 12, 31), None]), [2, 0, -1]),
        (pl.Series([datetime(2024, 1, 1), datetime(1900, 1, 1)]), [1, 0]),
        (pl.Series([0.5, -0.0, 0.0, None]), [1, 0, 0, -1]),
        (pl.Series([None, None], dtype=pl.Int64), [-1, -1]),
        (pl.Series([None], dtype=pl.String), [-1]),
        (pl.Series([7]), [0]),
        (pl.Series(["1.10", "1.1", "0.9"]).cast(pl.Decimal(4, 2)), [1, 1, 0]),
    ],
)
def test_values_get_codes_in_their_order(values: pl.Series, expected: list[int]) -> None:
    assert encode(values).tolist() == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (pl.Series([1, 2]), pl.Series([2, 3]), ([0, 1], [1, 2])),
        (pl.Series([1, 2], dtype=pl.Int8), pl.Series([2, None], dtype=pl.UInt32), ([0, 1], [1, -1])),
        (pl.Series([1, 2]), pl.Series([2.0, 1.5]), ([0, 2], [2, 1])),
        (pl.Series(["1", "x"]), pl.Series([1, 2]), ([0, 2], [0, 1])),
        (pl.Series(["a", None]), pl.Series([None, "a"]), ([0, -1], [-1, 0])),
        (pl.Series([True]), pl.Series(["true"]), ([0], [0])),
        (pl.Series([date(2024, 1, 1)]), pl.Series(["2024-01-01"]), ([0], [0])),
        (pl.Series([None], dtype=pl.Null), pl.Series(["a"]), ([-1], [0])),
    ],
)
def test_two_columns_share_a_code_book(one: pl.Series, other: pl.Series, expected: tuple[list[int], list[int]]) -> None:
    found = encode_together(one, other)
    assert (found[0].tolist(), found[1].tolist()) == expected


def test_whole_numbers_of_two_types_are_compared_exactly() -> None:
    # As reals, 2**53 and 2**53 + 1 are one number.
    one, other = encode_together(pl.Series([2**53, 2**53 + 1]), pl.Series([2**53 + 1, 2**64 - 1], dtype=pl.UInt64))
    assert one.tolist() == [0, 1]
    assert other.tolist() == [1, 2]


def test_rows_are_grouped_by_all_columns() -> None:
    labels = group([np.array([1, 1, 0, -1, -1]), np.array([5, 5, 5, 5, -1])])
    assert labels[0] == labels[1]
    assert sorted(set(labels.tolist())) == [0, 1, 2, 3]


@pytest.mark.parametrize("columns", [2, 3, 4, 9])
def test_rows_stay_apart_when_the_ranges_exceed_64_bits(columns: int) -> None:
    top = 2**31 - 2
    ends = [[value] * columns for value in (-1, 0, top - 1, top)]
    ends += [[top if i == at else 0 for i in range(columns)] for at in range(columns)]
    labels = group(list(np.array(ends * 2).T))
    assert len(set(labels.tolist())) == len({tuple(row) for row in ends})
    assert (labels[: len(ends)] == labels[len(ends) :]).all()


@given(
    st.integers(1, 4).flatmap(lambda q: st.lists(st.tuples(*[st.integers(-1, 2**31 - 1)] * q), min_size=1, max_size=40))
)
def test_labels_are_equal_exactly_where_rows_are(rows: list[tuple[int, ...]]) -> None:
    labels = group(list(np.array(rows, np.int64).T)).tolist()
    assert len(set(labels)) == len(set(rows)) == len(set(zip(labels, rows, strict=True)))
    assert sorted(set(labels)) == list(range(len(set(rows))))


def test_amounts_are_summed_by_label() -> None:
    assert totals(np.array([0, 2, 1, 0], np.int32), np.array([10, 20, 30, 2**50])).tolist() == [10 + 2**50, 30, 20]
