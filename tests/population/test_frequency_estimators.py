"""Zayatz, slide negative binomial, the rule of Dankar, Chao: what they make of class sizes alone."""

from math import comb

import numpy as np
import pytest

from lookalike.population import Chao, Dankar, PitmanYor, Sample, SlideNegativeBinomial, Zayatz
from lookalike.population.chao import classes_at_least
from lookalike.population.shlosser import shlosser
from lookalike.population.slide_negative_binomial import SlideNegativeBinomialLaw

RNG = np.random.default_rng(0)


def sample_of(sizes) -> Sample:
    return Sample.from_codes(np.arange(len(sizes))[:, None], np.asarray(sizes))


def drawn(people: np.ndarray, fraction: float, rng: np.random.Generator) -> tuple[Sample, np.ndarray, float]:
    """A simple random sample of a population given by its class sizes, F of its classes, and its B."""
    n = int(fraction * people.sum())
    f = rng.multivariate_hypergeometric(people, n, method="marginals")
    f, large = f[f > 0], people[f > 0]
    return sample_of(f), large, float((f / large).sum() / n)


def slide(alpha: float, beta: float, classes: int, seed: int) -> np.ndarray:
    return 1 + np.random.default_rng(seed).negative_binomial(alpha, beta, classes)


def test_zayatz_is_the_rule_of_bayes() -> None:
    sizes, n, people = [1, 1, 1, 2, 2, 4], 11, 30
    found = Zayatz().estimate(sample_of(sizes), people, rng=RNG)

    def chance(f, large):
        return comb(large, f) * comb(people - large, n - f) / comb(people, n)

    shares = {1: 3 / 6, 2: 2 / 6, 4: 1 / 6}
    for f, risk in zip(sizes, found.risk.tolist(), strict=True):
        weights = {j: p * chance(f, j) for j, p in shares.items()}
        assert risk == pytest.approx(sum(w / j for j, w in weights.items()) / sum(weights.values()), rel=1e-10)
    # The paper's own form, for f = 1.
    fraction = n / people
    below = sum(p * j * comb(people - j, n - 1) / comb(people, n) for j, p in shares.items())
    assert found.population_uniques == pytest.approx(3 * shares[1] * fraction / below, rel=1e-10)


def test_zayatz_adult_agrees_with_arx(adult_sample) -> None:
    sample, people = adult_sample
    found = Zayatz().estimate(sample, people, rng=RNG)
    assert found.population_uniques * people / sample.records == pytest.approx(12_669.2, abs=0.05)
    assert found.match_rate.value > 0.368  # overstates at 5 %


def test_zayatz_is_close_at_high_fractions_and_high_at_low_ones() -> None:
    people = slide(0.3, 0.05, 4000, 1)
    off = {}
    for fraction in (0.05, 0.6):
        sample, _, truth = drawn(people, fraction, np.random.default_rng(2))
        off[fraction] = Zayatz().estimate(sample, int(people.sum()), rng=RNG).match_rate.value - truth
    assert off[0.05] > 0.03
    assert abs(off[0.6]) < 0.01


def test_zayatz_many_sizes_go_in_bands(monkeypatch) -> None:
    sizes = np.arange(1, 200)
    whole = Zayatz().estimate(sample_of(sizes), 10**6, rng=RNG)
    monkeypatch.setattr("lookalike.population.zayatz._AT_ONCE", 700)
    assert Zayatz().estimate(sample_of(sizes), 10**6, rng=RNG).risk == pytest.approx(whole.risk, rel=1e-12)


def test_shlosser_by_hand() -> None:
    # c₁ = 3, c₂ = 1, π = ½. First: (3·¼ + 2·¼·¾) / (3(¾ − ½) + (9/16 − ¼)); second: (3·½ + ¼) / (3·½ + 2·½·½).
    first = (3 / 4 + 2 * 3 / 16) / (3 / 4 + 5 / 16)
    second = (3 / 2 + 1 / 4) / (3 / 2 + 1 / 2)
    assert shlosser(np.array([0, 3, 1]), 0.5) == pytest.approx(4 + 3 * first * second**2)


@pytest.mark.parametrize(("alpha", "beta"), [(0.3, 0.05), (1.0, 0.2), (3.0, 0.5)])
@pytest.mark.parametrize("fraction", [0.02, 0.3, 0.8])
def test_slide_law_against_its_series(alpha, beta, fraction) -> None:
    large = np.arange(1, 3000)
    from scipy.stats import binom, nbinom

    law = SlideNegativeBinomialLaw(alpha, beta)
    prior = nbinom.pmf(large - 1, alpha, beta)
    for f in (1, 2, 9):
        joint = prior * binom.pmf(f, large, fraction)
        assert law.risk(np.array([f]), fraction)[0] == pytest.approx((joint / large).sum() / joint.sum(), rel=1e-9)
    once, twice = (float((prior * binom.pmf(f, large, fraction)).sum()) for f in (1, 2))
    assert law.stays_unique(fraction) == pytest.approx(prior[0] * fraction / once, rel=1e-9)
    found = SlideNegativeBinomialLaw.solve(once * 1e6, twice * 1e6, 1e6, fraction)
    assert (found.alpha, found.beta) == pytest.approx((alpha, beta), rel=1e-3)


