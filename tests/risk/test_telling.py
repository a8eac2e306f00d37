"""How far one column tells another, by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.risk import telling


def test_by_hand() -> None:
    # u: 8 a, 6 b, 2 c; the commonest is a, so 16 - 8 guesses are wrong.
    # v = x: 7 a and 1 b, the best guess is the usual one: 0 saved. v = y: 1 a and 5 b: 5 - 1 saved.
    # v = z: 2 c, fewer than five records: not counted.
    one = pl.Series(["x"] * 8 + ["y"] * 6 + ["z"] * 2)
    other = pl.Series(["a"] * 7 + ["b"] + ["a"] + ["b"] * 5 + ["c"] * 2)
    assert telling(one, other) == 4 / 8


def test_a_missing_cell_is_a_value_on_both_sides() -> None:
    one = pl.Series([None] * 5 + [1] * 6)
    other = pl.Series([None] * 6 + ["b"] * 5)
    assert telling(one, other) == 4 / 5  # the usual one is missing, 6 times; 1 tells b, 5 times, against 1 missing
    assert telling(other, one) == 4 / 5


@pytest.mark.parametrize("cells", [[], ["a"] * 9, [None] * 9])
def test_where_nothing_is_left_to_guess_nothing_is_told(cells: list[str | None]) -> None:
    assert telling(pl.Series(cells, dtype=pl.String), pl.Series(cells, dtype=pl.String)) == 0.0


def test_a_column_of_single_values_tells_nothing() -> None:
    assert telling(pl.Series(range(100)), pl.Series([1, 2] * 50)) == 0.0


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("abc")), min_size=1, max_size=80))
def test_it_is_a_share_and_names_do_not_matter(pairs: list[tuple[str, str]]) -> None:
    one, other = (pl.Series([pair[i] for pair in pairs]) for i in (0, 1))
    found = telling(one, other)
    assert 0.0 <= found <= 1.0
    assert telling(one.replace_strict({"x": 7, "y": 8, "z": 9}), other) == pytest.approx(found)


def test_it_is_the_lambda_of_the_whole_table_where_no_value_is_rare() -> None:
    rng = np.random.default_rng(3)
    one = rng.integers(0, 4, 2_000)
    other = np.where(rng.random(2_000) < 0.7, one, rng.integers(0, 4, 2_000))
    table = np.zeros((4, 4))
    np.add.at(table, (one, other), 1)
    usual = table.sum(0).max()
    assert telling(pl.Series(one), pl.Series(other)) == pytest.approx((table.max(1).sum() - usual) / (2_000 - usual))
