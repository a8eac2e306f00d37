"""Kernels of record linkage: patterns of agreement inside blocks, and greedy links.

Targets and rows are sorted by block; `first` and `rows_first` hold where each block begins. A field agrees where the
target's range meets the row's."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _pattern(low, high, i, row_low, row_high, j):  # type: ignore[no-untyped-def]
    found = 0
    for c in range(low.shape[1]):
        if row_low[j, c] <= high[i, c] and row_high[j, c] >= low[i, c]:
            found |= 1 << c
    return found


@njit(cache=True, nogil=True)
def count_patterns(low, high, first, row_low, row_high, row_first):  # type: ignore[no-untyped-def]
    """How often each pattern occurs among the pairs of all blocks."""
    counts = np.zeros(1 << low.shape[1], np.int64)
    for block in range(first.size - 1):
        for i in range(first[block], first[block + 1]):
            for j in range(row_first[block], row_first[block + 1]):
                counts[_pattern(low, high, i, row_low, row_high, j)] += 1
    return counts


@njit(cache=True, nogil=True)
def scores(low, high, begin, end, row_low, row_high, row_begin, row_end, weight):  # type: ignore[no-untyped-def]
    """The weights of all pairs of one block."""
    found = np.empty((end - begin, row_end - row_begin))
    for i in range(begin, end):
        for j in range(row_begin, row_end):
            found[i - begin, j - row_begin] = weight[_pattern(low, high, i, row_low, row_high, j)]
    return found


@njit(cache=True, nogil=True)
def greedy(low, high, first, row_low, row_high, row_first, rank, levels):  # type: ignore[no-untyped-def]
    """Link the best pairs first, each target and row once; ties in the order given. −1: not linked.

    `rank` gives each pattern its place from the best, `levels` or more for pairs that may not be linked.
    """
    links = np.full(low.shape[0], -1, np.int64)
    taken = np.zeros(row_low.shape[0], np.bool_)
    for block in range(first.size - 1):
        begin, row_begin = first[block], row_first[block]
        a, b = first[block + 1] - begin, row_first[block + 1] - row_begin
        if a == 0 or b == 0:
            continue
        ranks = np.empty(a * b, np.int32)
        ends = np.zeros(levels + 2, np.int64)
        for i in range(a):
            for j in range(b):
                found = min(rank[_pattern(low, high, begin + i, row_low, row_high, row_begin + j)], levels)
                ranks[i * b + j] = found
                ends[found + 1] += 1
        for level in range(levels + 1):
            ends[level + 1] += ends[level]
        pairs = np.empty(ends[levels], np.int32)
        for pair in range(a * b):
            if ranks[pair] < levels:
                pairs[ends[ranks[pair]]] = pair
                ends[ranks[pair]] += 1
        free = min(a, b)
        for pair in pairs:
            i, j = begin + pair // b, row_begin + pair % b
            if links[i] < 0 and not taken[j]:
                links[i], taken[j] = j, True
                free -= 1
                if free == 0:
                    break
    return links
