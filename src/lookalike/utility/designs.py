"""Designs: terms over coded columns as a matrix of which a row has one entry a term.

A level is a 0/1 column and a row has one level, so the matrix of a million records and fifty columns holds ten entries
a row. It is never made: blocks of rows are handed to the kernels as places and values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Numbers
from lookalike.utility.formula import Term
from lookalike.utility.stacked import Stacked

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Block = tuple[slice, NDArray[np.int32], Floats]

BLOCK = 2**13
"""Rows handed to a kernel at a time: few enough that they stay near the processor."""

KEPT = 4_000_000
"""Entries up to which the blocks are kept for the next pass."""

WIDEST = 2_000
"""Columns of a matrix at most: a matrix of products of so many is still solved in seconds."""

TOLERANCE = 1e-10
"""A column of which less than this share of its square is left beside those before it says nothing new."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A term over coded columns: where its columns of the matrix begin, how many there are, its numbers and levels."""

    columns: tuple[int, ...]
    begin: int
    size: int
    numbers: tuple[int, ...]
    levels: tuple[tuple[int, bool], ...]
    """The columns with levels, and whether the first level has a column too."""


@dataclass(frozen=True)
class Design:
    """Terms over the columns of stacked files; the first column is the intercept.

    Levels are coded against the first one, as in R: the first level has a column only where the term without that
    column is not in the model. Numbers are centred and scaled inside, which `units` takes back.
    """

    stacked: Stacked
    pieces: tuple[Piece, ...]
    centre: Floats
    scale: Floats
    _kept: dict[tuple[int, int], list[Block]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, stacked: Stacked, terms: Sequence[Term]) -> Design:
        """The design of terms that name columns of the files."""
        wanted = [frozenset[int]()] + [term for t in terms for term in _expanded(t, stacked)]
        wanted = sorted(dict.fromkeys(wanted), key=len)
        pieces, width = [], 0
        for term in wanted:
            pieces.append(_piece(term, set(wanted), stacked, width))
            width += pieces[-1].size
            if width > WIDEST:
                raise BadPlan(
                    f"The model has more than {WIDEST:,} coefficients. Leave out columns of many levels, or take fewer"
                    " products of columns."
                )
        centre, scale = _moments(stacked, centred=_can_be_centred(pieces))
        return cls(stacked, tuple(pieces), centre, scale)

    @property
    def width(self) -> int:
        """Columns of the matrix."""
        return self.pieces[-1].begin + self.pieces[-1].size

    def blocks(self, rows: slice) -> Iterable[Block]:
        """Places and values of some rows at a time, and where they stand among all rows."""
        if (rows.stop - rows.start) * len(self.pieces) > KEPT:
            return self._blocks(rows)
        place = (rows.start, rows.stop)
        if place not in self._kept:
            self._kept[place] = list(self._blocks(rows))
        return self._kept[place]

    def _blocks(self, rows: slice) -> Iterator[Block]:
        for begin in range(rows.start, rows.stop, BLOCK):
            some = slice(begin, min(begin + BLOCK, rows.stop))
            count = some.stop - some.start
            index, value = np.empty((count, len(self.pieces)), np.int32), np.ones((count, len(self.pieces)))
            for a, piece in enumerate(self.pieces):
                index[:, a] = _places(piece, self.stacked, some)
                for j in piece.numbers:
                    cells = self.stacked.table.columns[j]
                    assert isinstance(cells, Numbers)
                    value[:, a] *= (cells.values[some] - self.centre[j]) / self.scale[j]
            yield some, index, value

    def matrix(self, rows: slice) -> Floats:
        """The rows as a full matrix, for learners that need one."""
        found = np.zeros((rows.stop - rows.start, self.width))
        for some, index, value in self.blocks(rows):
            i, a = np.nonzero(index >= 0)
            found[i + some.start - rows.start, index[i, a]] = value[i, a]
        return found

    def products(self, rows: slice, weights: Floats | None = None) -> Floats:
        """Σ w x xᵀ over some rows."""
        from lookalike.utility._design_rows import products

        found = np.zeros((self.width, self.width))
        for some, index, value in self.blocks(rows):
            products(index, value, _some(weights, some), found)
        return mirrored(found)

    def sums(self, rows: slice, weights: Floats) -> Floats:
        """Σ w x over some rows."""
        from lookalike.utility._design_rows import sums

        found = np.zeros(self.width)
        for some, index, value in self.blocks(rows):
            sums(index, value, weights[some], found)
        return found

    def times(self, rows: slice, coefficients: Floats) -> Floats:
        """x b of some rows."""
        from lookalike.utility._design_rows import times

        found = np.empty(rows.stop - rows.start)
        for some, index, value in self.blocks(rows):
            times(index, value, coefficients, found[some.start - rows.start : some.stop - rows.start])
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each column of the matrix is: `age`, `sex=M`, `age:sex=M`."""
        return tuple(name for piece in self.pieces for name in _names(piece, self.stacked))

    @cached_property
    def owners(self) -> tuple[frozenset[str], ...]:
        """The columns of the files that each column of the matrix is made of."""
        owners = [frozenset(self.stacked.owners[j] for j in piece.columns) for piece in self.pieces]
        return tuple(owner for owner, piece in zip(owners, self.pieces, strict=True) for _ in range(piece.size))

    @cached_property
    def units(self) -> Floats:
        """The matrix that turns coefficients of centred and scaled numbers into those of the numbers as they are.

        Π (x_j − m_j)/s_j over the numbers S of a term is a sum over subsets T of S of Π_T x_j Π_{S∖T} (−m_j) / Π_S s_j.
        """
        places = {(frozenset(p.numbers), p.levels): p for p in self.pieces}
        found = np.zeros((self.width, self.width))
        for piece in self.pieces:
            scale = float(np.prod(self.scale[list(piece.numbers)]))
            for keep in product((True, False), repeat=len(piece.numbers)):
                kept = frozenset(j for j, k in zip(piece.numbers, keep, strict=True) if k)
                gone = [j for j in piece.numbers if j not in kept]
                factor = float(np.prod(-self.centre[gone])) / scale
                if factor != 0.0:
                    target = places[kept, piece.levels]
                    step = np.arange(piece.size)
                    found[target.begin + step, piece.begin + step] += factor
        return found


def estimable(gram: Floats) -> Places:
    """The columns that are no combination of those before them, from the matrix of products."""
    from lookalike.utility._design_rows import independent

    size = np.sqrt(np.diag(gram))
    safe = np.where(size > 0, size, 1.0)
    out = np.empty(len(gram), np.int64)
    found = independent(gram / safe / safe[:, None], TOLERANCE, out)
    return out[:found].copy()


def mirrored(upper: Floats) -> Floats:
    """A symmetric matrix from its upper half."""
    return np.asarray(np.triu(upper) + np.triu(upper, 1).T, np.float64)


def _some(weights: Floats | None, rows: slice) -> Floats:
    return np.ones(rows.stop - rows.start) if weights is None else weights[rows]


def _expanded(term: Term, stacked: Stacked) -> Iterator[frozenset[int]]:
    """The products of coded columns that a product of columns of the files stands for."""
    yield from (
        frozenset(chosen)
        for chosen in product(*([j for j, owner in enumerate(stacked.owners) if owner == name] for name in term))
    )


def _piece(term: frozenset[int], every: set[frozenset[int]], stacked: Stacked, begin: int) -> Piece:
    columns = tuple(sorted(term))
    kinds = [stacked.table.columns[j] for j in columns]
    numbers = tuple(j for j, cells in zip(columns, kinds, strict=True) if isinstance(cells, Numbers))
    levels = tuple((j, term - {j} not in every) for j in columns if j not in numbers)
    size = int(np.prod([len(stacked.labels[j]) - (not full) for j, full in levels], initial=1))
    return Piece(columns, begin, size, numbers, levels)


def _can_be_centred(pieces: Sequence[Piece]) -> bool:
    """Whether each term without one of its numbers is a term too, coded alike: then centring changes no fit."""
    known = {(frozenset(p.numbers), p.levels) for p in pieces}
    return all((frozenset(p.numbers) - {j}, p.levels) in known for p in pieces for j in p.numbers)


def _moments(stacked: Stacked, *, centred: bool) -> tuple[Floats, Floats]:
    """Of each coded column a centre and a scale; levels have none."""
    centre, scale = np.zeros(len(stacked.names)), np.ones(len(stacked.names))
    for j, cells in enumerate(stacked.table.columns):
        if isinstance(cells, Numbers):
            # A constant less its mean may leave rounding, which would look like a column; less itself it is 0.
            constant = cells.values.min() == cells.values.max()
            centre[j] = (cells.values[0] if constant else cells.values.mean()) if centred else 0.0
            scale[j] = float(np.sqrt(np.mean((cells.values - centre[j]) ** 2))) or 1.0
    return centre, scale


def _places(piece: Piece, stacked: Stacked, rows: slice) -> Places:
    """The column of the matrix that a term fills in each row; −1 where a level is the first and has none."""
    found = np.zeros(rows.stop - rows.start, np.int64)
    none = np.zeros(len(found), np.bool_)
    for j, full in piece.levels:
        cells = stacked.table.columns[j]
        assert isinstance(cells, Categories)
        codes = cells.codes[rows].astype(np.int64) - (not full)
        none |= codes < 0
        found = found * (len(stacked.labels[j]) - (not full)) + codes
    return np.where(none, -1, found + piece.begin)


def _names(piece: Piece, stacked: Stacked) -> Iterator[str]:
    if not piece.columns:
        yield "intercept"
        return
    full = dict(piece.levels)
    ways = [
        [f"{stacked.names[j]}={label}" for label in stacked.labels[j][not full[j] :]]
        if j in full
        else [stacked.names[j]]
        for j in piece.columns
    ]
    yield from (":".join(parts) for parts in product(*ways))
