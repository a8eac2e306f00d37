import random
from math import exp, lgamma, log

import numpy as np
import pytest
from scipy.special import betaln, gammaln

from lookalike.population import PitmanYor, Sample
from lookalike.population.growth import expected_inverse, poisson_inverse
from lookalike.population.log_gamma import log_gamma_ratio
from lookalike.population.pitman_yor_law import PitmanYorLaw, minus_log_likelihood

RNG = np.random.default_rng(0)


def restaurant(sigma: float, theta: float, people: int, seed: int) -> np.ndarray:
    """The table of each customer of a two-parameter Chinese restaurant; the first n are a random sample."""
    draw, tables, counts = random.Random(seed), [], []
    for i in range(people):
        if draw.random() * (theta + i) < theta + len(counts) * sigma:
            tables.append(len(counts))
            counts.append(1)
            continue
        while True:
            table = tables[int(draw.random() * i)]
            if draw.random() * counts[table] < counts[table] - sigma:
                break
        tables.append(table)
        counts[table] += 1
    return np.array(tables)


def split(tables: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """f and F of the classes that are in the sample."""
    people = np.bincount(tables)
    sample = np.bincount(tables[:n], minlength=len(people))
    return sample[sample > 0], people[sample > 0]


def sample_of(sizes: np.ndarray) -> Sample:
    return Sample.from_codes(np.arange(len(sizes))[:, None], sizes)


def test_ratios_of_gamma_functions_keep_their_digits() -> None:
    assert log_gamma_ratio(3.5, 2.25) == pytest.approx(lgamma(5.75) - lgamma(3.5), rel=1e-14)
    assert log_gamma_ratio(150.0, 3) == pytest.approx(log(150 * 151 * 152), rel=1e-13)
    assert log_gamma_ratio(8e9, 2) == pytest.approx(log(8e9) + log(8e9 + 1), rel=1e-15)
    assert log_gamma_ratio(1e5, 1e6) == pytest.approx(lgamma(1.1e6) - lgamma(1e5), rel=1e-13)


@pytest.mark.parametrize("f", [1, 2, 40])
@pytest.mark.parametrize("sigma", [0.01, 0.5, 0.95])
@pytest.mark.parametrize("people", [1, 30, 5000])
@pytest.mark.parametrize("rest", [1.5, 400])
def test_growth_equals_the_sum_over_the_beta_binomial(f, sigma, people, rest) -> None:
    alpha, beta, x = f - sigma, rest + sigma, np.arange(people + 1.0)
    log_p = gammaln(people + 1) - gammaln(x + 1) - gammaln(people - x + 1)
    log_p += betaln(alpha + x, beta + people - x) - betaln(alpha, beta)
    found = expected_inverse(np.array([f]), np.array([alpha]), np.array([beta]), people)[0]
    assert found == pytest.approx((np.exp(log_p) / (f + x)).sum(), rel=1e-5)


def test_poisson_growth_equals_its_sum() -> None:
    for f in (1, 2, 30):
        for a in (1e-12, 0.3, 7.0, 300.0):
            y = np.arange(1200.0)
            by_hand = (np.exp(y * log(a) - a - gammaln(y + 1)) / (f + y)).sum()
            assert poisson_inverse(np.array([f]), np.array([a]))[0] == pytest.approx(by_hand, rel=1e-9)
    assert poisson_inverse(np.array([1, 9]), np.full(2, 8e9)) == pytest.approx(1 / 8e9, rel=1e-6)


def test_likelihood_of_three_records_by_hand() -> None:
    # Sizes 2 and 1: (θ + σ)/(θ + 1) · (1 − σ)/(θ + 2), in one order of arrival.
    sigma, theta = 0.3, 1.7
    by_hand = log((theta + sigma) / (theta + 1) * (1 - sigma) / (theta + 2))
    place = PitmanYorLaw(sigma, theta).place
    assert -minus_log_likelihood(place, np.array([1, 2]), np.array([1, 1])) == pytest.approx(by_hand, rel=1e-12)


def test_the_fit_is_a_peak() -> None:
    sizes, _ = split(restaurant(0.6, 30, 800, 1), 800)
    frequencies = np.bincount(sizes)
    law = PitmanYorLaw.fit(frequencies)
    data = np.flatnonzero(frequencies), frequencies[frequencies > 0]
    peak = minus_log_likelihood(law.place, *data)
    for step in ([1e-3, 0], [-1e-3, 0], [0, 1e-3], [0, -1e-3]):
        assert minus_log_likelihood(law.place + step, *data) > peak


@pytest.mark.parametrize(("sigma", "theta", "n", "people"), [(0.5, 20.0, 400, 3000), (0.2, 50.0, 600, 1200)])
def test_classes_uniques_and_risk_of_a_restaurant(sigma, theta, n, people) -> None:
    """Truth from simulated populations of the law itself; four standard errors of the simulation."""
    law, runs = PitmanYorLaw(sigma, theta), 40
    off = []
    for seed in range(runs):
        tables = restaurant(sigma, theta, people, seed)
        f, large = split(tables, n)
        rate = (f / large).sum() / n
        stays = law.stays_unique(records=n, population=people)
        off.append(
            [
                law.classes(records=n, seen=len(f), population=people) - (tables.max() + 1),
                law.uniques(population=people) - (np.bincount(tables) == 1).sum(),
                f @ law.risk(f, records=n, population=people) / n - rate,
                (f == 1).sum() * stays - ((f == 1) & (large == 1)).sum(),
            ]
        )
    mean, error = np.mean(off, axis=0), np.std(off, axis=0, ddof=1) / np.sqrt(runs)
    assert (np.abs(mean) < 4 * error).all()


def test_estimates_of_a_restaurant_and_how_often_the_interval_holds() -> None:
    off, held, runs = [], 0, 30
    for seed in range(runs):
        f, large = split(restaurant(0.5, 20.0, 3000, 100 + seed), 400)
        truth = (f / large).sum() / 400
        found = PitmanYor().estimate(sample_of(f), 3000, rng=RNG).match_rate
        off.append(found.value - truth)
        held += found.low <= truth <= found.high
    assert abs(np.mean(off)) < 4 * np.std(off) / np.sqrt(runs)
    assert held >= 25  # 95 % of 30, less three standard errors


def test_the_mean_risk_errs_less_than_the_number_of_classes() -> None:
    """Why B is the mean of E[1/F | f] and not L/N: both with the true parameters, root mean square."""
    law, n, people = PitmanYorLaw(0.5, 20.0), 400, 3000
    by_risk, by_classes = [], []
    for seed in range(60):
        f, large = split(restaurant(0.5, 20.0, people, 300 + seed), n)
        truth = (f / large).sum() / n
        by_risk.append(f @ law.risk(f, records=n, population=people) / n - truth)
        by_classes.append(law.classes(records=n, seen=len(f), population=people) / people - truth)
    assert np.mean(np.square(by_risk)) < np.mean(np.square(by_classes))


def test_adult_sample(adult_sample) -> None:
    sample, people = adult_sample
    law = PitmanYorLaw.fit(sample.frequencies)
    # ARX prints 8,483.5: the asymptotic form N^σ·Γ(θ+1)/Γ(θ+σ) of Hoshino (2001), with the same parameters.
    asymptotic = exp(log_gamma_ratio(law.theta + law.sigma, 1 - law.sigma) + law.sigma * log(people))
    assert asymptotic == pytest.approx(8483.5, abs=0.06)
    assert law.uniques(population=people) == pytest.approx(8451.3, abs=0.1)
    found = PitmanYor().estimate(sample, people, rng=RNG)
    assert found.match_rate.low < 0.36800 < found.match_rate.high
    assert found.match_rate.value == pytest.approx(0.3829, abs=5e-5)
    assert found.match_rate.caveats == ()


def test_caveats_and_refusals() -> None:
    assert (
        "every record is unique" in PitmanYor().estimate(sample_of(np.ones(9, int)), 90, rng=RNG).match_rate.caveats[0]
    )
    assert "in one class" in PitmanYor().estimate(sample_of(np.array([9])), 90, rng=RNG).match_rate.caveats[0]
    even = PitmanYor().estimate(sample_of(np.repeat([4, 5], 30)), 5000, rng=RNG).match_rate.caveats
    assert even[0] == "rests on 0 pairs only; unreliable below about 30"
    assert "edge of the Pitman–Yor family" in even[1]
