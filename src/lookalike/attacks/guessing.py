"""Guessing: the nearest row of the release on what is known tells what is not."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from lookalike.attacks.files import Files, faults_in
from lookalike.attacks.nearest import Floats, Ints, Points, Targets, files_of, mean_of
from lookalike.attacks.outcome import Outcome, Share, pooled
from lookalike.attacks.secret import Secret
from lookalike.errors import BadPlan


class Naive(StrEnum):
    """What somebody guesses who knows nothing of the person.

    >>> Guessing(known=("age",), secret="pay", naive=Naive.RANDOM).naive.value
    'random'
    """

    BEST = "best"
    """One value for all: the one that is right for the most rows of the release."""
    RANDOM = "random"
    """The secret of a row at random, as Anonymeter has it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Guessed:
    """What guessing found; `chances` of the `records` attacked are the mean over releases, for the custodian.

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [20, 40, 60], "pay": [-10.0, 0.0, 30.0]})
    >>> files = Files(original=original, releases=(original,))
    >>> found = Guessing(known=("age",), secret="pay").attack(files, rng=np.random.default_rng(1))
    >>> str(found.outcome.main), sorted(found.records.tolist()), found.chances.tolist()
    ('3 of 3 targets', [0, 1, 2], [1.0, 1.0, 1.0])
    """

    outcome: Outcome
    records: Ints = field(repr=False)
    chances: Floats = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guessing:
    """The attribute inference of Giomi et al. (2023), section 4.3: guess the secret of the nearest row.

    Distances on the known columns are Gower's. Rows that tie are as likely: the success is the share of them with the
    right secret. A number is right within `tolerance` of its size, a date within `days`; all else by being equal, and
    a missing secret by a missing guess.

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [20, 40, 60], "pay": [-10.0, 0.0, 30.0]})
    >>> release = pl.DataFrame({"age": [21, 42, 58], "pay": [-10.2, 0.5, 29.0]})
    >>> files = Files(original=original, releases=(release,))
    >>> found = Guessing(known=("age",), secret="pay").attack(files, rng=np.random.default_rng(1)).outcome
    >>> str(found.main), str(found.baseline)
    ('2 of 3 targets', '1 of 3 targets')
    """

    name: ClassVar[str] = "guessing"

    known: tuple[str, ...]
    secret: str
    tolerance: float = 0.05
    days: float = 1.0
    naive: Naive = Naive.BEST
    attacks: int = 2_000

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        faults = [] if 0 <= self.tolerance < 1 else ["The tolerance must be a share of at least 0 and below 1."]
        if not (isfinite(self.days) and self.days >= 0):
            faults.append("The days a guess of a date may be off must be a number of at least 0.")
        return faults + (["The number of attacks must be at least 1."] if self.attacks < 1 else [])

    def check(self, files: Files) -> None:
        """Tell every fault of the request."""
        if faults := [*self.faults(), *faults_in(lambda: files.check(self.known, (self.secret,)))]:
            raise BadPlan(faults)

    def attack(self, files: Files, *, rng: Generator) -> Guessed:
        """Guess the secret of as many records of the original, and of the control, as asked for."""
        self.check(files)
        targets = Targets.drawn(files, self.attacks, rng)
        numbers = range(1, len(files.releases) + 1)
        secret = Secret.of([t[self.secret] for t in files_of(files)], numbers, self.tolerance, self.days)
        points = Points.of(files, self.known)
        each = [_chances(points, secret, 0, targets.original, i) for i in numbers]
        control = targets.control
        outcome = Outcome(
            attack=self.name,
            measure=f"{self.secret} guessed by the nearest row",
            main=pooled([mean_of(chances) for chances in each]),
            baseline=pooled([self._guess(secret, targets.original, i) for i in numbers]),
            control=None
            if control is None
            else pooled([mean_of(_chances(points, secret, -1, control, i)) for i in numbers]),
            original=mean_of(_chances(points, secret, 0, targets.original, 0)),
            caveats=files.strangers((*self.known, self.secret)),
        )
        return Guessed(outcome=outcome, records=targets.original, chances=np.mean(each, axis=0))

    def _guess(self, secret: Secret, which: Ints, release: int) -> Share:
        if self.naive is Naive.RANDOM:
            return mean_of(secret.drawn(0, release)[which])
        best = np.full(len(secret.values[0]), secret.best(release))
        return mean_of(secret.right(0, best)[which].astype(np.float64))


def _chances(points: Points, secret: Secret, people: int, which: Ints, release: int) -> Floats:
    """The share of the nearest rows that are right, of each target."""
    from lookalike.attacks import _nearest as kernel

    found: Floats = kernel.guess(
        *points.people(people, which),
        points.laid(release),
        secret.values[people][which],
        secret.radius[people][which],
        secret.values[release],
    )
    return found
