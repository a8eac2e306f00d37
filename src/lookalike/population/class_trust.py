"""How far a model of the finest file is to be trusted, learned once for all its versions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.population.trust import FACTORS, PRIOR, REPEATS

Floats = NDArray[np.float64]
Pair = tuple[float, float]
"""κ and θ of `Trust`."""


def trust_odds(sizes: Floats, p: Sequence[Floats], records: int) -> Floats:
    """The odds of the pairs (κ, θ), one after another, given the class sizes and p at some draws: as `Trust` learns."""
    from lookalike.population import _inverse as kernel

    fits = [kernel.trust_likelihood(sizes, own, float(records), FACTORS, REPEATS) + PRIOR for own in p]
    odds = np.stack([np.exp(fit - fit.max()).ravel() for fit in fits])
    return np.asarray((odds / odds.sum(axis=1, keepdims=True)).mean(axis=0))


def pairs(odds: Floats, draws: int) -> list[Pair]:
    """A pair for each draw, in the proportions of their odds and without chance.

    >>> odds = np.zeros(PRIOR.size)
    >>> odds[-2:] = 0.5
    >>> pairs(odds, 2) == [(FACTORS[-1], REPEATS[-2]), (FACTORS[-1], REPEATS[-1])]
    True
    """
    places = np.searchsorted(np.cumsum(odds), (np.arange(draws) + 0.5) / draws)
    factor, repeat = np.divmod(np.minimum(places, odds.size - 1), len(REPEATS))
    return list(zip(FACTORS[factor].tolist(), REPEATS[repeat].tolist(), strict=True))
