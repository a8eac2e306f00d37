"""Kernels: which rows of a release fit a target on columns of ranges.

A target and a row are boxes; they fit if they meet on every column. Rows lie in blocks of equal exact columns, inside
a block by the lower end of the first column; `reach` is the highest upper end of that column up to a row of the
block, so that a walk backwards from the last row that begins early enough may stop where nothing before reaches the
target."""

from __future__ import annotations

import numpy as np
from numba import njit

TIE = 1e-9
"""Sums of chances this close are equal."""


@njit(cache=True, nogil=True)
def reach(high, starts):  # type: ignore[no-untyped-def]
    """The highest upper end of the first column from the start of a block up to each row."""
    found = high[:, 0].copy()
    for block in range(starts.size - 1):
        for row in range(starts[block] + 1, starts[block + 1]):
            found[row] = max(found[row], found[row - 1])
    return found


@njit(cache=True, nogil=True)
def _last(low, first, end, top):  # type: ignore[no-untyped-def]
    """One after the last row of the block whose first column begins at or below `top`."""
    while first < end:
        middle = (first + end) // 2
        if low[middle, 0] <= top:
            first = middle + 1
        else:
            end = middle
    return first


@njit(cache=True, nogil=True)
def _meet(low, high, row, target_low, target_high):  # type: ignore[no-untyped-def]
    for j in range(target_low.size):  # noqa: SIM110 (numba has no all() over a generator)
        if low[row, j] > target_high[j] or high[row, j] < target_low[j]:
            return False
    return True


@njit(cache=True, nogil=True)
def count(low, high, reached, starts, blocks, target_low, target_high):  # type: ignore[no-untyped-def]
    """For each target, the rows of its block that it meets."""
    found = np.zeros(blocks.size, np.int64)
    for i in range(blocks.size):
        first = starts[blocks[i]]
        row = _last(low, first, starts[blocks[i] + 1], target_high[i, 0]) - 1
        while row >= first and reached[row] >= target_low[i, 0]:
            if _meet(low, high, row, target_low[i], target_high[i]):
                found[i] += 1
            row -= 1
    return found


@njit(cache=True, nogil=True)
def listed(low, high, reached, order, starts, blocks, target_low, target_high, ends):  # type: ignore[no-untyped-def]
    """The rows of its block that each target meets; those of target i lie from `ends[i]` to `ends[i + 1]`."""
    found = np.empty(ends[-1], np.int32)
    for i in range(blocks.size):
        first = starts[blocks[i]]
        row = _last(low, first, starts[blocks[i] + 1], target_high[i, 0]) - 1
        place = ends[i]
        while place < ends[i + 1]:
            if _meet(low, high, row, target_low[i], target_high[i]):
                found[place] = order[row]
                place += 1
            row -= 1
    return found


@njit(cache=True, nogil=True)
def vote(laid, blocks, target_low, target_high, people, owned):  # type: ignore[no-untyped-def]
    """Matching over several releases: the records that share the most votes, and whether the own record is among them.

    `laid` is a list of releases, each (low, high, reach, order, starts). A release gives 1/max(met, F) to each record
    whose row the target meets, F from `people` (0: the target is known to be in the file); what is left is the vote
    for "none of them"."""
    n = laid[0][3].size
    votes, touched, room = np.zeros(n), np.empty(n, np.int64), np.empty(n, np.int64)
    tied, hit = np.zeros(blocks.size, np.int64), np.zeros(blocks.size, np.bool_)
    for i in range(blocks.size):
        count, given = 0, 0.0
        for low, high, reached, order, starts in laid:
            met = _rows_met(low, high, reached, starts, blocks[i], target_low[i], target_high[i], room)
            if met == 0:
                continue
            weight = 1.0 / max(met, people[i])
            given += met * weight
            for r in range(met):
                record = order[room[r]]
                if votes[record] == 0.0:
                    touched[count] = record
                    count += 1
                votes[record] += weight
        none = len(laid) - given if people[i] > 0 else 0.0
        tied[i], hit[i] = _winners(votes, touched, count, i if owned else -1, none)
    return tied, hit


@njit(cache=True, nogil=True)
def _rows_met(low, high, reached, starts, block, target_low, target_high, room):  # type: ignore[no-untyped-def]
    """The rows of a block that one target meets, in `room`; how many."""
    met = 0
    first = starts[block]
    row = _last(low, first, starts[block + 1], target_high[0]) - 1
    while row >= first and reached[row] >= target_low[0]:
        if _meet(low, high, row, target_low, target_high):
            room[met] = row
            met += 1
        row -= 1
    return met


@njit(cache=True, nogil=True)
def _winners(votes, touched, count, own, none):  # type: ignore[no-untyped-def]
    """How many records (and "none") share the most votes, whether the own record is one of them; votes are cleared."""
    most = 0.0
    for r in range(count):
        most = max(most, votes[touched[r]])
    tied, hit = 0, False
    for r in range(count):
        if votes[touched[r]] >= most - TIE:
            tied += 1
            hit = hit or touched[r] == own
        votes[touched[r]] = 0.0
    if count == 0 or none > most + TIE:
        return 0, False
    return tied + (none >= most - TIE), hit
