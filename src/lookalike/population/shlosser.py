"""Shlosser's third estimator of the number of classes in the population."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def shlosser(frequencies: NDArray[np.int64], fraction: float) -> float:
    """L = K + c₁·[Σ iπ²(1−π²)^{i−1}c_i / Σ(1−π)^i((1+π)^i−1)c_i]·[Σ(1−π)^i c_i / Σ iπ(1−π)^{i−1}c_i]².

    Haas and Stokes (1998), "Estimating the number of classes in a finite population", equation for Shlosser's
    estimator corrected twice; `frequencies` holds c_i at place i, `fraction` is π < 1.

    c₁ = 2, π = ½: [2·¼ / (½·½·2)]·[(½·2) / (½·2)]² = 1, so L = 2 + 2.

    >>> shlosser(np.array([0, 2]), 0.5)
    4.0
    """
    i = np.flatnonzero(frequencies)
    c = frequencies[i]
    pi, rest = fraction, 1 - fraction
    # (1-pi)^i ((1+pi)^i - 1) = (1-pi^2)^i - (1-pi)^i
    first = (i * pi**2 * (1 - pi**2) ** (i - 1)) @ c / (((1 - pi**2) ** i - rest**i) @ c)
    second = (rest**i @ c) / ((i * pi * rest ** (i - 1)) @ c)
    unique = frequencies[1] if len(frequencies) > 1 else 0
    return float(c.sum() + unique * first * second**2)
