"""The spread of a sensitive variable by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.classes import Missing
from lookalike.errors import NotAssessable

TABLE = pl.DataFrame(
    {
        "sex": ["F", "F", "F", "F", "M", "M", None, None],
        "result": ["b", "a", "b", None, None, None, "c", "a"],
        "pay": [10, 9, 100, None, 9, 9, None, 2_000_000_000],
    }
)


def spread_of(
    name: str, missing: Missing = Missing.OWN, kinds: Mapping[str, str] | None = None, table: pl.DataFrame = TABLE
) -> la.Spread:
    return la.Spread.of(la.EquivalenceClasses.of(la.read(table, kinds=kinds), ["sex"], missing=missing), name)


def contents(spread: la.Spread) -> list[list[tuple[Any, int]]]:
    """The values and counts of each class."""
    return sorted(
        [
            list(zip(spread.values.gather(spread.codes[i:j]).to_list(), spread.counts[i:j].tolist(), strict=True))
            for i, j in zip(spread.starts[:-1], spread.starts[1:], strict=True)
        ]
    )


def test_values_are_counted_in_each_class_and_missing_ones_left_out() -> None:
    spread = spread_of("result")
    # F: b twice, a once, one missing; M: nothing known; missing sex: a and c.
    assert contents(spread) == [[("a", 1), ("b", 2)], [("a", 1), ("c", 1)]]
    assert sorted(spread.sizes.tolist()) == [1 + 1, 1 + 2]
    assert spread.distinct.tolist() == [2, 2]
    assert spread.values.to_list() == ["a", "b", "c"]
    assert spread.whole.tolist() == [2, 2, 1]
    assert sorted(spread.shares.round(6).tolist()) == [round(1 / 3, 6), 0.5, 0.5, round(2 / 3, 6)]


def test_numbers_are_in_their_order_however_far_apart() -> None:
    # A table of all numbers from 9 to two thousand million would not fit in memory.
    spread = spread_of("pay")
    assert spread.values.to_list() == [9, 10, 100, 2_000_000_000]
    assert contents(spread) == [[(9, 1), (10, 1), (100, 1)], [(9, 2)], [(2_000_000_000, 1)]]


def test_values_of_an_ordinal_variable_are_in_its_order() -> None:
    bands = ["5-9", "<5", "10-84", "85+", "5-9", "10-84", "unknown", None]
    table = TABLE.with_columns(pl.Series("result", bands))
    as_words = spread_of("result", table=table, kinds={"result": "nominal"})
    assert as_words.values.to_list() == ["10-84", "5-9", "85+", "<5", "unknown"]
    in_order = spread_of("result", table=table, kinds={"result": "ordinal"})
    assert in_order.values.to_list() == ["<5", "5-9", "10-84", "85+", "unknown"]
    assert in_order.whole.tolist() == [1, 2, 2, 1, 1]
    assert contents(in_order) != contents(as_words)
    assert [sorted(c) for c in contents(in_order)] == [sorted(c) for c in contents(as_words)]


def test_the_order_given_for_an_ordinal_variable_is_taken() -> None:
    from dataclasses import replace

    data = la.read(TABLE, kinds={"result": "ordinal"})
    variables = tuple(replace(v, levels=("c", "a", "b")) if v.name == "result" else v for v in data.variables)
    classes = la.EquivalenceClasses.of(replace(data, variables=variables), ["sex"])
    assert la.Spread.of(classes, "result").values.to_list() == ["c", "a", "b"]


def test_a_conservative_reading_sets_incomplete_records_alone() -> None:
    spread = spread_of("result", Missing.CONSERVATIVE)
    assert contents(spread) == [[("a", 1)], [("a", 1), ("b", 2)], [("c", 1)]]
    assert spread.whole.tolist() == [2, 2, 1]


def test_a_known_variable_has_one_value_in_each_of_its_classes() -> None:
    spread = spread_of("sex")
    assert contents(spread) == [[("F", 4)], [("M", 2)]]


def test_a_variable_that_is_missing_everywhere_cannot_be_assessed() -> None:
    table = TABLE.with_columns(pl.lit(None, pl.String).alias("result"))
    with pytest.raises(NotAssessable, match=r"^'result' is missing in all records\.$"):
        spread_of("result", table=table)


def test_a_term_is_summed_over_each_class() -> None:
    spread = spread_of("pay")
    assert sorted(spread.per_class(np.ones(len(spread.codes))).tolist()) == sorted(spread.distinct.tolist())
    # Σ p = 1 in every class.
    assert spread.per_class(spread.shares) == pytest.approx(np.ones(3))


@pytest.mark.parametrize("dtype", [pl.Boolean, pl.Float64, pl.Date, pl.UInt64, pl.Int8])
def test_values_of_any_type(dtype: type[pl.DataType]) -> None:
    table = TABLE.with_columns(pl.Series("result", [1, 0, 1, None, None, None, 0, 0]).cast(dtype))
    spread = spread_of("result", table=table)
    assert spread.whole.tolist() == [3, 2]
    assert spread.values.dtype == dtype
