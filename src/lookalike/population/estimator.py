"""The one Protocol of all estimators of B, and what they return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.estimate import Estimate
from lookalike.population.sample import Sample

RATIOS = (0.7, 0.8, 0.9, 1.1, 1.2, 1.3)
"""What N is multiplied by to see how the answer changes if it is wrong (Jiang et al. 2022, section 4.2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What an estimator found: B, and where the method has them, the risk of each class and the uniques.

    >>> Finding.not_assessable("The sample is empty.", method="posterior").match_rate.value is None
    True
    """

    match_rate: Estimate
    """B, the sample-to-population match rate."""
    uncorrected: float | None = None
    """B if records that repeat each other more than the model foresees are people who are in the file twice."""
    risk: NDArray[np.float64] | None = None
    """E[1/F] of a record of each class, in the order of the sample's classes."""
    population_uniques: float | None = None
    """The expected number of sample uniques that are population unique (τ₁)."""
    sensitivity: Mapping[float, float] | None = None
    """B if N were these times what was told, where the method has it at no cost; see `RATIOS`."""

    diagnostics: Mapping[str, float] | None = None
    """How well the computation went, where it is one of draws: R̂, effective draws, latent classes in use."""

    @classmethod
    def not_assessable(cls, reason: str, *, method: str) -> Finding:
        """No answer, and why."""
        return cls(match_rate=Estimate.not_assessable(reason, method=method))


class Estimator(Protocol):
    """An estimator of B from a sample and the size of the population it was drawn from.

    `key` is its name in plans and evidence. `estimate` answers for any sample with 1 ≤ n ≤ N: a value with its
    caveats, or "not assessable" with the reason; it raises only for faults of the program. The same generator
    state gives the same answer, whatever the number of threads.

    >>> from lookalike.population import Chao
    >>> estimator: Estimator = Chao()
    >>> estimator.key
    'chao'
    """

    @property
    def key(self) -> str:
        """The name in plans and evidence."""

    def estimate(self, sample: Sample, population: int, *, rng: Generator) -> Finding:
        """B of the sample in a population of this size."""
