"""Kernel that numbers the groups of equal pairs of codes, with their sums. Loaded only when a model is fitted."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def refine(groups, codes, levels, weights, records):  # type: ignore[no-untyped-def]
    """Split groups by a further code: the group of each row, each group's weight w and records, Σ w ln w."""
    n = groups.size
    bits = 3
    while (1 << bits) < 2 * n:
        bits += 1
    shift, mask = np.uint64(64 - bits), np.uint64((1 << bits) - 1)
    table = np.full(1 << bits, -1, np.int32)
    keys, found = np.empty(n, np.int64), 0
    index = np.empty(n, np.int32)
    weight, count = np.zeros(n), np.zeros(n)
    for i in range(n):
        key = np.int64(groups[i]) * levels + codes[i]
        slot = (np.uint64(key) * _SPREAD) >> shift
        while True:
            g = table[slot]
            if g < 0:
                g = found
                table[slot] = found
                keys[found] = key
                found += 1
                break
            if keys[g] == key:
                break
            slot = (slot + np.uint64(1)) & mask
        index[i] = g
        weight[g] += weights[i]
        count[g] += records[i]
    total = 0.0
    for g in range(found):
        if weight[g] != 1:
            total += weight[g] * math.log(weight[g])
    return index, weight[:found].copy(), count[:found].copy(), total
