"""Counts over keys and targets: everything the CAP family needs of two files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.columns import compact, numbered

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """One file counted: records per cell (key and target), per key, per target."""

    cells: Ints
    keys: Ints
    targets: Ints

    @property
    def records(self) -> int:
        """The records of the file that have a class of key at all."""
        return int(self.keys.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells (q, t) that occur, q a combination of known values and t a value of the target.

    `key` and `target` say which q and t a cell is. `original`, `release` and `control` are counts: d, s and c in the
    formulas. `place` is the cell of each record of the original, in its order, and `control_place` that of each
    record of the control. Missing values are values of their own.

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [30, 31, 32, 32], "ill": ["y", "n", "y", "n"]})
    >>> release = pl.DataFrame({"age": [30, 30, 32], "ill": ["y", "y", "n"]})
    >>> cells = Cells.of(original, release, ["age"], "ill")
    >>> cells.original.cells.tolist(), cells.release.cells.tolist(), cells.place.tolist()
    ([1, 1, 1, 1], [2, 0, 0, 1], [0, 1, 2, 3])
    >>> by_number = Cells.of_numbers([np.array([0, 1]), np.array([0])], [np.array([0, 0]), np.array([1])])
    >>> by_number.key.tolist(), by_number.target.tolist(), by_number.original.cells.tolist()
    ([0, 0, 1], [0, 1, 0], [1, 0, 1])
    """

    key: Ints
    target: Ints
    original: Counted
    release: Counted
    control: Counted | None
    place: Ints
    control_place: Ints | None

    @classmethod
    def of(
        cls,
        original: pl.DataFrame,
        release: pl.DataFrame,
        known: Sequence[str],
        target: str,
        control: pl.DataFrame | None = None,
    ) -> Cells:
        """Count the files; linear in their records.

        >>> file = pl.DataFrame({"sex": ["M", "M", "F"], "test": ["P", "P", "N"]})
        >>> cells = Cells.of(file, file.head(2), ["sex"], "test")
        >>> sorted(cells.original.cells.tolist()), sorted(cells.release.cells.tolist())
        ([1, 2], [0, 2])
        """
        files = [original, release] + ([] if control is None else [control])
        keys, targets = numbered(files, known), numbered(files, [target])
        return cls.of_numbers(keys.files, targets.files)

    @classmethod
    def of_numbers(cls, keys: Sequence[Ints], targets: Sequence[Ints]) -> Cells:
        """Count files whose keys and targets are numbers from 0: the original, the release, if any the control."""
        levels = 1 + max(int(t.max(initial=0)) for t in targets)
        joint = np.concatenate(keys) * levels
        joint += np.concatenate(targets)
        joint, room = compact(joint)
        heights = [len(k) for k in keys]
        places = np.split(joint, np.cumsum(heights)[:-1])
        occurs, key, target = _cells_that_occur(places, keys, targets, room)
        counted = [_counted(place[occurs], key, target) for place in (np.bincount(p, minlength=room) for p in places)]
        at = np.cumsum(occurs) - 1
        third = len(keys) > 2
        return cls(
            key,
            target,
            counted[0],
            counted[1],
            counted[2] if third else None,
            at[places[0]],
            at[places[2]] if third else None,
        )

    def share(self, of: Counted) -> Floats:
        """For each cell, the share of its target among a file's records of its key; "not a number" if none."""
        return ratio(of.cells, of.keys[self.key])


def ratio(part: Ints, whole: Ints) -> Floats:
    """Part by whole; "not a number" where the whole is 0, which is not a share of 0."""
    found = np.full(len(part), np.nan)
    np.divide(part, whole, out=found, where=whole > 0)
    return found


def _cells_that_occur(
    places: Sequence[Ints], keys: Sequence[Ints], targets: Sequence[Ints], room: int
) -> tuple[NDArray[np.bool_], Ints, Ints]:
    occurs, key, target = np.zeros(room, bool), np.zeros(room, np.int64), np.zeros(room, np.int64)
    for place, k, t in zip(places, keys, targets, strict=True):
        occurs[place], key[place], target[place] = True, k, t
    return occurs, key[occurs], target[occurs]


def _counted(cells: Ints, key: Ints, target: Ints) -> Counted:
    def summed(index: Ints) -> Ints:
        return np.bincount(index, weights=cells).astype(np.int64)

    return Counted(cells, summed(key), summed(target))
