"""Kernels of the test of independence at a node: the quadratic form of the permutation statistic.

For T = Σ_i w_i g(x_i) h(y_i)ᵀ the mean and the covariance over all permutations are known (Strasser and Weber 1999),
and c = (T − μ)ᵀ Σ⁺ (T − μ) is asymptotically χ². With g and h each a number, or the indicators of levels, Σ is the
product of a part of x and a part of y, and c has a closed form, W being the sum of the weights:

    number and number      (W − 1) r²                      1 degree of freedom
    levels and number      (W − 1) B/S                     levels − 1; B: squares between levels, S: all squares
    levels and levels      (W − 1)/W · X²                  (levels − 1)(classes − 1); X²: Pearson's
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from lookalike.models.steps._tree_order import sort_places

LONGEST = 100_000
"""Terms of a series or a continued fraction at most."""


@njit(cache=True, nogil=True)
def log_tail(c, freedom):  # type: ignore[no-untyped-def]
    """ln P(χ² > c): the incomplete gamma function by its series below the mean, by its continued fraction above."""
    a, x = freedom / 2, c / 2
    if x <= 0:
        return 0.0
    front = a * math.log(x) - x - math.lgamma(a)
    if x < a + 1:
        term = total = 1 / a
        for k in range(1, LONGEST):
            term *= x / (a + k)
            total += term
            if term < total * 1e-16:
                break
        return math.log1p(-min(1 - 1e-16, math.exp(front) * total))
    b = x + 1 - a
    upper, lower = 1e300, 1 / b
    value = lower
    for k in range(1, LONGEST):
        an = -k * (k - a)
        b += 2
        lower = 1 / (an * lower + b)
        upper = b + an / upper
        step = upper * lower
        value *= step
        if abs(step - 1) < 1e-15:
            break
    return front + math.log(value)


@njit(cache=True, nogil=True)
def between(group, groups, y, w, n, total):  # type: ignore[no-untyped-def]
    """(W − 1) B/S: squares between groups over all squares of y; 0 if y does not vary."""
    sums, mass, mean, squares = np.zeros(groups), np.zeros(groups), 0.0, 0.0
    for i in range(n):
        mean += w[i] * y[i] / total
    for i in range(n):
        d = y[i] - mean
        sums[group[i]] += w[i] * d
        mass[group[i]] += w[i]
        squares += w[i] * d * d
    if squares <= 0:
        return 0.0
    found = 0.0
    for a in range(groups):
        found += sums[a] * sums[a] / mass[a]
    return (total - 1) * found / squares


@njit(cache=True, nogil=True)
def together(x, y, w, n, total):  # type: ignore[no-untyped-def]
    """(W − 1) r² of two numbers; 0 if one does not vary."""
    mean_x, mean_y, xx, xy, yy = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        mean_x += w[i] * x[i] / total
        mean_y += w[i] * y[i] / total
    for i in range(n):
        a, b = x[i] - mean_x, y[i] - mean_y
        xx += w[i] * a * a
        xy += w[i] * a * b
        yy += w[i] * b * b
    return (total - 1) * xy * xy / (xx * yy) if xx > 0 and yy > 0 else 0.0


@njit(cache=True, nogil=True)
def _shared(level, levels, kind, classes, w, n):  # type: ignore[no-untyped-def]
    """The weight of each row's cell in the table of levels by classes: by a table, by sorting where that is large."""
    out, cells = np.empty(n), levels * classes
    if cells <= 16 * n:
        table = np.zeros(cells)
        for i in range(n):
            table[level[i] * classes + kind[i]] += w[i]
        for i in range(n):
            out[i] = table[level[i] * classes + kind[i]]
        return out
    key, order, begin = np.empty(n, np.int64), np.empty(n, np.int64), 0
    for i in range(n):
        key[i] = level[i] * classes + kind[i]
    sort_places(key, n, order, np.empty(n, np.int64))
    while begin < n:
        end, mass = begin, 0.0
        while end < n and key[order[end]] == key[order[begin]]:
            mass += w[order[end]]
            end += 1
        for i in range(begin, end):
            out[order[i]] = mass
        begin = end
    return out


@njit(cache=True, nogil=True)
def pearson(level, levels, kind, classes, w, n, total, counts):  # type: ignore[no-untyped-def]
    """(W − 1)/W · X² of levels by classes, X² = W (Σ_ak n_ak²/(n_a n_k) − 1): a sum over rows of w n_ak/(n_a n_k)."""
    mass, cell, found = np.zeros(levels), _shared(level, levels, kind, classes, w, n), 0.0
    for i in range(n):
        mass[level[i]] += w[i]
    for i in range(n):
        found += w[i] * cell[i] / (mass[level[i]] * counts[kind[i]])
    return (total - 1) * (found - 1)
