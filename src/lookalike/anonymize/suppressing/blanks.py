"""What local suppression works on, and what it finds: a table of codes, and the cells to blank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lookalike.classes import group

Rows = NDArray[np.int32]
MOST = 16
"""Columns that may be blanked: every set of them is weighed."""


@dataclass(frozen=True, kw_only=True)
class Cells:
    """The quasi-identifiers as codes, a row a column; those that may be blanked come first.

    >>> cells = Cells(codes=np.array([[0, 0, -1], [5, 5, 7]], np.int32), prices=(1.0, 2.0), k=2, limit=6)
    >>> cells.first.tolist(), cells.sizes.tolist(), cells.price.tolist(), cells.size.tolist()
    ([0, 2], [2, 1], [0.0, 0.5, 1.0, 1.5], [0, 1, 1, 2])
    """

    codes: Rows
    """-1 is missing."""
    prices: Sequence[float]
    """What a blank costs in each column that may be blanked."""
    k: int
    limit: int
    """The most cells that may be blanked."""

    @property
    def columns(self) -> int:
        """The columns that may be blanked."""
        return len(self.prices)

    @cached_property
    def kind(self) -> NDArray[np.int64]:
        """Each record's number among the distinct records, which are numbered as they come in the file."""
        labels = group(column.astype(np.int64) for column in self.codes)
        first = np.empty(int(labels.max()) + 1, np.int64)
        # Written from the end, so that the first record of a kind is the last to be written.
        first[labels[::-1]] = np.arange(len(labels))[::-1]
        rank = np.empty(len(first), np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return rank[labels]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The records of each kind."""
        return np.bincount(self.kind)

    @cached_property
    def members(self) -> NDArray[np.int64]:
        """The records kind by kind; those of a kind as they come in the file."""
        return np.argsort(self.kind, kind="stable")

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each kind begins among the members."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def first(self) -> NDArray[np.int64]:
        """The first record of each kind."""
        return self.members[self.starts]

    @cached_property
    def rows(self) -> Rows:
        """The codes of the distinct records."""
        return np.ascontiguousarray(self.codes[:, self.first])

    @cached_property
    def price(self) -> NDArray[np.float64]:
        """What it costs to blank a set of columns, the dearest column being 1; bit c of a set stands for column c."""
        found = np.zeros(1)
        for price in self.prices:
            found = np.append(found, found + price)
        # Sums in another order differ in the last digits: equal prices must be equal.
        return np.round(found / max(self.prices), 12)

    @cached_property
    def size(self) -> NDArray[np.int64]:
        """How many columns are in each set."""
        return np.bitwise_count(np.arange(1 << self.columns)).astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class Blanks:
    """The cells to blank, a row a column, and how many records still have fewer than k lookalikes."""

    cells: NDArray[np.bool_]
    below: int
    blocks: int = 1
    """In how many parts the file was looked at."""


def bits(sets: NDArray[np.int64], columns: int) -> NDArray[np.bool_]:
    """Sets of columns as marks, a row a column.

    >>> bits(np.array([1, 2]), 2).tolist()
    [[True, False], [False, True]]
    """
    return (sets >> np.arange(columns)[:, None] & 1).astype(bool)
