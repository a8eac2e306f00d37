"""The rows behind an attack: which records it finds, and which rows of the release give them away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.attribution import Attributed
from lookalike.attacks.bins import NONE, Classes, class_codes
from lookalike.attacks.cap_measures import CERTAIN
from lookalike.attacks.columns import numbered
from lookalike.attacks.files import Files
from lookalike.attacks.fits import ranged_columns
from lookalike.attacks.matching import Matches
from lookalike.errors import NotAssessable

Ints = NDArray[np.int64]

RANGES = (
    "The release is not linked and holds ranges, so the rows behind an attribution are not told apart. Repair the file "
    "before its values are put in ranges, or say that it is linked."
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Belonging:
    """For each of some records or rows: the first of the others that belong to it, from 0, and how many do.

    Where none does, `first` is -1.
    """

    first: Ints = field(repr=False)
    count: Ints = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Behind:
    """Records of the original that an attack finds, and the rows of one release behind them, both from 0.

    A record and a row belong together if they have the same number in `of_records` and `of_rows`.

    >>> both = {"of_records": np.array([7, 7, 9]), "of_rows": np.array([9, 7, 9])}
    >>> found = Behind(records=np.array([0, 2, 3]), rows=np.array([1, 4, 5]), **both)
    >>> found.rows_of_records.first.tolist(), found.rows_of_records.count.tolist()
    ([4, 4, 1], [1, 1, 2])
    >>> found.records_of_rows.first.tolist(), found.records_of_rows.count.tolist()
    ([3, 0, 3], [1, 2, 1])
    """

    records: Ints = field(repr=False)
    rows: Ints = field(repr=False)
    of_records: Ints = field(repr=False)
    of_rows: Ints = field(repr=False)

    @classmethod
    def alike(cls, at: Ints) -> Behind:
        """Of a linked release: each record with its own row."""
        return cls(records=at, rows=at, of_records=at, of_rows=at)

    @property
    def rows_of_records(self) -> Belonging:
        """By record, the rows behind it."""
        return _joined(self.of_records, self.of_rows, self.rows)

    @property
    def records_of_rows(self) -> Belonging:
        """By row, the records that it is behind."""
        return _joined(self.of_rows, self.of_records, self.records)


def _joined(mine: Ints, theirs: Ints, places: Ints) -> Belonging:
    """For each of mine the first place of theirs with the same number, and how many there are; places ascend."""
    numbers, first, count = np.unique(theirs, return_index=True, return_counts=True)
    if not len(numbers):
        return Belonging(first=np.full(len(mine), -1), count=np.zeros(len(mine), np.int64))
    at = np.minimum(np.searchsorted(numbers, mine), len(numbers) - 1)
    there = numbers[at] == mine
    return Belonging(first=np.where(there, places[first[at]], -1), count=np.where(there, count[at], 0))


def behind_matches(found: Matches, least: int = 2) -> Behind:
    """Records whose own row is among fewer than `least` rows that fit them; of a linked release.

    >>> found = Matches(candidates=np.array([1, 2, 1, 0]), own=np.array([True, True, False, False]))
    >>> behind_matches(found).rows.tolist()
    [0]
    """
    return Behind.alike(np.flatnonzero(found.own & (found.candidates < least)))


def behind_attribution(files: Files, found: Attributed, known: Sequence[str], classes: Mapping[str, Classes]) -> Behind:
    """Records whose target all rows with their keys have, and that is no common knowledge; `found` is of one release.

    >>> from lookalike.attacks.attribution import Attribution
    >>> original = pl.DataFrame({"age": [30, 31, 31], "ill": ["yes", "no", "yes"]})
    >>> files = Files(original=original, releases=(original[[1, 0, 0]],))
    >>> attacked = Attribution(known=("age",), target="ill").attack(files)
    >>> found = behind_attribution(files, attacked, ["age"], {})
    >>> found.records.tolist(), found.rows.tolist()
    ([0, 1], [0, 1, 2])
    """
    at = np.flatnonzero((found.after >= CERTAIN - 1e-12) & ~found.flags[0].records)
    if files.linked or not len(at):
        return Behind.alike(at)
    if ranged_columns(files, known, {}):
        raise NotAssessable(RANGES)
    people, rows = class_codes([files.original, files.releases[0]], known, classes)
    given_away = np.setdiff1d(people[at], [NONE])
    behind = np.flatnonzero(np.isin(rows, given_away))
    return Behind(records=at, rows=behind, of_records=people[at], of_rows=rows[behind])


def behind_copies(original: pl.DataFrame, release: pl.DataFrame, columns: Sequence[str]) -> Behind:
    """Records that no other record equals in these columns, and the rows that equal them.

    >>> original = pl.DataFrame({"age": [30, 31, 31], "ill": ["yes", "no", "no"]})
    >>> found = behind_copies(original, original[[1, 0, 0]], ["age", "ill"])
    >>> found.records.tolist(), found.rows.tolist()
    ([0], [1, 2])
    """
    codes = numbered([original, release], columns)
    people, rows = codes.files
    alone = np.bincount(people, minlength=codes.room) == 1
    back = alone & (np.bincount(rows, minlength=codes.room) > 0)
    at, behind = np.flatnonzero(back[people]), np.flatnonzero(back[rows])
    return Behind(records=at, rows=behind, of_records=people[at], of_rows=rows[behind])
