"""Kernels that put the cells of a node in order: by counting where codes are few, by sorting where they are many."""

from __future__ import annotations

import numpy as np
from numba import njit

SPARSE = 4
"""Codes are counted if they span at most so many times the cells."""
RUN = 16
"""Runs of this length are sorted by insertion, then merged."""


@njit(cache=True, nogil=True)
def span(code, n):  # type: ignore[no-untyped-def]
    """The smallest and the largest code."""
    low = high = code[0]
    for i in range(1, n):
        c = code[i]
        if c < low:
            low = c
        elif c > high:
            high = c
    return low, high


@njit(cache=True, nogil=True)
def _merge(key, source, begin, middle, end, out):  # type: ignore[no-untyped-def]
    """Merge two sorted runs of places."""
    a, b = begin, middle
    for k in range(begin, end):
        if a < middle and (b >= end or key[source[a]] <= key[source[b]]):
            out[k] = source[a]
            a += 1
        else:
            out[k] = source[b]
            b += 1


@njit(cache=True, nogil=True)
def sort_places(key, n, order, spare):  # type: ignore[no-untyped-def]
    """The places 0 … n − 1 by key, equal keys as they stand: the library's sorts take seconds to compile."""
    for begin in range(0, n, RUN):
        for i in range(begin, min(n, begin + RUN)):
            k = i
            while k > begin and key[order[k - 1]] > key[i]:
                order[k] = order[k - 1]
                k -= 1
            order[k] = i
    width = RUN
    while width < n:
        for begin in range(0, n, 2 * width):
            _merge(key, order, begin, min(n, begin + width), min(n, begin + 2 * width), spare)
        for i in range(n):
            order[i] = spare[i]
        width *= 2


@njit(cache=True, nogil=True)
def put_in_order(code, n, low, high, order, bucket, spare):  # type: ignore[no-untyped-def]
    """The places of the cells by code, equal codes as they stand. `bucket` and `spare` are room to work in."""
    width = np.int64(high) - low + 1
    if width > SPARSE * n:
        sort_places(code, n, order, spare)
        return
    for b in range(width + 1):
        bucket[b] = 0
    for i in range(n):
        bucket[code[i] - low + 1] += 1
    for b in range(1, width):
        bucket[b] += bucket[b - 1]
    for i in range(n):
        b = code[i] - low
        order[bucket[b]] = i
        bucket[b] += 1


@njit(cache=True, nogil=True)
def number_anew(code, n, number, seen, out):  # type: ignore[no-untyped-def]
    """Number the codes that occur 0, 1, … as they come: `seen` lists them, `out` gets the numbers; how many there are.

    `number` holds −1 for every code, before and after.
    """
    found = 0
    for i in range(n):
        c = code[i]
        if number[c] < 0:
            number[c] = found
            seen[found] = c
            found += 1
        out[i] = number[c]
    for k in range(found):
        number[seen[k]] = -1
    return found
