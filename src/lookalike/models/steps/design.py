"""Columns as a matrix of numbers for regressions: an intercept, numbers as they are, a dummy a level."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.models.steps.one_thread import one_thread

Floats = NDArray[np.float64]

BLOCK = 16_384
"""Rows of the matrix made at a time."""

_NOTHING = 1e-12
"""A deviation below this share of the largest value is rounding: the column is a constant."""


@dataclass(frozen=True, slots=True)
class Design:
    """How each column becomes columns of a matrix, learned once and used again on other rows.

    The first column of the matrix is 1. A number gives one column. A category gives a 0/1 column for every level seen
    in the fit but the most frequent one, the reference; a level not seen in the fit counts as the reference. Columns
    are centred and divided by their standard deviation, so that a penalty does not depend on units or on where zero
    lies; columns that are constant are left out. Ordered categories are coded like the others.

    >>> table = Mixed((Numbers(np.array([1.0, 3.0])), Categories(np.array([2, 0], np.int32), levels=4)))
    >>> design = Design.of(table)
    >>> design.matrix(table).tolist()
    [[1.0, -1.0, 1.0], [1.0, 1.0, -1.0]]
    >>> design.in_units(np.array([5.0, 2.0, 0.0])).tolist()             # 5 + 2 (x − 2) / 1
    [1.0, 2.0, 0.0]
    """

    levels: tuple[NDArray[np.int64] | None, ...]
    """Of each column: the levels that have a dummy; None for numbers."""
    owner: NDArray[np.int64]
    """Of each column of the matrix but the first: which column of the table it comes from."""
    kept: NDArray[np.int64]
    """Which of the raw columns vary."""
    centre: Floats
    scale: Floats

    @classmethod
    def of(cls, table: Mixed) -> Design:
        """Learn the coding; every cell known."""
        levels = tuple(_dummies(column) for column in table.columns)
        moments = [_moments(c, found) for c, found in zip(table.columns, levels, strict=True)]
        owner = np.repeat(np.arange(len(levels)), [len(mean) for mean, _ in moments]).astype(np.int64)
        centre = np.concatenate([np.zeros(0), *(mean for mean, _ in moments)])
        scale = np.concatenate([np.zeros(0), *(deviation for _, deviation in moments)])
        kept = np.flatnonzero(scale > 0)
        return cls(levels, owner[kept], kept, centre[kept], scale[kept])

    @property
    def width(self) -> int:
        """Columns of the matrix, with the intercept."""
        return 1 + len(self.kept)

    def matrix(self, table: Mixed) -> Floats:
        """One row a record. A design of no column makes the intercept for as many records as the table has."""
        found = np.empty((table.records, self.width))
        for rows, part in self.blocks(table):
            found[rows] = part
        return found

    def blocks(self, table: Mixed, rows: int = BLOCK) -> Iterator[tuple[slice, Floats]]:
        """The matrix in pieces, so that a long table is never held as numbers whole."""
        for start in range(0, table.records, rows):
            piece = slice(start, min(start + rows, table.records))
            columns = zip(table.columns, self.levels, strict=False)
            raw = [_raw(column, levels, piece) for column, levels in columns]
            count = piece.stop - piece.start
            every = np.hstack([np.empty((count, 0)), *raw])[:, self.kept]
            yield piece, np.hstack([np.ones((count, 1)), (every - self.centre) / self.scale])

    def times(self, table: Mixed, coefficients: Floats) -> Floats:
        """The matrix times a vector or a matrix of coefficients."""
        found = np.empty((table.records, *coefficients.shape[1:]))
        with one_thread():
            for rows, part in self.blocks(table):
                found[rows] = part @ coefficients
        return found

    def in_units(self, coefficients: Floats) -> Floats:
        """Coefficients for the columns as they are, neither centred nor scaled."""
        slopes = (coefficients[1:].T / self.scale).T
        return np.concatenate([[coefficients[0] - self.centre @ slopes], slopes])


def _dummies(column: Column) -> NDArray[np.int64] | None:
    if isinstance(column, Numbers):
        return None
    counts = np.bincount(column.codes, minlength=column.levels)
    seen = np.flatnonzero(counts)
    return np.asarray(seen[seen != counts.argmax()], np.int64)


def _moments(column: Column, levels: NDArray[np.int64] | None) -> tuple[Floats, Floats]:
    """Mean and deviation of each raw column; a deviation that is rounding only is 0."""
    if isinstance(column, Categories):
        shares = np.bincount(column.codes, minlength=column.levels)[levels] / len(column)
        return shares, np.sqrt(shares * (1 - shares))
    mean, size = column.values.mean(), np.abs(column.values).max()
    deviation = column.values.std()
    return np.array([mean]), np.array([deviation if deviation > _NOTHING * size else 0.0])


def _raw(column: Column, levels: NDArray[np.int64] | None, rows: slice) -> Floats:
    if isinstance(column, Numbers):
        return column.values[rows, None]
    assert levels is not None
    return np.asarray(column.codes[rows, None] == levels, np.float64)
