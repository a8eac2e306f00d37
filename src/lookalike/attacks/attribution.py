"""Attribution: an attacker who knows the key of a person reads the target off the rows with that key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import polars as pl

from lookalike.attacks.bins import NONE, Classes, class_codes, faults_of
from lookalike.attacks.cap import Guess, Undefined, dataset_cap, guess_chance, itself, record_cap
from lookalike.attacks.cap_classes import apart
from lookalike.attacks.cap_flags import Flags, flags
from lookalike.attacks.cap_measures import CERTAIN, MEASURES, over_rows_outcome
from lookalike.attacks.cap_nearest import nearest_cap
from lookalike.attacks.cells import Cells, Floats
from lookalike.attacks.coarse import coarse_cells
from lookalike.attacks.disclosure import Disclosure, disclosure
from lookalike.attacks.files import Files, faults_in
from lookalike.attacks.fits import ranged_columns
from lookalike.attacks.outcome import Outcome, Share, pooled
from lookalike.errors import BadPlan, NotAssessable


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attributed:
    """What attribution found: every measure pooled over the releases, and what could not be measured and why.

    `releases` and `flags` are per release. `before` and `after` are the CAP of each record in the original and in the
    releases, for the custodian's eyes: the scatter of Qu's and seed 002's figures."""

    outcomes: tuple[Outcome, ...]
    not_assessed: Mapping[str, str]
    releases: tuple[Disclosure, ...]
    flags: tuple[Flags, ...]
    before: Floats = field(repr=False)
    after: Floats = field(repr=False)

    def __getitem__(self, measure: str) -> Outcome:
        """The measure of that name."""
        if measure in self.not_assessed:
            raise NotAssessable(f"{measure}: {self.not_assessed[measure]}")
        return next(o for o in self.outcomes if o.measure == measure)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """The CAP family against one target. See `docs/concepts/attribution.md` for each measure and its denominator.

    Columns of the release that hold intervals, masks or wildcards are matched by what they stand for. `classes` makes
    values of a column count as equal. `certain` is the share of a target among the rows of a key from which the
    attacker is sure.

    >>> original = pl.DataFrame({"sex": ["M", "M", "F", "F"], "test": ["P", "P", "P", "N"]})
    >>> release = pl.DataFrame({"sex": ["M", "F", "F", "F"], "test": ["P", "P", "N", "N"]})
    >>> found = Attribution(known=("sex",), target="test").attack(Files(original=original, releases=(release,)))
    >>> found["DCAP"].main.value, found["DCAP"].original.value, found["DiSCO"].main.value
    (0.75, 0.75, 0.5)
    """

    name: ClassVar[str] = "attribution"

    known: tuple[str, ...]
    target: str
    classes: Mapping[str, Classes] = field(default_factory=dict, hash=False)
    guess: Guess = Guess.MARGIN
    certain: float = CERTAIN
    nearest: bool = False
    """Measure GCAP too: 2^(known columns) group-bys."""

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        found = faults_of(self.classes)
        if not 0 < self.certain <= 1:
            found.append("The share from which an attacker is sure must lie above 0 and not above 1.")
        if self.nearest and self.classes:
            found.append("GCAP counts columns that differ and has no use for classes. Leave out one of the two.")
        found += [
            f"Column '{name}' has classes but is neither known nor the target."
            for name in self.classes
            if name not in (*self.known, self.target)
        ]
        return found

    def attack(self, files: Files) -> Attributed:
        """Attack every release."""
        if faults := [*self.faults(), *faults_in(lambda: files.check(self.known, [self.target]))]:
            raise BadPlan(faults)
        each = [self._cells(files, release) for release in files.releases]
        outcomes, reasons = self._pooled(each)
        caveats = files.strangers([name for name in self.known if name not in self.classes])
        if self.nearest:
            outcomes = (*outcomes, self._nearest(files, each[0][0]))
        return Attributed(
            outcomes=tuple(replace(o, caveats=(*o.caveats, *caveats)) for o in outcomes),
            not_assessed=reasons,
            releases=tuple(disclosure(c, certain=self.certain) for c, whole in each if whole),
            flags=tuple(flags(c, files.original, self.known, certain=self.certain) for c, _ in each),
            before=record_cap(itself(each[0][0])),
            after=_mean([record_cap(c) for c, _ in each]),
        )

    def _cells(self, files: Files, release: pl.DataFrame) -> tuple[Cells, bool]:
        """The counts against one release, and whether every row of it lies in one key."""
        one = replace(files, releases=(release,), linked=False)
        columns = [name for name in ranged_columns(one, self.known, {}) if name not in self.classes]
        if columns and self.classes:
            raise BadPlan(
                f"The release holds intervals in {', '.join(columns)}: give classes to all known columns or to none."
            )
        if columns:
            return coarse_cells(files.original, release, self.known, self.target, files.control), False
        if not self.classes:
            return Cells.of(files.original, release, self.known, self.target, files.control), True
        return self._in_classes(one), True

    def _in_classes(self, files: Files) -> Cells:
        tables = [files.original, files.releases[0]] + ([] if files.control is None else [files.control])
        keys = class_codes(tables, self.known, self.classes)
        if (keys[0] == NONE).all():
            raise NotAssessable("No record of the original lies in a class of the known columns.")
        return Cells.of_numbers(apart(keys), apart(class_codes(tables, [self.target], self.classes)))

    def _pooled(self, each: list[tuple[Cells, bool]]) -> tuple[tuple[Outcome, ...], dict[str, str]]:
        found: dict[str, Outcome] = {}
        reasons: dict[str, str] = {}
        for name, measure in self._measures().items():
            if name in _OVER_ROWS and not all(whole for _, whole in each):
                reasons[name] = "The rows of a release with intervals fit several keys, so there is no share of rows."
                continue
            try:
                found[name] = _pool([measure(cells) for cells, _ in each])
            except NotAssessable as reason:
                reasons[name] = str(reason)
        return tuple(found.values()), reasons

    def _nearest(self, files: Files, cells: Cells) -> Outcome:
        """GCAP: nobody is unmatched, so its denominator is all records, and so is its baseline's."""

        def share(people: pl.DataFrame) -> Share:
            found = [nearest_cap(people, release, self.known, self.target) for release in files.releases]
            return pooled([dataset_cap(records, Undefined.ZERO) for records in found])

        n = files.original.height
        guessed = float(guess_chance(cells, self.guess)[cells.place].sum())
        return Outcome(
            attack=self.name,
            measure="GCAP",
            main=share(files.original),
            baseline=Share(successes=guessed, of=n, what="records"),
            control=None if files.control is None else share(files.control),
            original=dataset_cap(record_cap(itself(cells))),
        )

    def _measures(self) -> dict[str, Callable[[Cells], Outcome]]:
        def plain(at: int) -> Callable[[Cells], Outcome]:
            return lambda cells: MEASURES[at].outcome(cells, guess=self.guess, certain=self.certain)

        def rows(*, zero: bool) -> Callable[[Cells], Outcome]:
            return lambda cells: over_rows_outcome(
                cells, unmatched_as_zero=zero, guess=self.guess, certain=self.certain
            )

        found = {measure.name: plain(i) for i, measure in enumerate(MEASURES)}
        return found | {"TCAP A": rows(zero=False), "TCAP A0": rows(zero=True)}


_OVER_ROWS = ("TCAP A", "TCAP A0")


def _pool(each: list[Outcome]) -> Outcome:
    """One outcome of several releases: the mean of each part that all have."""
    if len(each) == 1:
        return each[0]
    control, original = ([getattr(o, part) for o in each] for part in ("control", "original"))
    return replace(
        each[0],
        main=pooled([o.main for o in each]),
        baseline=pooled([o.baseline for o in each]),
        control=None if None in control else pooled(control),
        original=None if None in original else pooled(original),
        caveats=tuple(dict.fromkeys(c for o in each for c in o.caveats)),
    )


def _mean(releases: list[Floats]) -> Floats:
    """The mean over the releases that have a record's key; not a number where none has."""
    if len(releases) == 1:
        return releases[0]
    together = np.stack(releases)
    defined = ~np.isnan(together)
    found = np.full(together.shape[1], np.nan)
    np.divide(np.nansum(together, axis=0), defined.sum(axis=0), out=found, where=defined.any(axis=0))
    return found
