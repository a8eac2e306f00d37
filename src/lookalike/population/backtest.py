"""Backtest: the file is taken for the population, samples are drawn from it, and the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import Generator

from lookalike.estimate import Estimate
from lookalike.population.estimator import Estimator
from lookalike.population.sample import Sample, part_of

FRACTIONS = (0.1, 0.3, 0.5)
FEWEST = 30
"""Records a sample of the file must have to tell anything."""
TOLERANCE = 0.0005
"""The part of itself by which the truth may lie outside an interval: half of the last of three digits near 1."""


def contains(low: float, high: float, truth: float) -> bool:
    """Whether an interval contains the truth, up to what is shown.

    Where nearly every record is unique, an interval such as 0.99990 to 0.99998 misses a truth of 1 by less than
    anybody can read or would act on. "1 to 1 does not contain 1" would be no warning but a riddle.

    >>> contains(0.9999, 0.99998, 1.0), contains(0.38, 0.46, 0.47), contains(1e-5, 2e-5, 4e-4)
    (True, False, False)
    """
    slack = TOLERANCE * truth
    return low - slack <= truth <= high + slack


@dataclass(frozen=True, slots=True, kw_only=True)
class Backtest:
    """One sample drawn from the file: what B is in the file, and what the estimator says.

    >>> from lookalike.estimate import Estimate
    >>> said = Estimate(value=0.42, low=0.38, high=0.46, method="posterior")
    >>> found = Backtest(fraction=0.1, records=500, truth=0.4, estimate=said)
    >>> round(found.error, 2), found.covers
    (0.02, True)
    """

    fraction: float
    records: int
    truth: float
    estimate: Estimate

    @property
    def error(self) -> float | None:
        """B̂ − B; None if the estimator has no answer."""
        return None if self.estimate.value is None else self.estimate.value - self.truth

    @property
    def covers(self) -> bool | None:
        """Whether the interval contains the truth; None without an interval."""
        low, high = self.estimate.low, self.estimate.high
        if self.estimate.value is None or low is None or high is None:
            return None
        return contains(low, high, self.truth)

    @property
    def missed_low(self) -> bool:
        """Whether the truth is above the interval; without an interval, above the value."""
        above = self.error is not None and self.error < 0
        return above and not self.covers


def backtest(
    estimator: Estimator, sample: Sample, *, rng: Generator, fractions: Sequence[float] = FRACTIONS
) -> tuple[Backtest, ...]:
    """One sample a fraction, drawn without replacement; fractions that leave fewer than 30 records are left out.

    >>> import numpy as np
    >>> from lookalike.population.entropy import Entropy
    >>> sample = Sample.from_codes(np.array([[0], [1]]), np.array([300, 100]))
    >>> found = backtest(Entropy(), sample, rng=np.random.default_rng(1), fractions=[0.5])[0]
    >>> found.records, round(found.truth, 4), abs(found.error) < 0.001
    (200, 0.0052, True)
    """
    found = []
    for fraction in fractions:
        records = round(fraction * sample.records)
        if records < FEWEST:
            continue
        drawn, truth = part_of(sample, records, rng=rng)
        estimate = estimator.estimate(drawn, sample.records, rng=rng).match_rate
        found.append(Backtest(fraction=fraction, records=records, truth=truth, estimate=estimate))
    return tuple(found)
