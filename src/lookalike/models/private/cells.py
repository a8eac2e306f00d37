"""A column as cells that can be counted: its levels, or a grid over its numbers, and one more for what is not known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.models.private.ledger import Ledger

GRID = 128
"""Cells that numbers are counted in; they are put together to fewer bins by what the noisy counts tell."""
_WIDE = 0.25

Bounds = tuple[tuple[int, float, float], ...]


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of one column; of numbers, `edges` are the ends of the grid."""

    known: int
    """Cells besides the one for what is not known."""
    unknown: bool
    edges: NDArray[np.float64] | None = None
    low: float = 0.0
    high: float = 0.0

    @property
    def size(self) -> int:
        """All cells."""
        return self.known + self.unknown

    def codes(self, column: Column) -> NDArray[np.int64]:
        """The cell of each record; numbers outside the bounds go to the ends."""
        if isinstance(column, Categories):
            return np.where(column.codes < 0, self.known, column.codes).astype(np.int64)
        assert self.edges is not None
        places = np.searchsorted(self.edges[1:-1], column.values, side="right")
        return np.where(np.isnan(column.values), self.known, places).astype(np.int64)

    def column(self, codes: NDArray[np.int64], like: Column, *, rng: Generator) -> Column:
        """Cells of the column, all known: a level as it is, a number uniform in its cell."""
        if isinstance(like, Categories):
            return Categories(codes.astype(np.int32), like.levels, like.ordered)
        assert self.edges is not None
        left, right = self.edges[codes], self.edges[codes + 1]
        return Numbers(np.clip(left + (right - left) * rng.random(len(codes)), self.low, self.high))


def cells_of(table: Mixed, bounds: Bounds, levels: tuple[int, ...], ledger: Ledger) -> tuple[Cells, ...]:
    """The cells of every column; the ledger is told which were given and which had to be read from the file.

    A column that was given always has a cell for what is not known, so that no cell depends on the file.
    """
    given = {column: (low, high) for column, low, high in bounds}
    _check(table, given, levels)
    found = []
    for j, column in enumerate(table.columns):
        said = j in given if isinstance(column, Numbers) else j in levels
        unknown = said or not bool(column.known.all())
        if isinstance(column, Categories):
            found.append(Cells(column.levels, unknown))
            ledger.take(j + 1, f"{column.levels} levels", given=said)
        else:
            low, high = given[j] if said else (float(np.nanmin(column.values)), float(np.nanmax(column.values)))
            found.append(_grid(low, high, unknown))
            ledger.take(j + 1, "smallest and largest number", given=said)
    return tuple(found)


def _grid(low: float, high: float, unknown: bool) -> Cells:
    """Equal widths; between whole bounds at moderate distance a cell around each whole number, so that none is cut."""
    width = (high - low) / GRID
    if low == high:
        edges = np.array([low, high])
    elif low == round(low) and high == round(high) and _WIDE < width < 1:
        edges = np.arange(low, high + 2) - 0.5
    else:
        edges = np.linspace(low, high, GRID + 1)
    edges = _with_zero(edges) if low <= 0 <= high and edges[-1] - edges[0] > len(edges) else edges
    return Cells(len(edges) - 1, unknown, edges, low, high)


def _with_zero(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """A cell for 0 alone, whatever the file holds: nothing earned, nothing lost is what numbers pile up at."""
    near = (edges[-1] - edges[0]) * 1e-9
    found = np.unique(np.append(edges[edges != 0], [-near, near]))
    return np.asarray(found[(found >= edges[0] - near) & (found <= edges[-1] + near)], np.float64)


def _check(table: Mixed, given: dict[int, tuple[float, float]], levels: tuple[int, ...]) -> None:
    faults = []
    for j in (*given, *levels):
        kind = Numbers if j in given else Categories
        if not 0 <= j < len(table.columns):
            faults.append(f"Values are given for column {j + 1}; the table has {len(table.columns)}.")
        elif not isinstance(table.columns[j], kind):
            what = "bounds, and holds categories" if j in given else "levels, and holds numbers"
            faults.append(f"Column {j + 1} is given {what}.")
    faults += [
        f"The bounds of column {j + 1} must be two finite numbers, the smaller first."
        for j, (low, high) in given.items()
        if not (np.isfinite([low, high]).all() and low <= high)
    ]
    if faults:
        raise BadPlan(faults)
