"""Kernel of the alias method: pair each value that has too little with one that has too much."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def pair(scaled):  # type: ignore[no-untyped-def]
    """Vose (1991): from q·p_k the chance to stay and the value to go to else; each value is paired once."""
    q = scaled.size
    stay, other = np.ones(q), np.arange(q)
    small, large = np.empty(q, np.int64), np.empty(q, np.int64)
    below = above = 0
    for k in range(q):
        if scaled[k] < 1.0:
            small[below] = k
            below += 1
        else:
            large[above] = k
            above += 1
    while below > 0 and above > 0:
        below -= 1
        less, more = small[below], large[above - 1]
        stay[less], other[less] = scaled[less], more
        scaled[more] -= 1.0 - scaled[less]
        if scaled[more] < 1.0:
            above -= 1
            small[below] = more
            below += 1
    # What is left is 1 up to rounding: it stays.
    return stay, other
