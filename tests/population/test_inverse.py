"""E[1/F] and its variance against sums over the binomial law, written out."""

import numpy as np
import pytest
from scipy.stats import binom, nbinom

from lookalike.population._inverse import binomial_inverse, binomial_inverse_variance, trust_likelihood

CASES = [
    (f, joining, people)
    for f in (1, 2, 3, 10, 100)
    for joining in (1e-6, 0.01, 1.0, 8.0, 55.0, 58.0, 200.0)
    for people in (10, 1000, 1_000_000)
    if joining < people
]


def moments(f: int, p: float, people: int) -> tuple[float, float]:
    low, high = binom.ppf([1e-16, 1 - 1e-16], people, p)
    x = np.arange(max(0, low - 5), min(people, high + 5) + 1)
    weight = binom.pmf(x, people, p)
    mean = float((weight / (f + x)).sum())
    return mean, float((weight / (f + x) ** 2).sum()) - mean**2


@pytest.mark.parametrize(("f", "joining", "people"), CASES)
def test_the_mean_is_that_of_the_binomial_law(f: int, joining: float, people: int) -> None:
    p = joining / people
    found = binomial_inverse(np.array([float(f)]), np.array([p]), people)[0]
    assert found == pytest.approx(moments(f, p, people)[0], rel=1e-5)


@pytest.mark.parametrize(("f", "joining", "people"), CASES)
def test_the_variance_is_near_that_of_the_binomial_law(f: int, joining: float, people: int) -> None:
    p, sizes = joining / people, np.array([float(f)])
    mean = binomial_inverse(sizes, np.array([p]), people)
    found = binomial_inverse_variance(sizes, np.array([p]), people, mean)[0]
    truth = moments(f, p, people)[1]
    assert found == pytest.approx(truth, rel=0.15, abs=2e-3 * float(mean[0]) ** 2)


def test_nobody_outside_or_no_chance_leaves_the_sample() -> None:
    sizes = np.array([1.0, 4.0])
    assert binomial_inverse(sizes, np.array([0.3, 0.3]), 0).tolist() == [1.0, 0.25]
    assert binomial_inverse(sizes, np.zeros(2), 10**9).tolist() == [1.0, 0.25]
    assert binomial_inverse(sizes, np.ones(2), 6).tolist() == [1 / 7, 1 / 10]


@pytest.mark.parametrize(("f", "m"), [(1, 0.01), (2, 0.5), (7, 3.0), (31, 12.0), (400, 380.0)])
def test_the_likelihood_of_trust_is_a_truncated_negative_binomial(f: int, m: float) -> None:
    factors, repeats, n = np.array([0.3, 2.0, 5000.0]), np.array([1e3, 1e8]), 1000.0
    found = trust_likelihood(np.array([float(f)]), np.array([m / n]), n, factors, repeats)
    shape = 1 / (1 / factors[:, None] + 1 / (repeats * m / n))
    law = nbinom(shape, shape / (shape + m))
    truth = law.logpmf(f) - np.log1p(-law.pmf(0))
    assert found - found[0, 0] == pytest.approx(truth - truth[0, 0], abs=1e-7)
