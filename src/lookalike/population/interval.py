"""The interval of the posterior estimator: three sources of error, one of them learned from data sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MODEL = 0.02
"""The model's own error where the file shows none, as a share of what is left to it (see `left`)."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations of B."""

    draws: float
    """Over the draws of the model: what the sample leaves open about the class probabilities."""
    population: float
    """Given the probabilities: whom of the people outside the classes happen to get."""
    choice: float
    """Between the model as it is and as far as it is trusted: half of their difference."""
    doubt: float
    """What the estimator erred by on samples of the file itself, as a share of what was left to it."""


def left(value: float, most: float) -> float:
    """What is left to a model that says B̂ when B is at most K/n: B̂ (K/n − B̂) / (K/n), 0 at both ends.

    >>> left(0.25, 0.5), left(0.5, 0.5)
    (0.125, 0.0)
    """
    return value * max(most - value, 0.0) / most


def interval(value: float, spread: Spread, bounds: tuple[float, float], *, level: float) -> tuple[float, float]:
    """An interval for B, on the logit scale, inside the bounds that hold for every population.

    s² = s_draws² + s_population² + s_choice² + (0.02² + doubt²) left². The constant is tuned on Adult and Texas;
    docs/concepts/posterior.md shows the coverage there and on data not used for it.

    >>> low, high = interval(0.1, Spread(0.006, 0.002, 0.0, 0.0), (0.0, 0.5), level=0.9)
    >>> round(low, 3), round(high, 3)
    (0.09, 0.111)
    """
    from scipy.special import expit, logit, ndtri

    least, most = bounds
    model = np.hypot(MODEL, spread.doubt) * left(value, most)
    sd = np.sqrt(spread.draws**2 + spread.population**2 + spread.choice**2 + model**2)
    inside = min(max(value, 1e-12), 1 - 1e-12)
    step = float(ndtri((1 + level) / 2) * sd)
    reach = step / (inside * (1 - inside))
    # Near 1 a step on the logit scale reaches far down; the plain step is the nearer.
    low = max(float(expit(logit(inside) - reach)), value - step)
    high = float(expit(logit(inside) + reach))
    return min(max(low, least), value), max(min(high, most), value)
