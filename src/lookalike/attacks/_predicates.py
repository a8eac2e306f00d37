"""Kernel: for how many records predicates are true.

A predicate is a set of conditions, each "the cell of this column lies in [first, last]" or, negated, "it does not, and
is not missing". Cells are ranges of ranks, one row of `low` and `high` a column; a missing cell is −1."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _true(low, high, record, column, first, last, negated):  # type: ignore[no-untyped-def]
    for c in range(column.size):
        cell = low[column[c], record]
        inside = first[c] <= cell and high[column[c], record] <= last[c]
        if negated[c]:
            if inside or cell < 0:
                return False
        elif not inside:
            return False
    return True


@njit(cache=True, nogil=True)
def _fewest(lowest, column, first, last, negated):  # type: ignore[no-untyped-def]
    """The condition that the fewest records can meet: its column, and from where to where they stand; −1 if none."""
    best, begin, end = -1, 0, lowest.shape[1]
    for c in range(column.size):
        if not negated[c]:
            left = np.searchsorted(lowest[column[c]], first[c])
            right = np.searchsorted(lowest[column[c]], last[c], side="right")
            if best < 0 or right - left < end - begin:
                best, begin, end = column[c], left, max(left, right)
    return best, begin, end


@njit(cache=True, nogil=True)
def count(low, high, order, lowest, column, first, last, negated, most):  # type: ignore[no-untyped-def]
    """For how many records each predicate is true, no further than `most`, and two such records.

    `order` sorts the records by each column, `lowest` is `low` in that order: only the records that meet the
    predicate's rarest condition are looked at."""
    counts = np.zeros(column.shape[0], np.int64)
    which = np.full((column.shape[0], 2), -1, np.int64)
    for p in range(column.shape[0]):
        by, begin, end = _fewest(lowest, column[p], first[p], last[p], negated[p])
        for place in range(begin, end):
            record = place if by < 0 else order[by, place]
            if _true(low, high, record, column[p], first[p], last[p], negated[p]):
                if counts[p] < 2:
                    which[p, counts[p]] = record
                counts[p] += 1
                if counts[p] >= most:
                    break
    return counts, which
