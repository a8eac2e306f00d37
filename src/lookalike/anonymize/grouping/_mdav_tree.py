"""Kernel of MDAV for many records: the same groups as `_mdav`, found in a tree of boxes.

When a point has lost its records, the last point of its leaf takes its place, and the boxes above are made tight again.

The record farthest from the mean is not sought in the tree: what is left is round, and every box at its rim would be
looked into. The mean moves little from group to group, so the points are kept in the order of their distance to an
earlier mean, which is off by no more than the mean has moved.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lookalike.anonymize.grouping._mdav import _ascending, _take
from lookalike.anonymize.grouping._mdav_boxes import LEAF, SAFE, _box, _build, _farthest, _nearest, _square


@njit(cache=True, nogil=True)
def _drop(x, tree, leaf_of, near, found, first, left, name, place):  # type: ignore[no-untyped-def]
    """Take points without records out of their leaves, and make the boxes above tight."""
    starts, ends, inner, box = tree
    _ascending(near, found)
    for i in range(found - 1, -1, -1):
        p = near[i]
        if left[p]:
            continue
        node = leaf_of[p]
        ends[node] -= 1
        last = ends[node]
        place[name[last]], place[name[p]] = p, -1
        for j in range(x.shape[1]):
            x[p, j] = x[last, j]
        first[p], left[p], name[p] = first[last], left[last], name[last]
        if p == last:
            place[name[p]] = -1
        _box(x, starts, ends, inner, box, node)
        while node:
            node = (node - 1) // 2
            _box(x, starts, ends, inner, box, node)


@njit(cache=True, nogil=True)
def _outward(x, w, place, mean, reach):  # type: ignore[no-untyped-def]
    """The points that are left, the farthest from the mean first; `reach` gets their distances."""
    gone = 0
    for name in range(place.size):
        # What is gone sorts last.
        reach[name] = 1.0 if place[name] < 0 else -np.sqrt(_square(x, w, place[name], mean))
        gone += place[name] < 0
    queue = np.argsort(reach)[: place.size - gone]
    for name in queue:
        reach[name] = -reach[name]
    return queue


@njit(cache=True, nogil=True)
def _outermost(x, w, queue, reach, moved, place, rows, first, mean):  # type: ignore[no-untyped-def]
    """The point farthest from the mean, of equals the one that comes first in the file; and how many were looked at."""
    best, square, looked = -1, -1.0, 0
    for name in queue:
        looked += 1
        if best >= 0 and (reach[name] + moved) * (reach[name] + moved) * (1 + SAFE) < square:
            break
        p = place[name]
        if p < 0:
            continue
        found = _square(x, w, p, mean)
        if found > square or (found == square and rows[first[p]] < rows[first[best]]):
            best, square = p, found
    return best, looked


@njit(cache=True, nogil=True)
def _add(x, near, found, left, sign, total):  # type: ignore[no-untyped-def]
    """Add the records of these points to a total, or take them off."""
    for i in range(found):
        for j in range(total.size):
            total[j] += sign * x[near[i], j] * left[near[i]]


@njit(cache=True, nogil=True)
def _go(x, p, centre):  # type: ignore[no-untyped-def]
    for j in range(centre.size):
        centre[j] = x[p, j]


@njit(cache=True, nogil=True)
def _planted(points, w):  # type: ignore[no-untyped-def]
    """The tree of all points: their order, the nodes, and the leaf of each point."""
    n, d = points.shape
    inner = 1
    while inner * LEAF < n:
        inner *= 2
    inner -= 1
    order = np.arange(n)
    starts, ends = _build(points, w, order, inner)
    x, leaf_of, box = points[order], np.empty(n, np.int64), np.empty((2 * inner + 1, 2, d))
    for node in range(2 * inner, -1, -1):
        _box(x, starts, ends, inner, box, node)
        if node >= inner:
            leaf_of[starts[node] : ends[node]] = node
    return order, x, (starts, ends, inner, box), leaf_of


@njit(cache=True, nogil=True)
def _mean(total, alive, mean):  # type: ignore[no-untyped-def]
    for j in range(total.size):
        mean[j] = total[j] / alive


@njit(cache=True, nogil=True)
def _apart(one, other, w):  # type: ignore[no-untyped-def]
    total = 0.0
    for j in range(w.size):
        total += (one[j] - other[j]) ** 2 * w[j]
    return np.sqrt(total)


@njit(cache=True, nogil=True)
def groups_by_tree(points, w, rows, first, left, k):  # type: ignore[no-untyped-def]
    """The group of every record; `points` a row a point, `first` and `left` as in `_mdav.groups_by_looking`."""
    n, d = points.shape
    order, x, tree, leaf_of = _planted(points, w)
    first, left = first[order], left[order]
    labels, near, squares = np.zeros(rows.size, np.int64), np.empty(k, np.int64), np.empty(k)
    stack, bounds, total = np.empty(130, np.int64), np.empty(130), np.zeros(d)
    name, place, reach = np.arange(n), np.arange(n), np.empty(n)
    _add(x, name, n, left, 1, total)
    alive, group = rows.size, 0
    earlier, mean, centre, opposite = np.empty(d), np.empty(d), np.empty(d), np.empty(d)
    _mean(total, alive, earlier)
    queue, looked = _outward(x, w, place, earlier, reach), 0
    while alive >= 2 * k:
        _mean(total, alive, mean)
        best, more = _outermost(x, w, queue, reach, _apart(mean, earlier, w), place, rows, first, mean)
        looked += more
        _go(x, best, centre)
        for turn in range(2 if alive >= 3 * k else 1):
            if turn == 0:
                _go(x, _farthest(x, w, tree, rows, first, centre, stack, bounds), opposite)
            else:
                centre, opposite = opposite, centre
            found = _nearest(x, w, tree, rows, first, left, k, centre, near, squares, stack, bounds)
            _add(x, near, found, left, -1, total)
            _take(near, squares, found, rows, first, left, k, group, labels)
            _add(x, near, found, left, 1, total)
            _drop(x, tree, leaf_of, near, found, first, left, name, place)
            group += 1
            alive -= k
        if looked > queue.size:
            _mean(total, alive, earlier)
            queue, looked = _outward(x, w, place, earlier, reach), 0
    for p in place:
        if p >= 0:
            for i in range(first[p], first[p] + left[p]):
                labels[rows[i]] = group
    return labels
