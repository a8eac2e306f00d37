"""Distances between distributions, by hand."""

from __future__ import annotations

from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.classes import earth_mover, kullback_leibler, total_variation


def test_kullback_leibler_by_hand() -> None:
    assert kullback_leibler([0.5, 0.5], [0.25, 0.75]) == pytest.approx(0.5 * log(2) + 0.5 * log(2 / 3))
    assert kullback_leibler([1, 0], [0.5, 0.5]) == pytest.approx(log(2))  # a value that p lacks adds nothing
    assert kullback_leibler([0.5, 0.5], [1, 0]) == inf  # one that q lacks says all


def test_total_variation_by_hand() -> None:
    assert total_variation([0.5, 0.5, 0], [0.2, 0.3, 0.5]) == pytest.approx((0.3 + 0.2 + 0.5) / 2)
    assert total_variation([1, 0], [0, 1]) == 1


def test_earth_mover_by_hand() -> None:
    # All mass moves over two of two steps; over one of two.
    assert earth_mover([1, 0, 0], [0, 0, 1]) == 1
    assert earth_mover([1, 0, 0], [0, 1, 0]) == 0.5
    assert earth_mover([0.5, 0.5, 0], [0, 0.5, 0.5]) == pytest.approx((0.5 + 0.5) / 2)
    assert earth_mover([1], [1]) == 0


def test_the_salaries_of_li_li_and_venkatasubramanian() -> None:
    # Nine salaries from 3k to 11k: {3k, 4k, 5k} is at 0.375, {6k, 8k, 11k} at 0.167.
    whole = np.full(9, 1 / 9)
    low, spread = np.zeros(9), np.zeros(9)
    low[[0, 1, 2]] = spread[[3, 5, 8]] = 1 / 3
    assert earth_mover(low, whole) == pytest.approx(0.375)
    assert earth_mover(spread, whole) == pytest.approx(0.167, abs=5e-4)


weights = st.lists(st.integers(0, 20), min_size=3, max_size=3).filter(any).map(lambda w: np.array(w) / sum(w))


@given(weights, weights)
def test_distances_are_zero_for_equals_symmetric_and_bounded(p: np.ndarray, q: np.ndarray) -> None:
    for distance in (total_variation, earth_mover):
        assert distance(p, p) == 0
        assert distance(p, q) == pytest.approx(distance(q, p))
        assert 0 <= distance(p, q) <= 1 + 1e-12
    assert kullback_leibler(p, p) == 0
    assert kullback_leibler(p, q) >= 2 * total_variation(p, q) ** 2 - 1e-12  # Pinsker
