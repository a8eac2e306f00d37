"""Which rows of a file fit each target on what is known: by hashing where values must be equal, by ranges where not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.files import Files
from lookalike.attacks.ranges import Boxes, Ordered, Radius, boxes, fitting, is_coarse
from lookalike.attacks.votes import most_voted

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Best = tuple[Ints, Bools]
"""For each target: the rows that share the highest chance, and whether its own row is one of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Fits:
    """The people looked for and the files they are looked for in, in one code book.

    `targets` are the original and, if given, the control; `rows` the original and the releases; `people` the
    population."""

    targets: list[Boxes]
    rows: list[Boxes]
    people: Boxes | None
    room: int

    @classmethod
    def of(cls, files: Files, known: Sequence[str], radius: Mapping[str, Radius] | None = None) -> Fits:
        """Code what is known in all files.

        >>> file = pl.DataFrame({"age": [30, 31, 31]})
        >>> fits = Fits.of(Files(original=file, releases=(file,)), ["age"])
        >>> fits.count(fits.targets[0], fits.rows[1]).tolist()
        [1, 2, 2]
        """
        ranged = ranged_columns(files, known, radius or {})
        targets = [files.original] + ([] if files.control is None else [files.control])
        rows = [*files.releases] + ([] if files.population is None else [files.population])
        # Only a radius makes a box of a target other than that of its row.
        twice = [] if not radius else [files.original]
        exact = [name for name in known if name not in ranged]
        coded, room = boxes(targets, [*twice, *rows], exact, ranged)
        looked = coded[len(targets) :] if twice else [coded[0], *coded[len(targets) :]]
        people = None if files.population is None else looked.pop()
        return cls(coded[: len(targets)], looked, people, room)

    def count(self, targets: Boxes, rows: Boxes) -> Ints:
        """How many rows fit each target."""
        if targets.low.shape[1]:
            return fitting(targets, rows, self.room)
        return np.bincount(rows.block, minlength=self.room)[targets.block]

    def distinct(self, file: pl.DataFrame, boxes: Boxes) -> tuple[pl.DataFrame, Ints]:
        """A record of each combination of known values, and how many have it; all records where there are ranges."""
        if boxes.low.shape[1]:
            return file, np.ones(file.height, np.int64)
        a_record = np.empty(self.room, np.int64)
        a_record[boxes.block] = np.arange(len(boxes))
        sizes = np.bincount(boxes.block, minlength=self.room)
        return file[a_record[sizes > 0]], sizes[sizes > 0]

    def best(self, which: Sequence[int], *, owned: bool, in_sample: bool = True, target: int = 0) -> Best:
        """The rows with the highest chance P(J = j) over the files `which` (0 the original, then the releases).

        `owned` says that row i is target i's own.
        """
        targets = self.targets[target]
        people = None if in_sample else self._people(targets)
        if len(which) == 1:
            return self._best_of_one(targets, self.rows[which[0]], people, owned=owned)
        rows = [self.rows[i] for i in which]
        people = np.zeros(len(targets), np.int64) if people is None else people
        if targets.low.shape[1]:
            return _voted(targets, rows, people, self.room, owned=owned)
        return most_voted(targets.block, [r.block for r in rows], people, self.room, owned=owned)

    def _best_of_one(self, targets: Boxes, rows: Boxes, people: Ints | None, *, owned: bool) -> Best:
        """One file: every row that fits is as likely, and "none of them" has the rest: 1 − |M|·min(1/F, 1/|M|)."""
        candidates = self.count(targets, rows)
        own = _meets(targets, rows) if owned else np.zeros(len(targets), bool)
        if people is None:
            return candidates, own
        outside = people - candidates  # in units of 1/F: the chance of "none", beside 1 for each row
        candidates = np.where((candidates == 0) | (outside > 1), 0, candidates + (outside == 1))
        return candidates, own & (candidates > 0)

    def _people(self, targets: Boxes) -> Ints:
        """F: the people who fit each target, never fewer than the original has."""
        assert self.people is not None
        return np.maximum(self.count(targets, self.people), self.count(targets, self.rows[0]))


def _meets(targets: Boxes, rows: Boxes) -> Bools:
    if targets is rows:
        return np.ones(len(targets), bool)
    return targets.meets(rows) if targets.low.shape[1] else np.asarray(targets.block == rows.block, bool)


def _voted(targets: Boxes, rows: Sequence[Boxes], people: Ints, room: int, *, owned: bool) -> Best:
    from numba.typed import List

    from lookalike.attacks import _ranges as kernel

    laid = List()
    for file in rows:
        one = Ordered.of(file, room)
        laid.append((one.low, one.high, one.reach, one.order, one.starts))
    found: Best = kernel.vote(laid, targets.block, targets.low, targets.high, people, owned)
    return found


def ranged_columns(files: Files, known: Sequence[str], radius: Mapping[str, Radius]) -> dict[str, Radius | None]:
    """The known columns that are not matched by equality: those with a radius, and those a release made coarse."""
    found: dict[str, Radius | None] = dict(radius)
    for name in known:
        if name not in found and any(is_coarse(release[name], files.original[name]) for release in files.releases):
            found[name] = None
    return found


def chance_of_any(files: Files, fits: Fits, which: int, known: Sequence[str], radius: Mapping[str, Radius]) -> float:
    """How many targets would have a row that fits, if release `which` had the same columns but nothing between them.

    Σ_i 1 − (1 − w_i)^k, w_i the product over known columns of the share of the k rows that fit target i on that
    column alone."""
    release = files.releases[which - 1]
    targets, times = fits.distinct(files.original.select(known), fits.targets[0])
    rows, weights = fits.distinct(release.select(known), fits.rows[which])
    chance = np.ones(targets.height)
    for name in known:
        chance *= _fitting_alone(targets, rows, weights, name, radius.get(name)) / release.height
    return float((times * (1 - (1 - chance) ** release.height)).sum())


def _fitting_alone(
    targets: pl.DataFrame, rows: pl.DataFrame, weights: Ints, name: str, radius: Radius | None
) -> NDArray[np.float64]:
    """The weight of the rows that fit each target on one column."""
    one = Fits.of(Files(original=targets, releases=(rows,)), [name], {} if radius is None else {name: radius})
    if one.targets[0].low.shape[1]:
        return one.count(one.targets[0], one.rows[1]).astype(np.float64)
    by_value = np.bincount(one.rows[1].block, weights=weights, minlength=one.room)
    return by_value[one.targets[0].block].astype(np.float64)
