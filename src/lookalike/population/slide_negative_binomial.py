"""Slide negative binomial: one person opens a class, a negative binomial number joins (Chen and Keller-McNulty)."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, log1p
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.estimate import Estimate
from lookalike.population.estimator import Finding
from lookalike.population.limits import census, limits
from lookalike.population.sample import Sample
from lookalike.population.shlosser import shlosser

_STARTS = [(log(a), log(b / (1 - b))) for a in (0.3, 0.03, 2.0, 20.0) for b in (0.05, 0.5, 0.003, 0.95)]
_WIDEST = 30.0
_SOLVED = 1e-7
_LOW_FRACTION = 0.1
_APART = 2.0


@dataclass(frozen=True, slots=True)
class SlideNegativeBinomialLaw:
    """F = 1 + X, P(X = x) = Γ(α+x)/(Γ(α)x!)·β^α(1−β)^x; each person is in the sample with chance π.

    >>> law = SlideNegativeBinomialLaw(1.0, 0.5)                # X geometric: P(F = 1) = 1/2, mean of F 2
    >>> law.mean, law.stays_unique(0.5)                        # g = 1/4: (3/4) / (1 + (1/4)/(3/4))
    (2.0, 0.5625)
    """

    alpha: float
    beta: float

    @classmethod
    def solve(cls, once: int, twice: int, classes: float, fraction: float) -> SlideNegativeBinomialLaw | None:
        """The law whose expected c₁ and c₂ are those of the sample, with L given; None if there is none."""
        from scipy.optimize import least_squares
        from scipy.special import expit

        wanted = np.log([once, twice]) - np.log(classes)

        def apart(place: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.asarray(_log_shares(place, fraction) - wanted)

        for start in _STARTS:
            found = least_squares(apart, start, bounds=(-_WIDEST, _WIDEST), xtol=1e-13, ftol=1e-13, gtol=1e-13)
            if np.abs(found.fun).max() < _SOLVED and np.abs(found.x).max() < 0.99 * _WIDEST:
                return cls(exp(found.x[0]), float(expit(found.x[1])))
        return None

    @property
    def mean(self) -> float:
        """E[F] = 1 + α(1 − β)/β."""
        return 1 + self.alpha * (1 - self.beta) / self.beta

    def risk(self, sizes: NDArray[np.int64], fraction: float) -> NDArray[np.float64]:
        """E[1/F | f] = 1 / (f + (α + f − 1)·g/(1 − g)) with g = (1 − π)(1 − β), exact."""
        g = (1 - fraction) * (1 - self.beta)
        # Numerator and denominator of Bayes' rule are negative binomial series in g; C(F, f)/F = C(F-1, f-1)/f.
        return np.asarray(1 / (sizes + (self.alpha + sizes - 1) * g / (1 - g)))

    def stays_unique(self, fraction: float) -> float:
        """P(F = 1 | f = 1) = (1 − g)^α / (1 + αg/(1 − g))."""
        g = (1 - fraction) * (1 - self.beta)
        return exp(self.alpha * log1p(-g)) / (1 + self.alpha * g / (1 - g))


@dataclass(frozen=True, slots=True, kw_only=True)
class SlideNegativeBinomial:
    """B̂ = (1/n) Σ f·E[1/F | f] under F = 1 + negative binomial(α, β); (α, β) from c₁ and c₂, L by Shlosser.

    Chen and Keller-McNulty (1998), "Estimation of identification disclosure risk in microdata". With
    g = (1−π)(1−β): E c₁ = Lπ(β/(1−g))^α[1 + αg/(1−g)], E c₂ = Lπ²αβ^α(1−β)[2 − (1−α)g] / (2(1−g)^{α+2}).
    The model is a law of F, so it gives more than population uniques, Lβ^α = c₁·P(F = 1 | f = 1)/π: the mean of
    1/F given f, in closed form. B rests on that and not on L/N, for it suffers less when Shlosser's L is wrong
    (simulated: L 13 % too high, B by L/N 12 % too high, by E[1/F | f] 1 % too low). No interval.

    Two equations that have no solution make B not assessable. ARX prints 0 population uniques then.

    >>> sizes = np.repeat([1, 2, 3, 4, 9], [135, 46, 25, 20, 8])
    >>> sample = Sample.from_codes(np.arange(len(sizes))[:, None], sizes)
    >>> found = SlideNegativeBinomial().estimate(sample, 1500, rng=np.random.default_rng(1))
    >>> round(found.match_rate.value, 3)
    0.285
    """

    key: ClassVar[str] = "slide_negative_binomial"

    def estimate(self, sample: Sample, population: int, *, rng: Generator) -> Finding:
        """B from the class sizes alone; nothing is drawn."""
        exact = census(sample, population, method=self.key)
        if exact is not None:
            return exact
        once, twice = (int(sample.frequencies[i]) if i < len(sample.frequencies) else 0 for i in (1, 2))
        if once == 0 or twice == 0:
            reason = f"needs sample uniques and pairs; the sample has {once} and {twice}"
            return Finding.not_assessable(reason, method=self.key)
        fraction = sample.records / population
        classes = min(shlosser(sample.frequencies, fraction), float(population))
        law = SlideNegativeBinomialLaw.solve(once, twice, classes, fraction)
        if law is None:
            reason = "no slide negative binomial law has this many sample uniques and pairs"
            return Finding.not_assessable(reason, method=self.key)
        sizes, place = np.unique(sample.sizes, return_inverse=True)
        risk = law.risk(sizes, fraction)[place]
        value = float(np.clip(sample.mean(risk), *limits(sample, population)))
        return Finding(
            match_rate=Estimate(
                value=value, method=self.key, caveats=_caveats(law, population / classes, fraction, sample)
            ),
            risk=risk,
            population_uniques=once * law.stays_unique(fraction),
        )


def _log_shares(place: NDArray[np.float64], fraction: float) -> NDArray[np.float64]:
    """ln(E c₁/L) and ln(E c₂/L) at (ln α, logit β)."""
    from scipy.special import log_expit

    alpha, log_beta, log_rest = exp(place[0]), float(log_expit(place[1])), float(log_expit(-place[1]))
    g = (1 - fraction) * exp(log_rest)
    log_left = log1p(-g)
    first = log(fraction) + alpha * (log_beta - log_left) + log1p(alpha * g / (1 - g))
    second = 2 * log(fraction) + place[0] + alpha * log_beta + log_rest + log(1 - (1 - alpha) * g / 2)
    return np.array([first, second - (alpha + 2) * log_left])


def _caveats(law: SlideNegativeBinomialLaw, mean: float, fraction: float, sample: Sample) -> tuple[str, ...]:
    found = []
    if fraction < _LOW_FRACTION:
        found.append("Shlosser's count of the population's classes is unreliable at sampling fractions below 0.1")
    if not 1 / _APART < law.mean / mean < _APART:
        found.append("the fitted mean class size is far from N/L: the class sizes do not follow this law")
    if sample.weights is not None:
        found.append("survey weights are not used")
    return tuple(found)
