"""How many decimals a column of numbers is written with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST = 6
"""A number with more decimals counts as not rounded."""


def decimals_of(values: NDArray[np.float64]) -> int | None:
    """The largest number of decimals seen, None beyond six.

    >>> decimals_of(np.array([1.0, 2.5, 3.25])), decimals_of(np.array([1.0, 2.0])), decimals_of(np.array([1 / 3]))
    (2, 0, None)
    """
    for decimals in range(MOST + 1):
        error = np.abs(values - np.round(values, decimals))
        if (error <= 1e-9 * np.maximum(1.0, np.abs(values)) * 10.0**-decimals).all():
            return decimals
    return None


def rounded(values: NDArray[np.float64], decimals: int | None) -> NDArray[np.float64]:
    """To so many decimals; None leaves them as they are."""
    return values if decimals is None else np.round(values, decimals)
