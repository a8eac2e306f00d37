"""Kernels of local suppression where a missing cell matches all: each record against all others, column by column.

Rows are kinds of records: equal values, equal cells blank. `codes[c, j]` is the value of row j in column c, as it was
before any cell was blanked; w[j] counts its records. The first `m` columns may be blanked; `lacks[j]` has a bit for
each of these that is missing or blank in row j. The further columns only compare. `f[j]` counts the records that row
j matches, its own included.

For one row, the columns on which each other row agrees make a set, a number below 2^m. The records counted by this
number, and summed over all sets that hold a given one, are the lookalikes for every choice of columns to keep, at once.
`price` and `size` tell of each set of columns what it costs to blank them, and how many they are.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_APART = np.uint32(1 << 31)
"""A further column differs: the rows never match."""


@njit(cache=True, nogil=True)
def _agreement(codes, lacks, rows, m, row, found):  # type: ignore[no-untyped-def]
    """For each row, the columns on which it agrees with `row` or is blank."""
    for j in range(rows):
        found[j] = lacks[j]
    for c in range(codes.shape[0]):
        value, column = row[c], codes[c]
        if c < m:
            bit = np.uint32(1 << c)
            for j in range(rows):
                found[j] |= bit if column[j] == value else np.uint32(0)
        elif value >= 0:
            for j in range(rows):
                found[j] |= _APART if (column[j] != value) & (column[j] >= 0) else np.uint32(0)


@njit(cache=True, nogil=True)
def _over_supersets(counts, m):  # type: ignore[no-untyped-def]
    """For each set of columns, the sum over all sets that hold it."""
    for c in range(m):
        bit = 1 << c
        for s in range(counts.size):
            if not s & bit:
                counts[s] += counts[s | bit]


@njit(cache=True, nogil=True)
def _choose(alike, helped, own, k, price):  # type: ignore[no-untyped-def]
    """The columns to keep so that k lookalikes are left and the rest is cheapest; -1: there are none.

    Of equally cheap ones those with which most of the records in need are helped.
    """
    best = -1
    for s in range(alike.size):
        if s & ~own or alike[s] < k:
            continue
        if best >= 0 and price[own ^ s] > price[own ^ best]:
            continue
        if best < 0 or price[own ^ s] < price[own ^ best] or helped[s] > helped[best]:
            best = s
    return best


@njit(cache=True, nogil=True)
def _count(found, own, w, f, k, alike, helped):  # type: ignore[no-untyped-def]
    """By set of columns kept: the lookalikes, and those among them that have too few themselves."""
    alike[:] = 0
    helped[:] = 0
    for j in range(found.size):
        if found[j] < _APART:
            at = found[j] & own
            alike[at] += w[j]
            if f[j] < k:
                helped[at] += w[j]


@njit(cache=True, nogil=True)
def alone(codes, lacks, w, f, m, which, k, price):  # type: ignore[no-untyped-def]
    """For each of these rows, the columns to keep if no other row changes."""
    full, rows = (1 << m) - 1, codes.shape[1]
    found, row = np.empty(rows, np.uint32), np.empty(codes.shape[0], np.int32)
    alike, helped = np.empty(full + 1, np.int64), np.empty(full + 1, np.int64)
    keep = np.empty(which.size, np.int64)
    for x in range(which.size):
        row[:] = codes[:, which[x]]
        own = full & ~np.int64(lacks[which[x]])
        _agreement(codes, lacks, rows, m, row, found)
        _count(found, own, w, f, k, alike, helped)
        _over_supersets(alike, m)
        _over_supersets(helped, m)
        keep[x] = _choose(alike, helped, own, k, price)
    return keep


@njit(cache=True, nogil=True)
def blank(codes, lacks, w, f, kind, rows, m, which, k, price, size, cells):  # type: ignore[no-untyped-def]
    """Go through these rows; blank cells of a record while its row has too few lookalikes, one record at a time.

    A record that is blanked becomes a row of its own at the end, `kind` says from which row it came. Returns how many
    rows there are then, and how many of the allowed `cells` are left; they are never exceeded (`size`: cells in a set).
    """
    full, room = (1 << m) - 1, codes.shape[1]
    found, row = np.empty(room, np.uint32), np.empty(codes.shape[0], np.int32)
    alike, helped = np.empty(full + 1, np.int64), np.empty(full + 1, np.int64)
    for i in which:
        while f[i] < k and w[i] > 0:
            row[:] = codes[:, i]
            own = full & ~np.int64(lacks[i])
            _agreement(codes, lacks, rows, m, row, found)
            _count(found[:rows], own, w, f, k, alike, helped)
            _over_supersets(alike, m)
            _over_supersets(helped, m)
            keep = _choose(alike, helped, own, k, price)
            if keep < 0 or size[own ^ keep] > cells:
                break
            cells -= size[own ^ keep]
            for j in range(rows):
                if found[j] < _APART and found[j] & keep == keep and found[j] & own != own:
                    f[j] += 1
            w[i] -= 1
            codes[:, rows] = row
            lacks[rows] = full & ~keep
            w[rows], f[rows], kind[rows] = 1, alike[keep], i
            rows += 1
    return rows, cells


@njit(cache=True, nogil=True)
def restore(codes, lacks, w, f, kind, rows, m, which, k, price, size):  # type: ignore[no-untyped-def]
    """Go through blanked records; give each the cheapest set of blanks with which it and all others still have enough.

    A row with exactly k lookalikes that the record is one of must stay matched: the columns kept must be among those on
    which the two agree. Returns the cells that came back.
    """
    full = (1 << m) - 1
    found, row = np.empty(codes.shape[1], np.uint32), np.empty(codes.shape[0], np.int32)
    alike, back = np.empty(full + 1, np.int64), 0
    for i in which:
        own, base = full & ~np.int64(lacks[i]), full & ~np.int64(lacks[kind[i]])
        if own == base:
            continue
        row[:] = codes[:, i]
        _agreement(codes, lacks, rows, m, row, found)
        found[i] = full
        alike[:] = 0
        allowed = base
        for j in range(rows):
            if w[j] and found[j] < _APART:
                alike[found[j] & base] += w[j]
                if f[j] <= k and j != i and found[j] & own == own:
                    allowed &= found[j]
        _over_supersets(alike, m)
        keep = own
        for s in range(full + 1):
            if not s & ~allowed and alike[s] >= k and price[base ^ s] < price[base ^ keep]:
                keep = s
        if keep == own:
            continue
        for j in range(rows):
            if j != i and found[j] < _APART:
                f[j] += int(found[j] & keep == keep) - int(found[j] & own == own)
        f[i], lacks[i] = alike[keep], full & ~keep
        back += size[base ^ own] - size[base ^ keep]
    return back
