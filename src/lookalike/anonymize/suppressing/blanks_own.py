"""Local suppression where a missing cell is a value of its own: every class of the release has k records."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymize.suppressing.blanks import Blanks, Cells, Rows, bits
from lookalike.classes import group, totals
from lookalike.classes.codes import MISSING

_Floats = NDArray[np.float64]


def blanks_as_values(cells: Cells) -> Blanks:
    """Cells to blank so that every record is equal to k − 1 others, blank cells being equal to each other.

    The cheapest sets of columns first, of equally cheap ones that which serves most records: all records in need that
    are k or more when these columns are blank lose them, and so do those that are then equal to a class already there.
    What is left at the end joins the class that costs least to make equal to it.

    >>> cells = Cells(codes=np.array([[0, 0, 1], [5, 5, 5]], np.int32), prices=(1.0, 1.0), k=2, limit=6)
    >>> found = blanks_as_values(cells)  # the third joins the first two, which must give up the same cell
    >>> found.cells.astype(int).tolist(), found.below
    ([[1, 1, 1], [0, 0, 0]], 0)
    """
    search = _Search(cells)
    for price in np.unique(cells.price)[1:]:
        if not len(search.needy):
            break
        level = np.flatnonzero(cells.price == price)
        served = np.array([search.served(int(lost))[0].sum() for lost in level])
        for at in np.argsort(-served, kind="stable")[: np.count_nonzero(served)]:
            search.serve(int(level[at]))
    marks = bits(search.lost[cells.kind], cells.columns)
    marks &= cells.codes[: cells.columns] >= 0
    joined = _Joining(cells, marks, search.needy, search.left)
    below = joined.join()
    return Blanks(cells=joined.marks, below=below)


@dataclass
class _Search:
    """Kinds of records in need, the columns that each loses, and the classes with blanks so far."""

    cells: Cells
    needy: NDArray[np.int64] = field(init=False)
    lost: NDArray[np.int64] = field(init=False)
    left: int = field(init=False)

    def __post_init__(self) -> None:
        sizes, rows = self.cells.sizes, self.cells.rows
        self.needy = np.flatnonzero(sizes < self.cells.k)
        self.lost = np.zeros(len(sizes), np.int64)
        self.left = self.cells.limit
        held = np.flatnonzero((sizes >= self.cells.k) & (rows[: self.cells.columns] == MISSING).any(axis=0))
        self.held, self.amounts = rows[:, held], sizes[held]

    def served(self, lost: int) -> tuple[NDArray[np.int64], NDArray[np.int32], Rows]:
        """Of each kind in need the records, 0 if they are fewer than k without these columns; its class; its row."""
        rows = self.cells.rows[:, self.needy]
        columns = np.flatnonzero(bits(np.array([lost]), self.cells.columns)[:, 0])
        rows[columns] = MISSING
        alike = (self.held[columns] == MISSING).all(axis=0)
        amounts = np.concatenate([self.cells.sizes[self.needy], self.amounts[alike]])
        if not len(self.needy):
            return np.empty(0, np.int64), np.empty(0, np.int32), rows
        labels = group(
            np.concatenate([mine, held]).astype(np.int64) for mine, held in zip(rows, self.held[:, alike], strict=True)
        )
        enough = (totals(labels, amounts) >= self.cells.k)[labels][: len(self.needy)]
        return np.where(enough, self.cells.sizes[self.needy], 0), labels[: len(self.needy)], rows

    def serve(self, lost: int) -> None:
        """Let those that these columns help lose them, class by class while the limit allows."""
        served, labels, rows = self.served(lost)
        if not served.any():
            return
        marks = bits(np.array([lost]), self.cells.columns)[:, 0]
        blanked = (self.cells.rows[: self.cells.columns, self.needy][marks] >= 0).sum(axis=0) * served
        by_class = np.bincount(labels, weights=blanked).astype(np.int64)
        order = np.argsort(by_class, kind="stable")
        fits = np.empty(len(order), bool)
        fits[order] = np.cumsum(by_class[order]) <= self.left
        taken = (served > 0) & fits[labels]
        self.left -= int(blanked[taken].sum())
        self.lost[self.needy[taken]] = lost
        self.held = np.concatenate([self.held, rows[:, taken]], axis=1)
        self.amounts = np.concatenate([self.amounts, served[taken]])
        self.needy = self.needy[~taken]


@dataclass
class _Joining:
    """The last records in need, and the classes that they may join."""

    cells: Cells
    marks: NDArray[np.bool_]
    needy: NDArray[np.int64]
    left: int

    def join(self) -> int:
        """Each kind in need joins the nearest class, if one can be had; returns the records for which none can."""
        below = 0
        for kind in self.needy:
            members = np.flatnonzero(self.cells.kind == kind)
            if not self._joined(members):
                below += len(members)
        return below

    def _joined(self, members: NDArray[np.int64]) -> bool:
        """Make these records equal to part of a class, or to all of it where too few would be left."""
        rows = self._released()
        labels = group(column.astype(np.int64) for column in rows)
        sizes = np.bincount(labels)
        if sizes[labels[members[0]]] >= self.cells.k:
            return True
        first = np.empty(len(sizes), np.int64)
        first[labels[::-1]] = np.arange(len(labels))[::-1]
        price, apart = self._price(rows[:, first], rows[:, members[0]])
        wanted = self.cells.k - len(members)
        taken = np.where(sizes - wanted >= self.cells.k, wanted, sizes)
        total = np.where((sizes < self.cells.k) | apart, np.inf, price[0] * len(members) + price[1] * taken)
        best = int(np.argmin(total))
        if not np.isfinite(total[best]):
            return False
        others = np.flatnonzero(labels == best)[: taken[best]]
        return self._blanked(rows, members, others)

    def _released(self) -> Rows:
        rows = self.cells.codes.copy()
        rows[: self.cells.columns][self.marks] = MISSING
        return rows

    def _price(self, rows: Rows, row: Rows) -> tuple[tuple[_Floats, _Floats], NDArray[np.bool_]]:
        """What a record would lose, and one of each class; and the classes that differ where nothing may be blanked."""
        m, prices = self.cells.columns, np.array(self.cells.prices)
        differs = rows != row[:, None]
        mine = prices @ (differs[:m] & (row[:m, None] >= 0))
        theirs = prices @ (differs[:m] & (rows[:m] >= 0))
        return (mine, theirs), differs[m:].any(axis=0)

    def _blanked(self, rows: Rows, members: NDArray[np.int64], others: NDArray[np.int64]) -> bool:
        m, both = self.cells.columns, np.concatenate([members, others])
        differs = rows[:m, members[0]] != rows[:m, others[0]]
        new = differs[:, None] & (rows[:m, both] >= 0)
        if new.sum() > self.left:
            return False
        self.left -= int(new.sum())
        self.marks[:, both] |= new
        return True
