"""Singling out: predicates true for exactly one row of the release, tried on the original."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.control_size import control_share, effective
from lookalike.attacks.files import Files, faults_in
from lookalike.attacks.nearest import files_of
from lookalike.attacks.outcome import Outcome, Share, pooled, sure
from lookalike.attacks.predicate_search import all_univariate, at_random, some_multivariate
from lookalike.attacks.predicates import Kinds, Predicates, Ranks, ranked
from lookalike.errors import BadPlan, NotAssessable

SMALL_CONTROL = 2
"""A control below 1/2 of the original is too small for its figure to be carried over without a word."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SingledOut:
    """What singling out found; `predicates` and `hits` are per release, as counted.

    `records` are the records of the original that some predicate is true for alone, and `tell` gives a predicate in
    words: for the custodian's eyes.

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [30, 41, 41, 87], "sex": ["F", "M", "M", "F"]})
    >>> files = Files(original=original, releases=(original,))
    >>> found = SinglingOut(conditions=1).attack(files, rng=np.random.default_rng(1))
    >>> found.hits, sorted(found.records.tolist()), sorted(found.tell(i) for i in range(3))
    ((4,), [0, 3], ['age <= 30', 'age == 30', 'age == 87'])
    """

    outcome: Outcome
    predicates: tuple[int, ...]
    """How many predicates were tried."""
    hits: tuple[int, ...]
    """How many of them are true for exactly one record of the original."""
    records: NDArray[np.int64] = field(repr=False)
    found: tuple[Predicates, ...] = field(repr=False)
    kinds: Kinds = field(repr=False)

    def tell(self, i: int, release: int = 0) -> str:
        """The i-th predicate of a release in words; it holds values of the release."""
        return self.found[release].words(i, self.kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class SinglingOut:
    """Predicates true for exactly one row of the release; success if true for exactly one record of the original.

    With one condition all such predicates are listed and at most `attacks` drawn; with more, rows and columns of the
    release are drawn and asked for, at most `tries` times. Source: Giomi et al. (2023), algorithms 1 and 2; see
    `docs/concepts/singling-out.md` for what is done otherwise.

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [30, 41, 41, 87], "sex": ["F", "M", "M", "F"]})
    >>> files = Files(original=original, releases=(pl.DataFrame({"age": [30, 41, 87], "sex": ["F", "M", "F"]}),))
    >>> found = SinglingOut(conditions=1).attack(files, rng=np.random.default_rng(1))
    >>> found.predicates, found.hits, sorted(found.tell(i) for i in range(6))
    ((6,), (4,), ['age <= 30', 'age == 30', 'age == 41', 'age == 87', 'age >= 87', 'sex == M'])
    """

    name: ClassVar[str] = "singling out"

    known: tuple[str, ...] = ()
    """The columns predicates may speak of; all that every file has, if none is named."""
    conditions: int = 3
    """How many columns a predicate speaks of."""
    attacks: int = 2_000
    tries: int = 1_000_000

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        return [
            f"{what} must be at least 1."
            for what, value in (
                ("The number of conditions of a predicate", self.conditions),
                ("The number of attacks", self.attacks),
                ("The number of tries", self.tries),
            )
            if value < 1
        ]

    def columns(self, files: Files) -> tuple[str, ...]:
        """The columns predicates may speak of."""
        control = files.columns if files.control is None else files.control.columns
        return self.known or tuple(c for c in files.columns if c in control)

    def check(self, files: Files) -> None:
        """Tell every fault of the request."""
        columns = self.columns(files)
        faults = [*self.faults(), *faults_in(lambda: files.check(columns))]
        if self.conditions > len(columns) > 0:
            faults.append(
                f"A predicate is to have {self.conditions:,} conditions, each on a column of its own, and there are "
                f"{len(columns):,} columns. Ask for fewer conditions."
            )
        if faults:
            raise BadPlan(faults)

    def attack(self, files: Files, *, rng: Generator) -> SingledOut:
        """Draw predicates from each release; try them on the original and on the control."""
        self.check(files)
        names, last = self.columns(files), len(files.releases) + 1
        ranks, kinds = ranked(files_of(files), names, range(1, last))
        each = [self._predicates(release, kinds, rng) for release in ranks[1:last]]
        if not any(len(found) for found in each):
            raise NotAssessable(_NOTHING)
        counted = [found.count(ranks[0], 3) for found in each]
        random = [
            at_random(release, kinds.ordered, columns=self.conditions, number=self.attacks, rng=rng)
            for release in ranks[1:last]
        ]
        outcome = Outcome(
            attack=self.name,
            measure=f"predicates of {self.conditions} column{'s'[: self.conditions > 1]}",
            main=pooled([effective(c.single, len(c.counts), c.dependence) for c in counted if len(c.counts)]),
            baseline=pooled([effective(found.count(ranks[0], 2).single, len(found), 1.0) for found in random]),
            control=None if files.control is None else _on_control(each, ranks[-1], files.original.height),
            original=sure(1.0, "predicates: what is true for one row is true for one record"),
            caveats=tuple(self._caveats(files, names, [len(found) for found in each])),
        )
        return SingledOut(
            outcome=outcome,
            predicates=tuple(len(found) for found in each),
            hits=tuple(c.single for c in counted),
            records=np.unique(np.concatenate([c.singled_out for c in counted])),
            found=tuple(each),
            kinds=kinds,
        )

    def _predicates(self, release: Ranks, kinds: Kinds, rng: Generator) -> Predicates:
        if self.conditions == 1:
            return all_univariate(release, kinds.ordered, most=self.attacks, rng=rng)
        return some_multivariate(
            release, kinds.ordered, columns=self.conditions, most=self.attacks, tries=self.tries, rng=rng
        )

    def _caveats(self, files: Files, names: Sequence[str], found: Sequence[int]) -> Iterator[str]:
        yield from files.strangers(names)
        if min(found) < self.attacks:
            yield (
                f"Of {self.attacks:,} predicates asked for, {min(found):,} were found that are true for exactly one "
                "row of the release; the share is of those."
            )
        if files.control is not None and files.control.height * SMALL_CONTROL < files.original.height:
            yield (
                f"The control has {files.control.height:,} records and the original {files.original.height:,}: what so "
                "few records show is carried over to so many by a model. Take a larger control."
            )


_NOTHING = (
    "No predicate was found that is true for exactly one row of the release, so there is nothing to try. "
    "Ask for more conditions or more tries. It does not show that the release is safe."
)


def _on_control(each: Sequence[Predicates], control: Ranks, originals: int) -> Share:
    """The share true for exactly one of as many people as the original has, the mean over releases."""
    most = 3 if control.records == originals else None
    return pooled([control_share(found.count(control, most), originals) for found in each if len(found)])
