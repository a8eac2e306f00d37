"""Kernels of the lattice search: class tables rolled up from finer ones, and what their cells lose.

A class of a coarser table is named by the first class of the finest table in it, so codes stand in memory once.
The hash only spreads the work. Keys are compared whole, so two classes are never merged.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def _slot(keys, row, mask):  # type: ignore[no-untyped-def]
    """Where a key is looked for first."""
    hashed = np.uint64(0)
    for w in range(keys.shape[1]):
        hashed = (hashed ^ np.uint64(keys[row, w])) * _SPREAD
        hashed ^= hashed >> np.uint64(29)
    return hashed & mask


@njit(cache=True, nogil=True)
def _grown(keys, found, room):  # type: ignore[no-untyped-def]
    """A table with more room that holds the keys found so far."""
    table = np.full(room, -1, np.int32)
    mask = np.uint64(room - 1)
    for row in range(found):
        slot = _slot(keys, row, mask)
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = row
    return table


@njit(cache=True, nogil=True)
def roll(codes, places, sizes, parts, keys, out_places, out_sizes, labels):  # type: ignore[no-untyped-def]
    """Merge the classes at `places` whose coarse codes are equal; the number of classes found.

    `parts[w, c]` is what code c adds to word w of a key. Classes come in the order of their first member. The table
    grows with the classes found, not with those merged: most results are small, and a small table stays in the cache.
    """
    words, columns, found, room = parts.shape[0], codes.shape[1], 0, 1024
    table, mask = np.full(room, -1, np.int32), np.uint64(room - 1)
    for i in range(places.size):
        row = places[i]
        for w in range(words):
            key = 0
            for j in range(columns):
                key += parts[w, codes[row, j]]
            keys[found, w] = key
        slot = _slot(keys, found, mask)
        while True:
            other = table[slot]
            if other < 0:
                table[slot] = found
                out_places[found] = row
                out_sizes[found] = sizes[i]
                labels[i] = found
                found += 1
                if 2 * found > room:
                    room *= 4
                    table, mask = _grown(keys, found, room), np.uint64(room - 1)
                break
            same = True
            for w in range(words):
                if keys[other, w] != keys[found, w]:
                    same = False
                    break
            if same:
                out_sizes[other] += sizes[i]
                labels[i] = other
                break
            slot = (slot + np.uint64(1)) & mask
    return found


@njit(cache=True, nogil=True)
def merge(labels, classes, starts, codes, counts, values, out_starts, out_codes, out_counts):  # type: ignore[no-untyped-def]
    """The counts of values in merged classes, those of each class in the order of their codes; how many there are."""
    ends = np.zeros(classes + 1, np.int64)
    for i in range(labels.size):
        ends[labels[i] + 1] += 1
    for c in range(classes):
        ends[c + 1] += ends[c]
    order = np.empty(labels.size, np.int32)
    free = ends[:-1].copy()
    for i in range(labels.size):
        order[free[labels[i]]] = i
        free[labels[i]] += 1
    total = np.zeros(values, np.int64)
    touched = np.empty(values, np.int32)
    at = 0
    for c in range(classes):
        out_starts[c] = at
        some = 0
        for place in range(ends[c], ends[c + 1]):
            i = order[place]
            for e in range(starts[i], starts[i + 1]):
                if total[codes[e]] == 0:
                    touched[some] = codes[e]
                    some += 1
                total[codes[e]] += counts[e]
        if some > 1:
            touched[:some] = np.sort(touched[:some])
        for s in range(some):
            out_codes[at] = touched[s]
            out_counts[at] = total[touched[s]]
            total[touched[s]] = 0
            at += 1
    out_starts[classes] = at
    return at


@njit(cache=True, nogil=True)
def added(codes, places, terms, out):  # type: ignore[no-untyped-def]
    """Of the classes at `places`, the sum of a term a cell."""
    for i in range(places.size):
        total = 0.0
        for j in range(codes.shape[1]):
            total += terms[codes[places[i], j]]
        out[i] = total
