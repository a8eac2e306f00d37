"""Kernels that put levels without an order in one, so that a split is a cut of a row and not one of 2^L subsets.

By the mean of the response (optimal for squared error), by the share of the second of two classes (optimal for Gini:
Breiman et al. 1984, theorem 4.5), or along the first principal component of the class shares of the levels, weighted by
their counts (Coppersmith, Hong and Hosking 1999).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

TURNS = 50
"""Steps of the power iteration at most."""
NEAR = 1e-6
"""It ends when no part of the direction moves by more."""


@njit(cache=True, nogil=True)
def means(level, y, w, n, levels, score, mass):  # type: ignore[no-untyped-def]
    """The weighted mean of y, or of classes 0 and 1, in each level; `mass` gets the weights."""
    for a in range(levels):
        score[a] = mass[a] = 0.0
    for i in range(n):
        score[level[i]] += w[i] * y[i]
        mass[level[i]] += w[i]
    for a in range(levels):
        score[a] /= mass[a]


@njit(cache=True, nogil=True)
def _dot(a, b):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(a.size):
        total += a[k] * b[k]
    return total


@njit(cache=True, nogil=True)
def _counts(level, kind, w, n, levels, classes, at_level, at_class, count):  # type: ignore[no-untyped-def]
    """The table of levels by classes as triplets: its cells where they are fewer than the rows, else the rows."""
    cells = levels * classes
    if cells >= n:
        for i in range(n):
            at_level[i], at_class[i], count[i] = level[i], kind[i], w[i]
        return n
    for t in range(cells):
        count[t] = 0.0
    for i in range(n):
        count[level[i] * classes + kind[i]] += w[i]
    found = 0
    for a in range(levels):
        for k in range(classes):
            if count[a * classes + k] > 0:
                at_level[found], at_class[found], count[found] = a, k, count[a * classes + k]
                found += 1
    return found


@njit(cache=True, nogil=True)
def _project(at_level, at_class, count, found, levels, mass, direction, mean, score):  # type: ignore[no-untyped-def]
    """s_a = (p_a − p̄)·v for each level a."""
    centre = _dot(mean, direction)
    for a in range(levels):
        score[a] = 0.0
    for t in range(found):
        score[at_level[t]] += count[t] * direction[at_class[t]]
    for a in range(levels):
        score[a] = score[a] / mass[a] - centre


@njit(cache=True, nogil=True)
def _farthest(at_level, at_class, count, found, levels, mass, mean, score, v):  # type: ignore[no-untyped-def]
    """Where the iteration starts: v = p_a − p̄ of the level a with the largest mass_a ‖p_a − p̄‖².

    Triplets that are single rows of one cell make the squares smaller than they are: any start will do.
    """
    far, square = 0, _dot(mean, mean)
    for a in range(levels):
        score[a] = square
    for t in range(found):
        share = count[t] / mass[at_level[t]]
        score[at_level[t]] += share * (share - 2 * mean[at_class[t]])
    for a in range(levels):
        if mass[a] * score[a] > mass[far] * score[far]:
            far = a
    for k in range(mean.size):
        v[k] = -mean[k]
    for t in range(found):
        if at_level[t] == far:
            v[at_class[t]] += count[t] / mass[far]


@njit(cache=True, nogil=True)
def _turn(at_level, at_class, count, found, score, v):  # type: ignore[no-untyped-def]
    """v becomes Σ_a mass_a s_a (p_a − p̄), of length 1: how far it moves, 0 if there is nowhere to go.

    Σ_a mass_a s_a = 0, so the mean falls out.
    """
    turned, moved = np.zeros(v.size), 0.0
    for t in range(found):
        turned[at_class[t]] += score[at_level[t]] * count[t]
    length = math.sqrt(_dot(turned, turned))
    if not length > 0:
        return 0.0
    for k in range(v.size):
        moved = max(moved, abs(turned[k] / length - v[k]))
        v[k] = turned[k] / length
    return moved


@njit(cache=True, nogil=True)
def principal(level, kind, w, n, levels, classes, totals, score, mass, at_level, at_class, count):  # type: ignore[no-untyped-def]
    """The levels' places along the first principal component, by power iteration of Σ_a mass_a (p_a − p̄)(p_a − p̄)ᵀ."""
    found = _counts(level, kind, w, n, levels, classes, at_level, at_class, count)
    mean, v, total = np.empty(classes), np.empty(classes), 0.0
    for a in range(levels):
        mass[a] = 0.0
    for t in range(found):
        mass[at_level[t]] += count[t]
        total += count[t]
    for k in range(classes):
        mean[k] = totals[k] / total
    _farthest(at_level, at_class, count, found, levels, mass, mean, score, v)
    for _ in range(TURNS):
        _project(at_level, at_class, count, found, levels, mass, v, mean, score)
        if _turn(at_level, at_class, count, found, score, v) < NEAR:
            break
