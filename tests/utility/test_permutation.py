"""The permutation test."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from lookalike.errors import BadPlan, NotAssessable
from lookalike.utility.permutation import CAVEAT, kolmogorov_smirnov, permutation_test
from lookalike.utility.table_nulls import Null

VALUES = st.lists(st.integers(0, 8).map(float), min_size=1, max_size=25)


def largest_gap(one, other) -> float:
    return max(abs(np.mean(np.array(one) <= v) - np.mean(np.array(other) <= v)) for v in one + other)


@given(VALUES, VALUES)
def test_the_statistic_is_the_largest_gap_at_any_value(one, other) -> None:
    assert kolmogorov_smirnov(np.array(one), np.array(other)) == pytest.approx(largest_gap(one, other))


def test_the_p_value_nears_that_of_all_labels() -> None:
    one, other = np.array([1.0, 2, 2, 5, 7]), np.array([4.0, 6, 8, 8, 9])
    both = np.concatenate([one, other])
    value = kolmogorov_smirnov(one, other)
    every = [
        kolmogorov_smirnov(both[list(chosen)], np.delete(both, list(chosen))) >= value - 1e-12
        for chosen in combinations(range(10), 5)
    ]
    found = permutation_test(one, other, rng=np.random.default_rng(1), draws=9999)
    assert found.p_value == pytest.approx(np.mean(every), abs=0.015)


def test_p_values_of_independent_samples_are_uniform() -> None:
    rng = np.random.default_rng(2)
    found = [permutation_test(*rng.normal(size=(2, 150)), rng=rng, draws=99).p_value for _ in range(200)]
    assert kstest(np.array(found) - 0.005 * rng.random(200), "uniform").pvalue > 0.01


def test_another_statistic_may_be_given() -> None:
    def gap(a, b):
        return abs(a.mean() - b.mean())

    rng = np.random.default_rng(3)
    found = permutation_test(rng.normal(size=80), rng.normal(2, 1, 60), rng=rng, statistic=gap, draws=99)
    assert found.p_value == 0.01
    assert len(found.draws) == 99


def test_a_release_drawn_from_the_original_gets_draws_and_no_p_value() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=100)
    found = permutation_test(x, rng.choice(x, 100), rng=rng, null=Null.IMPROPER, draws=19)
    assert found.p_value is None
    assert found.caveats == (CAVEAT,)
    assert permutation_test(x, x, rng=rng, draws=9).caveats == ()


def test_same_seed_same_draws_and_long_columns_in_parts() -> None:
    x, y = np.random.default_rng(5).normal(size=(2, 60_000))
    one, other = (permutation_test(x, y, rng=np.random.default_rng(1), draws=40).draws for _ in range(2))
    assert (one == other).all()
    assert len(one) == 40


def test_columns_without_values_and_no_draws_are_refused() -> None:
    x = np.ones(3)
    with pytest.raises(NotAssessable, match=r"A column without any value cannot be compared."):
        permutation_test(x, np.full(3, np.nan), rng=np.random.default_rng(1))
    with pytest.raises(BadPlan, match=r"At least 1 permutation must be drawn."):
        permutation_test(x, x, rng=np.random.default_rng(1), draws=0)
    assert permutation_test(x, x, rng=np.random.default_rng(1), draws=9).p_value == 1
