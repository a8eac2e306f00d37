"""Kernel: what columns of codes tell of each other."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def information_of(codes, levels, first, out):  # type: ignore[no-untyped-def]
    """I(first; j) for every column j from `first` on, in nats, less its bias; the entropy at its own place."""
    n, rows = codes.shape[1], levels[first]
    for j in range(first, len(codes)):
        columns = levels[j]
        table = np.zeros((rows, columns), np.int64)
        for i in range(n):
            table[codes[first, i], codes[j, i]] += 1
        total, seen_rows, seen_columns = 0.0, 0, 0
        for a in range(rows):
            here = 0
            for b in range(columns):
                m = table[a, b]
                here += m
                if m > 0:
                    total += m * np.log(m)
            if here > 0:
                total -= here * np.log(here)
                seen_rows += 1
        for b in range(columns):
            here = 0
            for a in range(rows):
                here += table[a, b]
            if here > 0:
                total -= here * np.log(here)
                seen_columns += 1
        raw = total / n + np.log(n)
        out[j] = raw if j == first else max(0.0, raw - (seen_rows - 1) * (seen_columns - 1) / (2 * n))
