"""Kernels of a tree of boxes that shrinks as its points go: the nearest points that hold k records, and the farthest.

The points are halved by the middle of their widest coordinate until few are left (Bentley 1975). Node i has the
children 2i + 1 and 2i + 2; all leaves are equally deep. A node knows the box of its points that still have records. A
search looks into the likelier child first, and leaves out a box that cannot hold a better point. Points, weights and
records are as in `_mdav`, but a point is a row of `x`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LEAF = 12
"""Points of a leaf, about."""

SAFE = 1e-9
"""A bound is a sum in another order than the distance: rounding must not cut off an equal."""


@njit(cache=True, nogil=True)
def _put(x, order, low, high, wanted, j):  # type: ignore[no-untyped-def]
    """Put the points so that none before `wanted` is above it on coordinate j, and none behind it below."""
    while high - low > 1:
        pivot = x[order[(low + high) // 2], j]
        left, right = low, high - 1
        while left <= right:
            while x[order[left], j] < pivot:
                left += 1
            while x[order[right], j] > pivot:
                right -= 1
            if left <= right:
                order[left], order[right] = order[right], order[left]
                left += 1
                right -= 1
        if wanted <= right:
            high = right + 1
        elif wanted >= left:
            low = left
        else:
            return


@njit(cache=True, nogil=True)
def _widest(x, w, order, start, end):  # type: ignore[no-untyped-def]
    best, width = 0, -1.0
    for j in range(w.size):
        low = high = x[order[start], j]
        for i in range(start + 1, end):
            low, high = min(low, x[order[i], j]), max(high, x[order[i], j])
        if (high - low) * (high - low) * w[j] > width:
            best, width = j, (high - low) * (high - low) * w[j]
    return best


@njit(cache=True, nogil=True)
def _build(x, w, order, inner):  # type: ignore[no-untyped-def]
    """Halve the points down to the leaves; where each node begins and ends in their order."""
    starts, ends = np.empty(2 * inner + 1, np.int64), np.empty(2 * inner + 1, np.int64)
    starts[0], ends[0] = 0, order.size
    for node in range(inner):
        start, end = starts[node], ends[node]
        half = (start + end) // 2
        _put(x, order, start, end, half, _widest(x, w, order, start, end))
        starts[2 * node + 1], ends[2 * node + 1] = start, half
        starts[2 * node + 2], ends[2 * node + 2] = half, end
    return starts, ends


@njit(cache=True, nogil=True)
def _box(x, starts, ends, inner, box, node):  # type: ignore[no-untyped-def]
    """The box of a node: of the points of a leaf, or of the boxes of both children. An empty one is inside out."""
    for j in range(x.shape[1]):
        low, high = np.inf, -np.inf
        if node < inner:
            for child in (2 * node + 1, 2 * node + 2):
                low, high = min(low, box[child, 0, j]), max(high, box[child, 1, j])
        else:
            for p in range(starts[node], ends[node]):
                low, high = min(low, x[p, j]), max(high, x[p, j])
        box[node, 0, j], box[node, 1, j] = low, high


@njit(cache=True, nogil=True)
def _square(x, w, p, centre):  # type: ignore[no-untyped-def]
    total = 0.0
    for j in range(w.size):
        gap = x[p, j] - centre[j]
        total += gap * gap * w[j]
    return total


@njit(cache=True, nogil=True)
def _least(box, w, centre):  # type: ignore[no-untyped-def]
    """The square of the distance to the nearest place of a box."""
    total = 0.0
    for j in range(w.size):
        gap = max(box[0, j] - centre[j], centre[j] - box[1, j], 0.0)
        total += gap * gap * w[j]
    return total


@njit(cache=True, nogil=True)
def _most(box, w, centre):  # type: ignore[no-untyped-def]
    """The square of the distance to the farthest place of a box; -1 if it is empty."""
    total = 0.0
    for j in range(w.size):
        if box[0, j] > box[1, j]:
            return -1.0
        gap = max(centre[j] - box[0, j], box[1, j] - centre[j])
        total += gap * gap * w[j]
    return total


@njit(cache=True, nogil=True)
def _farthest(x, w, tree, rows, first, centre, stack, bounds):  # type: ignore[no-untyped-def]
    """The point farthest away; of equals the one that comes first in the file."""
    starts, ends, inner, box = tree
    best, square, top = -1, -1.0, 1
    stack[0], bounds[0] = 0, np.inf
    while top:
        top -= 1
        node = stack[top]
        if bounds[top] * (1 + SAFE) < square or bounds[top] < 0:
            continue
        if node >= inner:
            for p in range(starts[node], ends[node]):
                found = _square(x, w, p, centre)
                if found > square or (found == square and rows[first[p]] < rows[first[best]]):
                    best, square = p, found
            continue
        one, other = 2 * node + 1, 2 * node + 2
        far, near = _most(box[one], w, centre), _most(box[other], w, centre)
        if far < near:
            one, other, far, near = other, one, near, far
        stack[top], bounds[top], stack[top + 1], bounds[top + 1] = other, near, one, far
        top += 2
    return best


@njit(cache=True, nogil=True)
def _insert(p, square, last, rows, first, left, k, near, squares, found):  # type: ignore[no-untyped-def]
    """Put a point into its place among the nearest (see `_mdav._nearest`); returns their number and the limit."""
    at = found
    while at > 0:
        other = near[at - 1]
        if squares[at - 1] < square:
            break
        if squares[at - 1] == square and rows[first[other] + left[other] - 1] > last:
            break
        if at < k:
            near[at], squares[at] = other, squares[at - 1]
        at -= 1
    if at < k:
        near[at], squares[at] = p, square
        found = min(found + 1, k)
    held, i = 0, 0
    while i < found and held < k:
        held += left[near[i]]
        i += 1
    if held < k:
        return found, np.inf
    limit = squares[i - 1]
    while i < found and squares[i] == limit:
        i += 1
    return i, limit


@njit(cache=True, nogil=True)
def _nearest(x, w, tree, rows, first, left, k, centre, near, squares, stack, bounds):  # type: ignore[no-untyped-def]
    """The points that hold the k nearest records, as `_mdav._nearest` has them."""
    starts, ends, inner, box = tree
    found, limit, top = 0, np.inf, 1
    stack[0], bounds[0] = 0, 0.0
    while top:
        top -= 1
        node = stack[top]
        if bounds[top] * (1 - SAFE) > limit:
            continue
        if node >= inner:
            for p in range(starts[node], ends[node]):
                square = _square(x, w, p, centre)
                if square <= limit:
                    last = rows[first[p] + left[p] - 1]
                    found, limit = _insert(p, square, last, rows, first, left, k, near, squares, found)
            continue
        one, other = 2 * node + 1, 2 * node + 2
        close, far = _least(box[one], w, centre), _least(box[other], w, centre)
        if far < close:
            one, other, close, far = other, one, far, close
        stack[top], bounds[top], stack[top + 1], bounds[top + 1] = other, far, one, close
        top += 2
    return found
