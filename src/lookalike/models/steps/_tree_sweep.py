"""Kernels that find the best cut of a row of cells: all cuts between two neighbouring codes, in one sweep.

A cut of the weight W into W_L and W_R lowers the impurity by

    S_L²/W_L + S_R²/W_R                                          squared error, S the sum of y less the node's mean
    Σ_k a_k (L_k²/W_L + R_k²/W_R − C_k²/W)                       classes, counts L, R and C

With a_k = 1 the second is the fall of the Gini impurity, with a_k = W/C_k it is Pearson's X² of the sides by classes.
"""

from __future__ import annotations

import math

from numba import njit

from lookalike.models.steps._tree_shapes import NONE


@njit(cache=True, nogil=True)
def cut_numbers(code, y, w, n, order, total, leaf):  # type: ignore[no-untyped-def]
    """The best cut for y of mean 0: by how much the squares fall, and the last place on the left (NONE: no cut)."""
    best, cut, left, s = 0.0, NONE, 0.0, 0.0
    for i in range(n - leaf):
        at = order[i]
        s += w[at] * y[at]
        left += w[at]
        if i + 1 >= leaf and code[at] != code[order[i + 1]]:
            gain = s * s / left + s * s / (total - left)
            if gain > best:
                best, cut = gain, i
    return best, cut


@njit(cache=True, nogil=True)
def _entropy(counts, taken, classes, total):  # type: ignore[no-untyped-def]
    """In nats, of the counts less those taken."""
    found = 0.0
    for k in range(classes):
        share = (counts[k] - taken[k]) / total
        if share > 0:
            found -= share * math.log(share)
    return found


@njit(cache=True, nogil=True)
def _varied(counts, left, none, classes, taken, total, floor):  # type: ignore[no-untyped-def]
    """Whether both sides have at least this entropy."""
    return _entropy(left, none, classes, taken) >= floor and _entropy(counts, left, classes, total - taken) >= floor


@njit(cache=True, nogil=True)
def cut_classes(code, kind, w, n, order, total, leaf, counts, scale, classes, floor, left, none):  # type: ignore[no-untyped-def]
    """The best cut for classes: by how much the impurity falls, and the last place on the left (NONE: no cut).

    `scale` is a_k; cuts that leave a side with an entropy below the floor are passed over. `left` is room to work in,
    `none` is zeros.
    """
    whole = 0.0
    for k in range(classes):
        left[k] = 0.0
        whole += scale[k] * counts[k] * counts[k]
    best, cut, taken, on_left, on_right = whole / total, NONE, 0.0, 0.0, whole
    for i in range(n - leaf):
        at = order[i]
        k, v = kind[at], w[at]
        on_left += scale[k] * v * (2 * left[k] + v)
        on_right -= scale[k] * v * (2 * (counts[k] - left[k]) - v)
        left[k] += v
        taken += v
        if i + 1 >= leaf and code[at] != code[order[i + 1]]:
            found = on_left / taken + on_right / (total - taken)
            if found > best and (floor <= 0 or _varied(counts, left, none, classes, taken, total, floor)):
                best, cut = found, i
    return best - whole / total, cut
