"""The kernel of rank swapping: a partner for every rank, not far away."""

from __future__ import annotations

import numpy as np
from numba import njit

_TRIES = 32
"""Random places tried before all of the window is looked at: about half of it is free, except near the end."""


@njit(cache=True, nogil=True)
def partners(n, width, rng):  # type: ignore[no-untyped-def]
    """Each rank's partner, at most `width` away, itself if none is left; from the lowest on (Moore 1996)."""
    partner = np.arange(n)
    for i in range(n - 1):
        if partner[i] != i:
            continue
        room = min(width, n - 1 - i)
        found = -1
        for _ in range(_TRIES):
            j = i + 1 + int(rng.random() * room)
            if partner[j] == j:
                found = j
                break
        if found < 0:
            free = 0
            for j in range(i + 1, i + room + 1):
                if partner[j] == j:
                    free += 1
                    if rng.random() * free < 1.0:
                        found = j
        if found > 0:
            partner[i] = found
            partner[found] = i
    return partner
