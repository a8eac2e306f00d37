"""Shares of values, those that nobody in the sample has among them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.models.domain import Domain, prefix_groups
from lookalike.models.value_shares import InferredShares, KnownShares, line_groups


def mean_of(shares: InferredShares, draws: int = 300) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.mean([shares.draw(rng) for _ in range(draws)], axis=0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 3000), min_size=1, max_size=40),
    st.booleans(),
    st.lists(st.integers(1, 400), min_size=40, max_size=40),
    st.integers(0, 2**32),
)
def test_shares_are_positive_and_sum_to_one_whatever_the_counts(
    counts: list[int], on_line: bool, gaps: list[int], seed: int
) -> None:
    domain = Domain(line=np.cumsum(gaps)[: len(counts)]) if on_line else Domain()
    shares = InferredShares(np.array(counts), line_groups(domain, np.array(counts)))
    drawn = shares.draw(np.random.default_rng(seed))
    assert len(drawn) == len(counts) + shares.unseen
    assert np.isfinite(drawn).all()
    assert (drawn > 0).all()
    assert drawn.sum() == pytest.approx(1)


def test_neighbours_too_frequent_to_leave_a_place_empty_by_chance() -> None:
    # Codes 1, 2, 3, 5 of a few hundred records each: 4 is missing, and not by chance.
    drawn = mean_of(InferredShares(np.array([900, 1100, 1000, 950]), Domain(line=np.array([1, 2, 3, 5]))))
    assert np.isfinite(drawn).all()
    assert drawn[:4].sum() > 0.98


def sampled(sizes: np.ndarray, n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Counts of the values seen, and which they are."""
    counts = np.random.default_rng(seed).multinomial(n, sizes / sizes.sum())
    return counts[counts > 0], np.flatnonzero(counts)


@pytest.mark.parametrize("spread", [0.3, 1.0, 1.6])
def test_the_mass_of_unseen_values_is_right_on_places_of_unequal_size(spread: float) -> None:
    truth, found = [], []
    for seed in range(8):
        sizes = np.exp(spread * np.random.default_rng(seed).standard_normal(2000))
        counts, seen = sampled(sizes, 700, seed)
        truth.append(1 - sizes[seen].sum() / sizes.sum())
        found.append(mean_of(InferredShares(counts, Domain()), 60)[-1])
    assert np.mean(found) == pytest.approx(np.mean(truth), abs=0.05)


@pytest.mark.parametrize("spread", [0.3, 1.0])
def test_the_share_of_a_value_seen_once_is_drawn_so_that_the_mean_of_its_inverse_is_right(spread: float) -> None:
    truth, found = [], []
    for seed in range(8):
        sizes = np.exp(spread * np.random.default_rng(seed).standard_normal(500))
        counts, seen = sampled(sizes, 1500, seed)
        rng = np.random.default_rng(seed)
        shares = InferredShares(counts, Domain())
        once = counts == 1
        truth.append(np.log((sizes.sum() / sizes[seen][once]).mean()))
        found.append(np.log(np.mean([(1 / shares.draw(rng)[:-1][once]).mean() for _ in range(60)])))
    assert np.mean(found) == pytest.approx(np.mean(truth), abs=0.25)


def test_a_day_between_two_seen_days_has_about_their_mass() -> None:
    rng = np.random.default_rng(1)
    days = rng.integers(0, 730, 400)
    seen, counts = np.unique(days, return_counts=True)
    drawn = mean_of(InferredShares(counts, Domain(line=seen)))
    assert drawn[: len(seen)].mean() == pytest.approx(1 / 730, rel=0.1)
    assert drawn[len(seen) :].sum() == pytest.approx(1 - len(seen) / 730, abs=0.05)


def test_a_calendar_with_holes_keeps_them_empty() -> None:
    rng = np.random.default_rng(1)
    weekdays = np.array([7 * w + d for w in range(120) for d in range(5)])
    seen, counts = np.unique(rng.choice(weekdays, 3000), return_counts=True)
    drawn = mean_of(InferredShares(counts, Domain(line=seen)))
    assert drawn[len(seen) :].sum() < 0.03  # two places of seven are never used


def test_known_people_leave_the_rest_to_unseen_values() -> None:
    shares = KnownShares(np.array([30.0, 50.0]), elsewhere=20.0)
    assert shares.draw(np.random.default_rng(1)).tolist() == [0.3, 0.5, 0.2]


def test_codes_share_prefixes_and_names_do_not() -> None:
    codes = [f"{state:02d}{county:03d}" for state in range(20) for county in range(5)]
    groups = prefix_groups(codes)
    assert groups
    assert len(np.unique(groups[-1])) < len(np.unique(groups[0])) or len(groups) == 1
    assert prefix_groups([]) == ()


def test_the_unit_of_weights_does_not_matter_and_equal_weights_change_nothing() -> None:
    counts = np.array([1] * 30 + [2] * 10 + [7, 60])
    drawn = [
        InferredShares(counts, Domain(), weights).draw(np.random.default_rng(3))
        for weights in (None, np.ones(42), np.full(42, 1700.0))
    ]
    np.testing.assert_allclose(drawn[0], drawn[1])
    np.testing.assert_allclose(drawn[0], drawn[2])


def test_exact_amounts_among_rounded_ones_have_the_shares_of_exact_ones() -> None:
    rng = np.random.default_rng(3)
    amounts = np.round(np.exp(rng.normal(10.3, 0.7, 100_000)) / 500).astype(int) * 500
    exact = rng.random(100_000) < 0.2
    amounts = np.where(exact, amounts + rng.integers(1, 499, 100_000), amounts)
    values, people = np.unique(amounts, return_counts=True)
    places, counts = np.unique(rng.choice(amounts, 1_000, replace=False), return_counts=True)
    shares = mean_of(InferredShares(counts, Domain(line=places.astype(np.int64))))[: len(places)]
    true = people[np.searchsorted(values, places)] / 100_000
    off = places % 500 != 0
    assert 0.5 < np.median(shares[off]) / np.median(true[off]) < 2
    assert 0.8 < shares[~off].sum() / true[~off].sum() < 1.2
