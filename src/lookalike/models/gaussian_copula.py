"""Gaussian copula: of categories by mutual information (Jiang et al. 2022, appendix B, a), of mixed tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.correlation import nearest_correlation
from lookalike.models.counts import Counts
from lookalike.models.grouped_table import GroupedTable
from lookalike.models.information import Edge, Expectation, Groups, Table, fit_edges
from lookalike.models.latent import LatentNormal, shares_of
from lookalike.models.margin import Kind
from lookalike.models.mixed import Mixed
from lookalike.models.mixed_copula import MixedCopula
from lookalike.models.mixed_fit import By, check_options, correlation_matrix, law_of, tie_caveats, told
from lookalike.models.normals import DenseNormals


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GaussianCopula:
    """Empirical margins; for each pair the ρ that reproduces its mutual information; the nearest correlation matrix.

    Nothing is drawn in the fit: the expected information of n records replaces the simulated one. The sign of ρ is
    that of the rank correlation, for information has none.

    >>> table = Counts.of(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([40, 10, 10, 40]))
    >>> GaussianCopula().fit(table).correlation.round(2)     # sin(π/2 · 0.6) = 0.81 without the bias of 100 records
    array([[1. , 0.8],
           [0.8, 1. ]])

    A table of numbers and categories is learned by `fit_mixed`; the options below are its own.

    >>> GaussianCopula(margins="parametric")
    GaussianCopula(margins='parametric')
    """

    margins: Kind = "interpolated"
    """Numbers: as they occur, on lines between neighbours, or by the family of laws with the smallest AIC."""
    correlation: By = "likelihood"
    """ρ of a pair: of the largest likelihood, or the one that reproduces the mutual information."""

    def __post_init__(self) -> None:
        if faults := check_options(self.margins, self.correlation):
            raise BadPlan(faults)

    def __repr__(self) -> str:
        return told(self)

    def fit(self, table: Counts, *, records: NDArray[np.integer] | None = None) -> GaussianCopulaModel:
        """The copula of a table; `records` are the records of each row, if the table holds weights."""
        ready = Table.of(table, records)
        pairwise = pairwise_correlations(ready)
        return GaussianCopulaModel(shares_of(table), nearest_correlation(pairwise), pairwise)

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> MixedCopula:
        """The copula of a mixed table, each pair from the records that have both; nothing is drawn in the fit."""
        grouped = GroupedTable.of(table, threads=threads)
        pairwise, matrix = correlation_matrix(grouped, self.correlation, threads=threads)
        caveats = tie_caveats(grouped, self.correlation, pairwise, matrix)
        normals = DenseNormals(matrix)
        return law_of(grouped, self.margins, normals, pairwise=pairwise, caveats=caveats, threads=threads)


class GaussianCopulaModel(LatentNormal):
    """A fitted Gaussian copula.

    >>> table = Counts.of(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([40, 10, 10, 40]))
    >>> model = GaussianCopula().fit(table)
    >>> model.pairwise.round(2).tolist(), model.sample_codes(4, rng=np.random.default_rng(1)).shape
    ([[1.0, 0.8], [0.8, 1.0]], (4, 2))
    """

    def __init__(
        self,
        shares: tuple[NDArray[np.float64], ...],
        correlation: NDArray[np.float64],
        pairwise: NDArray[np.float64],
    ) -> None:
        super().__init__(shares, correlation)
        self.pairwise = pairwise
        """The ρ of each pair by itself, before they were made one correlation matrix."""


def pairwise_correlations(table: Table) -> NDArray[np.float64]:
    """ρ of every pair by mutual information."""
    q, n = table.counts.variables, table.counts.total
    whole = Groups.all_in_one(table)
    expectation = Expectation.of(whole)
    single = [whole.split(table, j) for j in range(q)]
    edges = []
    for i in range(q):
        for j in range(i + 1, q):
            both = single[i].split(table, j)
            information = (both.total - single[i].total - single[j].total + whole.total) / n
            edges.append(Edge(i, j, information, expectation, table.rank_correlation[i, j]))
    found = np.eye(q)
    for edge, rho in zip(edges, fit_edges(table, edges), strict=True):
        found[edge.i, edge.j] = found[edge.j, edge.i] = rho
    return found
