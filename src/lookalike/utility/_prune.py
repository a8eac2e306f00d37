"""The kernel that prunes a tree by cost and complexity, in the order and with the ties of rpart."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def prune(child, risk, alpha):  # type: ignore[no-untyped-def]
    """Which nodes end the tree; `risk` is what each guesses wrong, `child` its left child, −1 at a leaf.

    The complexity of a node is the fall of the risk below it a split, counting only splits that outlast it; a node of
    complexity up to alpha loses its branches (Breiman et al. 1984, chapter 3). Children stand behind their parents.
    """
    nodes = child.size
    ends, below, splits, worth = child < 0, risk.copy(), np.zeros(nodes), np.full(nodes, alpha)
    for i in range(nodes - 1, -1, -1):
        if child[i] < 0:
            continue
        weak, strong = child[i], child[i] + 1
        if worth[strong] <= worth[weak]:
            weak, strong = strong, weak
        weak_risk, weak_splits = below[weak], splits[weak]
        strong_risk, strong_splits = below[strong], splits[strong]
        fall = (risk[i] - weak_risk - strong_risk) / (weak_splits + strong_splits + 1)
        if fall > worth[weak]:
            weak_risk, weak_splits = risk[weak], 0.0
            fall = (risk[i] - weak_risk - strong_risk) / (strong_splits + 1)
            if fall > worth[strong]:
                strong_risk, strong_splits = risk[strong], 0.0
        count = weak_splits + strong_splits + 1
        fall = (risk[i] - weak_risk - strong_risk) / count
        if fall <= alpha:
            ends[i] = True
        else:
            worth[i], below[i], splits[i] = fall, weak_risk + strong_risk, count
    return ends
