"""How strongly two columns go together, one function a figure, for numbers, categories and both."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lookalike.errors import NotAssessable

Floats = NDArray[np.float64]
Codes = NDArray[np.integer]


def correlation(x: Floats, y: Floats) -> float | None:
    """Pearson's correlation of the records that have both numbers; None if one of them does not vary.

    >>> correlation(np.array([0.0, 0, 1, 1, np.nan]), np.array([0.0, 1, 0, 1, 5]))
    0.0
    """
    use = np.isfinite(x) & np.isfinite(y)
    x, y = (x, y) if use.all() else (x[use], y[use])
    if _constant(x) or _constant(y):
        return None
    x, y = _centred(x), _centred(y)
    return float(np.clip(x @ y / sqrt(float(x @ x) * float(y @ y)), -1, 1))


def correlation_ratio(codes: Codes, y: Floats) -> float | None:
    """η = √(variance between levels/variance) of a number by a category; None if one of them does not vary.

    >>> correlation_ratio(np.array([0, 0, 1, 1]), np.array([1.0, 1, 5, 5]))
    1.0
    """
    use = np.isfinite(y)
    codes, y = (codes, y) if use.all() else (codes[use], y[use])
    if _constant(y) or (codes == codes[0]).all():
        return None
    y = _centred(y)
    counts, sums = np.bincount(codes), np.bincount(codes, y)
    between = float((sums[counts > 0] ** 2 / counts[counts > 0]).sum())
    return sqrt(min(between / float(y @ y), 1.0))


def cramer(table: ArrayLike) -> float | None:
    """V = √(χ²/(n (min(rows, columns) − 1))) of a table of counts; None if one variable has one level.

    >>> cramer([[5, 0], [0, 5]]), cramer([[5, 5]]) is None
    (1.0, True)
    """
    return cramer_of_cells(*_cells(table))


def cramer_of_cells(rows: Codes, columns: Codes, counts: Floats) -> float | None:
    """The same from the cells that occur: χ² = n (Σ count²/(row total × column total) − 1)."""
    totals = np.bincount(rows, counts), np.bincount(columns, counts)
    least = min(int((part > 0).sum()) for part in totals) - 1
    if least < 1:
        return None
    some = counts > 0
    expected = totals[0][rows[some]] * totals[1][columns[some]]
    return sqrt(min(max(float((counts[some] ** 2 / expected).sum()) - 1, 0.0) / least, 1.0))


def information(table: ArrayLike) -> float:
    """Mutual information in bits, less its bias (K_xy − K_x − K_y + 1)/(2n), K the cells and levels that occur.

    The bias of the plain figure is that of Miller (1955): without the correction a small release would seem to hold
    more information than a large one.

    >>> information([[25, 25], [25, 25]]) == -1 / 200 / log(2)            # K: 4 − 2 − 2 + 1
    True
    """
    return information_of_cells(*_cells(table))


def information_of_cells(rows: Codes, columns: Codes, counts: Floats) -> float:
    """The same from the cells that occur."""
    n = float(counts.sum())
    if n == 0:
        raise NotAssessable("A table without records holds no information.")
    parts: list[Floats] = [counts, *(np.bincount(c, counts).astype(float) for c in (rows, columns))]
    entropy, levels = [_entropy(part) for part in parts], [int((part > 0).sum()) for part in parts]
    bias = (levels[0] - levels[1] - levels[2] + 1) / (2 * n)
    return (entropy[1] + entropy[2] - entropy[0] - bias) / log(2)


def _cells(table: ArrayLike) -> tuple[Codes, Codes, Floats]:
    counts = np.asarray(table, float)
    rows, columns = np.indices(counts.shape)
    return rows.ravel(), columns.ravel(), counts.ravel()


def _entropy(counts: Floats) -> float:
    """−Σ p log p, natural logarithm."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _constant(x: Floats) -> bool:
    return bool(len(x) == 0 or (x == x[0]).all())


def _centred(x: Floats) -> Floats:
    """Less the mean, and so small that no square is beyond the largest number."""
    x = x / float(np.abs(x).max())
    return np.asarray(x - x.mean())
