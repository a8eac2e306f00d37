"""A row for levels that have none: by the first axis of a correspondence analysis against all other columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.models.grouped import Codes
from lookalike.models.margin import Floats

_DENSE = 2_000


def level_order(
    own: NDArray[np.integer], levels: int, unseen: int, others: Codes, widths: list[int], skip: int = -1
) -> NDArray[np.int64]:
    """The codes of a column in a row: by the first axis of its levels against the codes of all other columns.

    Two levels stand close when the other columns are alike in both. Of a two-way table with shares P, row sums r and
    column sums c the axis is the first left singular vector of D_r^(−1/2) (P − r cᵀ) D_c^(−1/2), divided by √r
    (Greenacre 1984); the tables against all others stand side by side. A level nobody has comes last; without a tie to
    anything the codes keep their order.

    >>> own = np.array([0, 0, 1, 1, 2, 2])                           # level 1 is like none, 0 and 2 are alike
    >>> level_order(own, 3, -1, np.array([[0, 0, 3, 3, 1, 1], [0, 0, 2, 2, 0, 1]], np.uint8), [4, 3]).tolist()
    [0, 2, 1]
    """
    from lookalike.models._polychoric import stripe

    starts = np.concatenate([[0], np.cumsum(widths)])
    table = np.zeros((levels, starts[-1]), np.int32)
    stripe(own, unseen, others, skip, starts[:-1], table)
    seen = np.flatnonzero(table.any(axis=1))
    scores = np.full(levels, np.inf)
    if len(seen) > 1:
        weight = np.bincount(own[own != unseen], minlength=levels)[seen].astype(np.float64)
        axis = _first_axis(_standardized(table[seen], starts[:-1])) / np.sqrt(weight)
        # An axis has no direction of its own: it shall run with the codes.
        scores[seen] = axis if np.sum(weight * axis * (seen - seen.mean())) >= 0 else -axis
        if np.ptp(axis) * np.sqrt(weight.sum()) < 1e-9:
            scores[seen] = 0.0
    return np.argsort(scores, kind="stable")


def _standardized(table: NDArray[np.int32], starts: NDArray[np.int64]) -> Floats:
    """(P − r cᵀ)/√(r c) of each table, 0 where a row or column is empty; the tables begin at `starts`."""
    widths = np.diff(np.append(starts, table.shape[1]))
    rows, columns = np.add.reduceat(table, starts, axis=1, dtype=np.float64), table.sum(axis=0, dtype=np.float64)
    totals = np.maximum(rows.sum(axis=0), 1.0)
    expected = np.repeat(rows / totals**2, widths, axis=1) * columns
    share = table / np.repeat(totals, widths)
    return np.asarray((share - expected) / np.sqrt(np.where(expected > 0, expected, 1.0)), np.float64)


def _first_axis(matrix: Floats) -> Floats:
    """The first left singular vector times its value: from the smaller product, or by Lanczos' steps."""
    tall = len(matrix) > matrix.shape[1]
    if tall and matrix.shape[1] <= _DENSE:
        return np.asarray(matrix @ np.linalg.eigh(matrix.T @ matrix)[1][:, -1], np.float64)
    if not tall and len(matrix) <= _DENSE:
        values, vectors = np.linalg.eigh(matrix @ matrix.T)
        return np.asarray(vectors[:, -1] * np.sqrt(max(values[-1], 0.0)), np.float64)
    from scipy.sparse.linalg import svds

    u, s, _ = svds(matrix, k=1, v0=np.ones(min(matrix.shape)))
    return np.asarray(u[:, 0] * s[0], np.float64)
