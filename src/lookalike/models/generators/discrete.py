"""A law with finitely many values: the place of u in the cumulated shares, by two searches that count what they do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan


class Found(NamedTuple):
    """For each u the place of its value, and the comparisons it took."""

    places: NDArray[np.int64]
    comparisons: NDArray[np.int64]


def place(shares: NDArray[np.float64], n: int, *, rng: Generator) -> NDArray[np.int64]:
    """n places k with chance p_k, by a binary search for Q(u) = min{k : F_k ≥ u} (thesis, section 3.2.2).

    Many draws from one law are faster with an `AliasTable`.

    >>> np.bincount(place(np.array([0.5, 0.0, 0.5]), 100, rng=np.random.default_rng(1)))[1]
    np.int64(0)
    """
    cdf = cumulated(shares)
    # (0, 1]: u = 0 would draw the first value even if its share is 0.
    return np.searchsorted(cdf, 1 - rng.random(n), side="left").astype(np.int64)


def cumulated(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """F_k = p_1 + … + p_k, exactly 1 from the last value with a share on; shares are scaled to sum to 1.

    >>> cumulated(np.array([1.0, 3.0, 0.0])).tolist()
    [0.25, 1.0, 1.0]
    """
    weights = checked_shares(shares)
    cdf = np.cumsum(weights)
    cdf /= cdf[-1]
    cdf[np.flatnonzero(weights)[-1] :] = 1.0
    return np.asarray(cdf, np.float64)


def checked_shares(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares that can be drawn from: finite, none negative, not all 0."""
    found = np.asarray(shares, np.float64)
    if found.ndim != 1 or not np.isfinite(found).all() or (found < 0).any() or not (found > 0).any():
        raise BadPlan("The shares of a discrete law must be a row of finite numbers, none negative, not all 0.")
    return np.asarray(found / found.max(), np.float64)


def linear_search(cdf: NDArray[np.float64], u: NDArray[np.float64]) -> Found:
    """Compare u with F_1, F_2, … until u ≤ F_k: k comparisons (thesis, examples 3.2.7 and 3.2.8).

    >>> linear_search(np.array([0.2, 0.7, 1.0]), np.array([0.6])).comparisons.tolist()
    [2]
    """
    places = np.full(len(u), -1, np.int64)
    for k, edge in enumerate(cdf):
        places[(places < 0) & (u <= edge)] = k
    return Found(_inside(places), places + 1)


def binary_search(cdf: NDArray[np.float64], u: NDArray[np.float64]) -> Found:
    """Compare u with the middle of what is left until nothing is: at most ⌊log₂ q⌋ + 1 comparisons.

    >>> binary_search(np.array([0.1, 0.3, 0.6, 0.8, 1.0]), np.array([0.15, 0.75, 0.95])).comparisons.tolist()
    [3, 2, 3]
    """
    low, high = np.zeros(len(u), np.int64), np.full(len(u), len(cdf) - 1)
    places, comparisons = np.full(len(u), -1, np.int64), np.zeros(len(u), np.int64)
    while (open_ := low <= high).any():
        middle = (low + high) // 2
        left = open_ & (u <= cdf[np.minimum(middle, len(cdf) - 1)])
        places[left], high[left] = middle[left], middle[left] - 1
        low[open_ & ~left] = middle[open_ & ~left] + 1
        comparisons += open_
    return Found(_inside(places), comparisons)


def _inside(places: NDArray[np.int64]) -> NDArray[np.int64]:
    if (places < 0).any():
        raise BadPlan("The cumulated shares end below some u: they must end at 1.")
    return places
