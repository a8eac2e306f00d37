"""Hypothesis-test estimator: the largest population class a sample class is evidence for (El Emam and Dankar 2008)."""

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

_HALVINGS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisTest:
    """F̂(f) = the largest k with P(X ≤ f − 1) ≥ 1 − α, X ~ Poisson(πk); F̂ ≥ f; B̂ = mean 1/F̂.

    El Emam and Dankar (2008), "Protecting privacy using k-anonymity", accept a sample class as one of at least k
    people when f ≥ k' = 1 + the smallest c with P(X ≤ c) ≥ 1 − α, where X is its size in the sample if F = k.
    Turned round, a class of size f passes for every k up to F̂(f). With α = 0.5 and the plain Poisson law it
    understates B at low sampling fractions and overstates it at high ones, as Jiang et al. (2022) report. With
    `truncated` X is conditioned on X ≥ 1, as in the papers' text: no k passes for a sample unique, whose risk is
    then 1. No interval: the rule is a decision, not a law of F.

    f = 1, π = 0.1: P(X = 0) = e^{−0.1k} ≥ ½ up to k = 6.

    >>> sample = Sample.from_codes(np.array([[0]]), np.array([1]))
    >>> round(HypothesisTest().estimate(sample, 10, rng=np.random.default_rng(1)).match_rate.value, 4)
    0.1667
    """

    key: ClassVar[str] = "hypothesis_test"

    alpha: float = 0.5
    """The level of the test; a smaller one wants more evidence and finds smaller classes."""
    truncated: bool = False
    """Whether the Poisson law is conditioned on the class being seen."""

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha is the level of a test, between 0 and 1, and was {self.alpha}")

    def estimate(self, sample: Sample, population: int, *, rng: Generator) -> Finding:
        """B with the class sizes the test lets pass; nothing is drawn."""
        exact = census(sample, population, method=self.key)
        if exact is not None:
            return exact
        sizes, place = np.unique(sample.sizes, return_inverse=True)
        risk = (1 / self.class_sizes(sizes, sample.records / population))[place]
        caveats: tuple[str, ...] = (
            "tends to understate the risk at low sampling fractions and to overstate it at high ones",
        )
        if sample.weights is not None:
            caveats += ("survey weights are not used",)
        return Finding(
            match_rate=Estimate(value=sample.mean(risk), method=self.key, caveats=caveats),
            risk=risk,
        )

    def class_sizes(self, sizes: NDArray[np.int64], fraction: float) -> NDArray[np.float64]:
        """F̂ of each sample class size."""
        from scipy.special import gammaincinv

        # P(X <= f - 1) = Q(f, mu), the upper incomplete Gamma function, falls in mu = pi k.
        mean = self._truncated_mean(sizes) if self.truncated else gammaincinv(sizes, self.alpha)
        return np.maximum(sizes, np.floor(mean / fraction))

    def _truncated_mean(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """The largest mu with P(X <= f - 1 | X >= 1) >= 1 - alpha, by halving; 0 for f = 1."""
        from scipy.special import gammaincc

        low, high = np.zeros(len(sizes)), sizes + 20 * np.sqrt(sizes) + 50.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            seen = -np.expm1(-middle)
            passes = gammaincc(sizes, middle) - np.exp(-middle) >= (1 - self.alpha) * seen
            low, high = np.where(passes, middle, low), np.where(passes, high, middle)
        return np.where(sizes == 1, 0.0, low)
