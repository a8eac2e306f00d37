"""A release made by changing records: the file, what was done to it, and which record is which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.cells import Done, done
from lookalike.data import Microdata
from lookalike.engine import records
from lookalike.notebook import told

EMPTIED = "removed (every cell is *)"


@dataclass(frozen=True, kw_only=True)
class Taken:
    """One step that was taken: the method with its settings, and what it tells of its work."""

    method: str
    settings: Mapping[str, Any]
    caveats: tuple[str, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    recode: Any = None
    """What repeats the step on the next file, where there is such a thing."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Protected:
    """A release whose records are those of a file, changed.

    `rows` says which record of the file each record of the release is; None: all of them, in the order of the file.
    It is for the house, and no part of the released data.

    >>> import polars as pl
    >>> import lookalike as la
    >>> table = pl.DataFrame({"age": [31, 34, 52], "name": ["a", "b", "c"]})
    >>> people = la.read(table, quasi_identifiers=["age"], identifiers=["name"])
    >>> release = la.protect(people, la.Mondrian(k=2), until=la.Threshold(k_anonymity=2)).release
    >>> release.method, release.left_out, release.removed
    ('mondrian', ('name',), 0)
    >>> {done.name.lower(): count for done, count in release.cells["age"].items()}
    {'kept': 0, 'generalized': 3, 'suppressed': 0, 'perturbed': 0}
    >>> release.count(Done.GENERALIZED), release.done("age").tolist() == [Done.GENERALIZED] * 3
    (3, True)
    """

    original: Microdata
    data: Microdata
    taken: tuple[Taken, ...]
    rows: NDArray[np.int64] | None
    left_out: tuple[str, ...]
    """Columns that the release does not have: identifiers, and those asked for."""
    perturbed: frozenset[str]
    """Columns whose changed cells hold another value, not a coarser one."""
    cells: Mapping[str, Mapping[Done, int]]
    """By column that changed: how many cells of the records that stay met each fate."""
    emptied: tuple[str, ...] = ()
    """Columns that changed and have no value left: every cell is `*`, or is empty."""

    @property
    def method(self) -> str:
        """The methods that made it, in their order."""
        return " + ".join(step.method for step in self.taken)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the user must know of it."""
        return tuple(dict.fromkeys(caveat for step in self.taken for caveat in step.caveats))

    @property
    def removed(self) -> int:
        """Records of the file that the release does not have."""
        return 0 if self.rows is None else self.original.records - len(self.rows)

    def count(self, fate: Done) -> int:
        """Cells that met a fate, over all columns."""
        return sum(counts.get(fate, 0) for counts in self.cells.values())

    def done(self, column: str) -> NDArray[np.uint8]:
        """What became of each cell of a column, in the order of the release (see `Done`)."""
        before, after = self.pair(column)
        return done(before, after, perturbed=column in self.perturbed)

    def pair(self, column: str) -> tuple[pl.Series, pl.Series]:
        """A column before and after, record beside record."""
        before = records(self.original.table, [column])[column]
        return before if self.rows is None else before[self.rows], records(self.data.table, [column])[column]

    def __repr__(self) -> str:
        changed = sum(self.count(fate) for fate in Done if fate is not Done.KEPT)
        return f"<Protected: {self.data.records:,} records by {self.method}; {changed:,} cells changed>"

    def _repr_html_(self) -> str:
        """In a notebook: what was done, by column, and what one must know of it; no record."""
        columns = [
            f"{name}: {EMPTIED if name in self.emptied else ', '.join(_fates(counts))}."
            for name, counts in self.cells.items()
        ]
        return told("Protected", f": {repr(self)[12:-1]}", [*columns, *self.caveats])


def _fates(counts: Mapping[Done, int]) -> list[str]:
    return [f"{count:,} cells {fate.name.lower()}" for fate, count in counts.items() if count]
