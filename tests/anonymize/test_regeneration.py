"""Algorithm S1 of seed 004: masked cells filled with exactly the counts that were masked."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.anonymize.suppressing.regeneration import regenerate
from lookalike.errors import BadPlan


def filled(masked: pl.Series, counts: dict[Any, int], seed: int = 1) -> pl.Series:
    return regenerate(masked, counts, rng=np.random.default_rng(seed))


@given(column=st.lists(st.integers(0, 5), min_size=1), hidden=st.sets(st.integers(0, 20)), seed=st.integers(0, 9))
def test_the_margin_comes_back_exactly_and_other_cells_stay(column: list[int], hidden: set[int], seed: int) -> None:
    masked = [None if i in hidden else v for i, v in enumerate(column)]
    gone = [v for i, v in enumerate(column) if i in hidden]
    series = pl.Series("race", masked, dtype=pl.Int64)
    found = filled(series, {v: gone.count(v) for v in set(gone)}, seed)
    assert sorted(found.to_list()) == sorted(column)
    assert all(was is None or was == now for was, now in zip(masked, found.to_list(), strict=True))
    assert series.to_list() == masked


def test_every_assignment_is_as_likely() -> None:
    masked = pl.Series("sex", ["*", "F", None], dtype=pl.String)
    found = [filled(masked, {"F": 1, "M": 1}, seed).to_list() for seed in range(400)]
    assert {tuple(row) for row in found} == {("F", "F", "M"), ("M", "F", "F")}
    assert 150 < sum(row[0] == "F" for row in found) < 250


def test_the_same_seed_gives_the_same_cells() -> None:
    masked = pl.Series("a", [None] * 20, dtype=pl.Int64)
    assert filled(masked, {1: 10, 2: 10}).equals(filled(masked, {1: 10, 2: 10}))


def test_a_column_without_type_or_masked_cells() -> None:
    assert filled(pl.Series("a", [None, None]), {3: 2}).to_list() == [3, 3]
    assert filled(pl.Series("a", [1, 2]), {}).to_list() == [1, 2]


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({1: 1}, "'race': the counts sum to 1, but 2 cells are masked. They must be the same."),
        ({1: 3, 2: -1}, "'race': 1 of the counts are below 0. A count is at least 0."),
        ({"Zanzibar": 2}, "'race': the values of the counts do not fit its type, Int64."),
    ],
)
def test_it_refuses(counts: dict[Any, int], told: str) -> None:
    with pytest.raises(BadPlan) as caught:
        filled(pl.Series("race", [1, None, None]), counts)
    assert str(caught.value) == told
