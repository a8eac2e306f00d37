"""A table ready for methods that work on whole records: unknown cells filled by known ones of the same column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Mixed, Numbers


@dataclass(frozen=True, slots=True)
class Filled:
    """The table with every cell known, and how many cells were not."""

    table: Mixed
    cells: int

    @classmethod
    def of(cls, table: Mixed, *, rng: Generator, what: str) -> Filled:
        """Each unknown cell gets the value of a random record that has one: the margin stays, the ties are weakened.

        >>> table = Mixed((Numbers(np.array([1.0, np.nan])), Numbers(np.array([5.0, 6.0]))))
        >>> found = Filled.of(table, rng=np.random.default_rng(1), what="The bootstrap")
        >>> found.table.columns[0].values.tolist(), found.cells
        ([1.0, 1.0], 1)
        """
        faults_of(table, what)
        unknown = [len(column) - int(column.known.sum()) for column in table.columns]
        columns = tuple(_fill(c, rng) if count else c for c, count in zip(table.columns, unknown, strict=True))
        return cls(Mixed(columns), sum(unknown))

    @property
    def caveats(self) -> tuple[str, ...]:
        """A word on the cells that were filled, if any."""
        if not self.cells:
            return ()
        return (
            f"{self.cells} unknown cells were filled with values of random records, which weakens the ties of their "
            "columns to others.",
        )


def faults_of(table: Mixed, what: str) -> None:
    """Refuse a table without records, a column of which nothing is known, and numbers that are not finite."""
    if not table.columns or not table.records:
        raise BadPlan(f"{what} needs at least one record.")
    faults = []
    for j, column in enumerate(table.columns, 1):
        if not column.known.any():
            faults.append(
                f"Column {j} holds no known value; {what[0].lower() + what[1:]} cannot draw it. Leave it out."
            )
        elif isinstance(column, Numbers) and np.isinf(column.values).any():
            faults.append(f"Column {j} holds infinite numbers. Mark them as missing, or leave the column out.")
    if faults:
        raise BadPlan(faults)


def _fill(column: Column, rng: Generator) -> Column:
    known = column.known
    donors = rng.choice(np.flatnonzero(known), int((~known).sum()))
    if isinstance(column, Numbers):
        values = column.values.copy()
        values[~known] = values[donors]
        return Numbers(values)
    codes = column.codes.copy()
    codes[~known] = codes[donors]
    return Categories(codes, column.levels, column.ordered)
