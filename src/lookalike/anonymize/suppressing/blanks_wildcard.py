"""Local suppression where a missing cell matches all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymize.suppressing.blanks import Blanks, Cells, bits
from lookalike.classes import matching

ROUNDS = 4
"""How often blanked cells are looked at again, at most."""
WORK = 5e10
"""Comparisons of two cells up to which all records are compared; some 20 seconds a pass. Beyond, in blocks."""
BLOCK = 8_000
"""Distinct records of a block, at least."""


def blanks_with_wildcards(cells: Cells, *, others: bool = True) -> Blanks:
    """Cells to blank so that every record matches k records wherever neither is blank.

    One record after another: the fewest of its own cells (the cheapest, if columns are weighted) that give it k
    lookalikes as the table then stands; of equally few those that help most of the records in need. The hardest
    records come first, for what they give up helps most. Records that the blanks of others helped are left alone.
    Then every blanked record is looked at again, the last one first: a cell that is no longer needed comes back.
    Without `others`, records count by what they were before any cell was blanked, and the cells are the fewest
    possible.

    >>> cells = Cells(codes=np.array([[0, 0, 1], [5, 5, 5]], np.int32), prices=(1.0, 1.0), k=2, limit=6)
    >>> found = blanks_with_wildcards(cells)
    >>> found.cells.astype(int).tolist(), found.below
    ([[0, 0, 1], [0, 0, 0]], 0)
    """
    f = cells.sizes
    if (cells.rows < 0).any():
        codes = np.asfortranarray(cells.rows.T.astype(np.int64))
        f = matching(codes, codes, f)
    blocks, left, blanked, below = _blocks(cells, f), cells.limit, [], 0
    for block in blocks:
        found = _Block(cells, block, f[block], left)
        lost, missed, left = found.own() if not others else found.together()
        blanked.append((block[lost[0]], lost[1]))
        below += missed
    marks = _marks(cells, *(np.concatenate(part) for part in zip(*blanked, strict=True)))
    return Blanks(cells=marks, below=below, blocks=len(blocks))


def _blocks(cells: Cells, f: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The distinct records as they are looked at: all at once, or in blocks of those that are alike."""
    rows, needy = len(f), int((f < cells.k).sum())
    parts = int(min(np.ceil(needy * rows * len(cells.codes) / WORK), rows // BLOCK))
    if parts <= 1:
        return [np.arange(rows)]
    # Columns of few values first: they are worth most to keep, for a blank in one of many values helps more records.
    few = sorted(cells.rows, key=lambda column: -len(np.unique(column)))
    return [np.sort(part) for part in np.array_split(np.lexsort(few), parts)]


def _marks(cells: Cells, kinds: NDArray[np.int64], lost: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Blanked sets of kinds of records, as cells of the file: the first records of a kind are blanked first."""
    order = np.argsort(kinds, kind="stable")
    kinds, lost = kinds[order], lost[order]
    turn = np.arange(len(kinds)) - np.searchsorted(kinds, kinds)
    marks = np.zeros((cells.columns, cells.codes.shape[1]), bool)
    marks[:, cells.members[cells.starts[kinds] + turn]] = bits(lost, cells.columns)
    return marks


_Lost = tuple[NDArray[np.int64], NDArray[np.int64]]
"""For each record that loses cells its kind, and the set of columns."""


@dataclass
class _Block:
    """Distinct records that are compared with each other."""

    cells: Cells
    which: NDArray[np.int64]
    f: NDArray[np.int64]
    limit: int

    def __post_init__(self) -> None:
        cells, m = self.cells, self.cells.columns
        self.rows = np.ascontiguousarray(cells.rows[:, self.which])
        self.w = cells.sizes[self.which]
        self.lacks = ((self.rows[:m] < 0) << np.arange(m)[:, None]).sum(axis=0).astype(np.uint32)
        self.needy = np.flatnonzero(self.f < cells.k)
        self.full = (1 << m) - 1

    def own(self) -> tuple[_Lost, int, int]:
        """Each record by its own cells: those that need fewest first, while the limit allows."""
        keep, needy = self._alone()
        lost = self._lost(needy, keep)
        order = np.argsort(self.cells.size[lost], kind="stable")
        needy, lost = needy[order], lost[order]
        spent = np.cumsum(self.cells.size[lost] * self.w[needy])
        within = spent <= self.limit
        needy, lost, spent = needy[within], lost[within], spent[within]
        times = self.w[needy]
        below = int(self.w[self.needy].sum() - times.sum())
        return (np.repeat(needy, times), np.repeat(lost, times)), below, self.limit - int(spent.max(initial=0))

    def together(self) -> tuple[_Lost, int, int]:
        """With the help of others' blanks; where the limit is too low, those that need fewest first."""
        keep, needy = self._alone()
        price = self.cells.price[self._lost(needy, keep)]
        found = self._search(needy[np.argsort(-price, kind="stable")])
        if found[1] and found[1] > self.w[self.needy].sum() - self.w[needy].sum():
            found = self._search(needy[np.argsort(price, kind="stable")])
        return found

    def _alone(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What each record must keep if no other changes, of those that can be helped at all."""
        from lookalike.anonymize.suppressing import _suppression as kernel

        cells = self.cells
        keep = kernel.alone(self.rows, self.lacks, self.w, self.f, cells.columns, self.needy, cells.k, cells.price)
        return keep[keep >= 0], self.needy[keep >= 0]

    def _lost(self, rows: NDArray[np.int64], keep: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cells that records have and do not keep."""
        return np.asarray(self.full & ~self.lacks[rows].astype(np.int64) & ~keep, np.int64)

    def _search(self, order: NDArray[np.int64]) -> tuple[_Lost, int, int]:
        from lookalike.anonymize.suppressing import _suppression as kernel

        cells, before = self.cells, len(self.w)
        room = before + int(self.w[order].sum())
        codes = np.empty((len(self.rows), room), np.int32)
        codes[:, :before] = self.rows
        lacks, w, f = (_longer(old, room) for old in (self.lacks, self.w, self.f))
        kind = np.arange(room)
        fixed, prices, left = (codes, lacks, w, f, kind), (cells.k, cells.price, cells.size), self.limit
        rows, left = kernel.blank(*fixed, before, cells.columns, order, *prices, left)
        for _ in range(ROUNDS):
            back = kernel.restore(*fixed, rows, cells.columns, np.arange(rows)[: before - 1 : -1], *prices)
            if not back:
                break
            rows, left = kernel.blank(*fixed, rows, cells.columns, order, *prices, left + back)
        made = kind[before:rows]
        lost = (lacks[before:rows] & ~lacks[made]).astype(np.int64)
        changed = lost > 0
        return (made[changed], lost[changed]), int(w[:rows][f[:rows] < cells.k].sum()), left


def _longer(old: NDArray[np.int64], room: int) -> NDArray[np.int64]:
    new = np.zeros(room, old.dtype)
    new[: len(old)] = old
    return new
