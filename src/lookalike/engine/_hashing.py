"""Kernels that number equal keys: partition by hash, then one small table a bucket. Loaded only for large files.

The hash only spreads the work. Keys are compared whole, so two classes are never merged.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def bucket_sizes(keys, bits, counts):  # type: ignore[no-untyped-def]
    """How many keys fall into each bucket."""
    shift = np.uint64(64 - bits)
    for i in range(keys.size):
        counts[(np.uint64(keys[i]) * _SPREAD) >> shift] += 1


@njit(cache=True, nogil=True)
def scatter(keys, start, bits, places, out_keys, out_rows):  # type: ignore[no-untyped-def]
    """Keys and their rows in the order of buckets; `places` holds where each bucket goes on."""
    shift = np.uint64(64 - bits)
    for i in range(keys.size):
        b = (np.uint64(keys[i]) * _SPREAD) >> shift
        at = places[b]
        places[b] = at + 1
        out_keys[at] = keys[i]
        out_rows[at] = start + i


@njit(cache=True, nogil=True)
def number_buckets(keys, rows, edges, begin, end, table, index, first, sizes, distinct):  # type: ignore[no-untyped-def]
    """Number the keys of the buckets from `begin` to `end`, each bucket from 0, with its own small table.

    `first` and `sizes` are filled from the start of each bucket's stretch; `distinct` counts its classes.
    """
    for b in range(begin, end):
        low, high = edges[b], edges[b + 1]
        room = 4
        while room < 2 * (high - low):
            room *= 2
        mask = np.uint64(room - 1)
        table[:room] = -1
        found = 0
        for i in range(low, high):
            key = keys[i]
            slot = ((np.uint64(key) * _SPREAD) >> np.uint64(20)) & mask
            while True:
                number = table[slot]
                if number < 0:
                    table[slot] = found
                    keys[low + found] = key
                    first[low + found] = rows[i]
                    sizes[low + found] = 1
                    index[rows[i]] = found
                    found += 1
                    break
                if keys[low + number] == key:
                    sizes[low + number] += 1
                    index[rows[i]] = number
                    break
                slot = (slot + np.uint64(1)) & mask
        distinct[b] = found


@njit(cache=True, nogil=True)
def shift_buckets(rows, edges, offsets, begin, end, index, first, sizes, out_first, out_sizes):  # type: ignore[no-untyped-def]
    """From numbers inside a bucket to numbers over all; the classes of all buckets one after another."""
    for b in range(begin, end):
        low, off = edges[b], offsets[b]
        for i in range(low, edges[b + 1]):
            index[rows[i]] += off
        for j in range(offsets[b + 1] - off):
            out_first[off + j] = first[low + j]
            out_sizes[off + j] = sizes[low + j]
