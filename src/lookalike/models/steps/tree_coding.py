"""Columns as whole numbers, as the trees read them: the rank among the distinct values, or the code of the level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.models.mixed import Categories, Column, Mixed

RANGE = 2**18
"""Whole numbers of a range up to this are ranked by counting, others by sorting."""


@dataclass(frozen=True, slots=True)
class Coded:
    """Columns of whole numbers, one a row of `codes`; nothing of the columns is lost.

    A sequence of models that fits each column on those before it codes the table once and takes `only` some columns.

    >>> coded = code_columns(Mixed((Categories(np.array([2, 0], np.int32), 3),)))
    >>> coded.codes.tolist(), coded.values[0].tolist(), coded.nominal.tolist()
    ([[2, 0]], [0.0, 1.0, 2.0], [True])
    """

    codes: NDArray[np.int32]
    values: tuple[NDArray[np.float64], ...]
    """What the codes of each column stand for, in order."""
    nominal: NDArray[np.bool_]
    """Which columns have levels without an order."""

    @property
    def records(self) -> int:
        """The number of rows of the table."""
        return int(self.codes.shape[1])

    def only(self, columns: Sequence[int]) -> Coded:
        """Some of the columns."""
        chosen = np.asarray(columns, np.int64)
        return Coded(self.codes[chosen], tuple(self.values[j] for j in columns), self.nominal[chosen])


def code_columns(table: Mixed, *, records: int | None = None) -> Coded:
    """The columns of a table, every cell known; `records` says how many rows a table of no columns has.

    >>> from lookalike.models.mixed import Numbers
    >>> coded = code_columns(Mixed((Numbers(np.array([2.5, -1.0, 2.5])),)))
    >>> coded.codes.tolist(), coded.values[0].tolist()
    ([[1, 0, 1]], [-1.0, 2.5])
    """
    codes = np.empty((len(table.columns), table.records if records is None else records), np.int32)
    values = tuple(_code(column, codes[j]) for j, column in enumerate(table.columns))
    nominal = np.array([isinstance(c, Categories) and not c.ordered for c in table.columns], np.bool_)
    return Coded(codes, values, nominal)


def _code(column: Column, out: NDArray[np.int32]) -> NDArray[np.float64]:
    """Fill the codes; what they stand for."""
    if isinstance(column, Categories):
        out[:] = column.codes
        return np.arange(column.levels, dtype=np.float64)
    x = column.values
    low, high = x.min(), x.max()
    if high / 2 - low / 2 < RANGE / 2 and (x == np.rint(x)).all():
        places = (x - low).astype(np.int64)
        present = np.bincount(places) > 0
        out[:] = (np.cumsum(present) - 1)[places]
        return np.asarray(np.flatnonzero(present) + low, np.float64)
    distinct, ranks = np.unique(x, return_inverse=True)
    out[:] = ranks
    return np.asarray(distinct, np.float64)
