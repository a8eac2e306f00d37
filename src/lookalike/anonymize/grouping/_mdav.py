"""Kernel of MDAV: groups around the records farthest out, found by looking at all records that are left.

Equal records are one point. `x[j, p]` is coordinate j of point p, `w[j]` its weight; the records of point p are
`rows[first[p] : first[p] + left[p]]`, ascending. Squared distances are Σ w (x − y)²: coordinates are not scaled before,
so that equal gaps stay equal to the last bit. Of equally near records the last of the file is taken first, of
equally far ones the first: so does sdcMicro, whose groups these are.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _squares(x, w, points, centre, found):  # type: ignore[no-untyped-def]
    """The squared distance of every point to a centre."""
    for p in range(points):
        found[p] = 0.0
    for j in range(w.size):
        at, weight, column = centre[j], w[j], x[j]
        for p in range(points):
            gap = column[p] - at
            found[p] += gap * gap * weight


@njit(cache=True, nogil=True)
def _farthest(squares, points, rows, first):  # type: ignore[no-untyped-def]
    """The point farthest away; of equals the one that comes first in the file."""
    best = 0
    for p in range(1, points):
        if squares[p] >= squares[best] and (squares[p] > squares[best] or rows[first[p]] < rows[first[best]]):
            best = p
    return best


@njit(cache=True, nogil=True)
def _nearest(squares, points, rows, first, left, k, near):  # type: ignore[no-untyped-def]
    """The points that hold the k nearest records, nearest first, of equals the one that comes last in the file.

    No more than k points are needed. Returns how many, in `near`.
    """
    found, limit = 0, np.inf
    for p in range(points):
        if squares[p] > limit:
            continue
        last = rows[first[p] + left[p] - 1]
        at = found
        while at > 0:
            other = near[at - 1]
            if squares[other] < squares[p]:
                break
            if squares[other] == squares[p] and rows[first[other] + left[other] - 1] > last:
                break
            if at < k:
                near[at] = other
            at -= 1
        if at == k:
            continue
        near[at] = p
        found = min(found + 1, k)
        held, i = 0, 0
        while i < found and held < k:
            held += left[near[i]]
            i += 1
        if held >= k:
            limit = squares[near[i - 1]]
            # Equals of the last one that is needed stay: their records may come later in the file.
            while i < found and squares[near[i]] == limit:
                i += 1
            found = i
    return found


@njit(cache=True, nogil=True)
def _take(near, squares, found, rows, first, left, k, group, labels):  # type: ignore[no-untyped-def]
    """Label the k nearest records: the last of the file first among those equally near; `squares` goes along `near`."""
    taken, i = 0, 0
    while taken < k:
        end = i
        while end < found and squares[end] == squares[i]:
            end += 1
        while taken < k:
            best = -1
            for a in range(i, end):
                p = near[a]
                if left[p] and (best < 0 or rows[first[p] + left[p] - 1] > rows[first[best] + left[best] - 1]):
                    best = p
            if best < 0:
                break
            left[best] -= 1
            labels[rows[first[best] + left[best]]] = group
            taken += 1
        i = end


@njit(cache=True, nogil=True)
def _ascending(near, found):  # type: ignore[no-untyped-def]
    """Sort a few points: a library's sort takes longer to compile than all the rest."""
    for i in range(1, found):
        p, at = near[i], i
        while at > 0 and near[at - 1] > p:
            near[at] = near[at - 1]
            at -= 1
        near[at] = p


@njit(cache=True, nogil=True)
def _add(x, near, found, left, sign, total):  # type: ignore[no-untyped-def]
    """Add the records of these points to a total, or take them off."""
    for i in range(found):
        for j in range(total.size):
            total[j] += sign * x[j, near[i]] * left[near[i]]


@njit(cache=True, nogil=True)
def _close_up(x, near, found, first, left, points):  # type: ignore[no-untyped-def]
    """Drop points without records: the last point takes the place of each. Returns how many points are left."""
    _ascending(near, found)
    for i in range(found - 1, -1, -1):
        p = near[i]
        if left[p] == 0:
            points -= 1
            for j in range(x.shape[0]):
                x[j, p] = x[j, points]
            first[p], left[p] = first[points], left[points]
    return points


@njit(cache=True, nogil=True)
def _go(x, p, centre):  # type: ignore[no-untyped-def]
    for j in range(centre.size):
        centre[j] = x[j, p]


@njit(cache=True, nogil=True)
def groups_by_looking(x, w, rows, first, left, k):  # type: ignore[no-untyped-def]
    """The group of every record. `x`, `first` and `left` are used up."""
    d, points = x.shape
    labels, squares = np.zeros(rows.size, np.int64), np.empty(points)
    near, centre, total = np.empty(k, np.int64), np.empty(d), np.empty(d)
    for j in range(d):
        total[j] = 0.0
        for p in range(points):
            total[j] += x[j, p] * left[p]
    alive, group = rows.size, 0
    while alive >= 2 * k:
        for j in range(d):
            centre[j] = total[j] / alive
        _squares(x, w, points, centre, squares)
        _go(x, _farthest(squares, points, rows, first), centre)
        for turn in range(2 if alive >= 3 * k else 1):
            _squares(x, w, points, centre, squares)
            if turn == 0:
                _go(x, _farthest(squares, points, rows, first), centre)
            found = _nearest(squares, points, rows, first, left, k, near)
            _add(x, near, found, left, -1, total)
            _take(near, squares[near[:found]], found, rows, first, left, k, group, labels)
            _add(x, near, found, left, 1, total)
            points = _close_up(x, near, found, first, left, points)
            group += 1
            alive -= k
    for p in range(points):
        for i in range(first[p], first[p] + left[p]):
            labels[rows[i]] = group
    return labels
