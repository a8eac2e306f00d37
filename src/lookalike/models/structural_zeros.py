"""Structural zeros: combinations of categories that cannot be, as disjoint slices of the table.

A slice holds one code a column and −1 (`ANY`) where it says nothing: (0, −1, 2) is every record with 0 in the first
column and 2 in the third. Slices must not overlap when their masses are added up (Manrique-Vallier and Reiter 2014).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import BadPlan

ANY = -1
"""Any level: the slice says nothing of this column."""

MOST = 5_000
"""Slices at most: each costs a product over classes in every sweep."""

Slice = tuple[int, ...]


class Zeros(NamedTuple):
    """Disjoint slices as the kernels read them: the fixed cells of all slices one after another."""

    start: NDArray[np.int64]
    """Where each slice's fixed cells begin, and the end."""
    column: NDArray[np.int64]
    code: NDArray[np.int64]
    at: NDArray[np.int64]
    """The place of the level among the levels of all columns."""

    @classmethod
    def of(cls, slices: Sequence[Slice], levels: Sequence[int]) -> Zeros:
        """From disjoint slices over columns with so many levels each."""
        table = np.array(slices, np.int64).reshape(len(slices), len(levels))
        row, column = np.nonzero(table != ANY)
        code, first = table[row, column], np.cumsum([0, *levels])
        start = np.searchsorted(row, np.arange(len(slices) + 1)).astype(np.int64)
        return cls(start, column.astype(np.int64), code, first[column] + code)


def checked(slices: Iterable[Sequence[int]], levels: Sequence[int | None]) -> tuple[Slice, ...]:
    """The slices, refused if they do not fit columns of so many levels; None: numbers, of which no slice may speak."""
    found = [tuple(int(code) for code in piece) for piece in slices]
    faults = []
    for number, piece in enumerate(found, 1):
        if len(piece) != len(levels):
            faults.append(f"Structural zero {number} has {len(piece)} codes; the table has {len(levels)} columns.")
        elif all(code == ANY for code in piece):
            faults.append(f"Structural zero {number} fixes no column: nothing would be possible.")
        else:
            faults += [_fault(number, j) for j, code in enumerate(piece) if not _fits(code, levels[j])]
    if faults:
        raise BadPlan(faults)
    return tuple(found)


def _fits(code: int, levels: int | None) -> bool:
    return code == ANY or (levels is not None and 0 <= code < levels)


def _fault(number: int, j: int) -> str:
    return f"Structural zero {number} names a code in column {j + 1} that is no level of a category there."


def disjoint(slices: Iterable[Sequence[int]], levels: Sequence[int]) -> tuple[Slice, ...]:
    """Slices with the same union of which no two overlap.

    Wide slices first; of each further one what lies outside those before is kept, cut along the columns they fix.

    >>> disjoint([(0, ANY), (ANY, 1)], levels=(2, 3))
    ((-1, 1), (0, 2), (0, 0))
    """
    kept: list[Slice] = []
    # Fewest fixed columns first: a narrow slice inside a wide one vanishes instead of cutting it up.
    for piece in sorted({tuple(int(c) for c in s) for s in slices}, key=lambda s: (sum(c != ANY for c in s), s)):
        for part in _outside(piece, np.array(kept, np.int64).reshape(-1, len(levels)), levels):
            kept.append(part)
            if len(kept) > MOST:
                raise BadPlan(
                    f"The structural zeros need more than {MOST:,} disjoint slices; give fewer or wider ones."
                )
    return tuple(kept)


def _outside(piece: Slice, others: NDArray[np.int64], levels: Sequence[int]) -> Iterator[Slice]:
    """What of a slice lies outside all others, in disjoint slices; each part is held only against those it meets."""
    waiting = [(piece, others)]
    while waiting:
        part, near = waiting.pop()
        mine = np.array(part)
        near = near[((near == mine) | (near == ANY) | (mine == ANY)).all(axis=1)]
        if len(near):
            waiting += [(rest, near[1:]) for rest in _less(part, tuple(near[0].tolist()), levels)]
        else:
            yield part


def _less(piece: Slice, other: Slice, levels: Sequence[int]) -> list[Slice]:
    """A slice without one it meets: for each column only the other fixes its other levels, those before held to it."""
    found, held = [], list(piece)
    for j, (mine, theirs) in enumerate(zip(piece, other, strict=True)):
        if mine == ANY and theirs != ANY:
            found += [(*held[:j], level, *held[j + 1 :]) for level in range(levels[j]) if level != theirs]
            held[j] = theirs
    return found


def slices_of(impossible: NDArray[np.bool_], *, columns: Sequence[int], width: int) -> tuple[Slice, ...]:
    """Disjoint slices of a table of truths over a few columns of a table of `width` columns; True: it cannot be.

    >>> slices_of(np.array([[True, True, True], [False, True, False]]), columns=(2, 0), width=3)
    ((-1, -1, 0), (1, -1, 1))
    """
    if impossible.ndim != len(columns):
        raise BadPlan(f"A table of structural zeros has {impossible.ndim} sides for {len(columns)} columns.")
    found = []
    for part in _boxes(np.asarray(impossible, bool)):
        piece = [ANY] * width
        for column, code in zip(columns, part, strict=True):
            piece[column] = code
        found.append(tuple(piece))
    return tuple(found)


def _boxes(mask: NDArray[np.bool_]) -> list[Slice]:
    """Slices whose union is a mask: a side on which nothing depends is left open, else the best side is cut."""
    if not mask.any():
        return []
    if mask.all():
        return [(ANY,) * mask.ndim]
    # Cut where most levels are then settled, all possible or none: those need no further cut.
    settled = [_settled(mask, axis) for axis in range(mask.ndim)]
    axis = int(np.argmax(settled))
    parts = np.moveaxis(mask, axis, 0)
    if (parts == parts[:1]).all():
        return [(*b[:axis], ANY, *b[axis:]) for b in _boxes(parts[0])]
    return [(*b[:axis], level, *b[axis:]) for level, part in enumerate(parts) for b in _boxes(part)]


def _settled(mask: NDArray[np.bool_], axis: int) -> float:
    """The share of levels of a side that are all true or all false; 2 if the side does not matter."""
    parts = np.moveaxis(mask, axis, 0).reshape(mask.shape[axis], -1)
    if (parts == parts[:1]).all():
        return 2.0
    return float((parts.all(axis=1) | ~parts.any(axis=1)).mean())
