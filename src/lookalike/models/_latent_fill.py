"""Kernel that fills the unknown cells of records by a draw of the posterior."""

from __future__ import annotations

import numpy as np
from numba import njit

from lookalike.models._drawing import _start, _uniform
from lookalike.models._gibbs import _place
from lookalike.models._latent_sweep import _further, _total
from lookalike.models._latent_zeros import _draw_possible, _live, _open, _possible_weights
from lookalike.models._variates import _one


@njit(cache=True, nogil=True)
def fill(given, out, zeros, first, levels, shares, cumulated, seed, stream):  # type: ignore[no-untyped-def]
    """Draw the class of each record given the known cells of `given`, then the unknown cells of `out` by its θ.

    With slices both are drawn from the law cut to what is possible. How many records had no possible end is told.
    """
    classes, columns, slices = shares.size, out.shape[1], zeros.start.size - 1
    state, part, mass = np.empty(4, np.uint64), np.empty(classes), np.empty(classes)
    live, opens, rest = np.empty(slices, np.int64), np.empty(columns, np.int64), np.empty(slices)
    _start(seed, stream, state)
    failed = 0
    for i in range(out.shape[0]):
        part[:] = shares
        _further(given[i], 0, first, levels, part)
        total = _total(part)
        many = _live(given[i], zeros, live) if slices > 0 else 0
        if many > 0:
            total = _possible_weights(given[i], live, many, zeros, levels, part, mass)
        if not total > 0:
            failed += 1
            continue
        h = _one(state, part, total)
        many = _live(out[i], zeros, live) if slices > 0 else 0
        if many > 0:
            opened = _open(out[i], live, many, zeros, opens)
            if not _draw_possible(state, out[i], live, many, zeros, first, levels, h, opens, opened, rest):
                failed += 1
                continue
        for j in range(columns):
            if out[i, j] < 0:
                out[i, j] = _place(cumulated[h], first[j], first[j + 1], _uniform(state)) - first[j]
    return failed