def test_slide_population_is_estimated() -> None:
    """Populations of the law, sampled at a fraction where Shlosser's count holds; four standard errors."""
    off, uniques = [], []
    for seed in range(12):
        people = slide(0.3, 0.05, 3000, seed)
        sample, large, truth = drawn(people, 0.5, np.random.default_rng(seed))
        found = SlideNegativeBinomial().estimate(sample, int(people.sum()), rng=RNG)
        off.append(found.match_rate.value - truth)
        uniques.append(found.population_uniques - ((large == 1) & (sample.sizes == 1)).sum())
    for values, bias in ((off, 0.002), (uniques, 8)):
        # Shlosser's L is not unbiased: a small bias of its own is allowed for.
        assert abs(np.mean(values)) < bias + 4 * np.std(values, ddof=1) / np.sqrt(len(values))


def test_slide_refuses_what_it_cannot_solve() -> None:
    none = SlideNegativeBinomial().estimate(sample_of([3, 3, 4]), 100, rng=RNG).match_rate
    assert none.value is None
    assert none.caveats == ("needs sample uniques and pairs; the sample has 0 and 0",)
    unsolved = SlideNegativeBinomial().estimate(sample_of([1] + [2] * 400), 1000, rng=RNG).match_rate
    assert unsolved.value is None
    assert unsolved.caveats == ("no slide negative binomial law has this many sample uniques and pairs",)


def test_slide_answers_for_adult_where_arx_prints_zero(adult_sample) -> None:
    sample, people = adult_sample
    found = SlideNegativeBinomial().estimate(sample, people, rng=RNG)
    assert found.match_rate.value == pytest.approx(0.416, abs=5e-4)
    assert found.population_uniques * people / sample.records == pytest.approx(10_083, abs=5)
    assert "unreliable at sampling fractions below 0.1" in found.match_rate.caveats[0]


def test_dankar_takes_pitman_at_low_fractions(adult_sample) -> None:
    sample, people = adult_sample
    found, chosen = (e.estimate(sample, people, rng=RNG) for e in (Dankar(), PitmanYor()))
    assert found.match_rate.value == chosen.match_rate.value
    assert found.match_rate.method == "dankar"
    assert found.match_rate.caveats == ("the rule chose pitman_yor",)


def test_dankar_takes_the_smaller_at_high_fractions() -> None:
    for seed in range(4):
        people = slide(0.5, 0.1, 2000, seed)
        sample, _, _ = drawn(people, 0.3, np.random.default_rng(seed))
        found, *both = (
            e.estimate(sample, int(people.sum()), rng=RNG) for e in (Dankar(), Zayatz(), SlideNegativeBinomial())
        )
        assert found.population_uniques == min(b.population_uniques for b in both)


def test_dankar_says_which_has_no_answer() -> None:
    one = Dankar().estimate(sample_of([1, 1, 3, 3, 5]), 60, rng=RNG).match_rate
    assert one.caveats[:2] == (
        "the rule chose zayatz",
        "slide_negative_binomial has no answer: needs sample uniques and pairs; the sample has 2 and 0",
    )
    neither = Dankar().estimate(sample_of([3, 3]), 30, rng=RNG).match_rate
    assert neither.value is None
    assert neither.caveats[0].startswith("neither estimator has an answer (zayatz: all classes have one size")
    pitman = Dankar().estimate(sample_of([1, 1]), 30, rng=RNG).match_rate
    assert pitman.caveats[0].startswith("the rule chose pitman_yor: every record is unique")


def test_chao_by_hand() -> None:
    assert classes_at_least(sample_of([1, 1, 1, 2, 3]), 100) == 5 + 9 / (2 * 8 / 7 + 3 * 8 / 92)
    assert classes_at_least(sample_of([1, 1, 1, 3]), 100) == 4 + 6 / (2 * 6 / 5 + 3 * 6 / 94)  # no pairs
    assert classes_at_least(sample_of([3, 3]), 100) == 2


@pytest.mark.parametrize("fraction", [0.02, 0.2, 0.7])
def test_chao_stays_below_the_truth_on_average(fraction) -> None:
    off = []
    for seed in range(10):
        people = slide(0.3, 0.05, 2000, seed)
        sample, _, truth = drawn(people, fraction, np.random.default_rng(seed))
        found = Chao().estimate(sample, int(people.sum()), rng=RNG).match_rate
        off.append(found.value - truth)
        assert found.low == found.value
        assert truth <= found.high == pytest.approx(len(sample) / sample.records)
    assert np.mean(off) < 4 * np.std(off, ddof=1) / np.sqrt(len(off))


def test_chao_says_what_it_is() -> None:
    caveats = Chao().estimate(sample_of([1, 1]), 100, rng=RNG).match_rate.caveats
    assert caveats[0] == "a lower limit of the risk, not an estimate of it: read the interval"
    assert caveats[1] == "rests on 0 pairs only: even the lower limit may be too high"
