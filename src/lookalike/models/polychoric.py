"""Correlations of the normal variables behind mixed columns, by likelihood: polychoric, and of normal scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.models.correlation import Matrix
from lookalike.models.cut_normal import thresholds
from lookalike.models.grouped import FINE, Distinct, group_numbers
from lookalike.models.grouped_table import GroupedTable
from lookalike.models.margin import Floats, cumulated
from lookalike.models.mixed import Numbers
from lookalike.models.normals import each

_BLOCK = 2**16
_FAR = 9.0


def likelihood_correlations(grouped: GroupedTable, *, threads: int | None = None) -> Matrix:
    """ρ of every pair of columns, each from the records that have both.

    Two numbers with few ties: the correlation of their normal scores, efficient for a Gaussian copula (Klaassen and
    Wellner 1997). Any other pair: the ρ that maximises Σ n_ij ln p_ij(ρ) + ln(1 − ρ²) over the two-way table of their
    groups, p_ij exact cells of the bivariate normal (Olsson 1979, the two-step estimator). The prior 1 − ρ² weighs like
    two records; it keeps pairs that tell nothing away from ±1.

    >>> from lookalike.models.mixed import Categories, Mixed
    >>> x = np.repeat([0, 0, 1, 1], [4000, 1000, 1000, 4000]).astype(np.int32)
    >>> y = np.repeat([0, 1, 0, 1], [4000, 1000, 1000, 4000]).astype(np.int32)
    >>> pair = GroupedTable.of(Mixed((Categories(x, 2), Categories(y, 2))))
    >>> round(float(likelihood_correlations(pair)[0, 1]), 3), round(float(np.sin(np.pi / 2 * 0.6)), 3)
    (0.809, 0.809)
    """
    from lookalike.models._normal import MOST

    q = len(grouped.shares)
    found = np.eye(q)
    fine = np.array([j for j, values in grouped.distinct.items() if values.fine], np.int64)
    fine.sort()
    found[np.ix_(fine, fine)] = np.clip(_score_correlations(grouped, fine, threads), -MOST, MOST)
    np.fill_diagonal(found, 1.0)
    left, right = np.triu_indices(q, 1)
    cut = ~(np.isin(left, fine) & np.isin(right, fine))
    left, right = left[cut], right[cut]
    rho = table_correlations(grouped, left, right, threads=threads)
    found[left, right] = found[right, left] = rho
    return found


def table_correlations(
    grouped: GroupedTable, left: NDArray[np.int64], right: NDArray[np.int64], *, threads: int | None = None
) -> Floats:
    """ρ of pairs of columns by their two-way tables."""
    from lookalike.models._polychoric import fit_pairs

    levels = np.array([len(shares) for shares in grouped.shares])
    starts = np.concatenate([[0], np.cumsum(levels)])[:-1]
    cuts = np.concatenate([np.append(np.clip(thresholds(s), -_FAR, _FAR), 0.0) for s in grouped.shares])
    sums = np.concatenate([cumulated(shares) for shares in grouped.shares])
    found = np.empty(len(left))
    size = max(1, min(256, len(left) // 16))

    def work(first: int) -> None:
        part = slice(first, first + size)
        fit_pairs(grouped.codes, levels, cuts, sums, starts, left[part], right[part], found[part])

    each(work, range(0, len(left), size), threads)
    return found


def _score_correlations(grouped: GroupedTable, columns: NDArray[np.int64], threads: int | None) -> Matrix:
    """Pearson's correlation of normal scores over the records known in both columns, block by block."""
    n, f = grouped.table.records, len(columns)
    scores = np.empty((f, n), np.float32)

    def score(k: int) -> None:
        column = grouped.table.columns[columns[k]]
        assert isinstance(column, Numbers)
        scores[k] = normal_scores(column, grouped.distinct[int(columns[k])])

    each(score, range(f), threads)
    sums = np.zeros((4, f, f))
    for first in range(0, n, _BLOCK):
        z = scores[:, first : first + _BLOCK].astype(np.float64)
        known = (~np.isnan(z)).astype(np.float64)
        z = np.nan_to_num(z, nan=0.0)
        sums += np.stack([z @ z.T, z @ known.T, z**2 @ known.T, known @ known.T])
    both, one, squares, count = sums
    count = np.maximum(count, 1)
    covariance = both - one * one.T / count
    variance = squares - one**2 / count
    scale = np.sqrt(np.maximum(variance * variance.T, 1e-30))
    return np.asarray(covariance / scale, np.float64)


def normal_scores(column: Numbers, distinct: Distinct) -> Floats:
    """E[z | group] of each record, with up to 1,024 groups of equal share: (φ(a) − φ(b))/(Φ(b) − Φ(a)) between a and b.

    >>> column = Numbers(np.array([5.0, 9.0, np.nan]))
    >>> normal_scores(column, Distinct.of(column)).round(3).tolist()       # ± √(2/π)
    [-0.798, 0.798, nan]
    """
    groups = group_numbers(column, distinct, FINE, unseen=-1)
    cuts = thresholds(groups.shares)
    density = np.concatenate([[0.0], np.exp(-(cuts**2) / 2) / np.sqrt(2 * np.pi), [0.0]])
    means = -np.diff(density) / groups.shares
    # The code −1 of an unknown cell finds the last.
    return np.asarray(np.append(means, np.nan)[groups.codes], np.float64)
