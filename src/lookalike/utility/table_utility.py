"""All tables of one, two and three variables: how far each is from the original's, and which are the worst."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan, unknown
from lookalike.utility.pair import CodedPair
from lookalike.utility.table_bootstrap import DrawnNull, bootstrap_null
from lookalike.utility.table_measures import MEASURES, Cells, z_scores
from lookalike.utility.table_nulls import Freedom, Null, expectations, p_values, sparse_cells
from lookalike.utility.tables import Table

MOST_WAYS = 3
SPARSE = 0.2
"""The share of cells with fewer than five records expected from which formulas are not to be trusted."""

FINE, GOOD = 10.0, 3.0
"""Rule of thumb of synthpop's authors for two-way tables: VW below 10 times its expectation is fine, below 3 good."""


@dataclass(frozen=True, slots=True)
class CellDifference:
    """One cell: where it is, the records of both files in it, and z = d/√e. No value of the file."""

    codes: tuple[int, ...]
    original: int
    release: int
    z: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDifference:
    """The measures of one table beside their expectations."""

    variables: tuple[str, ...]
    cells: int
    df: int
    sparse: float
    """The share of cells in which fewer than 5 records are expected."""
    values: Mapping[str, float]
    expected: Mapping[str, float]
    """By formula, for the null asked for; empty if nothing is expected of the release."""
    p_values: Mapping[str, float]
    drawn: Mapping[str, DrawnNull]
    """By drawing, if that was asked for."""
    worst: tuple[CellDifference, ...]
    """Cells by |z|, the largest first."""

    def ratio(self, measure: str = "VW") -> float | None:
        """A measure in units of its expectation, drawn if it was drawn; None if there is none."""
        if measure in self.drawn:
            return self.drawn[measure].ratio
        expected = self.expected.get(measure, 0.0)
        return self.values[measure] / expected if expected > 0 else None

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the figures do not mean."""
        if self.sparse < SPARSE or self.drawn or not self.expected:
            return ()
        return (f"In {self.sparse:.0%} of the cells fewer than 5 records are expected: draw tables instead.",)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableUtility:
    """All tables asked for.

    >>> original = pl.DataFrame({"sex": ["F", "M"] * 50, "ill": ["no"] * 50 + ["yes"] * 50})
    >>> release = pl.DataFrame({"sex": ["F", "M"] * 50, "ill": ["no"] * 60 + ["yes"] * 40})
    >>> found = table_utility(CodedPair.of(original, release), ways=(1, 2))
    >>> [(t.variables, round(t.values["SPECKS"], 2)) for t in found.worst(2, by="SPECKS", scaled=False)]
    [(('ill',), 0.1), (('sex', 'ill'), 0.1)]
    """

    tables: tuple[TableDifference, ...]
    records: tuple[int, int]
    null: Null | None

    def worst(self, most: int = 10, *, by: str = "VW", scaled: bool = True) -> tuple[TableDifference, ...]:
        """The tables farthest off: by the ratio to the expectation, or by the value if not `scaled` or not expected."""
        if by not in MEASURES:
            raise BadPlan(unknown("Measure", by, list(MEASURES), where="known", listed="Measures"))
        scaled = scaled and any(table.ratio(by) is not None for table in self.tables)
        keys = [(table.ratio(by) or 0.0) if scaled else table.values[by] for table in self.tables]
        order = sorted(range(len(keys)), key=lambda i: (-keys[i], i))
        return tuple(self.tables[i] for i in order[:most])

    def heat(self, measure: str = "VW") -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """The map of two-way tables: the variables, and the ratio of each pair (diagonal: the variable alone).

        NaN where a table was not asked for or has no expectation.
        """
        names = tuple(dict.fromkeys(name for table in self.tables for name in table.variables))
        found = np.full((len(names), len(names)), np.nan)
        for table in self.tables:
            ratio = table.ratio(measure)
            if len(table.variables) <= 2 and ratio is not None:
                i, j = names.index(table.variables[0]), names.index(table.variables[-1])
                found[i, j] = found[j, i] = ratio
        return names, found

    def frame(self) -> pl.DataFrame:
        """One row a table: variables, cells, df, every measure, its expectation (E_), ratio (S_) and p-value (p_)."""
        return pl.DataFrame([_row(table) for table in self.tables], infer_schema_length=None)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the figures do not mean, for all tables together."""
        told = []
        if self.null is None:
            told.append("The release was not drawn from a law, so nothing is expected of it: read distances alone.")
        sparse = sum(1 for table in self.tables if table.caveats)
        if sparse:
            told.append(f"{sparse:,} of {len(self.tables):,} tables are sparse: draw their null, formulas are off.")
        return tuple(told)


