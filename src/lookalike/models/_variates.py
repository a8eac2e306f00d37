"""Gamma, binomial, Poisson and multinomial numbers from the streams of `_drawing`.

Gamma by Marsaglia and Tsang (2000); binomial and Poisson by transformed rejection, BTRS and PTRS of Hörmann (1993), and
by inversion where the mean is small.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from lookalike.models._drawing import _normal, _uniform

FEW = 12
"""Up to so many equal records are drawn one by one."""

_STIRLING = np.array(
    [math.lgamma(k + 1) - (k + 0.5) * math.log(k + 1) + k + 1 - math.log(2 * math.pi) / 2 for k in range(10)]
)


@njit(cache=True, nogil=True)
def _gamma(state, a):  # type: ignore[no-untyped-def]
    """Gamma(a, 1) for a of at least 1."""
    if a == 1.0:
        return -math.log(_uniform(state))
    d = a - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        x = _normal(state)
        v = 1 + c * x
        if v <= 0:
            continue
        v = v * v * v
        u = _uniform(state)
        if u < 1 - 0.0331 * x * x * x * x or math.log(u) < 0.5 * x * x + d * (1 - v + math.log(v)):
            return d * v


@njit(cache=True, nogil=True)
def _log_gamma(state, a):  # type: ignore[no-untyped-def]
    """The logarithm of a Gamma(a, 1): for a far below 1 the number itself would be 0."""
    if a >= 1:
        return math.log(_gamma(state, a))
    return math.log(_gamma(state, a + 1)) + math.log(_uniform(state)) / a


@njit(cache=True, nogil=True)
def _log_rest(state, a, b):  # type: ignore[no-untyped-def]
    """ln(1 − V) of V ~ Beta(a, b), a of at least 1."""
    if a == 1.0:
        return math.log(_uniform(state)) / b
    left, right = _gamma(state, a), _log_gamma(state, b)
    return right - math.log(left + math.exp(right))


@njit(cache=True, nogil=True)
def _tail(k):  # type: ignore[no-untyped-def]
    """What Stirling's formula for ln k! leaves out."""
    if k < 10:
        return _STIRLING[k]
    square = 1.0 / ((k + 1) * (k + 1))
    return (1 / 12 - (1 / 360 - square / 1260) * square) / (k + 1)


@njit(cache=True, nogil=True)
def _binomial(state, n, p):  # type: ignore[no-untyped-def]
    """Binomial(n, p)."""
    if n <= 0 or p <= 0:
        return 0
    if p >= 1:
        return n
    if p > 0.5:
        return n - _binomial_half(state, n, 1 - p)
    return _binomial_half(state, n, p)


@njit(cache=True, nogil=True)
def _binomial_half(state, n, p):  # type: ignore[no-untyped-def]
    """Binomial(n, p) for p up to one half."""
    q = 1 - p
    if n * p < 10:
        term, odds, k = math.exp(n * math.log1p(-p)), p / q, 0
        u = _uniform(state)
        while u > term and k < n:
            u -= term
            k += 1
            term *= odds * (n - k + 1) / k
        return k
    spread = math.sqrt(n * p * q)
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre, odds, mode = n * p + 0.5, p / q, int((n + 1) * p)
    quick, alpha = 0.92 - 4.2 / b, (2.83 + 5.1 / b) * spread
    while True:
        u, v = _uniform(state) - 0.5, _uniform(state)
        edge = 0.5 - abs(u)
        k = math.floor((2 * a / edge + b) * u + centre)
        if edge >= 0.07 and v <= quick:
            return k
        if k < 0 or k > n:
            continue
        bound = (
            (mode + 0.5) * math.log((mode + 1) / (odds * (n - mode + 1)))
            + (n + 1) * math.log((n - mode + 1) / (n - k + 1))
            + (k + 0.5) * math.log(odds * (n - k + 1) / (k + 1))
            + _tail(mode)
            + _tail(n - mode)
            - _tail(k)
            - _tail(n - k)
        )
        if math.log(v * alpha / (a / (edge * edge) + b)) <= bound:
            return k


@njit(cache=True, nogil=True)
def _poisson(state, mean):  # type: ignore[no-untyped-def]
    """Poisson(mean)."""
    if mean < 10:
        limit, product, k = math.exp(-mean), _uniform(state), 0
        while product > limit:
            product *= _uniform(state)
            k += 1
        return k
    b = 0.931 + 2.53 * math.sqrt(mean)
    a = -0.059 + 0.02483 * b
    scale, quick = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = _uniform(state) - 0.5, _uniform(state)
        edge = 0.5 - abs(u)
        k = math.floor((2 * a / edge + b) * u + mean + 0.43)
        if edge >= 0.07 and v <= quick:
            return k
        if k < 0 or (edge < 0.013 and v > edge):
            continue
        if math.log(v * scale / (a / (edge * edge) + b)) <= k * math.log(mean) - mean - math.lgamma(k + 1):
            return k


@njit(cache=True, nogil=True)
def _one(state, weights, total):  # type: ignore[no-untyped-def]
    """One place by its weight. Heavy classes come first in a stick-breaking, so the scan is short."""
    u = _uniform(state) * total
    last = 0
    for h in range(weights.size):
        if weights[h] > 0:
            last = h
            if u < weights[h]:
                return h
            u -= weights[h]
    return last


@njit(cache=True, nogil=True)
def _share_out(state, n, weights, total, taken, touched):  # type: ignore[no-untyped-def]
    """Multinomial: n over places by weight, added to `taken`; `touched` lists the places, how many is told.

    Places that expect one or more get a binomial each, in turn; the few left over for the others are drawn one by one.
    `weights` is used up; `taken` is 0 on entry at every place.
    """
    found, left, mass, light, heavy = 0, n, total, 0.0, 0
    if n > FEW:
        for h in range(weights.size):
            if weights[h] * n < total:
                light += weights[h]
                continue
            k = _binomial(state, left, weights[h] / mass)
            mass -= weights[h]
            weights[h] = 0.0
            left -= k
            heavy = h
            if k > 0:
                taken[h] = k
                touched[found] = h
                found += 1
        total = light
    for _ in range(left):
        # Rounding may leave a record when no weight is left: it goes to the last heavy place.
        h = _one(state, weights, total) if total > 0 else heavy
        if taken[h] == 0:
            touched[found] = h
            found += 1
        taken[h] += 1
    return found
