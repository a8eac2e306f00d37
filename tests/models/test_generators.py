"""Generators: known laws are recovered, and what cannot be drawn is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lookalike.errors import BadPlan
from lookalike.models import generators as g

N = 200_000


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60).filter(lambda w: max(w) > 1e-300))
def test_an_alias_table_holds_the_law_it_was_made_of(weights: list[float]) -> None:
    w = np.array(weights)
    table = g.AliasTable.of(w)
    assert table.shares() == pytest.approx(w / w.sum(), abs=1e-12)
    assert (w[table.draw(100, rng=rng())] > 0).all()


def test_alias_and_binary_search_draw_the_same_law() -> None:
    p = np.array([0.1, 0.0, 0.25, 0.65])
    for drawn in (g.AliasTable.of(p).draw(N, rng=rng()), g.place(p, N, rng=rng())):
        seen = np.bincount(drawn, minlength=4)
        assert seen[1] == 0
        assert stats.chisquare(seen[p > 0], p[p > 0] * N).pvalue > 0.001


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=40), st.lists(st.floats(1e-9, 1), min_size=1, max_size=20))
def test_both_searches_find_the_first_cumulated_share_not_below_u(weights: list[float], points: list[float]) -> None:
    cdf, u = g.cumulated(np.array(weights)), np.array(points)
    linear, binary = g.linear_search(cdf, u), g.binary_search(cdf, u)
    assert linear.places.tolist() == binary.places.tolist() == np.searchsorted(cdf, u).tolist()
    assert (linear.comparisons == linear.places + 1).all()
    assert binary.comparisons.max() <= np.floor(np.log2(len(cdf))) + 1


@pytest.mark.parametrize("shares", [[], [0.0, 0.0], [-0.1, 1.1], [np.nan, 1.0], [np.inf, 1.0]])
def test_shares_that_are_none_are_refused(shares: list[float]) -> None:
    for draw in (g.cumulated, g.AliasTable.of):
        with pytest.raises(BadPlan, match="shares of a discrete law"):
            draw(np.array(shares))


def test_a_cdf_that_ends_below_u_is_refused() -> None:
    for search in (g.linear_search, g.binary_search):
        with pytest.raises(BadPlan, match="must end at 1"):
            search(np.array([0.5, 0.9]), np.array([0.95]))


@pytest.mark.parametrize("direction", ["up", "down", "both"])
def test_whole_numbers_in_every_direction(direction: str) -> None:
    q = 0.7
    if direction == "both":
        law = lambda k: (1 - q) / (1 + q) * q ** np.abs(k - 5.0)  # noqa: E731
    else:
        law = lambda k: (1 - q) * q ** np.abs(k - 5.0)  # noqa: E731
    x = g.draw_whole_numbers(law, N, rng=rng(), start=5, direction=direction)
    values = np.arange(-4, 15) if direction == "both" else 5 + np.arange(10) * (1 if direction == "up" else -1)
    seen = np.array([(x == v).sum() for v in values])
    expected = law(values) * N
    rest = N - seen.sum(), N - expected.sum()
    assert stats.chisquare(np.append(seen, rest[0]), np.append(expected, rest[1])).pvalue > 0.001


def test_a_tail_that_never_is_covered_is_refused_in_bounded_memory() -> None:
    with pytest.raises(BadPlan, match=r"first 100000 values sum to 0\.9.*tail is too heavy"):
        g.draw_whole_numbers(lambda k: 1 / ((k + 1.0) * (k + 2.0)), 10**6, rng=rng(), limit=100_000)
    with pytest.raises(BadPlan, match="sum to more than 1"):
        g.draw_whole_numbers(lambda k: np.ones(len(k)), 1, rng=rng())
    with pytest.raises(BadPlan, match="negative or no number"):
        g.draw_whole_numbers(lambda k: np.full(len(k), np.nan), 1, rng=rng())
    with pytest.raises(BadPlan, match="'direction' is"):
        g.draw_whole_numbers(lambda k: np.ones(len(k)), 1, rng=rng(), direction="left")


def test_a_cdf_that_rounding_keeps_below_1_still_ends() -> None:
    # Σ of these chances stays at 1 − 1e-12, and nothing is added any more: the last value gets what is missing.
    x = g.draw_whole_numbers(lambda k: np.where(k < 2, 0.5 * (1 - 1e-12), 0.0), 10, rng=rng())
    assert set(x.tolist()) <= {0, 1}


def test_an_envelope_that_is_exceeded_is_an_error() -> None:
    with pytest.raises(BadPlan, match="c is too small"):
        g.accept_reject(lambda y: 2 * y, np.ones_like, lambda n, *, rng: rng.random(n), 1.5, 10_000, rng=rng())
    with pytest.raises(BadPlan, match="negative or no number"):
        g.accept_reject(lambda y: -y, np.ones_like, lambda n, *, rng: rng.random(n), 1.5, 10, rng=rng())
    with pytest.raises(BadPlan, match="must be above 0"):
        g.accept_reject(lambda y: y, np.ones_like, lambda n, *, rng: rng.random(n), 0, 10, rng=rng())


def test_an_event_that_never_holds_is_given_up() -> None:
    with pytest.raises(BadPlan, match="too rare"):
        g.condition(lambda n, *, rng: rng.random(n), lambda y: y > 2, 1, rng=rng())


def test_no_values_are_drawn_when_none_are_asked_for() -> None:
    assert len(g.condition(lambda n, *, rng: rng.random(n), lambda y: y > 0.5, 0, rng=rng()).values) == 0
    assert len(g.draw_whole_numbers(lambda k: 0.5 ** (k + 1.0), 0, rng=rng())) == 0
    assert np.isnan(g.condition(lambda n, *, rng: rng.random(n), lambda y: y > 0.5, 0, rng=rng()).rate)


def test_a_mixture_has_the_mixed_cdf_and_no_order() -> None:
    low, high = (lambda n, *, rng: rng.random(n)), (lambda n, *, rng: 5 + rng.standard_normal(n))
    x = g.mixture([0.3, 0.7], [low, high])(N, rng=rng())
    assert stats.kstest(x, lambda t: 0.3 * np.clip(t, 0, 1) + 0.7 * stats.norm.cdf(t - 5)).pvalue > 0.001
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 4 / np.sqrt(N)
    with pytest.raises(BadPlan, match="needs 2 shares"):
        g.mixture([1.0], [low, high])


def test_a_singular_covariance_is_drawn_by_its_spectrum_and_refused_by_cholesky() -> None:
    sigma = np.array([[4.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    x = g.normal_vectors(np.zeros(3), g.spectral_root(sigma), 1_000, rng=rng())
    assert x[:, 0] == pytest.approx(2 * x[:, 1])
    with pytest.raises(BadPlan, match="spectral"):
        g.cholesky_root(sigma)
    with pytest.raises(BadPlan, match="negative eigenvalue"):
        g.spectral_root(np.array([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(BadPlan, match="symmetric"):
        g.spectral_root(np.array([[1.0, 2.0], [0.0, 1.0]]))


def test_parameters_out_of_range_are_refused() -> None:
    with pytest.raises(BadPlan, match="degree of freedom"):
        g.chi_square(0)
    with pytest.raises(BadPlan, match="above 0"):
        g.beta(0, 1, 1, rng=rng())
    with pytest.raises(BadPlan, match="Quantile function 2"):
        g.conditional_transform([lambda u: u, lambda u, x: u * np.nan], 2, rng=rng())
