"""The Pitman–Yor law of class sizes: the tables of a two-parameter Chinese restaurant."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

from lookalike.population.growth import expected_inverse
from lookalike.population.log_gamma import log_gamma_ratio

_WIDEST = 30.0


@dataclass(frozen=True, slots=True)
class PitmanYorLaw:
    """The law with its two parameters: 0 < σ < 1, θ > −σ. A new record opens class K + 1 with weight θ + Kσ and joins
    a class of size f with weight f − σ.

    >>> law = PitmanYorLaw(0.5, 1.0)
    >>> round(law.classes(records=1, seen=1, population=2), 9)          # 1 + P(the second is new) = 1 + 1.5/2
    1.75
    >>> round(law.uniques(population=2), 9)                             # both or neither: 2 · 0.75
    1.5
    """

    sigma: float
    theta: float

    @classmethod
    def fit(cls, frequencies: NDArray[np.int64]) -> PitmanYorLaw:
        """Maximum likelihood from c (at place i the classes of size i), Nelder and Mead in logit σ, ln(θ + σ)."""
        from scipy.optimize import minimize
        from scipy.special import logit

        sizes = np.flatnonzero(frequencies)
        data = sizes, frequencies[sizes]
        starts = [(logit(sigma), log(scale)) for sigma in (0.2, 0.8) for scale in (1.0, float(sizes @ data[1]))]
        options = {"xatol": 1e-8, "fatol": 1e-10, "maxiter": 2000}
        fits = [minimize(minus_log_likelihood, s, args=data, method="Nelder-Mead", options=options) for s in starts]
        return cls.at(min(fits, key=lambda fit: fit.fun).x)

    @classmethod
    def at(cls, place: NDArray[np.float64]) -> PitmanYorLaw:
        """The law at (logit σ, ln(θ + σ))."""
        from scipy.special import expit

        sigma = float(expit(place[0]))
        return cls(sigma, exp(place[1]) - sigma)

    @property
    def place(self) -> NDArray[np.float64]:
        """(logit σ, ln(θ + σ)), where every pair of numbers is a law."""
        from scipy.special import logit

        return np.array([logit(self.sigma), log(self.theta + self.sigma)])

    def classes(self, *, records: int, seen: int, population: int) -> float:
        """E[L | K classes in n records] = (K + θ/σ)·Γ(θ+N+σ)Γ(θ+n) / (Γ(θ+n+σ)Γ(θ+N)) − θ/σ."""
        log_growth = log_gamma_ratio(self.theta + population, self.sigma) - log_gamma_ratio(
            self.theta + records, self.sigma
        )
        return seen + (seen + self.theta / self.sigma) * float(np.expm1(log_growth))

    def uniques(self, *, population: int) -> float:
        """Population uniques, E[S₁] = N·Γ(θ+1)Γ(θ+σ+N−1) / (Γ(θ+σ)Γ(θ+N)), the sample not looked at."""
        rest = 1 - self.sigma
        start = self.theta + self.sigma
        return population * exp(log_gamma_ratio(start, rest) - log_gamma_ratio(start + population - 1, rest))

    def risk(self, sizes: NDArray[np.int64], *, records: int, population: int) -> NDArray[np.float64]:
        """E[1/F | f]: a class grows by a beta-binomial(N − n; f − σ, θ + n − f + σ)."""
        beta = np.maximum(self.theta + records - sizes + self.sigma, 1e-12)
        return expected_inverse(sizes, (sizes - self.sigma).astype(np.float64), beta, population - records)

    def stays_unique(self, *, records: int, population: int) -> float:
        """P(F = 1 | f = 1), the chance that nobody joins: Γ(β+M)Γ(α+β) / (Γ(β)Γ(α+β+M)), α = 1 − σ."""
        alpha, beta = 1 - self.sigma, self.theta + records - 1 + self.sigma
        return exp(log_gamma_ratio(beta, alpha) - log_gamma_ratio(beta + population - records, alpha))


def minus_log_likelihood(place: NDArray[np.float64], sizes: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    """Σ_{i<K} ln(θ + iσ) − Σ_{i<n} ln(θ + i) + Σ c_j [lnΓ(j−σ) − lnΓ(1−σ)], with minus, K classes, n records."""
    from scipy.special import gammaln

    if np.abs(place).max() > _WIDEST:
        return inf
    law = PitmanYorLaw.at(place)
    sigma, theta = law.sigma, law.theta
    seen, records = int(counts.sum()), int(sizes @ counts)
    opened = log_gamma_ratio((theta + sigma) / sigma, seen - 1) + (seen - 1) * log(sigma)
    grown = float(counts @ (gammaln(sizes - sigma) - gammaln(1 - sigma)))
    return -(opened + grown - log_gamma_ratio(theta + 1, records - 1))
