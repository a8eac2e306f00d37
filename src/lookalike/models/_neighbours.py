"""Kernels of a search for nearest neighbours among records of numbers and categories.

Squared distance of two points: Σ w_j (x_j − y_j)² over numbers plus w_j for each category that differs; numbers come
first. Numbers are not scaled beforehand, for equal gaps must stay equal to the last bit. The tree halves the points by
a value of one coordinate at a time (Bentley 1975). Beyond the plane of a split, a number is at least as far as the
plane, and a category surely differs, for its code lies in another range. So one tree serves both, which a tree over
indicator columns would not: it needs a column a level and knows half the distance at a split.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lookalike.models._drawing import _start, _uniform

LEAF = 12
"""Points that are not split further."""

_LOOK = 48
"""Points looked at to choose where to split."""

_SAFE = 1 - 1e-9
"""A bound is a sum in another order than the distance: rounding must not cut off a neighbour."""


@njit(cache=True, nogil=True)
def _spread(points, order, first, last, j, weight, nominal, look):  # type: ignore[no-untyped-def]
    """The mean squared distance of two points along a coordinate, by a few of them, which are left sorted in `look`."""
    step = max(1, (last - first) // _LOOK)
    m = 0
    for i in range(first, last, step):
        if m < look.size:
            look[m] = points[order[i], j]
            m += 1
    seen = look[:m]
    seen.sort()
    if seen[0] == seen[m - 1]:
        return 0.0, m
    if nominal:
        same, run = 0.0, 1
        for i in range(1, m + 1):
            if i < m and seen[i] == seen[i - 1]:
                run += 1
            else:
                same += run * run
                run = 1
        return weight * (1 - same / (m * m)), m
    mean = seen.mean()
    total = 0.0
    for i in range(m):
        total += (seen[i] - mean) ** 2
    return 2 * weight * total / m, m


@njit(cache=True, nogil=True)
def _cut(seen):  # type: ignore[no-untyped-def]
    """The middle of sorted values, or the next above it that has something below."""
    middle = seen.size // 2
    while seen[middle] == seen[0]:
        middle += 1
    return seen[middle]


@njit(cache=True, nogil=True)
def build(points, weights, numbers):  # type: ignore[no-untyped-def]
    """The tree: the order of the points, and of each node its range, coordinate (−1: a leaf), cut and children."""
    n, d = points.shape
    order, room = np.arange(n), 2 * n + 1
    ends, split, cut = np.empty((room, 2), np.int64), np.full(room, -1, np.int32), np.empty(room)
    child = np.empty(room, np.int64)
    look, best, depth = np.empty(_LOOK * 2), np.empty(_LOOK * 2), np.zeros(room, np.int32)
    ends[0, 0], ends[0, 1] = 0, n
    nodes, at, deepest = 1, 0, 0
    while at < nodes:
        first, last = ends[at]
        deepest = max(deepest, depth[at])
        if last - first > LEAF:
            widest, found = 0.0, 0
            for j in range(d):
                spread, m = _spread(points, order, first, last, j, weights[j], j >= numbers, look)
                if spread > widest:
                    widest, split[at], found = spread, j, m
                    best[:m] = look[:m]
            if widest > 0:
                cut[at] = _cut(best[:found])
                low, high = first, last - 1
                while low <= high:
                    if points[order[low], split[at]] < cut[at]:
                        low += 1
                    else:
                        order[low], order[high] = order[high], order[low]
                        high -= 1
                child[at] = nodes
                ends[nodes, 0], ends[nodes, 1], ends[nodes + 1, 0], ends[nodes + 1, 1] = first, low, low, last
                depth[nodes] = depth[nodes + 1] = depth[at] + 1
                nodes += 2
        at += 1
    return order, ends[:nodes].copy(), split[:nodes].copy(), cut[:nodes].copy(), child[:nodes].copy(), deepest


@njit(cache=True, nogil=True)
def _insert(distance, key, point, near, keys, found, count):  # type: ignore[no-untyped-def]
    """Put a candidate into its place among the nearest so far; equal distances in the order of random keys."""
    k = near.size
    at = min(count, k - 1)
    while at > 0 and (near[at - 1] > distance or (near[at - 1] == distance and keys[at - 1] > key)):
        near[at], keys[at], found[at] = near[at - 1], keys[at - 1], found[at - 1]
        at -= 1
    near[at], keys[at], found[at] = distance, key, point
    return min(count + 1, k)


@njit(cache=True, nogil=True)
def _offer(state, copies, distance, point, near, keys, found, count):  # type: ignore[no-untyped-def]
    """Offer the records of one point, each with a uniform key: the smallest of the keys in order, one by one."""
    k, left = near.size, 1.0
    for c in range(min(copies, k)):
        left *= _uniform(state) ** (1.0 / (copies - c))
        key = 1 - left
        if count == k and (distance > near[k - 1] or (distance == near[k - 1] and key >= keys[k - 1])):
            break
        count = _insert(distance, key, point, near, keys, found, count)
    return count


@njit(cache=True, nogil=True)
def _leaf(state, p, points, weights, numbers, sizes, first, last, near, keys, found, count):  # type: ignore[no-untyped-def]
    k, d = near.size, weights.size
    for i in range(first, last):
        worst = near[k - 1] if count == k else np.inf
        distance = 0.0
        for j in range(d):
            gap = points[i, j] - points[p, j]
            if gap != 0:
                distance += weights[j] if j >= numbers else weights[j] * (gap * gap)
                if distance > worst:
                    break
        copies = sizes[i] - 1 if i == p else sizes[i]
        if copies > 0 and distance <= worst and distance < np.inf:
            count = _offer(state, copies, distance, i, near, keys, found, count)
    return count


@njit(cache=True, nogil=True)
def _search(state, p, tree, most, near, keys, found, side, stack, where):  # type: ignore[no-untyped-def]
    """The nearest records of point p, itself left out; returns how many there are, and whether the search was cut.

    It is cut when `most` points were compared, the nearer sides of the splits first.
    """
    points, weights, numbers, sizes, ends, split, cut, child = tree
    k, count, bound, top, node, seen = near.size, 0, 0.0, 0, 0, 0
    side[:] = 0.0
    while True:
        while split[node] >= 0:
            j = split[node]
            right = points[p, j] >= cut[node]
            # The far side: as far as the plane, or another category.
            beyond = weights[j] if j >= numbers else weights[j] * (points[p, j] - cut[node]) ** 2
            beyond = max(beyond, side[j])
            lower = bound - side[j] + beyond
            if lower < np.inf:
                where[top, 0], where[top, 1] = child[node] + (0 if right else 1), j
                stack[top, 0], stack[top, 1] = beyond, lower
                top += 1
            node = child[node] + (1 if right else 0)
        count = _leaf(state, p, points, weights, numbers, sizes, ends[node, 0], ends[node, 1], near, keys, found, count)
        seen += ends[node, 1] - ends[node, 0]
        node = -1
        while top > 0 and node < 0:
            top -= 1
            node, j = where[top]
            if node < 0:
                # Back from a far side: what was known before holds again.
                side[j], bound = stack[top, 0], stack[top, 1]
            elif count == k and stack[top, 1] * _SAFE > near[k - 1]:
                node = -1
            else:
                beyond, lower = stack[top]
                where[top, 0], where[top, 1] = -1, j
                stack[top, 0], stack[top, 1] = side[j], bound
                top += 1
                side[j], bound = beyond, lower
        if node < 0:
            return count, False
        if seen >= most and count == k:
            return count, True


@njit(cache=True, nogil=True)
def _vote(state, j, points, found, count):  # type: ignore[no-untyped-def]
    """The most frequent code among the neighbours; of several, one at random."""
    most, ties, winner = 0, 0, 0.0
    for a in range(count):
        code, votes, first = points[found[a], j], 0, True
        for b in range(count):
            if points[found[b], j] == code:
                votes += 1
                first = first and b >= a
        if not first:
            continue
        if votes > most:
            most, ties, winner = votes, 1, code
        elif votes == most:
            ties += 1
            if _uniform(state) * ties < 1:
                winner = code
    return winner


@njit(cache=True, nogil=True)
def neighbours(seed, chunk, tree, depth, most, base, near, found):  # type: ignore[no-untyped-def]
    """For each point of `base` the squared distances and points of its nearest records, −1 where there are no more.

    Returns how many searches were cut.
    """
    k, d, all_cut = near.shape[1], tree[0].shape[1], 0
    state, keys, side = np.empty(4, np.uint64), np.empty(k), np.empty(d)
    stack, where = np.empty((2 * depth + 4, 2)), np.empty((2 * depth + 4, 2), np.int64)
    _start(seed, chunk, state)
    for i in range(base.size):
        count, cut = _search(state, base[i], tree, most, near[i], keys, found[i], side, stack, where)
        near[i, count:], found[i, count:] = np.inf, -1
        all_cut += cut
    return all_cut


@njit(cache=True, nogil=True)
def draw(seed, chunk, tree, depth, most, k, base, other, part, codes):  # type: ignore[no-untyped-def]
    """For each point of `base` a neighbour, how far towards it, and the codes its neighbours vote for."""
    points, numbers = tree[0], tree[2]
    d = points.shape[1]
    state, near, keys, found = np.empty(4, np.uint64), np.empty(k), np.empty(k), np.empty(k, np.int64)
    side, stack, where = np.empty(d), np.empty((2 * depth + 4, 2)), np.empty((2 * depth + 4, 2), np.int64)
    _start(seed, chunk, state)
    for i in range(base.size):
        count, _ = _search(state, base[i], tree, most, near, keys, found, side, stack, where)
        if count == 0:
            found[0], count = base[i], 1
        other[i] = found[int(_uniform(state) * count)]
        part[i] = _uniform(state)
        for j in range(numbers, d):
            codes[i, j - numbers] = _vote(state, j, points, found, count)
