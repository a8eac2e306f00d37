"""What the sizes of classes alone say of the sample-to-population match rate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def least_match_rate(sizes: NDArray[np.int64], population: int) -> float:
    """The least B = (1/n) Σ s_c/F_c of any population of N people that holds the sample.

    With F_c ≥ s_c and Σ F_c ≤ N it is reached at F_c = max(s_c, λ√s_c), Σ F_c = N (Lagrange).

    >>> round(least_match_rate(np.array([2, 1]), 4), 3)
    0.486
    """
    size, count = np.unique(sizes, return_counts=True)
    root = np.sqrt(size)
    # The classes with √s ≤ λ share what the larger ones leave of N; λ follows for each such set.
    left = population - (count * size).sum() + np.cumsum(count * size)
    scale = left / np.cumsum(count * root)
    first = int(np.argmax(scale <= np.append(root[1:], np.inf)))
    people = np.maximum(size, scale[first] * root)
    return float((count * size / people).sum() / (count * size).sum())
