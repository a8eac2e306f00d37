"""A table that counts people by some columns of a file, and the people of each combination the file has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.suited import not_there
from lookalike.classes import Codes, EquivalenceClasses, Missing, group, matching, totals
from lookalike.classes.codes import MISSING, encode_together
from lookalike.data import Microdata
from lookalike.engine import records
from lookalike.errors import BadPlan, unknown


@dataclass(frozen=True)
class PeopleTable:
    """Rows of a table with the number of people of each."""

    name: str
    columns: tuple[str, ...]
    keys: pl.DataFrame
    counts: NDArray[np.int64]

    @classmethod
    def of(
        cls, table: Microdata, file: Microdata, *, columns: Sequence[str] = (), people: str | None = None
    ) -> PeopleTable:
        """The table as it fits a file; raises with all that is wrong."""
        wanted = tuple(columns) or tuple(n for n in file.quasi_identifiers if n in table.columns and n != people)
        faults = not_there(file, columns)
        faults += [
            unknown("Column", n, table.columns, where=f"in table {table.name}", listed="Columns")
            for n in (*wanted, *([people] if people else []))
            if n not in table.columns
        ]
        if not wanted:
            faults.append(
                f"Table {table.name}: no column is a quasi-identifier of the file. Name the columns (columns)."
            )
        others = [n for n in table.columns if n not in wanted]
        if people is None and wanted and len(others) != 1:
            faults.append(
                f"Table {table.name}: besides {', '.join(wanted)} it must have one column, the number of people; it "
                f"has {len(others)}. Name the one that counts (people)."
            )
        if faults:
            raise BadPlan(faults)
        counted = people or others[0]
        frame = records(table.table, [*wanted, counted])
        return cls(table.name, wanted, frame.select(wanted), _numbers(frame[counted], table.name))

    def people_of(self, classes: EquivalenceClasses, missing: Missing) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """For each class of a file the people that the table counts, and whether it counts the class at all."""
        ours, theirs = self._codes(classes)
        if missing is Missing.WILDCARD:
            rows = matching(ours, theirs, np.ones(len(theirs), np.int64))
            return matching(ours, theirs, self.counts), rows > 0
        labels = group(list(np.concatenate([ours, theirs]).T))
        nothing = np.zeros(len(ours), np.int64)
        people = totals(labels, np.append(nothing, self.counts))[labels[: len(ours)]]
        rows = totals(labels, np.append(nothing, np.ones_like(self.counts)))[labels[: len(ours)]]
        unknown_ = (ours == MISSING).any(axis=1) & (missing is Missing.CONSERVATIVE)
        return np.where(unknown_, 0, people), (rows > 0) & ~unknown_

    def _codes(self, classes: EquivalenceClasses) -> tuple[Codes, Codes]:
        pairs = [encode_together(classes.keys[name], self.keys[name]) for name in self.columns]
        return np.column_stack([one for one, _ in pairs]), np.column_stack([other for _, other in pairs])


def lacking_by_column(table: PeopleTable, classes: EquivalenceClasses) -> dict[str, int]:
    """By column, the records with a value that no row of the table has."""
    found = {}
    for name in table.columns:
        ours, theirs = encode_together(classes.keys[name], table.keys[name])
        found[name] = int(classes.sizes[~np.isin(ours, theirs) & (ours != MISSING)].sum())
    return {name: many for name, many in found.items() if many}


def _numbers(counts: pl.Series, name: str) -> NDArray[np.int64]:
    """Numbers of people, checked."""
    if not counts.dtype.is_numeric():
        raise BadPlan(f"Table {name}: column '{counts.name}' must hold numbers of people.")
    numbers = counts.cast(pl.Float64).fill_nan(None)
    if numbers.null_count() or bool((numbers < 0).any()):
        raise BadPlan(f"Table {name}: column '{counts.name}' has missing or negative numbers of people.")
    if bool((numbers != numbers.round()).any()):
        raise BadPlan(f"Table {name}: column '{counts.name}' holds parts of people. Give whole numbers of people.")
    return numbers.cast(pl.Int64).to_numpy()
