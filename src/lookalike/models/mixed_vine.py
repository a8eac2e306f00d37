"""The D-vine of a mixed table with Gaussian pairs: a row, partial correlations, and where it is cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.models.correlation import Matrix, proper_partials, vine_correlation
from lookalike.models.grouped_table import GroupedTable
from lookalike.models.information import Table
from lookalike.models.mixed import Law, Mixed
from lookalike.models.mixed_fit import correlation_matrix, information_table, law_of, tie_caveats
from lookalike.models.normals import DenseNormals, Normals, RowNormals

if TYPE_CHECKING:
    from lookalike.models.d_vine_copula import DVineCopula

_SHORT = 4
"""A row cut off below a quarter of its length is drawn along the row; a longer memory costs as much as the matrix."""


def fit_vine(choice: DVineCopula, table: Mixed, *, threads: int | None = None) -> Law:
    """The matrix of all pairs, the row, and the partial correlations up to `levels` apart.

    By likelihood the partial correlations are those of the matrix, so that without a cut the vine is the Gaussian
    copula of the same matrix. By information they are matched given the raw variables between (Jiang et al. 2022).
    """
    grouped = GroupedTable.of(table, threads=threads)
    pairwise, matrix = correlation_matrix(grouped, choice.correlation, threads=threads)
    row = _row(choice, pairwise)
    if tuple(choice.pair_families) != ("gaussian",):
        from lookalike.models.pair_copulas import fit_families

        return fit_families(choice, grouped, row, threads=threads)
    if choice.correlation == "information":
        matrix = pairwise = _conditional(information_table(grouped), row, choice.levels)
    caveats = list(tie_caveats(grouped, choice.correlation, pairwise, matrix))
    levels = choice.levels or len(row)
    if levels < len(row) - 1:
        caveats.append(
            f"Columns more than {levels} places apart in the row are tied only through those between (levels={levels})."
        )
    normals = _normals(matrix, row, levels)
    return law_of(grouped, choice.margins, normals, pairwise=pairwise, caveats=caveats, threads=threads)


def _row(choice: DVineCopula, pairwise: Matrix) -> tuple[int, ...]:
    from lookalike.models.d_vine_copula import by_dependence

    return by_dependence(pairwise.copy()) if choice.order == "dependence" else tuple(range(len(pairwise)))


def _conditional(table: Table, row: tuple[int, ...], levels: int | None) -> Matrix:
    """The matrix of the partial correlations by conditional information, 0 beyond `levels`."""
    from lookalike.models.d_vine_copula import conditional_partials

    partials = conditional_partials(Table.of(table.counts.only(row), table.records))
    i, j = np.indices(partials.shape)
    partials[j - i > (levels or len(row))] = 0.0
    back = np.argsort(row)
    return np.asarray(vine_correlation(proper_partials(partials))[np.ix_(back, back)], np.float64)


def _normals(matrix: Matrix, row: tuple[int, ...], levels: int) -> Normals:
    short = RowNormals(matrix, row, levels=levels) if levels < len(row) - 1 else None
    if short is not None and levels <= len(row) // _SHORT:
        return short
    return DenseNormals(matrix if short is None else short.correlation)
