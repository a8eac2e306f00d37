"""Margins: quantile functions by hand, families found again, nothing outside the support."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import beta, expon, gamma, kstest, lognorm, nbinom, norm, poisson, t, uniform, weibull_min

from lookalike.models.grouped import Distinct
from lookalike.models.margin import InterpolatedMargin, LevelMargin, StepMargin
from lookalike.models.margin_parametric import ParametricMargin, parametric
from lookalike.models.mixed import Numbers


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def drawn(margin: object, u: list[float] | np.ndarray, kind: type = np.float64) -> np.ndarray:
    out = np.empty(len(u), kind)
    margin.draw(ndtri(np.array(u)), out)  # type: ignore[attr-defined]
    return out


def interpolated(*values: float) -> InterpolatedMargin:
    found = Distinct.of(Numbers(np.array(values)))
    return InterpolatedMargin.of(found.values, found.counts)


def test_levels_are_drawn_along_their_row() -> None:
    # Row 2, 0, 1 with shares 0.3, 0.2, 0.5: cut at 0.3 and 0.5.
    margin = LevelMargin(np.array([0.2, 0.5, 0.3]), np.array([2, 0, 1]))
    assert drawn(margin, [0.1, 0.29, 0.31, 0.49, 0.51, 0.99], np.int32).tolist() == [2, 2, 0, 0, 1, 1]
    low, high = margin.stretch(np.array([0, 1, 2]))
    assert low == pytest.approx([0.3, 0.5, 0.0])
    assert high == pytest.approx([0.5, 1.0, 0.3])


def test_a_level_nobody_has_is_never_drawn() -> None:
    margin = LevelMargin(np.array([0.0, 0.5, 0.0, 0.5, 0.0]), np.arange(5))
    out = np.empty(5, np.int32)
    margin.draw(np.array([-40.0, -0.1, 0.0, 0.1, 40.0]), out)
    assert out.tolist() == [1, 1, 3, 3, 3]


def test_empirical_numbers_are_numbers_of_the_file_with_their_shares() -> None:
    margin = StepMargin(np.array([-1.0, 2.0, 9.0]), np.array([0.25, 0.5, 0.25]))
    u = (np.arange(1000) + 0.5) / 1000
    values, counts = np.unique(drawn(margin, u), return_counts=True)
    assert values.tolist() == [-1.0, 2.0, 9.0]
    assert counts.tolist() == [250, 500, 250]


def test_interpolation_gives_the_first_gap_the_weight_of_two() -> None:
    # Seed 003, 3.2.12 II: of four values the gaps have 2/4, 1/4 and 1/4.
    margin = interpolated(0.5, 10.5, 20.5, 40.5)
    assert drawn(margin, [1e-12, 0.25, 0.5, 0.625, 0.75, 0.875, 1 - 1e-12]) == pytest.approx(
        [0.5, 0.5 + 10 / 2, 10.5, 10.5 + 10 / 2, 20.5, 20.5 + 20 / 2, 40.5]
    )


def test_a_shared_value_keeps_its_weight_less_one_record() -> None:
    # 3 of 5 records hold 2.5: from 2/5 to 4/5 flat, before it the first gap of two fifths.
    margin = interpolated(1.5, 2.5, 2.5, 2.5, 7.5)
    assert drawn(margin, [0.2, 0.41, 0.6, 0.79, 0.9]) == pytest.approx([2.0, 2.5, 2.5, 2.5, 5.0])
    low, high = margin.stretch(np.array([2.5, 2.0, 5.0, 1.5, 7.5, -9.0, 99.0]))
    assert low == pytest.approx([0.4, 0.2, 0.9, 0.0, 1.0, 0.0, 1.0])
    assert high == pytest.approx([0.8, 0.2, 0.9, 0.0, 1.0, 0.0, 1.0])


def test_a_spike_at_the_start_keeps_its_whole_weight() -> None:
    margin = interpolated(0.5, 0.5, 0.5, 2.5)
    assert drawn(margin, [0.01, 0.74, 0.875]) == pytest.approx([0.5, 0.5, 1.5])


def test_whole_numbers_stay_whole_and_inside_the_range() -> None:
    out = drawn(interpolated(3.0, 7.0, 20.0, 21.0), rng().random(2000))
    assert (out == np.rint(out)).all()
    assert out.min() >= 3
    assert out.max() <= 21


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e12, 1e300])
@pytest.mark.parametrize("make", [parametric, InterpolatedMargin.of])
def test_huge_and_tiny_numbers_are_drawn_finite_and_spread_as_they_were(make: object, scale: float) -> None:
    x = np.sort(rng(2).normal(0.3, 1, 2000)) * scale
    out = drawn(make(x, np.ones(2000, int)), rng(3).random(5000))  # type: ignore[operator]
    assert np.isfinite(out).all()
    assert (out / scale).std() == pytest.approx((x / scale).std(), rel=0.06)


def test_the_whole_range_of_floats_does_not_overflow() -> None:
    margin = interpolated(-1.7e308, 1.7e308)
    assert drawn(margin, [0.25, 0.5, 0.75]) == pytest.approx([-0.85e308, 0, 0.85e308], abs=1e294)
    low, high = margin.stretch(np.array([0.0]))
    assert low == high == pytest.approx([0.5])


LAWS = [
    ("normal", norm(5, 2)),
    ("uniform", uniform(2, 9)),
    ("exponential", expon(0, 3)),
    ("lognormal", lognorm(0.8, 0, 20)),
    ("gamma", gamma(3, 0, 2)),
    ("Weibull", weibull_min(2.5, 0, 7)),
    ("beta", beta(0.5, 0.7, 1, 4)),
    ("Student t", t(3, 10, 2)),
    ("Poisson", poisson(6)),
    ("negative binomial", nbinom(2.5, 0.2)),
]


@pytest.mark.parametrize(("name", "law"), LAWS, ids=[name for name, _ in LAWS])
def test_the_family_of_a_known_law_is_found_and_drawn(name: str, law: object) -> None:
    x = law.rvs(20_000, random_state=rng(4)).astype(float)  # type: ignore[attr-defined]
    margin = parametric(*np.unique(x, return_counts=True))
    assert isinstance(margin, ParametricMargin)
    assert margin.family == name
    assert margin.distance < 1.9 / np.sqrt(20_000)
    out = drawn(margin, rng(5).random(20_000))
    if name in ("Poisson", "negative binomial"):
        assert (out == np.rint(out)).all()
        assert out.mean() == pytest.approx(law.mean(), rel=0.02)  # type: ignore[attr-defined]
    else:
        assert kstest(out, law.cdf).pvalue > 1e-4  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "law"), LAWS[:8], ids=[name for name, _ in LAWS[:8]])
def test_no_other_parameters_are_likelier(name: str, law: object) -> None:
    x = np.unique(law.rvs(3000, random_state=rng(6)))  # type: ignore[attr-defined]
    margin = parametric(x, np.ones(3000, int))
    assert isinstance(margin, ParametricMargin)
    if margin.family in ("uniform", "beta"):
        return  # Their ends are the file's, not a maximum inside.
    ours = margin._law.logpdf(x / margin.unit).sum()
    for k, value in enumerate(margin.parameters):
        for factor in (0.98, 1.02):
            if value == 0:
                continue
            other = list(margin.parameters)
            other[k] = value * factor
            assert margin._law.dist(*other).logpdf(x / margin.unit).sum() < ours + 1e-6


def test_whole_numbers_may_follow_a_rounded_continuous_law() -> None:
    x = np.rint(rng(7).normal(500, 30, 20_000))
    margin = parametric(*np.unique(x, return_counts=True))
    assert isinstance(margin, ParametricMargin)
    assert margin.family in ("normal", "gamma", "lognormal", "Student t")
    low, high = margin.stretch(np.array([500.0]))
    assert high - low == pytest.approx(1 / (30 * np.sqrt(2 * np.pi)), rel=0.03)
    assert (drawn(margin, [0.1, 0.5]) % 1 == 0).all()


def test_a_constant_is_a_step() -> None:
    margin = parametric(np.array([4.0]), np.array([10]))
    assert drawn(margin, [0.01, 0.99]).tolist() == [4.0, 4.0]


def test_a_spike_does_not_draw_a_family_onto_itself() -> None:
    x = np.concatenate([np.full(900, 0.37), rng(8).normal(5, 2, 1100)])
    margin = parametric(*np.unique(x, return_counts=True))
    assert isinstance(margin, ParametricMargin)
    assert margin.family != "Student t"
    assert margin.distance > 0.05
    assert drawn(margin, rng(9).random(2000)).std() > 1
