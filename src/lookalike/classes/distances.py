"""Distances between two distributions on the same values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def kullback_leibler(p: ArrayLike, q: ArrayLike) -> float:
    """Σ p log(p/q), natural logarithm; infinite if q is 0 where p is not.

    Source: Qu (2024), example 2.4.2, males born 1950 to 1959: 0.606.

    >>> round(kullback_leibler([2/3, 1/3, 0], [2/11, 8/11, 1/11]), 3)
    0.606
    """
    p, q = np.asarray(p, float), np.asarray(q, float)
    some = p > 0
    if (q[some] == 0).any():
        return float("inf")
    return float(np.sum(p[some] * np.log(p[some] / q[some])))


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """½ Σ |p − q|: the largest difference in probability of any event. Equals the earth mover's
    distance when all values are equally far apart (Li, Li and Venkatasubramanian 2007).

    >>> total_variation([1, 0], [0.5, 0.5])
    0.5
    """
    return float(0.5 * np.abs(np.asarray(p, float) - np.asarray(q, float)).sum())


def earth_mover(p: ArrayLike, q: ArrayLike) -> float:
    """Earth mover's distance of ordered values: Σ |P_i − Q_i| / (m − 1), P and Q cumulative.

    Neighbouring values are 1/(m − 1) apart (Li, Li and Venkatasubramanian 2007, their salary example:
    {3k, 4k, 5k} against 3k to 11k in nine steps).

    >>> round(earth_mover([1/3, 1/3, 1/3, 0, 0, 0, 0, 0, 0], [1/9] * 9), 3)
    0.375
    """
    p, q = np.asarray(p, float), np.asarray(q, float)
    if len(p) < 2:
        return 0.0
    return float(np.abs(np.cumsum(p - q)).sum() / (len(p) - 1))
