"""The interval of the posterior estimator: three sources of error, one of them learned from data sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

DRAWS = 2.0
"""By how much the spread of the draws is widened: the sampler explores one mode of several."""
MODEL = 0.03
"""The model's own error, as a share of what it decides on (see `interval`)."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations of B."""

    draws: float
    """Over the draws of the model: what the sample leaves open about the class probabilities."""
    population: float
    """Given the probabilities: whom of the people outside the classes happen to get."""


def interval(value: float, spread: Spread, bounds: tuple[float, float], *, level: float) -> tuple[float, float]:
    """An interval for B, on the logit scale, inside the bounds that hold for every population.

    s² = (2 s_draws)² + s_population² + (0.03 g)², g = B̂ (K/n − B̂) / (K/n)

    g is 0 where nothing is left to the model (B̂ = K/n or 0) and largest between. The two constants are tuned on Adult
    and Texas; docs/concepts/posterior.md shows the coverage there and on data not used for it.

    >>> low, high = interval(0.1, Spread(0.004, 0.002), (0.0, 0.5), level=0.9)
    >>> round(low, 3), round(high, 3)
    (0.087, 0.115)
    """
    from scipy.special import expit, logit, ndtri

    least, most = bounds
    left = value * max(most - value, 0.0) / most
    sd = np.sqrt((DRAWS * spread.draws) ** 2 + spread.population**2 + (MODEL * left) ** 2)
    inside = min(max(value, 1e-12), 1 - 1e-12)
    step = float(ndtri((1 + level) / 2) * sd)
    reach = step / (inside * (1 - inside))
    # Near 1 a step on the logit scale reaches far down; the plain step is the nearer.
    low = max(float(expit(logit(inside) - reach)), value - step)
    high = float(expit(logit(inside) + reach))
    return min(max(low, least), value), max(min(high, most), value)
