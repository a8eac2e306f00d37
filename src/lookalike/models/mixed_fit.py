"""Fit a copula to a mixed table: what the Gaussian copula, the D-vine and independence have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields
from typing import Any, Literal

import numpy as np

from lookalike.models.correlation import LEAST, Matrix, nearest_correlation
from lookalike.models.grouped_table import UNSEEN, GroupedTable
from lookalike.models.information import Table
from lookalike.models.margin import Kind
from lookalike.models.margins import margin_caveats, margins_of
from lookalike.models.mixed import Categories
from lookalike.models.mixed_copula import MixedCopula
from lookalike.models.normals import Normals
from lookalike.models.polychoric import likelihood_correlations

By = Literal["likelihood", "information"]

_MANY = 200
_ONE_NUMBER = (
    "Each pair of columns is tied by one number, as in a normal law: dependence that goes up and down again, or that "
    "three columns have only together, is lost. Combinations the file never has (rules between columns) can be drawn."
)
_ROW = (
    "Levels without an order were put in a row by correspondence analysis; ties that do not follow this row are lost."
)


def correlation_matrix(grouped: GroupedTable, by: By, *, threads: int | None = None) -> tuple[Matrix, Matrix]:
    """ρ of every pair by itself, and the nearest correlation matrix."""
    pairwise = likelihood_correlations(grouped, threads=threads) if by == "likelihood" else _by_information(grouped)
    if len(pairwise) <= _MANY:
        return pairwise, nearest_correlation(pairwise)
    # A projection costs columns³: here eigenvalues are cut off once and the diagonal is scaled back.
    return pairwise, nearest_correlation(pairwise, steps=0)


def information_table(grouped: GroupedTable) -> Table:
    """The codes as a table of categories, over the records that are known whole."""
    return Table.of(grouped.as_counts())


def _by_information(grouped: GroupedTable) -> Matrix:
    from lookalike.models.gaussian_copula import pairwise_correlations

    return pairwise_correlations(information_table(grouped))


def law_of(
    grouped: GroupedTable,
    margins: Kind,
    normals: Normals,
    *,
    pairwise: Matrix | None = None,
    caveats: Sequence[str] = (),
    threads: int | None = None,
) -> MixedCopula:
    """The law, with what must be known of it."""
    table, made = grouped.table, margins_of(grouped, margins, threads=threads)
    told = (*margin_caveats(made, margins), *caveats)
    return MixedCopula(made, normals, table.empty(0), table.records, told, pairwise)


def tie_caveats(grouped: GroupedTable, by: By, pairwise: Matrix, matrix: Matrix) -> tuple[str, ...]:
    """On the way columns are tied together."""
    if len(matrix) < 2:
        return ()
    found = [_ONE_NUMBER]
    if any(isinstance(c, Categories) and not c.ordered and c.levels > 2 for c in grouped.table.columns):
        found.append(_ROW)
    change = float(np.abs(matrix - pairwise).max())
    if change > 100 * LEAST:
        found.append(
            "The correlations of the pairs did not fit together; the nearest correlation matrix was taken (largest "
            f"change {change:.2f})."
        )
    if by == "information" and (grouped.codes == UNSEEN).any():
        found.append("Ties between columns were learned only from the records that are known whole.")
    return tuple(found)


def told(choice: Any, always: tuple[str, ...] = ()) -> str:
    """A choice as text: the options that are not as usual, and those that are always told.

    >>> from lookalike.models import DVineCopula
    >>> DVineCopula(levels=3)
    DVineCopula(order='given', levels=3)
    """
    shown = [
        f"{f.name}={getattr(choice, f.name)!r}"
        for f in fields(choice)
        if f.name in always or f.default is MISSING or getattr(choice, f.name) != f.default
    ]
    return f"{type(choice).__name__}({', '.join(shown)})"


def check_options(margins: str, by: str) -> list[str]:
    """Faults of the options all choices share."""
    faults = []
    if margins not in ("empirical", "interpolated", "parametric"):
        faults.append(f"margins must be 'empirical', 'interpolated' or 'parametric', not {margins!r}.")
    if by not in ("likelihood", "information"):
        faults.append(f"correlation must be 'likelihood' or 'information', not {by!r}.")
    return faults
