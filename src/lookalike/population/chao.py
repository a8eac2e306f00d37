"""Chao and Lin's lower limit of the number of classes, and with it one of B."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from lookalike.estimate import Estimate
from lookalike.population.estimator import Finding
from lookalike.population.limits import census, limits
from lookalike.population.sample import Sample

_FEW_PAIRS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Chao:
    """L ≥ K + c₁² / (2·c₂·n/(n−1) + c₁·π/(1−π)) in expectation; B̂ = L/N as the lower end, K/n as the upper.

    Chao and Lin (2012), "Nonparametric lower bounds for species richness and shared species richness under
    sampling without replacement"; at π → 0 it is Chao's (1984) K + c₁²/(2c₂). Without pairs c₁² becomes
    c₁(c₁ − 1) and c₂ becomes 1, as in Chao's corrected form. E[B] = L/N under simple random sampling.

    The value is the lower end, so it is no estimate of the middle: `low` and `high` are what to read. `high` holds
    for every population, `low` on average over samples.

    c₁ = 4, c₂ = 2, n = 8, N = 80: L = 6 + 16/(4·8/7 + 4/9).

    >>> sample = Sample.from_codes(np.arange(6)[:, None], np.array([1, 1, 1, 1, 2, 2]))
    >>> found = Chao().estimate(sample, 80, rng=np.random.default_rng(1)).match_rate
    >>> round(found.value * 80, 3), found.high
    (9.19, 0.75)
    """

    key: ClassVar[str] = "chao"

    def estimate(self, sample: Sample, population: int, *, rng: Generator) -> Finding:
        """The lower end of B, and both ends as its interval; nothing is drawn."""
        exact = census(sample, population, method=self.key)
        if exact is not None:
            return exact
        least, most = limits(sample, population)
        value = float(np.clip(classes_at_least(sample, population) / population, least, most))
        caveats: tuple[str, ...] = ("a lower limit of the risk, not an estimate of it: read the interval",)
        pairs = int((sample.sizes == 2).sum())
        if pairs < _FEW_PAIRS:
            caveats += (f"rests on {pairs} pairs only: even the lower limit may be too high",)
        if sample.weights is not None:
            caveats += ("survey weights are not used",)
        rate = Estimate(value=value, low=value, high=most, method=self.key, caveats=caveats, lower_limit=True)
        return Finding(match_rate=rate)


def classes_at_least(sample: Sample, population: int) -> float:
    """Chao and Lin's lower limit of L, the classes of the population; n < N."""
    n, seen = sample.records, len(sample)
    once, twice = (float(sample.frequencies[i]) if i < len(sample.frequencies) else 0.0 for i in (1, 2))
    if n == 1 or once == 0:
        return float(seen)
    squared, pairs = (once**2, twice) if twice else (once * (once - 1), 1.0)
    return seen + squared / (2 * pairs * n / (n - 1) + once * n / (population - n))
