"""Kernels that move the chain faster: classes change places, and α is drawn with the sticks integrated out.

Stick breaking likes large classes first. A sampler that moves records one by one rarely lets two classes change places,
and α given its own sticks creeps. Given the sizes n_h alone, with R_h = Σ_{g>h} n_g and R_{−1} = n,

    P(sizes | α) ∝ Π_{h<K} α Γ(α + R_h) / Γ(1 + α + R_{h−1}).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from lookalike.models._drawing import _uniform

PASSES = 2
"""How often each sweep goes over all neighbours."""
_LEAST, _MOST = -18.0, 18.0
"""The logarithm of α stays between these."""


@njit(cache=True, nogil=True)
def bubble(state, alpha, class_sums, level_sums):  # type: ignore[no-untyped-def]
    """Neighbours of sizes a and b change places with the chance min(1, (α + R + b) / (α + R + a)), R the records after.

    That is the ratio of P above for the two orders; θ has the same prior in every class, so only the sizes matter. The
    last class has no stick of its own and stays.
    """
    classes = class_sums.size
    order = np.arange(classes)
    for _ in range(PASSES):
        after = class_sums.sum()
        for h in range(classes - 2):
            a, b = class_sums[order[h]], class_sums[order[h + 1]]
            after -= a
            if a != b and _uniform(state) * (alpha + after - b + a) < alpha + after:
                order[h], order[h + 1] = order[h + 1], order[h]
                after += a - b
    _reorder(order, class_sums, level_sums)


@njit(cache=True, nogil=True)
def _reorder(order, class_sums, level_sums):  # type: ignore[no-untyped-def]
    moved, classes = False, order.size
    for h in range(classes):
        moved = moved or order[h] != h
    if moved:
        class_sums[:] = class_sums[order]
        row = np.empty(classes, np.int64)
        for at in range(level_sums.shape[0]):
            for h in range(classes):
                row[h] = level_sums[at, order[h]]
            level_sums[at, :] = row


@njit(cache=True, nogil=True)
def _log_density(x, class_sums, shape, rate):  # type: ignore[no-untyped-def]
    """The logarithm of the density of x = ln α given the sizes, Gamma(shape, rate) beforehand, up to a constant."""
    alpha, before = math.exp(x), class_sums.sum()
    total = shape * x - rate * alpha - math.lgamma(alpha + before)
    for h in range(class_sums.size - 1):
        if before == 0:
            break
        total += x - math.log(alpha + before)
        before -= class_sums[h]
    return total + math.lgamma(alpha + before)


@njit(cache=True, nogil=True)
def draw_alpha(state, alpha, class_sums, shape, rate):  # type: ignore[no-untyped-def]
    """α given the sizes of the classes, by a slice of the density of its logarithm (Neal 2003)."""
    x = math.log(alpha)
    height = _log_density(x, class_sums, shape, rate) + math.log(_uniform(state))
    low = x - _uniform(state)
    high = low + 1
    while low > _LEAST and _log_density(low, class_sums, shape, rate) > height:
        low -= 1
    while high < _MOST and _log_density(high, class_sums, shape, rate) > height:
        high += 1
    low, high = max(low, _LEAST), min(high, _MOST)
    while True:
        new = low + _uniform(state) * (high - low)
        if _log_density(new, class_sums, shape, rate) >= height or high - low < 1e-9:
            return math.exp(new)
        if new < x:
            low = new
        else:
            high = new
