"""Kernels: the nearest rows and the kernel density on columns whose distance is min(1, |a − b|).

Every column is a number: a category its code, so that two differ by 1 or more; a number lies in [0, 1], and a missing
one far outside. One formula then serves all kinds, and the compiler makes it one instruction for many rows at a time.
Rows lie column after column."""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 2048
"""Rows measured at a time: their distances stay in the processor's nearest memory."""


@njit(cache=True, nogil=True)
def _distances(target, rows, start, size, out):  # type: ignore[no-untyped-def]
    """The sums over columns of min(1, |a − b|) for some rows."""
    one = np.float32(1.0)
    for b in range(size):
        out[b] = np.float32(0.0)
    for j in range(target.size):
        x = target[j]
        column = rows[j, start : start + size]
        for b in range(size):
            d = abs(x - column[b])
            out[b] += d if d < one else one


@njit(cache=True, nogil=True)
def two_nearest(targets, rows, own, first, second, which):  # type: ignore[no-untyped-def]
    """The distances of the two nearest rows of each target and which row is the first; `own + i` is not looked at.

    `own` below −len(targets) looks at all rows. Without a row a distance is infinite."""
    n = rows.shape[1]
    out = np.empty(BLOCK, np.float32)
    far = np.float32(np.inf)
    for i in range(targets.shape[0]):
        best, next_best, at = far, far, -1
        for start in range(0, n, BLOCK):
            size = min(BLOCK, n - start)
            _distances(targets[i], rows, start, size, out)
            if 0 <= own + i - start < size:
                out[own + i - start] = far
            for b in range(size):
                d = out[b]
                if d < next_best:
                    if d < best:
                        best, next_best, at = d, best, start + b
                    else:
                        next_best = d
        first[i], second[i], which[i] = best, next_best, at


@njit(cache=True, nogil=True)
def log_density(targets, rows, rate, log_weight, own, found):  # type: ignore[no-untyped-def]
    """log Σ_r exp(log_weight_r − rate · distance) of each target over the rows; `own + i` is left out."""
    n = rows.shape[1]
    out = np.empty(BLOCK, np.float32)
    for i in range(targets.shape[0]):
        top, total = -np.inf, 0.0
        for start in range(0, n, BLOCK):
            size = min(BLOCK, n - start)
            _distances(targets[i], rows, start, size, out)
            if 0 <= own + i - start < size:
                out[own + i - start] = np.float32(np.inf)
            for b in range(size):
                term = log_weight[start + b] - rate * out[b]
                if term > top:
                    total = total * np.exp(top - term) + 1.0
                    top = term
                elif term > top - 40.0:
                    total += np.exp(term - top)
        found[i] = top + np.log(total) if total > 0 else -np.inf


@njit(cache=True, nogil=True)
def kernel_sums(values, rate, zoom):  # type: ignore[no-untyped-def]
    """Σ_v exp(−rate · min(1, zoom·|v − s|)) for every s of the values, which are sorted and distinct; linear in them.

    Values within 1/zoom slide through a window on either side; all others count exp(−rate) each."""
    n, reach = values.size, 1.0 / zoom
    found, inside = np.zeros(n), np.zeros(n, np.int64)
    for side in range(2):
        total, first = 0.0, 0
        for i in range(n):
            here = values[i] if side == 0 else -values[n - 1 - i]
            if i > 0:
                before = values[i - 1] if side == 0 else -values[n - i]
                total = (total + 1.0) * np.exp(-rate * zoom * (here - before))
            while first < i:
                oldest = values[first] if side == 0 else -values[n - 1 - first]
                if here - oldest < reach:
                    break
                total -= np.exp(-rate * zoom * (here - oldest))
                first += 1
            at = i if side == 0 else n - 1 - i
            found[at] += max(total, 0.0)
            inside[at] += i - first
    for i in range(n):
        found[i] += 1.0 + (n - 1 - inside[i]) * np.exp(-rate)
    return found
