"""The interval of the posterior estimator: three sources of error, one of them learned from data sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MODEL = 0.01  # error where the file shows none, as a share of what is left to the model (see `left`)
FEW = 3.0  # and 3/n beside it: a few dozen records say less than draws of a model of them
DOUBT = 0.3  # how much of the error on samples of the file is taken to remain on the file itself
WIDER_BELOW, WIDER_ABOVE = 1.3, 1.15  # what draws and choice leave out; most misses are overstatements


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


def interval(
    value: float, spread: Spread, bounds: tuple[float, float], *, records: int, level: float
) -> tuple[float, float]:
    """An interval for B inside the bounds that hold for every population.

    With r = `left`, and on the scale log(B / (K/n − B)), where B̂ errs alike near 0 and near K/n:

        s² = (s_draws² + s_population² + s_choice²) / r² + 0.01² + (0.3 doubt)² + (3/n)²

    The lower end takes 1.3 s, the upper 1.15 s. About 2n (K/n − B̂) records have a lookalike outside beyond those in the
    file; where it is plausible that none has, the upper end is K/n. The constants are tuned on Adult, Texas and the ACS
    file with places of unequal size; docs/concepts/posterior.md shows the coverage there and on other data.

    >>> low, high = interval(0.1, Spread(0.006, 0.002, 0.0, 0.0), (0.0, 0.5), records=900, level=0.9)
    >>> round(low, 3), round(high, 3)
    (0.087, 0.113)
    """
    from scipy.special import expit, ndtri

    least, most = bounds
    room, z = left(value, most), float(ndtri((1 + level) / 2))
    if not room > 1e-9 * value:
        return max(least, value * (1 - MODEL)), most
    inner = np.sqrt(spread.draws**2 + spread.population**2 + spread.choice**2)
    sd = float(np.linalg.norm([inner / room, MODEL, DOUBT * spread.doubt, FEW / records]))
    place = float(np.log(value / (most - value)))
    # Near K/n a step on this scale reaches far down; the plain step is the nearer.
    low = max(most * float(expit(place - WIDER_BELOW * z * sd)), value - WIDER_BELOW * z * sd * room)
    none = np.exp(-2 * records * (most - value)) > (1 - level) / 2
    high = most if none else most * float(expit(place + WIDER_ABOVE * z * sd))
    return min(max(low, least), value), max(min(high, most), value)
