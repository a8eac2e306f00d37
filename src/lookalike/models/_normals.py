"""Kernels that draw correlated normal variables, one a row of the result: by a root of the matrix, or along a row."""

from __future__ import annotations

import numpy as np
from numba import njit

from lookalike.models._drawing import BATCH, _batch, _normal, _start, _uniform


@njit(cache=True, nogil=True)
def by_root(seed, chunk, root, out):  # type: ignore[no-untyped-def]
    """root · e, with e independent."""
    q, n = out.shape
    state, e, z = np.empty(4, np.uint64), np.empty((q, BATCH)), np.empty((q, BATCH))
    _start(seed, chunk, state)
    for first in range(0, n, BATCH):
        _batch(state, root, e, z)
        last = min(n, first + BATCH)
        out[:, first:last] = z[:, : last - first]


@njit(cache=True, nogil=True)
def along_row(seed, chunk, row, weights, rest, out):  # type: ignore[no-untyped-def]
    """Each variable of the row from those before it: z_i = Σ_k weights[i, k] z_{i−1−k} + rest[i] e."""
    q, n = out.shape
    state = np.empty(4, np.uint64)
    _start(seed, chunk, state)
    for first in range(0, n, BATCH):
        last = min(n, first + BATCH)
        for i in range(q):
            here = out[row[i], first:last]
            for r in range(last - first):
                here[r] = rest[i] * _normal(state)
            for k in range(min(i, weights.shape[1])):
                weight, there = weights[i, k], out[row[i - 1 - k], first:last]
                for r in range(last - first):
                    here[r] += weight * there[r]


@njit(cache=True, nogil=True)
def uniforms(seed, chunk, out):  # type: ignore[no-untyped-def]
    """Independent uniform variables on (0, 1)."""
    state = np.empty(4, np.uint64)
    _start(seed, chunk, state)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = _uniform(state)