def table_utility(
    pair: CodedPair,
    *,
    ways: Sequence[int] = (1, 2),
    null: Null | None = Null.IMPROPER,
    kept: Sequence[str] = (),
    size_drawn: bool = False,
    part: float = 1.0,
    draws: int = 0,
    rng: Generator | None = None,
    worst_cells: int = 5,
) -> TableUtility:
    """Measure all tables of so many variables.

    `null` says how the release was drawn, None that it was not; `kept` are columns it did not change; `part` the
    share of the original's records that are compared. With `draws` tables are drawn from the null too, which needs
    `rng`.
    """
    faults = _faults(pair, ways, kept, draws, rng)
    if faults:
        raise BadPlan(faults)
    asked = [names for way in ways for names in combinations(pair.names, way)]
    rngs = rng.spawn(len(asked)) if draws and rng is not None and null is not None else [None] * len(asked)

    def measure(names: tuple[str, ...], rng: Generator | None) -> TableDifference:
        table = Table.of(pair, names, kept)
        drawn = (
            bootstrap_null(table, null, rng=rng, draws=draws, part=part) if rng is not None and null is not None else {}
        )
        return measured(table, null, size_drawn=size_drawn, part=part, drawn=drawn, worst_cells=worst_cells)

    with ThreadPoolExecutor(max(1, min(8, os.cpu_count() or 1))) as pool:
        tables = tuple(pool.map(measure, asked, rngs))
    return TableUtility(tables=tables, records=pair.records, null=null)


def measured(
    table: Table,
    null: Null | None,
    *,
    size_drawn: bool = False,
    part: float = 1.0,
    drawn: Mapping[str, DrawnNull] | None = None,
    worst_cells: int = 5,
) -> TableDifference:
    """One table by all measures."""
    cells = Cells.of(table.original, table.release)
    values = {name: float(measure(cells)) for name, measure in MEASURES.items()}
    free = Freedom.of(table, size_drawn=size_drawn, part=part)
    return TableDifference(
        variables=table.variables,
        cells=len(table),
        df=free.df,
        sparse=sparse_cells(table),
        values=values,
        expected={} if null is None else expectations(free, null),
        p_values={} if null is None else p_values(free, values, null),
        drawn=drawn or {},
        worst=_worst(table, cells, worst_cells),
    )


def _worst(table: Table, cells: Cells, most: int) -> tuple[CellDifference, ...]:
    z = z_scores(cells)
    size = np.abs(z)
    # Only cells at or beyond the limit are sorted: a table may have millions.
    limit = np.partition(size, len(z) - most)[len(z) - most] if 0 < most < len(z) else 0.0
    found = np.flatnonzero(size >= limit)
    order = found[np.argsort(-size[found], kind="stable")][:most]
    codes = table.codes(order)
    return tuple(
        CellDifference(tuple(map(int, row)), int(table.original[i]), int(table.release[i]), float(z[i]))
        for row, i in zip(codes, order, strict=True)
    )


def _row(table: TableDifference) -> dict[str, object]:
    row: dict[str, object] = {"variables": ":".join(table.variables), "cells": table.cells, "df": table.df}
    row |= {"sparse": table.sparse, **table.values}
    row |= {f"E_{name}": value for name, value in table.expected.items()}
    row |= {f"S_{name}": table.ratio(name) for name in table.expected}
    row |= {f"p_{name}": value for name, value in table.p_values.items()}
    for name, drawn in table.drawn.items():
        row |= {f"E_{name}": drawn.expected, f"SD_{name}": drawn.deviation}
        row |= {f"S_{name}": drawn.ratio, f"p_{name}": drawn.p_value}
    return row


def _faults(
    pair: CodedPair, ways: Sequence[int], kept: Sequence[str], draws: int, rng: Generator | None
) -> Iterator[str] | list[str]:
    faults = []
    if not ways or any(way not in range(1, MOST_WAYS + 1) for way in ways) or len(set(ways)) < len(ways):
        faults.append("Ways must be different numbers of 1, 2 and 3.")
    if draws < 0 or (draws and rng is None):
        faults.append("To draw tables give how many, above 0, and a random generator.")
    for name in kept:
        if name not in pair.names:
            faults.append(unknown("Kept column", name, pair.names, where="compared", listed="Columns"))
        elif not _same_margin(pair, name):
            faults.append(f"Column '{name}' is said to be kept, and its levels are not as frequent in the release.")
    return faults


def _same_margin(pair: CodedPair, name: str) -> bool:
    column = pair[name]
    one, other = (np.bincount(codes, minlength=column.levels) for codes in (column.original, column.release))
    return bool((one == other).all())
