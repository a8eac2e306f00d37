"""A table of numbers and categories side by side, and what a model of such tables must do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

UNKNOWN = -1
"""The code of a cell of categories whose value is not known; among numbers NaN stands for it."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of numbers; NaN where the value is not known."""

    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where there is a value."""
        return ~np.isnan(self.values)

    def take(self, rows: NDArray[np.integer]) -> Numbers:
        """These rows."""
        return Numbers(self.values[rows])


@dataclass(frozen=True, slots=True)
class Categories:
    """A column of codes from 0 to levels − 1; −1 where the value is not known."""

    codes: NDArray[np.int32]
    levels: int
    ordered: bool = False
    """Whether the order of the codes means something."""

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where there is a value."""
        return self.codes >= 0

    def take(self, rows: NDArray[np.integer]) -> Categories:
        """These rows."""
        return Categories(self.codes[rows], self.levels, self.ordered)


Column = Numbers | Categories


@dataclass(frozen=True, slots=True)
class Mixed:
    """Columns of equal length, one row a record: what the models for mixed data learn from and draw.

    >>> table = Mixed((Numbers(np.array([1.5, np.nan])), Categories(np.array([0, 1], np.int32), levels=2)))
    >>> table.records, table.take(np.array([1])).columns[1].codes.tolist()
    (2, [1])
    """

    columns: tuple[Column, ...]

    @property
    def records(self) -> int:
        """The number of rows."""
        return len(self.columns[0]) if self.columns else 0

    def take(self, rows: NDArray[np.integer]) -> Mixed:
        """These rows, in this order, a row as often as it is named."""
        return Mixed(tuple(column.take(rows) for column in self.columns))

    def only(self, columns: Sequence[int]) -> Mixed:
        """Some of the columns."""
        return Mixed(tuple(self.columns[j] for j in columns))

    def blank(self, columns: Sequence[int]) -> Mixed:
        """The same table with nothing known of these columns."""
        return Mixed(tuple(_unknown(c, len(c)) if j in set(columns) else c for j, c in enumerate(self.columns)))

    def empty(self, records: int) -> Mixed:
        """So many records of the same columns with nothing known of them."""
        return Mixed(tuple(_unknown(column, records) for column in self.columns))


def _unknown(column: Column, records: int) -> Column:
    if isinstance(column, Numbers):
        return Numbers(np.full(records, np.nan))
    return Categories(np.full(records, UNKNOWN, np.int32), column.levels, column.ordered)


@runtime_checkable
class Law(Protocol):
    """A fitted model of a mixed table: records can be drawn from it."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the user must know of records drawn from it; no value of the file."""
        ...

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records, every cell known. The same rng gives the same records, whatever the number of threads."""
        ...


@runtime_checkable
class Conditional(Law, Protocol):
    """A law that can also draw some cells given the others of their record."""

    def complete(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Mixed:
        """The table with its unknown cells drawn given the known ones of their record; known cells stay."""
        ...


@runtime_checkable
class Joint(Protocol):
    """A choice of a model that learns all columns together."""

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Law:
        """Learn the law of the records. Unknown cells are left out where the method allows it, else refused."""
        ...


@runtime_checkable
class Several(Law, Protocol):
    """A law made of draws of a posterior: a copy of the file takes one of its own."""

    def apart(self, copies: int) -> Sequence[Law]:
        """One law a copy, each from another draw as far from the others as there are."""
        ...


@runtime_checkable
class Counted(Law, Protocol):
    """A law that says how many records to draw where nobody does: the file's own number may be no one's business."""

    @property
    def rows(self) -> int | None:
        """So many; None for as many as the file has."""
        ...


@runtime_checkable
class Redrawing(Law, Protocol):
    """A law that knows something of each record beyond its cells, and draws some cells anew by that."""

    def redraw(self, table: Mixed, columns: Sequence[int], *, rng: Generator, threads: int | None = None) -> Mixed:
        """The table that was fitted with these columns drawn anew, given what the law knows of each whole record."""
        ...
