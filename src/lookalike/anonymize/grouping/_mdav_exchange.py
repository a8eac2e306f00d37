"""Kernel of the exchange after MDAV: records change groups, or places with others, where that lowers the loss."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def _moved(z, i, here, there, sizes, sums):  # type: ignore[no-untyped-def]
    """How the sum of squares changes if record i moves to another group."""
    a, b = sizes[here], sizes[there]
    away = near = 0.0
    for j in range(z.shape[1]):
        away += (z[i, j] - sums[here, j] / a) ** 2
        near += (z[i, j] - sums[there, j] / b) ** 2
    return b / (b + 1) * near - a / (a - 1) * away


@njit(cache=True, nogil=True)
def _swapped(z, i, other, here, there, sizes, sums):  # type: ignore[no-untyped-def]
    """How the sum of squares changes if two records of two groups change places."""
    mine = theirs = 0.0
    for j in range(z.shape[1]):
        gap = z[other, j] - z[i, j]
        mine += (2 * sums[here, j] + gap) * gap
        theirs += (gap - 2 * sums[there, j]) * gap
    return -mine / sizes[here] - theirs / sizes[there]


@njit(cache=True, nogil=True)
def _best(z, i, here, nearby, k, sizes, sums, members):  # type: ignore[no-untyped-def]
    """The best change for record i: what it changes, the other group, and the place there (-1: none is given back)."""
    best, group, place = -1e-12, -1, -1
    for there in nearby:
        if there == here:
            continue
        if sizes[here] > k and sizes[there] < members.shape[1]:
            found = _moved(z, i, here, there, sizes, sums)
            if found < best:
                best, group, place = found, there, -1
        for s in range(sizes[there]):
            found = _swapped(z, i, members[there, s], here, there, sizes, sums)
            if found < best:
                best, group, place = found, there, s
    return best, group, place


@njit(cache=True, nogil=True)
def exchange(z, labels, sizes, sums, members, nearby, k):  # type: ignore[no-untyped-def]
    """One pass over the records; `members[g]` are the records of group g, `nearby[i]` the groups looked at for i.

    Returns by how much the sum of squares fell.
    """
    fell = 0.0
    for i in range(labels.size):
        here = labels[i]
        best, there, place = _best(z, i, here, nearby[i], k, sizes, sums, members)
        if there < 0:
            continue
        fell -= best
        mine = 0
        while members[here, mine] != i:
            mine += 1
        if place < 0:
            sums[here] -= z[i]
            sums[there] += z[i]
            sizes[here] -= 1
            members[here, mine] = members[here, sizes[here]]
            members[there, sizes[there]] = i
            sizes[there] += 1
        else:
            other = members[there, place]
            sums[here] += z[other] - z[i]
            sums[there] += z[i] - z[other]
            members[here, mine], members[there, place] = other, i
            labels[other] = here
        labels[i] = there
    return fell
