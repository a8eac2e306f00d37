"""How the numbers of a column are rounded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_DECIMALS = 9
"""Beyond so many decimals numbers count as not rounded."""


def step_of(numbers: NDArray[np.float64], *, whole: bool) -> float:
    """The largest step that all numbers are multiples of: 0.01 for prices, 500 for rounded incomes; 0 if none.

    >>> step_of(np.array([1.25, 3.5, 0.75]), whole=False), step_of(np.array([1500.0, 2000.0]), whole=True)
    (0.01, 500.0)
    >>> step_of(np.array([0.1234567891234, 2.0]), whole=False)
    0.0
    """
    values = np.unique(np.abs(numbers[np.isfinite(numbers)]))
    values = values[values > 0]
    if not len(values):
        return 1.0 if whole else 0.0
    if values[-1] >= 2.0**53:
        return 0.0
    if (values == np.rint(values)).all():
        common = int(np.gcd.reduce(values.astype(np.int64)))
        # One value, or few that happen to share a factor, say nothing of a step.
        return float(common) if len(values) > 1 else 1.0
    for decimals in range(1, _DECIMALS + 1):
        if np.array_equal(np.round(values, decimals), values):
            return float(10.0**-decimals)
    return 0.0
