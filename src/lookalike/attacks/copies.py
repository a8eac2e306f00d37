"""Copies: records of the original that stand in the release as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.chance import chance_of_return
from lookalike.attacks.columns import numbered
from lookalike.attacks.files import Files, faults_in
from lookalike.attacks.outcome import Outcome, Share
from lookalike.attacks.several import mean_outcome
from lookalike.errors import BadPlan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """How many records come back, by some columns; of several releases the mean.

    >>> original = pl.DataFrame({"age": [30, 31, 31, 47]})
    >>> found = Copies().attack(Files(original=original, releases=(original.head(2),))).whole
    >>> found.columns, str(found.every.main), str(found.unique.main), str(found.unique_in_original)
    (('age',), '3 of 4 records', '1 of 4 records', '2 of 4 records')
    >>> [outcome is one for outcome, one in zip(found.outcomes, (found.every, found.unique))]
    [True, True]
    """

    columns: tuple[str, ...]
    every: Outcome
    """Records that a row of the release equals."""
    unique: Outcome
    """Records that no other record of the original equals and a row of the release does: of all records."""
    unique_in_original: Share
    """Records that no other record of the original equals."""

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Both outcomes."""
        return self.every, self.unique


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiesFound:
    """Copies in all common columns, and in the quasi-identifiers if they are named.

    >>> original = pl.DataFrame({"age": [30, 31, 31, 47], "ill": ["y", "n", "n", "y"]})
    >>> found = Copies(keys=("age",)).attack(Files(original=original, releases=(original.head(2),)))
    >>> str(found.whole.every.main), str(found.keys.every.main), len(found.outcomes)
    ('3 of 4 records', '3 of 4 records', 4)
    """

    whole: Copied
    keys: Copied | None = None

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """All outcomes."""
        return self.whole.outcomes + (() if self.keys is None else self.keys.outcomes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """Records of the original that a row of the release equals: in all common columns, and in the quasi-identifiers.

    Beside them as many percent of a control, and by chance: 1 − (1 − Π_j p_j(x_j))^k, p_j the shares of the release. A
    record of the control counts as unique as if it stood in the original in the place of a record picked at random:
    with 1 if no record equals it, with 1/n if one does.

    >>> original = pl.DataFrame({"age": [30, 31, 31, 47], "ill": ["yes", "no", "no", "yes"]})
    >>> release = pl.DataFrame({"age": [30, 31, 31, 46], "ill": ["yes", "no", "no", "no"]})
    >>> found = Copies().attack(Files(original=original, releases=(release,)))
    >>> str(found.whole.every.main), str(found.whole.unique.main), str(found.whole.unique_in_original)
    ('3 of 4 records', '1 of 4 records', '2 of 4 records')
    """

    name: ClassVar[str] = "copies"

    keys: tuple[str, ...] = ()
    """The quasi-identifiers, if copies of them alone are to be counted too."""
    columns: tuple[str, ...] = ()
    """The columns in which a copy is equal; all common ones if none are named."""

    def faults(self) -> list[str]:
        """What is wrong with the settings alone: nothing can be."""
        return []

    def check(self, files: Files) -> None:
        """Tell every fault of the request."""
        columns = self._columns(files)
        faults = [*faults_in(lambda: files.check(columns))]
        if self.keys:
            faults += [fault for fault in faults_in(lambda: files.check(self.keys)) if fault not in faults]
        if faults:
            raise BadPlan(faults)

    def _columns(self, files: Files) -> tuple[str, ...]:
        shared = [c for c in files.columns if files.control is None or c in files.control.columns]
        return self.columns or tuple(shared)

    def attack(self, files: Files) -> CopiesFound:
        """Count the copies in every release."""
        self.check(files)
        columns = self._columns(files)
        keys = _copied(files, self.keys, "quasi-identifiers") if self.keys else None
        return CopiesFound(whole=_copied(files, columns, "all columns"), keys=keys)


def _copied(files: Files, columns: Sequence[str], where: str) -> Copied:
    each = [_in_one(files, release, columns, where) for release in files.releases]
    return Copied(
        columns=tuple(columns),
        every=mean_outcome([every for every, _, _ in each]),
        unique=mean_outcome([unique for _, unique, _ in each]),
        unique_in_original=each[0][2],
    )


def _in_one(files: Files, release: pl.DataFrame, columns: Sequence[str], where: str) -> tuple[Outcome, Outcome, Share]:
    every = [files.original, release] + ([] if files.control is None else [files.control])
    found = numbered(every, columns)
    own, rows = (np.bincount(file, minlength=found.room) for file in found.files[:2])
    people, others = found.files[0], found.files[2] if len(every) > 2 else None
    alone = (own == 1)[people]
    back = (rows > 0)[people]
    chance = chance_of_return(files.original.select(columns), release)
    caveats = files.strangers(columns)
    copied = Outcome(
        attack=Copies.name,
        measure=f"copied in {where}",
        main=_share(back),
        control=None if others is None else _share((rows > 0)[others]),
        baseline=_share(chance),
        original=_share(np.ones(len(people))),
        caveats=caveats,
    )
    unique = Outcome(
        attack=Copies.name,
        measure=f"unique and copied in {where}",
        main=_share(back & alone),
        control=None if others is None else _stand_ins(others, own, rows > 0),
        baseline=_share(chance * alone),
        original=_share(alone),
        caveats=caveats,
    )
    return copied, unique, _share(alone)


def _stand_ins(others: Ints, own: Ints, back: NDArray[np.bool_]) -> Share:
    """Records of the control that would be unique in the original and are back; `own` counts the original's values.

    Whether a value is unique in the original decides for all records with that value, in both files. If values come
    by chance, main less control has a variance of A/n + Σ_x (Σ_{j in x} w_j)²/m², A the share in the original, w the
    chances here; this share is of as many records as give it what Wilson's interval of A lacks of that."""
    n, m = int(own.sum()), len(others)
    chances = np.where(own == 0, 1.0, np.where(own == 1, 1 / n, 0.0))[others] * back[others]
    value = float(chances.mean())
    variance = value**2 / n + float((np.bincount(others, weights=chances) ** 2).sum()) / m**2
    of = m if variance <= 0 else max(1, min(m, int(value * (1 - value) / variance)))
    return Share(successes=value * of, of=of, what="records that vary freely")


def _share(chances: NDArray[np.bool_] | Floats) -> Share:
    return Share(successes=float(chances.sum()), of=len(chances), what="records")
