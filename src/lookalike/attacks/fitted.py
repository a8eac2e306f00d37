"""Distinct keys of people beside the distinct ranges of a release's rows: which ranges hold which key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.columns import numbered
from lookalike.attacks.ranges import Boxes, Ordered, fitting, is_coarse, spans_of
from lookalike.classes import group

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Sparse = Any
"""A `scipy.sparse.csr_array`."""

MOST = 5_000_000
"""Pairs of a key and a box that holds it that are written out at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Records by the number of their key, rows by the number of their box, and both as boxes in one code book.

    A box is what a row says on the known columns. The key and the box of a record and a row with equal values are not
    the same number: `parts` tells which box holds which key."""

    people: list[Ints]
    rows: Ints
    keys: Boxes
    boxes: Boxes
    room: int

    @property
    def sizes(self) -> Ints:
        """The rows of each box."""
        return np.bincount(self.rows, minlength=len(self.boxes))

    def owned(self) -> Bools:
        """Whether row i holds record i."""
        return self.keys.take(self.people[0]).meets(self.boxes.take(self.rows))

    def counts(self) -> Ints:
        """How many boxes hold each key."""
        return fitting(self.keys, self.boxes, self.room)

    def pairs(self) -> tuple[Ints, NDArray[np.int32]]:
        """The boxes that hold key i, from place `ends[i]` to `ends[i + 1]`."""
        return self._pairs(slice(None), self.counts())

    def parts(self, most: int = MOST) -> Iterator[tuple[slice, Sparse]]:
        """Some keys by all boxes, 1 where the box holds the key; so many keys that there are at most `most` ones.

        >>> people, release = pl.DataFrame({"age": [18, 30, 18]}), pl.DataFrame({"age": ["[15;20]", "[18;40]"]})
        >>> fitted = Keys.of([people], release, ["age"]).fitted()
        >>> [(part.toarray()[fitted.people[0]][:, fitted.rows]).tolist() for _, part in fitted.parts()]
        [[[1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]]
        """
        from scipy.sparse import csr_array

        counts, first = self.counts(), 0
        reached = np.cumsum(counts)
        while first < len(counts):
            before = reached[first - 1] if first else 0
            last = max(int(np.searchsorted(reached, before + most, side="right")), first + 1)
            some = slice(first, last)
            ends, found = self._pairs(some, counts[some])
            yield some, csr_array((np.ones(len(found)), found, ends), shape=(last - first, len(self.boxes)))
            first = last

    def _pairs(self, some: slice, counts: Ints) -> tuple[Ints, NDArray[np.int32]]:
        from lookalike.attacks import _ranges as kernel

        laid = Ordered.of(self.boxes, self.room)
        block, low, high = self.keys.block[some], self.keys.low[some], self.keys.high[some]
        ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return ends, kernel.listed(laid.low, laid.high, laid.reach, laid.order, laid.starts, block, low, high, ends)


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """One known column of the people's files and, last, of the release: the ends of each cell as ranks."""

    low: list[Ints]
    high: list[Ints]
    ranged: bool


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """The known columns of people and of a release, of which any set can be taken for what is known."""

    columns: list[_Column]

    @classmethod
    def of(cls, people: Sequence[pl.DataFrame], release: pl.DataFrame, known: Sequence[str]) -> Keys:
        """Code the files of people, the original first, and the release.

        Cells of a release that stand for several values are ranges; in such a column a missing cell may be anything.
        In other columns it equals a missing cell."""
        files = [*people, release]
        return cls([_column(files, name, is_coarse(release[name], people[0][name])) for name in known])

    def fitted(self, which: Sequence[int] | None = None) -> Fitted:
        """Who fits which rows, on all of the columns or on some."""
        chosen = self.columns if which is None else [self.columns[j] for j in which]
        ranged, exact = ([c for c in chosen if c.ranged is wanted] for wanted in (True, False))
        ranged.sort(key=_width)  # the narrowest first: rows are laid out by it
        files = range(len(chosen[0].low))
        heights = [len(low) for low in chosen[0].low]
        block = group([np.concatenate(c.low) for c in exact]).astype(np.int64) if exact else np.zeros(sum(heights), int)
        blocks = np.split(block, np.cumsum(heights)[:-1])
        every = [
            Boxes(
                blocks[i], _ends([c.low[i] for c in ranged], i, heights), _ends([c.high[i] for c in ranged], i, heights)
            )
            for i in files
        ]
        people, keys = _distinct(every[:-1])
        rows, boxes = _distinct(every[-1:])
        return Fitted(people, rows[0], keys, boxes, int(block.max(initial=0)) + 1)


def _column(files: Sequence[pl.DataFrame], name: str, ranged: bool) -> _Column:
    if not ranged:
        codes = numbered(files, [name]).files
        return _Column(codes, codes, False)
    ends = spans_of([file[name] for file in files])
    grid = np.unique(np.concatenate([end for pair in ends for end in pair]))
    low, high = ([np.searchsorted(grid, pair[side]).astype(np.int64) for pair in ends] for side in (0, 1))
    return _Column(low, high, True)


def _width(column: _Column) -> float:
    return float(np.mean(column.high[-1] - column.low[-1]) / (1 + max(int(h.max(initial=0)) for h in column.high)))


def _ends(columns: Sequence[Ints], file: int, heights: Sequence[int]) -> NDArray[np.float64]:
    """The ends on each ranged column; one column of zeros where there is none, so that equal blocks meet."""
    found = np.column_stack(columns) if columns else np.zeros((heights[file], 1))
    return found.astype(np.float64)


def _distinct(files: Sequence[Boxes]) -> tuple[list[Ints], Boxes]:
    """The number of each record's box among the distinct ones, and these."""
    together = Boxes(*(np.concatenate([getattr(f, part) for f in files]) for part in ("block", "low", "high")))
    ends = np.hstack([together.low, together.high]).astype(np.int64)
    labels = group([together.block, *ends.T]).astype(np.int64)
    first = np.unique(labels, return_index=True)[1]
    return np.split(labels, np.cumsum([len(f) for f in files])[:-1]), together.take(first)
