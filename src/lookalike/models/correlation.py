"""Correlation matrices: the nearest one, and those that the partial correlations of a D-vine make."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

LEAST = 1e-6
"""The smallest eigenvalue a repaired matrix keeps, so that it can be drawn from."""

_ROUNDING = 1e-10


def nearest_correlation(matrix: Matrix, *, steps: int = 200, tolerance: float = 1e-9) -> Matrix:
    """The nearest correlation matrix in the Frobenius norm, by projections in turn (Higham 2002, algorithm 3.3).

    Eigenvalues are kept above 1e-6. A matrix that is a correlation matrix already is returned as it is.

    >>> nearest_correlation(np.array([[1, 0.9, 0.1], [0.9, 1, 0.9], [0.1, 0.9, 1]])).round(3)
    array([[1.   , 0.77 , 0.185],
           [0.77 , 1.   , 0.77 ],
           [0.185, 0.77 , 1.   ]])
    """
    if np.linalg.eigvalsh(matrix)[0] >= LEAST:
        return matrix.copy()
    y, correction = matrix.copy(), np.zeros_like(matrix)
    for _ in range(steps):
        moved = y - correction
        x = _positive(moved)
        correction = x - moved
        after = x.copy()
        np.fill_diagonal(after, 1.0)
        change = float(np.abs(after - y).max())
        y = after
        if change < tolerance:
            break
    # The last step set the diagonal; once more positive, then scaled to a diagonal of ones.
    return _scaled(_positive(y))


def vine_correlation(partial: Matrix) -> Matrix:
    """The correlation matrix of a D-vine with partial correlation ρ of i and j given all between at [i, j], i < j.

    Tree by tree: r_ij = r_iB R_B⁻¹ r_Bj + ρ √((1 − r_iB R_B⁻¹ r_Bi)(1 − r_jB R_B⁻¹ r_Bj)), where B are the variables
    between. Any ρ inside (−1, 1) give a positive definite matrix (Bedford and Cooke 2002).

    >>> vine_correlation(np.array([[1, 0.5, 0.0], [0, 1, 0.5], [0, 0, 1]]))[0, 2]
    np.float64(0.25)
    """
    q = len(partial)
    found = np.eye(q)
    for distance in range(1, q):
        for i in range(q - distance):
            j = i + distance
            between = slice(i + 1, j)
            ends = found[between][:, [i, j]]
            explained = ends.T @ np.linalg.solve(found[between, between], ends) if distance > 1 else np.zeros((2, 2))
            rest = np.sqrt(np.clip((1 - explained[0, 0]) * (1 - explained[1, 1]), 0, None))
            found[i, j] = found[j, i] = explained[0, 1] + partial[i, j] * rest
    return found


def proper_partials(partial: Matrix) -> Matrix:
    """The partial correlations, all shrunk in steps of 5 % until their matrix is positive definite in floating point.

    On paper every choice is; many near ±1 together leave a variable less freedom than rounding takes away.

    >>> given = np.array([[1, 0.5, 0.2], [0, 1, 0.5], [0, 0, 1]])
    >>> bool((proper_partials(given) == given).all())
    True
    """
    found = partial
    while not _drawable(found):
        found = 0.95 * found
        np.fill_diagonal(found, 1.0)
    return found


def partial_correlation(matrix: Matrix, i: int, j: int) -> float:
    """The correlation of i and j given all others of the matrix; 0 if the others leave nothing of one of them.

    >>> round(partial_correlation(np.array([[1, 0.5, 0.25], [0.5, 1, 0.5], [0.25, 0.5, 1]]), 0, 2), 12)
    0.0
    """
    others = [k for k in range(len(matrix)) if k not in (i, j)]
    ends = matrix[np.ix_(others, [i, j])]
    inner = matrix[np.ix_([i, j], [i, j])] - ends.T @ np.linalg.pinv(matrix[np.ix_(others, others)]) @ ends
    scale = inner[0, 0] * inner[1, 1]
    return float(inner[0, 1] / np.sqrt(scale)) if min(inner[0, 0], inner[1, 1]) > 1e-9 else 0.0


def _drawable(partial: Matrix) -> bool:
    try:
        matrix = vine_correlation(partial)
    except np.linalg.LinAlgError:
        return False
    inside = bool(np.isfinite(matrix).all()) and float(np.abs(matrix).max()) <= 1
    return inside and float(np.linalg.eigvalsh(matrix)[0]) > _ROUNDING


def _positive(matrix: Matrix) -> Matrix:
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, LEAST)) @ vectors.T, np.float64)


def _scaled(matrix: Matrix) -> Matrix:
    root = np.sqrt(np.diag(matrix))
    scaled = matrix / np.outer(root, root)
    np.fill_diagonal(scaled, 1.0)
    return np.asarray((scaled + scaled.T) / 2, np.float64)
