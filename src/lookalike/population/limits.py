"""What holds of B for every population: its limits, and the census, where nothing is left to estimate."""

from __future__ import annotations

from lookalike.classes import least_match_rate
from lookalike.estimate import Estimate
from lookalike.population.estimator import Finding
from lookalike.population.sample import Sample


def limits(sample: Sample, population: int) -> tuple[float, float]:
    """The least and the greatest B: `least_match_rate`, and K/n because F ≥ f.

    >>> import numpy as np
    >>> low, high = limits(Sample.from_codes(np.array([[0], [1]]), np.array([4, 1])), 90)
    >>> round(low, 3), high
    (0.02, 0.4)
    """
    high = len(sample) / sample.records
    return min(least_match_rate(sample.sizes, population), high), high


def census(sample: Sample, population: int, *, method: str) -> Finding | None:
    """The exact answer when the sample is the whole population (F = f, B = K/n); None otherwise.

    >>> import numpy as np
    >>> found = census(Sample.from_codes(np.array([[0], [1]]), np.array([4, 1])), 5, method="exact")
    >>> found.match_rate.value, found.population_uniques
    (0.4, 1.0)
    """
    if sample.records < population:
        return None
    rate = len(sample) / sample.records
    caveat = "the sample is the whole population: the figure is exact"
    return Finding(
        match_rate=Estimate(value=rate, low=rate, high=rate, method=method, caveats=(caveat,)),
        risk=1 / sample.sizes,
        population_uniques=float((sample.sizes == 1).sum()),
    )
