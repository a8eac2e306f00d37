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
class Behind:
    """Records of the original that an attack finds, and the rows of one release behind them, both from 0."""

    records: Ints = field(repr=False)
    rows: Ints = field(repr=False)


def behind_matches(found: Matches, least: int = 2) -> Behind:
    """Records whose own row is among fewer than `least` rows that fit them; of a linked release.

    >>> found = Matches(candidates=np.array([1, 2, 1, 0]), own=np.array([True, True, False, False]))
    >>> behind_matches(found).rows.tolist()
    [0]
    """
    at = np.flatnonzero(found.own & (found.candidates < least))
    return Behind(records=at, rows=at)


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
        return Behind(records=at, rows=at)
    if ranged_columns(files, known, {}):
        raise NotAssessable(RANGES)
    people, rows = class_codes([files.original, files.releases[0]], known, classes)
    given_away = np.setdiff1d(people[at], [NONE])
    return Behind(records=at, rows=np.flatnonzero(np.isin(rows, given_away)))


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
    return Behind(records=np.flatnonzero(back[people]), rows=np.flatnonzero(back[rows]))
