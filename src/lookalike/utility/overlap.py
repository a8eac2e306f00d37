"""How far two intervals for the same quantity cover each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def interval_overlap(
    original: tuple[Floats | float, Floats | float], release: tuple[Floats | float, Floats | float]
) -> Floats:
    """IO = ½ (J/(U_c − L_c) + J/(U_s − L_s)),   J = min(U_c, U_s) − max(L_c, L_s)

    1 for equal intervals, 0 for those that touch, below 0 for those apart, the farther the lower (Snoke et al. 2018, by
    way of seed 002, equation 10). An interval of no length gives 1 if the other is the same, else −∞.

    >>> round(float(interval_overlap((0.4579597, 0.4856403), (0.4545112, 0.4825288))), 7)     # seed 002, table 2, NYC
    0.8822547
    >>> float(interval_overlap((0.0, 1.0), (2.0, 3.0)))
    -1.0
    """
    (low, high), (low_s, high_s) = ([np.asarray(end, np.float64) for end in pair] for pair in (original, release))
    joint = np.minimum(high, high_s) - np.maximum(low, low_s)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (joint / (high - low) + joint / (high_s - low_s)) / 2
    same = (low == low_s) & (high == high_s)
    return np.asarray(np.where(same, 1.0, np.where((high == low) | (high_s == low_s), -np.inf, found)), np.float64)


def not_below_zero(overlap: Floats) -> Floats:
    """The version in which intervals apart count 0, as synthpop 1.9-3 prints beside the other.

    >>> not_below_zero(np.array([0.4, -1.0])).tolist()
    [0.4, 0.0]
    """
    return np.maximum(overlap, 0.0)
