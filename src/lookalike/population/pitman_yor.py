"""Pitman–Yor superpopulation: class sizes grow like the tables of a two-parameter Chinese restaurant."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.estimate import Estimate
from lookalike.population.delta import delta_variance
from lookalike.population.estimator import Finding
from lookalike.population.limits import census, limits
from lookalike.population.pitman_yor_law import PitmanYorLaw, minus_log_likelihood
from lookalike.population.sample import Sample

_FEW_PAIRS = 30
_EDGE = 1e-3
_NORMAL_95 = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class PitmanYor:
    """B̂ = (1/n) Σ f·E[1/F | f] under the Pitman–Yor law with (σ, θ) of maximum likelihood.

    Pitman (1995), "Exchangeable and partially exchangeable random partitions", for the law; Hoshino (2001),
    "Applying Pitman's sampling formula to microdata disclosure risk assessment", for its use here; Favaro, Lijoi,
    Mena and Prünster (2009) for what is expected given the sample. Two figures offer themselves: L/N with
    E[L | sample], and the mean of E[1/F | f]. The second is E[B | sample], so no other has a smaller mean squared
    error; L/N is that of another sample of the same population. The risk of each class averages to it exactly.

    The interval is for 95 %: the error of (σ, θ) by the delta method, and how the true 1/F of the classes spread
    about their means (variance at most r(1/f − r) for a class). It does not cover that the law itself is wrong.

    >>> sizes = np.repeat([1, 2, 3, 5, 12, 40], [60, 12, 6, 4, 3, 1])
    >>> sample = Sample.from_codes(np.arange(len(sizes))[:, None], sizes)
    >>> found = PitmanYor().estimate(sample, 4000, rng=np.random.default_rng(1))
    >>> round(found.match_rate.value, 3), found.match_rate.caveats
    (0.163, ('rests on 12 pairs only; unreliable below about 30',))
    """

    key: ClassVar[str] = "pitman_yor"

    def estimate(self, sample: Sample, population: int, *, rng: Generator) -> Finding:
        """B from the class sizes alone; nothing is drawn."""
        exact = census(sample, population, method=self.key)
        if exact is not None:
            return exact
        n, seen = sample.records, len(sample)
        reason = _refusal(n, seen)
        if reason is not None:
            return Finding.not_assessable(reason, method=self.key)
        law = PitmanYorLaw.fit(sample.frequencies)
        sizes, place = np.unique(sample.sizes, return_inverse=True)
        risk = law.risk(sizes, records=n, population=population)
        value = float(np.clip(sample.mean(risk[place]), *limits(sample, population)))
        low, high = _interval(law, sample, population, risk, value)
        return Finding(
            match_rate=Estimate(value=value, low=low, high=high, method=self.key, caveats=_caveats(law, sample)),
            risk=risk[place],
            population_uniques=float(sample.frequencies[1]) * law.stays_unique(records=n, population=population),
        )


def _refusal(n: int, seen: int) -> str | None:
    if seen == n:
        return "every record is unique in the sample: the class sizes say nothing of how fast classes repeat"
    if seen == 1:
        return "all records are in one class: the class sizes say nothing of how fast new classes open"
    return None


def _caveats(law: PitmanYorLaw, sample: Sample) -> tuple[str, ...]:
    found = []
    pairs = int(sample.frequencies[2]) if len(sample.frequencies) > 2 else 0
    if pairs < _FEW_PAIRS:
        found.append(f"rests on {pairs} pairs only; unreliable below about {_FEW_PAIRS}")
    if law.sigma < _EDGE or law.sigma > 1 - _EDGE or law.theta + law.sigma < _EDGE:
        found.append("the fit lies at the edge of the Pitman–Yor family: the class sizes do not follow it")
    if sample.weights is not None:
        found.append("survey weights are not used")
    return tuple(found)


def _interval(
    law: PitmanYorLaw, sample: Sample, population: int, risk: NDArray[np.float64], value: float
) -> tuple[float | None, float | None]:
    """The interval about the value, on the log scale; none where the likelihood has no peak."""
    sizes = np.flatnonzero(sample.frequencies)
    counts, n = sample.frequencies[sizes], sample.records

    def log_rate(place: NDArray[np.float64]) -> float:
        each = PitmanYorLaw.at(place).risk(sizes, records=n, population=population)
        return log(float(counts * sizes @ each))

    fit = delta_variance(lambda place: minus_log_likelihood(place, sizes, counts), log_rate, law.place)
    if fit is None:
        return None, None
    chance = float(counts * sizes**2 @ (risk * (1 / sizes - risk))) / (n * value) ** 2
    width = exp(_NORMAL_95 * sqrt(fit + chance))
    least, most = limits(sample, population)
    return max(least, value / width), min(most, value * width)
