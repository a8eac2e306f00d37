"""A tree of points on an integer grid, to count those inside a box.

A node is cut at the middle of its points along the axis with most of them apart. Nodes stand in preorder with a skip
pointer: a node outside the box is passed over, one inside is counted as a whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

_LEAF = 8


class Tree(NamedTuple):
    """Points in tree order with the records before each, and nodes with their bounds in preorder."""

    points: NDArray[np.int32]
    before: NDArray[np.int64]
    floor: NDArray[np.int32]
    ceiling: NDArray[np.int32]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    skip: NDArray[np.int64]


@njit(cache=True, nogil=True)
def grow(points, sizes):  # type: ignore[no-untyped-def]
    """The tree of these points; each stands for so many records."""
    count, axes = points.shape
    order = np.arange(count)
    most = 2 * count + 1
    floor, ceiling = np.empty((most, axes), np.int32), np.empty((most, axes), np.int32)
    first, last = np.empty(most, np.int64), np.empty(most, np.int64)
    nodes, waiting = 0, [(0, count)]
    while waiting:
        start, stop = waiting.pop()
        axis = _bound(points, order[start:stop], floor[nodes], ceiling[nodes])
        first[nodes], last[nodes] = start, stop
        nodes += 1
        if stop - start > _LEAF:
            part = order[start:stop]
            ranked = part[np.argsort(points[part, axis])]
            order[start:stop] = ranked
            middle = (start + stop) // 2
            waiting.append((middle, stop))
            waiting.append((start, middle))
    before = np.zeros(count + 1, np.int64)
    for i in range(count):
        before[i + 1] = before[i] + sizes[order[i]]
    first, last = first[:nodes].copy(), last[:nodes].copy()
    return Tree(points[order], before, floor[:nodes].copy(), ceiling[:nodes].copy(), first, last, _skips(first, last))


@njit(cache=True, nogil=True)
def _bound(points, rows, floor, ceiling):  # type: ignore[no-untyped-def]
    """Write the smallest box around some points; the axis along which it is widest."""
    floor[:], ceiling[:] = points[rows[0]], points[rows[0]]
    for row in rows[1:]:
        for axis in range(floor.size):
            floor[axis] = min(floor[axis], points[row, axis])
            ceiling[axis] = max(ceiling[axis], points[row, axis])
    return np.argmax(ceiling - floor)


@njit(cache=True, nogil=True)
def _skips(first, last):  # type: ignore[no-untyped-def]
    """For each node the next one in preorder that is not below it."""
    skip = np.empty_like(first)
    for node in range(first.size - 1, -1, -1):
        after = node + 1
        while after < first.size and first[after] < last[node]:
            after = skip[after]
        skip[node] = after
    return skip


@njit(cache=True, nogil=True)
def counts(tree, low, high, budget):  # type: ignore[no-untyped-def]
    """The records inside each box, and the boxes whose count was cut short because it took more than the budget."""
    out, short = np.zeros(len(low), np.int64), 0
    for r in range(len(low)):
        node, work = 0, 0
        while node < tree.skip.size:
            work += 1
            if work > budget:
                short += 1
                break
            place = _place(tree.floor[node], tree.ceiling[node], low[r], high[r])
            if place == 1:
                out[r] += tree.before[tree.last[node]] - tree.before[tree.first[node]]
            elif place == 0 and tree.skip[node] == node + 1:
                for i in range(tree.first[node], tree.last[node]):
                    if _place(tree.points[i], tree.points[i], low[r], high[r]) == 1:
                        out[r] += tree.before[i + 1] - tree.before[i]
            node = tree.skip[node] if place != 0 else node + 1
    return out, short


@njit(cache=True, nogil=True)
def _place(floor, ceiling, low, high):  # type: ignore[no-untyped-def]
    """-1: apart from the box; 1: inside; 0: across its border."""
    inside = 1
    for axis in range(floor.size):
        if ceiling[axis] < low[axis] or floor[axis] > high[axis]:
            return -1
        if floor[axis] < low[axis] or ceiling[axis] > high[axis]:
            inside = 0
    return inside
