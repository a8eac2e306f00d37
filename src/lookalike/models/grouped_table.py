"""A mixed table made ready for the fit of correlations: margins counted, levels in a row, all columns in codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.correspondence import level_order
from lookalike.models.counts import Counts
from lookalike.models.grouped import (
    WIDEST,
    Codes,
    Distinct,
    Grouped,
    group_levels,
    group_numbers,
    groups_for,
    level_shares,
    top_levels,
)
from lookalike.models.margin import Floats
from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.models.normals import each

UNSEEN = 255
"""The code of an unknown cell."""


@dataclass(frozen=True, slots=True)
class GroupedTable:
    """Each column by itself (distinct numbers, or shares of levels and their row), and all in codes of a few groups."""

    table: Mixed
    distinct: dict[int, Distinct]
    """Of the columns of numbers."""
    levels: dict[int, Floats]
    """The shares of the columns of categories, by code."""
    order: dict[int, NDArray[np.int64]]
    """Which code stands at each place."""
    codes: Codes
    """One row a column of the table."""
    shares: list[Floats]
    """Of each group of each column."""

    @classmethod
    def of(cls, table: Mixed, *, threads: int | None = None, rows: bool = True) -> GroupedTable:
        """Every column must have a known cell; without `rows`, levels keep the order of their codes."""
        _check(table)
        distinct, levels = {}, {}

        def count(j: int) -> None:
            column = table.columns[j]
            if isinstance(column, Numbers):
                distinct[j] = Distinct.of(column)
            else:
                levels[j] = level_shares(column)

        each(count, range(len(table.columns)), threads)
        order = {j: np.arange(len(shares)) for j, shares in levels.items()}
        codes = np.empty((len(table.columns), table.records), np.uint8)
        made = cls(table, distinct, levels, order, codes, [np.ones(1)] * len(table.columns))
        each(made._group, range(len(table.columns)), threads)
        if rows:
            made._put_in_rows(threads)
        return made

    def as_counts(self) -> Counts:
        """The distinct rows of codes of the records that are known whole, with counts."""
        from lookalike.models._grouping import refine

        codes = self.codes[:, (self.codes != UNSEEN).all(axis=0)]
        if not codes.size:
            raise BadPlan("No record is known in all columns: take correlation='likelihood', which needs only pairs.")
        index, ones = np.zeros(codes.shape[1], np.int32), np.ones(codes.shape[1])
        sizes = ones[:1] * len(ones)
        for j, shares in enumerate(self.shares):
            index, sizes, _, _ = refine(index, codes[j].astype(np.int32), len(shares), ones, ones)
        first = np.empty(len(sizes), np.int64)
        first[index[::-1]] = np.arange(len(index))[::-1]
        return Counts.of(codes[:, first].T.astype(np.int64), sizes)

    def _group(self, j: int) -> None:
        self._keep(j, self._grouped(j))

    def _keep(self, j: int, found: Grouped) -> None:
        self.codes[j], self.shares[j] = found.codes, found.shares

    def _grouped(self, j: int) -> Grouped:
        column = self.table.columns[j]
        if isinstance(column, Numbers):
            return group_numbers(column, self.distinct[j], groups_for(self.table), UNSEEN)
        if column.ordered or column.levels <= WIDEST:
            return group_levels(column, self.order[j], self.levels[j], UNSEEN)
        return top_levels(column, self.levels[j], UNSEEN)

    def _put_in_rows(self, threads: int | None) -> None:
        """Order the levels of nominal columns, each against the others as they are, then group them by that row."""
        nominal = [j for j, shares in self.levels.items() if self._needs_a_row(j) and (shares > 0).sum() > 2]
        widths = [len(shares) for shares in self.shares]

        def work(j: int) -> None:
            column = self.table.columns[j]
            assert isinstance(column, Categories)
            self.order[j] = level_order(column.codes, column.levels, -1, self.codes, widths, skip=j)

        def group(j: int) -> None:
            column = self.table.columns[j]
            assert isinstance(column, Categories)
            self._keep(j, group_levels(column, self.order[j], self.levels[j], UNSEEN))

        each(work, nominal, threads)
        # Only now: while rows were sought, the codes had to stay as they were.
        each(group, nominal, threads)

    def _needs_a_row(self, j: int) -> bool:
        column = self.table.columns[j]
        return isinstance(column, Categories) and not column.ordered


def _check(table: Mixed) -> None:
    if not table.columns:
        raise BadPlan("The table has no columns: there is nothing to learn.")
    empty = [str(j + 1) for j, column in enumerate(table.columns) if not column.known.any()]
    if empty:
        shown = ", ".join(empty[:20]) + (f" and {len(empty) - 20} more" if len(empty) > 20 else "")
        raise BadPlan(f"No value is known in column {shown} of the table to learn from: leave it out of the model.")
    wild = [str(j + 1) for j, c in enumerate(table.columns) if isinstance(c, Numbers) and np.isinf(c.values).any()]
    if wild:
        raise BadPlan(
            f"Column {', '.join(wild[:20])} of the table holds an infinite number: make it unknown or finite."
        )
