"""Kernels that count distinct keys as they come: partition by hash, one growing table a bucket.

A key is one or more 64-bit words, the first never negative. The hash only spreads the work; keys are compared whole.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_ONE, _TWO = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)


@njit(cache=True, nogil=True)
def _hash(keys, i):  # type: ignore[no-untyped-def]
    h = np.uint64(0x9E3779B97F4A7C15)
    for w in range(keys.shape[1]):
        h ^= np.uint64(keys[i, w])
        h = (h ^ (h >> np.uint64(33))) * _ONE
        h = (h ^ (h >> np.uint64(33))) * _TWO
        h ^= h >> np.uint64(33)
    return h


@njit(cache=True, nogil=True)
def bucket_sizes(keys, bits, counts):  # type: ignore[no-untyped-def]
    """How many keys fall into each bucket."""
    shift = np.uint64(63 - bits)
    for i in range(keys.shape[0]):
        counts[(_hash(keys, i) >> np.uint64(1)) >> shift] += 1


@njit(cache=True, nogil=True)
def scatter(keys, bits, places, out):  # type: ignore[no-untyped-def]
    """Keys in the order of buckets; `places` holds where each bucket goes on."""
    shift = np.uint64(63 - bits)
    for i in range(keys.shape[0]):
        b = (_hash(keys, i) >> np.uint64(1)) >> shift
        at = places[b]
        places[b] = at + 1
        for w in range(keys.shape[1]):
            out[at, w] = keys[i, w]


@njit(cache=True, nogil=True)
def insert(keys, low, high, table, found):  # type: ignore[no-untyped-def]
    """Put the keys from `low` to `high` into one bucket's table (empty: −1); how many classes it then holds."""
    mask = np.uint64(table.shape[0] - 1)
    for i in range(low, high):
        slot = _hash(keys, i) & mask
        while True:
            if table[slot, 0] < 0:
                for w in range(keys.shape[1]):
                    table[slot, w] = keys[i, w]
                found += 1
                break
            same = True
            for w in range(keys.shape[1]):
                if table[slot, w] != keys[i, w]:
                    same = False
                    break
            if same:
                break
            slot = (slot + np.uint64(1)) & mask
    return found


@njit(cache=True, nogil=True)
def insert_buckets(keys, edges, begin, end, tables, found):  # type: ignore[no-untyped-def]
    """Insert the buckets from `begin` to `end`, each into its own table."""
    for b in range(begin, end):
        found[b] = insert(keys, edges[b], edges[b + 1], tables[b], found[b])


@njit(cache=True, nogil=True)
def move_buckets(tables, begin, end, larger):  # type: ignore[no-untyped-def]
    """The classes of the tables into larger ones."""
    for b in range(begin, end):
        mask = np.uint64(larger.shape[1] - 1)
        for i in range(tables.shape[1]):
            if tables[b, i, 0] >= 0:
                slot = _hash(tables[b], i) & mask
                while larger[b, slot, 0] >= 0:
                    slot = (slot + np.uint64(1)) & mask
                for w in range(tables.shape[2]):
                    larger[b, slot, w] = tables[b, i, w]
