"""Entropy estimator: quasi-identifiers taken as independent (the first baseline of Jiang et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from lookalike.estimate import Estimate
from lookalike.population.estimator import Finding
from lookalike.population.sample import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Entropy:
    """p = Π p̂_a(x_a), F̂ = max(1, N p), B̂ = mean 1/F̂.

    >>> sample = Sample.from_codes(np.array([[0, 0], [1, 1]]), np.array([1, 1]))
    >>> Entropy().estimate(sample, 100, rng=np.random.default_rng(1)).match_rate.value
    0.04
    """

    key: ClassVar[str] = "entropy"

    def estimate(self, sample: Sample, population: int, *, rng: Generator) -> Finding:
        """B with independent quasi-identifiers; nothing is drawn."""
        shares = sample.population_shares
        log_p = np.zeros(len(sample))
        for j in range(shares.variables):
            margin = shares.margin(j)
            log_p += np.log(margin[shares.codes[:, j]] / margin.sum())
        risk = 1 / np.maximum(1.0, population * np.exp(log_p))
        caveat = "takes the quasi-identifiers as independent, which overstates the risk when they are not"
        return Finding(
            match_rate=Estimate(value=sample.mean(risk), method=self.key, caveats=(caveat,)),
            risk=risk,
        )
