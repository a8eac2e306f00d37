"""Kernel that draws the unknown normal variables of records given stretches or values of the known ones."""

from __future__ import annotations

import numpy as np
from numba import njit

from lookalike.models._drawing import _normal, _start
from lookalike.models._tails import between


@njit(cache=True, nogil=True)
def complete_records(  # type: ignore[no-untyped-def]
    seed, chunk, low, high, means, root, precision, weights, given, spread, sweeps, out
):
    """Records in columns. Stretches `low` to `high` of the cut variables, whose law given the exact ones has `means`, a
    root and a precision matrix; the unknown are `given` + `weights` · (cut − means) + `spread` · e.
    """
    k, n = low.shape
    state = np.empty(4, np.uint64)
    _start(seed, chunk, state)
    z, e = np.empty(k), np.empty(max(k, out.shape[0]))
    for r in range(n):
        # A start near the law: each variable inside its stretch given those before it.
        for i in range(k):
            z[i] = 0.0
            for j in range(i):
                z[i] += root[i, j] * e[j]
            base = means[i, r] + z[i]
            e[i] = between(state, (low[i, r] - base) / root[i, i], (high[i, r] - base) / root[i, i])
            z[i] += root[i, i] * e[i]
        if k > 1:
            for _ in range(sweeps):
                _sweep(state, z, low[:, r], high[:, r], means[:, r], precision)
        for i in range(out.shape[0]):
            e[i] = _normal(state)
        for i in range(out.shape[0]):
            total = given[i, r]
            for j in range(k):
                total += weights[i, j] * z[j]
            for j in range(i + 1):
                total += spread[i, j] * e[j]
            out[i, r] = total


@njit(cache=True, nogil=True)
def _sweep(state, z, low, high, means, precision):  # type: ignore[no-untyped-def]
    """Each variable, less its mean, drawn anew inside its stretch given all others."""
    for i in range(z.size):
        pull = 0.0
        for j in range(z.size):
            if j != i:
                pull += precision[i, j] * z[j]
        middle, scale = -pull / precision[i, i], 1 / np.sqrt(precision[i, i])
        base = means[i] + middle
        z[i] = middle + scale * between(state, (low[i] - base) / scale, (high[i] - base) / scale)
