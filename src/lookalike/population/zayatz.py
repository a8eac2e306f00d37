"""Zayatz's estimator: the class sizes of the sample stand for those of the population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.estimate import Estimate
from lookalike.population.estimator import Finding
from lookalike.population.limits import census
from lookalike.population.sample import Sample

_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Zayatz:
    """P(F = j | f) ∝ p_j·h(f | j), p_j = c_j/K, h hypergeometric; r(f) = Σ_j P(F = j | f)/j; B̂ = mean r.

    Zayatz (1991), "Estimation of the number of unique population elements using a sample", asks for f = 1 only:
    P(F = 1 | f = 1) = p₁π / Σ_j p_j·j·C(N−j, n−1)/C(N, n). Population uniques are c₁·P/π. The same rule of Bayes
    with the same p_j holds for every f, and gives E[1/F | f], so B. (The other way, L/N with L = N·K/n from the
    same assumption, is K/n, the upper limit of B: no estimate at all.) In a sample classes are smaller than in the
    population, so p_j leans to small classes and the figure is too high, the more so the smaller π is.

    No interval. The classes at the top of the list (no larger class was seen) get F = f.

    Sizes 1, 1 and 2 from N = 8, n = 4: h(1|1) = 1/2, h(1|2) = 4/7, so P = (2/3)(1/2) / ((2/3)(1/2) + (1/3)(4/7)).

    >>> sample = Sample.from_codes(np.array([[0], [1], [2]]), np.array([1, 1, 2]))
    >>> found = Zayatz().estimate(sample, 8, rng=np.random.default_rng(1))
    >>> round(found.population_uniques / 2, 6) == round(7 / 11, 6)
    True
    """

    key: ClassVar[str] = "zayatz"

    def estimate(self, sample: Sample, population: int, *, rng: Generator) -> Finding:
        """B from the class sizes alone; nothing is drawn."""
        exact = census(sample, population, method=self.key)
        if exact is not None:
            return exact
        sizes, place, counts = np.unique(sample.sizes, return_inverse=True, return_counts=True)
        if len(sizes) == 1:
            reason = "all classes have one size: there is no spread of class sizes to carry over to the population"
            return Finding.not_assessable(reason, method=self.key)
        risk, whole = _posterior(sizes, counts, sample.records, population)
        return Finding(
            match_rate=Estimate(value=sample.mean(risk[place]), method=self.key, caveats=_caveats(sample)),
            risk=risk[place],
            population_uniques=float(counts[0] * whole[0]) if sizes[0] == 1 else 0.0,
        )


def _caveats(sample: Sample) -> tuple[str, ...]:
    found = ("takes the class sizes of the sample for those of the population, which overstates the risk",)
    return found if sample.weights is None else (*found, "survey weights are not used")


def _posterior(
    sizes: NDArray[np.int64], counts: NDArray[np.int64], n: int, population: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """E[1/F | f] and P(F = f | f) of each size that occurs; a band of sizes at a time bounds the memory."""
    risk, whole = np.empty(len(sizes)), np.empty(len(sizes))
    band = max(1, _AT_ONCE // len(sizes))
    for start in range(0, len(sizes), band):
        f = sizes[start : start + band]
        log_weight = np.log(counts) + _log_hypergeometric(f[:, None], sizes, n, population)
        weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
        weight /= weight.sum(axis=1, keepdims=True)
        risk[start : start + band] = weight @ (1 / sizes)
        whole[start : start + band] = weight[np.arange(len(f)), start + np.arange(len(f))]
    return risk, whole


def _log_hypergeometric(f: NDArray[np.int64], large: NDArray[np.int64], n: int, population: int) -> NDArray[np.float64]:
    """ln h(f | F) up to what depends on f alone: ln [C(F, f)·C(N−F, n−f)]; −∞ where it cannot be."""
    from scipy.special import gammaln

    outside = (population - large) - (n - f)
    possible = (large >= f) & (outside >= 0)
    chosen = gammaln(large + 1) - gammaln(np.where(possible, large - f, 0) + 1)
    rest = gammaln(population - large + 1) - gammaln(np.where(possible, outside, 0) + 1)
    return np.where(possible, chosen + rest, -np.inf)
