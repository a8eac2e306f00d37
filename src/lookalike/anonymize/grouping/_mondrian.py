"""Kernel of Mondrian: cut the widest variable of a part in the middle, again and again.

`rows[i, j]` is the place of a record's value on axis j, 0 for missing; `order[i]` its number in the file. Both are
moved together, so that a part is always a stretch, read from end to end. `at[first[j] + place]` is where the place
lies.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _swap(rows, order, i, j):  # type: ignore[no-untyped-def]
    for c in range(rows.shape[1]):
        rows[i, c], rows[j, c] = rows[j, c], rows[i, c]
    order[i], order[j] = order[j], order[i]


@njit(cache=True, nogil=True)
def _parted(rows, order, start, end, j, pivot):  # type: ignore[no-untyped-def]
    """Put what is below the pivot first, what is above it last; returns where the pivots begin and end."""
    low, at, high = start, start, end
    while at < high:
        value = rows[at, j]
        if value < pivot:
            if at != low:
                _swap(rows, order, at, low)
            low += 1
            at += 1
        elif value > pivot:
            high -= 1
            _swap(rows, order, at, high)
        else:
            at += 1
    return low, high


@njit(cache=True, nogil=True)
def _middle(a, b, c):  # type: ignore[no-untyped-def]
    return max(min(a, b), min(max(a, b), c))


@njit(cache=True, nogil=True)
def _select(rows, order, start, end, j, wanted):  # type: ignore[no-untyped-def]
    """Put the records so that none before `wanted` is above it, none behind it below.

    Returns where its equals begin and end.
    """
    low, high = start, end
    while True:
        pivot = _middle(rows[low, j], rows[(low + high) // 2, j], rows[high - 1, j])
        first, last = _parted(rows, order, low, high, j, pivot)
        if wanted < first:
            high = first
        elif wanted >= last:
            low = last
        else:
            return first, last


@njit(cache=True, nogil=True)
def _ends(rows, start, end, low, high):  # type: ignore[no-untyped-def]
    """The lowest and the highest place on each axis."""
    low[:] = rows[start]
    high[:] = rows[start]
    for i in range(start + 1, end):
        for c in range(low.size):
            low[c] = min(low[c], rows[i, c])
            high[c] = max(high[c], rows[i, c])


@njit(cache=True, nogil=True)
def _distinct(order, start, end, codes, seen, token, most):  # type: ignore[no-untyped-def]
    """The known values of a stretch, counted up to `most`."""
    found = 0
    for i in range(start, end):
        code = codes[order[i]]
        if code >= 0 and seen[code] != token:
            seen[code] = token
            found += 1
            if found >= most:
                break
    return found


@njit(cache=True, nogil=True)
def _distance(order, start, end, codes, whole, ordered, look):  # type: ignore[no-untyped-def]
    """How far the known values of a stretch are from the whole file's; 1 if none is known.

    `whole` are the cumulated shares of the file. Ordered values: Σ |P − Q| / (values − 1); others: ½ Σ |p − q|.
    """
    m = 0
    for i in range(start, end):
        if codes[order[i]] >= 0:
            look[m] = codes[order[i]]
            m += 1
    if m == 0:
        return 1.0
    seen = look[:m]
    seen.sort()
    total, at, i = 0.0, 0, 0
    while i < m:
        code, run = seen[i], i
        while run < m and seen[run] == code:
            run += 1
        if ordered:
            while at < code:
                total += abs(whole[at] - i / m)
                at += 1
        else:
            share = whole[code] - (whole[code - 1] if code else 0.0)
            total += max((run - i) / m - share, 0.0)
        i = run
    if not ordered:
        return total
    while at < whole.size:
        total += abs(1.0 - whole[at])
        at += 1
    return total / max(whole.size - 1, 1)


@njit(cache=True, nogil=True)
def _diverse(order, start, end, secrets, limits, seen, look):  # type: ignore[no-untyped-def]
    """Whether a stretch keeps ℓ and t on every sensitive variable."""
    codes, whole, begins, ordered = secrets
    most, far = limits
    for s in range(codes.shape[0]):
        # The last entry counts the looks, so that nothing need be wiped between two.
        seen[-1] += 1
        if most > 0 and _distinct(order, start, end, codes[s], seen, seen[-1], most) < most:
            return False
        if far < 1.0:
            shares = whole[begins[s] : begins[s + 1]]
            # Sums in another order differ in the last digits.
            if _distance(order, start, end, codes[s], shares, ordered[s], look) > far + 1e-12:
                return False
    return True


@njit(cache=True, nogil=True)
def _allowed(order, start, cut, end, k, secrets, limits, seen, look):  # type: ignore[no-untyped-def]
    """Whether both sides of a cut have k records and keep ℓ and t."""
    if cut - start < k or end - cut < k:
        return False
    first = _diverse(order, start, cut, secrets, limits, seen, look)
    return first and _diverse(order, cut, end, secrets, limits, seen, look)


@njit(cache=True, nogil=True)
def _cut(rows, order, start, end, j, k, between, secrets, limits, seen, look):  # type: ignore[no-untyped-def]
    """Where axis j may be cut: between two values near the middle, or at a multiple of k; -1: nowhere."""
    if not between:
        half = start + k * ((end - start) // k // 2)
        _select(rows, order, start, end, j, half)
        return half if _allowed(order, start, half, end, k, secrets, limits, seen, look) else -1
    half = start + (end - start) // 2
    near, far = _select(rows, order, start, end, j, half)
    if half - near > far - half:
        near, far = far, near
    if _allowed(order, start, near, end, k, secrets, limits, seen, look):
        return near
    return far if _allowed(order, start, far, end, k, secrets, limits, seen, look) else -1


@njit(cache=True, nogil=True)
def _widest(width, tried):  # type: ignore[no-untyped-def]
    """The widest axis not tried yet; -1: none has a width."""
    best = -1
    for j in range(width.size):
        if not tried[j] and width[j] > 0 and (best < 0 or width[j] > width[best]):
            best = j
    return best


@njit(cache=True, nogil=True)
def _parts(rows, order, start, end, ends, width, k, strict, secrets, limits, seen, look):  # type: ignore[no-untyped-def]
    """Where a part is cut; -1: nowhere. Equal values are parted only where no axis can be cut between two values.

    Missing values part from known ones first: together, they would take the known ones with them.
    """
    for j in range(width.size):
        if ends[0][j] == 0 and ends[1][j] > 0:
            cut = _parted(rows, order, start, end, j, 0)[1]
            if _allowed(order, start, cut, end, k, secrets, limits, seen, look):
                return cut
    tried = np.zeros(width.size, np.bool_)
    for between in range(1, -1 if not strict else 0, -1):
        tried[:] = False
        j = _widest(width, tried)
        while j >= 0:
            cut = _cut(rows, order, start, end, j, k, between == 1, secrets, limits, seen, look)
            if cut >= 0:
                return cut
            tried[j] = True
            j = _widest(width, tried)
    return -1


@njit(cache=True, nogil=True)
def partition(rows, order, at, first, k, strict, secrets, limits, values):  # type: ignore[no-untyped-def]
    """Cut until nothing may be cut; returns where the parts begin.

    `secrets` are the codes of the sensitive variables, their cumulated shares one after another, where each begins and
    which are ordered; `limits` the least ℓ (0: none) and the largest t (1: none); `values` the most that one has.
    """
    n, m = rows.shape
    low, high, width = np.empty(m, np.int32), np.empty(m, np.int32), np.empty(m)
    begins, ends, top = np.empty(n // k + 2, np.int64), np.empty(n // k + 2, np.int64), 1
    starts, found = np.empty(n // k + 1, np.int64), 0
    seen, look = np.zeros(values + 1, np.int64), np.empty(n if values else 0, np.int32)
    begins[0], ends[0] = 0, n
    while top:
        top -= 1
        start, end = begins[top], ends[top]
        cut = -1
        if end - start >= 2 * k:
            _ends(rows, start, end, low, high)
            for j in range(m):
                width[j] = at[first[j] + high[j]] - at[first[j] + low[j]]
            cut = _parts(rows, order, start, end, (low, high), width, k, strict, secrets, limits, seen, look)
        if cut < 0:
            starts[found] = start
            found += 1
        else:
            begins[top], ends[top] = cut, end
            begins[top + 1], ends[top + 1] = start, cut
            top += 2
    return starts[:found]
