"""The choices of a study, and the points they draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.errors import unknown
from lookalike.population import ESTIMATORS

BANDS = ((0.001, 0.01), (0.01, 0.1), (0.1, 0.3), (0.3, 0.7), (0.7, 0.99))
"""Bands of the sampling fraction in which errors are told."""
LOWEST, HIGHEST = BANDS[0][0], BANDS[-1][1]
WRONG = (0.7, 0.8, 0.9, 1.1, 1.2, 1.3)
"""What a wrong size of the population is multiplied by (seed 001, section 4.2)."""


@dataclass(frozen=True, slots=True)
class Point:
    """One repetition: which variables are known, how much of the population is drawn."""

    index: int
    variables: tuple[int, ...]
    """Places among the quasi-identifiers."""
    fraction: float
    records: int
    """n."""
    ratios: tuple[float, ...]
    """What N is multiplied by before an estimator is told: 1, and the wrong ones if the point has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """How seed 001's simulation (section 2.8) is repeated on a file that is the population.

    >>> Study(points=0, fractions=(0.5, 0.1)).faults(variables=3)
    ['A study needs at least 1 point.', 'The fractions must be two numbers from 0.001 to 0.99, the smaller first.']
    """

    points: int = 1000
    estimators: tuple[str, ...] = ()
    """Their keys; none named means all there are."""
    fractions: tuple[float, float] = (0.01, 0.99)
    sizes: tuple[int, int | None] = (1, None)
    """The fewest and the most quasi-identifiers known; None for all."""
    sensitivity: float = 0.0
    """The share of points that are also estimated with a wrong N."""
    seed: int = 1

    def faults(self, variables: int | None = None) -> list[str]:
        """What is wrong with the choices, for a file with this many quasi-identifiers if that is known."""
        faults = []
        if self.points < 1:
            faults.append("A study needs at least 1 point.")
        if not LOWEST <= self.fractions[0] <= self.fractions[1] <= HIGHEST:
            faults.append(f"The fractions must be two numbers from {LOWEST} to {HIGHEST}, the smaller first.")
        least, most = self.sizes
        if least < 1 or (most is not None and most < least):
            faults.append("The sizes must be two whole numbers from 1, the smaller first.")
        elif variables is not None and (most or least) > variables:
            faults.append(f"Subsets of {most or least} variables are asked for; there are {variables}.")
        if not 0 <= self.sensitivity <= 1:
            faults.append("The share of points with a wrong population must be from 0 to 1.")
        if self.seed < 0:
            faults.append("The seed must be at least 0.")
        known = list(ESTIMATORS)
        faults += [
            unknown("Estimator", key, known, where="known", listed="Estimators")
            for key in dict.fromkeys(self.estimators)
            if key not in ESTIMATORS
        ]
        return faults

    @property
    def keys(self) -> tuple[str, ...]:
        """The estimators that run, in the order of the registry."""
        return tuple(key for key in ESTIMATORS if not self.estimators or key in self.estimators)

    def point(self, index: int, *, variables: int, population: int) -> Point:
        """The point of this number: the same whatever the number of points, estimators and workers.

        >>> Study().point(0, variables=4, population=100) == Study(points=5).point(0, variables=4, population=100)
        True
        """
        rng = np.random.default_rng([self.seed, index])
        least, most = self.sizes
        size = rng.integers(least, (most or variables) + 1)
        chosen = np.sort(rng.choice(variables, size, replace=False))
        fraction = rng.uniform(*self.fractions)
        n = max(1, round(fraction * population))
        wrong = rng.random() < self.sensitivity and n <= round(min(WRONG) * population)
        return Point(index, tuple(map(int, chosen)), float(fraction), n, (1.0, *WRONG) if wrong else (1.0,))


def band_of(fractions: Sequence[float]) -> list[str]:
    """The band of each fraction, as it is written.

    >>> band_of([0.05, 0.1, 0.99])
    ['0.01–0.1', '0.1–0.3', '0.7–0.99']
    """
    places = np.searchsorted([low for low, _ in BANDS[1:]], fractions, side="right")
    return [f"{BANDS[i][0]:g}–{BANDS[i][1]:g}" for i in places]
