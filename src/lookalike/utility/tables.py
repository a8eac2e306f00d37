"""Tables of two files: how many records of the original and of the release are in each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from lookalike.engine import number
from lookalike.errors import BadPlan
from lookalike.utility.pair import SMALL, CodedColumn, CodedPair

Counts = NDArray[np.int64]

FEW = 65_536
"""Cells that are laid out however few the records are."""


@dataclass(frozen=True, slots=True)
class Table:
    """The cells that some record is in, with the records of each file.

    >>> import polars as pl
    >>> pair = CodedPair.of(pl.DataFrame({"sex": ["F", "M", "F"]}), pl.DataFrame({"sex": ["M", "X"]}))
    >>> table = Table.of(pair, ["sex"])
    >>> table.original.tolist(), table.release.tolist(), table.codes().tolist()
    ([2, 1, 0], [0, 1, 1], [[0], [1], [2]])
    """

    variables: tuple[str, ...]
    levels: tuple[int, ...]
    places: Counts
    """The cell's number: its codes as digits, the last variable the fastest."""
    original: Counts
    release: Counts
    known: tuple[str, ...] = ()
    """Variables of the table that the release kept as they are."""

    @classmethod
    def of(cls, pair: CodedPair, variables: Sequence[str], known: Sequence[str] = ()) -> Table:
        """Count one table. `known` are columns that the release kept; those outside the table do not matter."""
        columns = [pair[name] for name in variables]
        if not columns or len(set(variables)) < len(variables):
            raise BadPlan("A table needs different variables, one at least.")
        levels = tuple(column.levels for column in columns)
        laid_out = prod(levels) <= FEW + 2 * sum(pair.records) and max(levels) <= SMALL
        places, original, release = (_laid_out if laid_out and len(columns) <= 3 else _listed)(columns, levels)
        kept = tuple(name for name in variables if name in known)
        return cls(tuple(variables), levels, places, original, release, kept)

    def __len__(self) -> int:
        """The cells K that some record is in."""
        return len(self.places)

    @property
    def records(self) -> tuple[int, int]:
        """The records of the original and of the release, n₁ and n₂."""
        return int(self.original.sum()), int(self.release.sum())

    def codes(self, cells: NDArray[np.integer] | None = None) -> Counts:
        """The codes of cells, all if none are named, a row each: positions, not values."""
        places = self.places if cells is None else self.places[cells]
        found = np.empty((len(places), len(self.levels)), np.int64)
        for j in range(len(self.levels) - 1, -1, -1):
            places, found[:, j] = np.divmod(places, self.levels[j])
        return found

    @property
    def strata(self) -> Counts:
        """The cell of each cell in the table of its known variables alone, from 0; all 0 if none is known."""
        if not self.known:
            return np.zeros(len(self), np.int64)
        columns = [self.variables.index(name) for name in self.known]
        _, found = np.unique(self.codes()[:, columns], axis=0, return_inverse=True)
        return np.asarray(found.reshape(-1), np.int64)


Cells = tuple[Counts, Counts, Counts]


def _laid_out(columns: Sequence[CodedColumn], levels: tuple[int, ...]) -> Cells:
    """All cells side by side, counted in one pass over each file."""
    counts = [_count([column.original for column in columns], levels), _count([c.release for c in columns], levels)]
    places = np.flatnonzero(counts[0] + counts[1])
    return places, counts[0][places].astype(np.int64), counts[1][places].astype(np.int64)


def _count(codes: Sequence[NDArray[np.integer]], levels: tuple[int, ...]) -> NDArray[np.int32]:
    from lookalike.utility._tables import count_cells

    counts, zeros = np.zeros(prod(levels), np.int32), np.zeros(0, np.uint16)
    if len(codes) < 3:
        zeros = np.zeros(len(codes[0]), np.uint16)
    one, two, three = (*codes, zeros, zeros)[:3]
    radix = (*levels, 1, 1)
    count_cells(one, two, three, radix[1], radix[2], counts)
    return counts


def _listed(columns: Sequence[CodedColumn], levels: tuple[int, ...]) -> Cells:
    """Only cells that occur: for tables with more cells than records."""
    if prod(levels) >= 2**62:
        raise BadPlan("The table has too many cells to be numbered. Name fewer variables.")
    keys = np.zeros(len(columns[0].original) + len(columns[0].release), np.int64)
    for column, size in zip(columns, levels, strict=True):
        keys = keys * size + np.concatenate([column.original, column.release])
    found = number(keys)
    places = keys[found.first]
    original = np.bincount(found.index[: len(columns[0].original)], minlength=len(places))
    order = np.argsort(places)
    return places[order], original[order].astype(np.int64), (found.sizes - original)[order]
