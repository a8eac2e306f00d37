"""Kernel that counts the cells of a table. Loaded only when a large file is counted."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def count_cells(a, b, c, second, third, counts):  # type: ignore[no-untyped-def]
    """Add the records with codes a, b, c to their cells; `second` and `third` are the levels of b and c."""
    for i in range(a.size):
        counts[(np.int64(a[i]) * second + np.int64(b[i])) * third + np.int64(c[i])] += 1
