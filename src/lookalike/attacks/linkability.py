"""Linkability: two sets of columns of one person are joined, because the same row of the release is near to both."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, lgamma
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from lookalike.attacks.files import Files, faults_in
from lookalike.attacks.nearest import Floats, Ints, Points, Targets, mean_of
from lookalike.attacks.outcome import Outcome, Share, pooled, sure
from lookalike.errors import BadPlan


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Joined:
    """What linkability found; `chances` of the `records` attacked are the mean over releases, for the custodian.

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [20, 40, 60], "pay": [3, 1, 2]})
    >>> files = Files(original=original, releases=(original,))
    >>> found = Linkability(first=("age",), second=("pay",)).attack(files, rng=np.random.default_rng(1))
    >>> str(found.outcome.main), sorted(found.records.tolist()), found.chances.tolist()
    ('3 of 3 targets', [0, 1, 2], [1.0, 1.0, 1.0])
    """

    outcome: Outcome
    records: Ints = field(repr=False)
    chances: Floats = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Linkability:
    """An attacker holds two files of the same people without names, one with the columns `first`, one with `second`.

    A target is linked if some row of the release is among the k nearest to it on the first columns and among the k
    nearest on the second. Distances are Gower's; where rows tie for the last place, each side takes of them at random,
    and the success is the chance that the two choices meet. Source: Giomi et al. (2023), section 4.2.

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [20, 40, 60], "pay": [3, 1, 2]})
    >>> files = Files(original=original, releases=(original,))
    >>> found = Linkability(first=("age",), second=("pay",)).attack(files, rng=np.random.default_rng(1)).outcome
    >>> str(found.main), round(found.baseline.value, 3)
    ('3 of 3 targets', 0.333)
    """

    name: ClassVar[str] = "linkability"

    first: tuple[str, ...]
    second: tuple[str, ...]
    k: int = 1
    attacks: int = 2_000

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        columns = {"first": self.first, "second": self.second}
        faults = [f"The {where} set of columns is empty: name at least one." for where, c in columns.items() if not c]
        faults += [
            f"Column '{name}' is in both sets: it would join them by itself. Take it out of one of the two."
            for name in dict.fromkeys(self.first)
            if name in self.second
        ]
        faults += [
            f"Column '{name}' is named twice in the {where} set."
            for where, c in columns.items()
            for name in dict.fromkeys(c)
            if c.count(name) > 1
        ]
        faults += ["The number of nearest rows, k, must be at least 1."] if self.k < 1 else []
        return faults + (["The number of attacks must be at least 1."] if self.attacks < 1 else [])

    def check(self, files: Files) -> None:
        """Tell every fault of the request."""
        names = tuple(dict.fromkeys((*self.first, *self.second)))
        faults = [*self.faults(), *(faults_in(lambda: files.check(names)) if names else ())]
        faults += [
            f"The {where} has {file.height:,} rows, fewer than k = {self.k:,}. Ask for fewer nearest rows."
            for where, file in files.named.items()
            if where.startswith(("release", "original")) and file.height < self.k
        ]
        if faults:
            raise BadPlan(faults)

    def attack(self, files: Files, *, rng: Generator) -> Joined:
        """Link as many records of the original, and of the control, as asked for."""
        self.check(files)
        targets = Targets.drawn(files, self.attacks, rng)
        sides = Points.of(files, self.first), Points.of(files, self.second)
        numbers = range(1, len(files.releases) + 1)
        each = [self._chances(sides, 0, targets.original, i) for i in numbers]
        control = targets.control
        outcome = Outcome(
            attack=self.name,
            measure=f"the same row among the {self.k} nearest" if self.k > 1 else "the same row nearest",
            main=pooled([mean_of(chances) for chances in each]),
            baseline=pooled([by_chance(self.k, release.height) for release in files.releases]),
            control=None
            if control is None
            else pooled([mean_of(self._chances(sides, -1, control, i)) for i in numbers]),
            original=mean_of(self._chances(sides, 0, targets.original, 0)),
            caveats=files.strangers((*self.first, *self.second)),
        )
        return Joined(outcome=outcome, records=targets.original, chances=np.mean(each, axis=0))

    def _chances(self, sides: tuple[Points, Points], people: int, which: Ints, release: int) -> Floats:
        """The chance of each target to be linked by a release."""
        from lookalike.attacks import _nearest as kernel

        given = [(*side.people(people, which), side.laid(release)) for side in sides]
        found: Floats = kernel.link(*given[0], *given[1], self.k)
        return found


def by_chance(k: int, rows: int) -> Share:
    """The chance that two choices of k rows at random share one: 1 − C(n − k, k)/C(n, k).

    >>> by_chance(1, 50).value, by_chance(2, 3).value
    (0.02, 1.0)
    """
    if 2 * k > rows:
        return sure(1.0, _GUESSES)
    log = 2 * lgamma(rows - k + 1) - lgamma(rows - 2 * k + 1) - lgamma(rows + 1)
    return sure(1 / rows if k == 1 else 1 - exp(log), _GUESSES)


_GUESSES = "targets, by rows taken at random"
