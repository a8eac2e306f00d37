"""Kernels that turn normal variables into values of a column: by steps, by lines, by a curve on an even grid."""

from __future__ import annotations

import numpy as np
from numba import njit

from lookalike.models._tails import below

REACH = 8.3
"""A curve is known from −8.3 to 8.3; a normal variable is beyond once in 10¹⁶ draws."""

_NEARLY_ONE = 1 - 2.0**-53


@njit(cache=True, nogil=True)
def _place(u, knots, guide):  # type: ignore[no-untyped-def]
    """How many knots are not above u: the guide says between which two, halving does the rest."""
    bins = guide.size - 1
    p = min(int(u * bins), bins - 1)
    low, high = guide[p], guide[p + 1]
    while low < high:
        middle = (low + high) // 2
        if knots[middle] <= u:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def steps(z, knots, guide, values, out):  # type: ignore[no-untyped-def]
    """The value whose stretch of cumulated shares holds Φ(z)."""
    for i in range(z.size):
        # Below 1, so that a last level of no share is not drawn.
        out[i] = values[_place(min(below(z[i]), _NEARLY_ONE), knots, guide)]


@njit(cache=True, nogil=True)
def lines(z, knots, guide, values, whole, out):  # type: ignore[no-untyped-def]
    """The value at Φ(z) on straight lines between knots; `whole` rounds it."""
    last = values.size - 1
    for i in range(z.size):
        u = below(z[i])
        right = min(max(_place(u, knots, guide), 1), last)
        t = (u - knots[right - 1]) / (knots[right] - knots[right - 1])
        t = min(max(t, 0.0), 1.0)
        # Not left + t·(right − left), whose difference may be beyond the largest number there is.
        x = values[right - 1] * (1 - t) + values[right] * t
        # Between equal ends rounding must not make another number of the same.
        x = min(max(x, values[right - 1]), values[right])
        out[i] = np.rint(x) if whole else x


@njit(cache=True, nogil=True)
def curve(z, values, whole, out):  # type: ignore[no-untyped-def]
    """The value at z on a curve given at even steps from −REACH to REACH."""
    scale = (values.size - 1) / (2 * REACH)
    for i in range(z.size):
        x = (min(max(z[i], -REACH), REACH) + REACH) * scale
        k = min(int(x), values.size - 2)
        t = x - k
        y = values[k] * (1 - t) + values[k + 1] * t
        out[i] = np.rint(y) if whole else y
