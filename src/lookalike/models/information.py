"""Correlations that reproduce the (conditional) mutual information of a table, without noise.

The fits of Jiang et al. 2022 (appendix B) look for the ρ at which n simulated pairs, cut into the observed levels,
have the same empirical mutual information as the data. Here the simulated value is replaced by its expectation, which
has a closed form: with X the count of a cell among m records, X ~ Binomial(m, p), and

    E[Î_m(ρ)] = (1/m) (Σ_ij h(p_ij) − Σ_i h(p_i) − Σ_j h(p_j) + m ln m),    h(p) = E[X ln X]

Given other variables, Î is the mean over their classes s of the Î of m_s records. h is then a mean over the m_s, still
one function of p. The bias of empirical information is so matched, not corrected.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lookalike.models.counts import Counts
from lookalike.models.cut_normal import thresholds

WIDEST = 2048
"""Levels of one variable beyond which neighbours are merged, for the fit of correlations only."""

_NO_SIGN = -1e-9
"""What is above counts as positive: rounding must not choose the sign."""

T = TypeVar("T")
R = TypeVar("R")

_START, _STEP, _POINTS = -32.5, 0.0625, 523


@dataclass(frozen=True)
class Table:
    """A table ready for fits: many levels merged, and the records behind each row."""

    counts: Counts
    records: NDArray[np.float64]

    @classmethod
    def of(cls, counts: Counts, records: NDArray[np.integer] | NDArray[np.floating] | None = None) -> Table:
        """`records` are the records of each row, if the counts are weights."""
        records = counts.counts if records is None else np.asarray(records, np.float64)
        kept = counts.counts > 0
        if not kept.all():
            counts, records = Counts.of(counts.codes[kept], counts.counts[kept]), records[kept]
        columns, levels = counts.codes, counts.levels
        if max(levels, default=1) > WIDEST:
            merged = [_merged(counts, j) for j in range(counts.variables)]
            columns = np.column_stack([codes for codes, _ in merged])
            levels = tuple(found for _, found in merged)
        # One variable after another in memory: fits read whole columns.
        return cls(replace(counts, codes=np.asfortranarray(columns), levels=levels), np.asarray(records, np.float64))

    @cached_property
    def shares(self) -> list[NDArray[np.float64]]:
        """The share of every level of every variable."""
        return [self.counts.margin(j) / self.counts.total for j in range(self.counts.variables)]

    @cached_property
    def rank_correlation(self) -> NDArray[np.float64]:
        """Spearman's correlation with mid-ranks; 0 for a constant."""
        scores = np.empty(self.counts.codes.shape)
        for j, share in enumerate(self.shares):
            middle = np.cumsum(share) - share / 2 - 0.5
            deviation = np.sqrt(share @ middle**2)
            scores[:, j] = (middle / deviation if len(share) > 1 else middle)[self.counts.codes[:, j]]
        scores *= np.sqrt(self.counts.counts / self.counts.total)[:, None]
        found = scores.T @ scores
        np.fill_diagonal(found, 1.0)
        return np.asarray(found, np.float64)


@dataclass(frozen=True, slots=True)
class Groups:
    """The rows in groups of equal codes on some variables."""

    index: NDArray[np.int32]
    weights: NDArray[np.float64]
    records: NDArray[np.float64]
    total: float
    """Σ w ln w over the groups' weights."""

    @classmethod
    def all_in_one(cls, table: Table) -> Groups:
        """No variable: one group."""
        index, w = np.zeros(len(table.records), np.int32), table.counts.total
        return cls(index, np.array([w]), np.array([table.records.sum()]), w * log(w))

    def split(self, table: Table, j: int) -> Groups:
        """The groups split by one variable more."""
        from lookalike.models._grouping import refine

        counts = table.counts
        return Groups(*refine(self.index, counts.codes[:, j], counts.levels[j], counts.counts, table.records))


@dataclass(frozen=True, slots=True)
class Expectation:
    """The function h of p (see above), averaged over groups of given sizes, per record."""

    curve: NDArray[np.float64]
    constant: float

    @classmethod
    def of(cls, groups: Groups) -> Expectation:
        """With the sizes of these groups; large sizes are rounded to 2 %, which their h does not feel."""
        from lookalike.models._normal import curve_of

        sizes = np.maximum(1, np.rint(groups.records))
        if len(sizes) > 1:
            large = sizes > 50
            sizes[large] = np.rint(np.exp(np.rint(np.log(sizes[large]) / 0.02) * 0.02))
        shares = np.bincount(sizes.astype(np.int64), groups.weights) / groups.weights.sum()
        values = np.flatnonzero(shares)
        shares = shares[values]
        curve = curve_of(values, shares, _START, _STEP, _POINTS)
        return cls(curve, float((shares * np.log(values)).sum()))

    def sum(self, p: NDArray[np.float64]) -> float:
        """Σ h(p)."""
        from lookalike.models._normal import sum_of

        return float(sum_of(p, self.curve, _START, _STEP))

    def correlation(self, rows: NDArray[np.float64], columns: NDArray[np.float64], information: float) -> float:
        """The ρ ≥ 0 whose expected information is this; 0 or the largest where none reaches it."""
        from lookalike.models._normal import solve

        if len(rows) == 1 or len(columns) == 1:
            return 0.0
        target = information + self.sum(rows) + self.sum(columns) - self.constant
        return float(solve(*_cuts(rows), *_cuts(columns), target, self.curve, _START, _STEP))


@dataclass(frozen=True, slots=True)
class Edge:
    """A pair to fit: two variables, their information given others, and the expectation that goes with it."""

    i: int
    j: int
    information: float
    expectation: Expectation
    sign: float


def fit_edges(table: Table, edges: Sequence[Edge]) -> NDArray[np.float64]:
    """ρ of every edge. Information has no sign: it is given, from rank correlation."""

    def fit(edge: Edge) -> float:
        rows, columns = table.shares[edge.i], table.shares[edge.j]
        if edge.sign < _NO_SIGN:
            # A negative ρ is a positive one with one variable turned around.
            return -edge.expectation.correlation(rows, columns[::-1].copy(), edge.information)
        return edge.expectation.correlation(rows, columns, edge.information)

    cells = sum(len(table.shares[e.i]) * len(table.shares[e.j]) for e in edges)
    return np.array(spread(fit, edges, large=cells > 20_000))


def spread(work: Callable[[T], R], over: Sequence[T], *, large: bool) -> list[R]:
    """The work on each, on all cores if it is large."""
    if not large:
        return [work(item) for item in over]
    with ThreadPoolExecutor(max(1, min(8, os.cpu_count() or 1))) as pool:
        return list(pool.map(work, over))


def _cuts(shares: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    cumulated = np.cumsum(shares) / shares.sum()
    cumulated[-1] = 1.0
    # A last level of next to no weight has its threshold at infinity after rounding.
    return np.clip(thresholds(shares), -9.0, 9.0), cumulated


def _merged(counts: Counts, j: int) -> tuple[NDArray[np.int32], int]:
    """The codes of a variable, neighbours merged into at most WIDEST levels of about equal share."""
    if counts.levels[j] <= WIDEST:
        return counts.codes[:, j], counts.levels[j]
    before = np.cumsum(counts.margin(j)) / counts.total
    group = np.minimum((before * WIDEST).astype(np.int64), WIDEST - 1)
    names, dense = np.unique(group, return_inverse=True)
    return dense.astype(np.int32)[counts.codes[:, j]], len(names)
