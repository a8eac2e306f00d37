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


@njit(cache=True, nogil=True)
def count_listed(low, high, keys, ends, boxes, row_low, row_high, row_first):  # type: ignore[no-untyped-def]
    """How often each pattern occurs among the pairs of a record and a row of a box that holds its key.

    Rows are sorted by box, `row_first` where each begins. The boxes of key k are `boxes[ends[k]:ends[k + 1]]`.
    """
    counts = np.zeros(1 << low.shape[1], np.int64)
    for i in range(keys.size):
        for place in range(ends[keys[i]], ends[keys[i] + 1]):
            for j in range(row_first[boxes[place]], row_first[boxes[place] + 1]):
                counts[_pattern(low, high, i, row_low, row_high, j)] += 1
    return counts


@njit(cache=True, nogil=True)
def scores_listed(low, high, keys, ends, boxes, row_low, row_high, row_first, weight, apart):  # type: ignore[no-untyped-def]
    """The weights of all pairs of some records and rows, `apart` where no box of the row holds the record's key."""
    found = np.full((keys.size, row_low.shape[0]), apart)
    for i in range(keys.size):
        for place in range(ends[keys[i]], ends[keys[i] + 1]):
            for j in range(row_first[boxes[place]], row_first[boxes[place] + 1]):
                found[i, j] = weight[_pattern(low, high, i, row_low, row_high, j)]
    return found


@njit(cache=True, nogil=True)
def _mixed(seed, i, j):  # type: ignore[no-untyped-def]
    """A number that looks drawn for each pair (the finalizer of splitmix64)."""
    x = np.uint64(seed) + np.uint64(i) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(j) * np.uint64(0xD1B54A32D192ED03)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def _bits(number):  # type: ignore[no-untyped-def]
    found = 1
    while number >> found:
        found += 1
    return found


@njit(cache=True, nogil=True)
def _ranked(low, high, i, places, boxes, row_low, row_high, row_first, rank, levels, seed, room):  # type: ignore[no-untyped-def]
    """The rows that record i may be linked to, the best rank first, then in an order drawn for the record; how many.

    One number holds the rank, what is drawn and the row, in this order."""
    of_row, of_rank = _bits(row_low.shape[0]), _bits(levels)
    of_luck = 63 - of_row - of_rank
    count = 0
    for place in range(places[0], places[1]):
        for j in range(row_first[boxes[place]], row_first[boxes[place] + 1]):
            found = rank[_pattern(low, high, i, row_low, row_high, j)]
            if found < levels:
                luck = np.int64(_mixed(seed, i, j) >> np.uint64(64 - of_luck))
                room[count] = (((found << of_luck) | luck) << of_row) | j
                count += 1
    room[:count].sort()
    for c in range(count):
        room[c] &= (1 << of_row) - 1
    return count


@njit(cache=True, nogil=True)
def greedy_listed(low, high, keys, ends, boxes, row_low, row_high, row_first, rank, levels, seed, total):  # type: ignore[no-untyped-def]
    """As `greedy`, among the pairs of `count_listed`, of which there are `total`.

    Ties between records go in the order given, between the rows of a record as `seed` draws."""
    n, k = keys.size, row_low.shape[0]
    candidates, begin = np.empty(total, np.int32), np.zeros(n + 1, np.int64)
    room, now = np.empty(k, np.int64), np.full(n, levels, np.int64)
    for i in range(n):
        places = ends[keys[i]], ends[keys[i] + 1]
        count = _ranked(low, high, i, places, boxes, row_low, row_high, row_first, rank, levels, seed, room)
        for c in range(count):
            candidates[begin[i] + c] = room[c]
        begin[i + 1] = begin[i] + count
        if count:
            now[i] = rank[_pattern(low, high, i, row_low, row_high, room[0])]
    links, taken, at = np.full(n, -1, np.int64), np.zeros(k, np.bool_), begin[:-1].copy()
    for level in range(levels):
        for i in range(n):
            while links[i] < 0 and now[i] == level:
                j = candidates[at[i]]
                if not taken[j]:
                    links[i], taken[j] = j, True
                else:
                    at[i] += 1
                    now[i] = levels
                    if at[i] < begin[i + 1]:
                        now[i] = rank[_pattern(low, high, i, row_low, row_high, candidates[at[i]])]
    return links


@njit(cache=True, nogil=True)
def at_random(keys, ends, boxes, row_first, chances):  # type: ignore[no-untyped-def]
    """Each record in the order given takes one of the free rows that fit, every one as likely: `greedy_listed` with
    equal weights. Rows are sorted by box. `chances` are a number in [0, 1) for each record. −1: none is free."""
    rows, left = np.arange(row_first[-1]), np.diff(row_first)
    links = np.full(keys.size, -1, np.int64)
    for i in range(keys.size):
        free = 0
        for place in range(ends[keys[i]], ends[keys[i] + 1]):
            free += left[boxes[place]]
        if free == 0:
            continue
        drawn = min(int(chances[i] * free), free - 1)
        for place in range(ends[keys[i]], ends[keys[i] + 1]):
            box = boxes[place]
            if drawn < left[box]:
                at, last = row_first[box] + drawn, row_first[box] + left[box] - 1
                links[i] = rows[at]
                rows[at] = rows[last]
                left[box] -= 1
                break
            drawn -= left[box]
    return links
