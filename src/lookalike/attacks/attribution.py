"""Attribution: an attacker who knows the key of a person reads the target off the rows with that key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from lookalike.attacks.bins import NONE, Classes, apart, class_codes, faults_of
from lookalike.attacks.cap import Guess, Undefined, dataset_cap, guess_chance, itself, record_cap
from lookalike.attacks.cap_flags import Flags, flags
from lookalike.attacks.cap_measures import CERTAIN, MEASURES, over_rows_outcome
from lookalike.attacks.cap_nearest import nearest_cap
from lookalike.attacks.cap_ranges import row_cells
from lookalike.attacks.cells import Cells, Floats
from lookalike.attacks.coarse import Coded, key_cells
from lookalike.attacks.disclosure import Disclosure, disclosure
from lookalike.attacks.files import Files, faults_in
from lookalike.attacks.fits import ranged_columns
from lookalike.attacks.outcome import Outcome, Share, pooled
from lookalike.attacks.release_ranges import released_target
from lookalike.errors import BadPlan, NotAssessable


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attributed:
    """What attribution found: every measure pooled over the releases, and what could not be measured and why.

    `releases` and `flags` are per release. `before` and `after` are the CAP of each record in the original and in the
    releases, for the custodian's eyes: the scatter of Qu's and seed 002's figures.

    >>> original = pl.DataFrame({"sex": ["M", "M", "F", "F"], "test": ["P", "P", "P", "N"]})
    >>> found = Attribution(known=("sex",), target="test").attack(Files(original=original, releases=(original,)))
    >>> found["DCAP"].main.value, found.before.tolist(), len(found.releases)
    (0.75, [1.0, 1.0, 0.5, 0.5], 1)
    """

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

    Known columns of the release that hold intervals, masks or wildcards are matched by what they stand for; those of
    the target are classes (see `ReleaseRanges`). `classes` makes values of a column count as equal. `certain` is the
    share of a target among the rows of a key from which the attacker is sure.

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
        each = [self._counts(files, release) for release in files.releases]
        outcomes, reasons = self._pooled(each)
        caveats = files.strangers([name for name in self.known if name not in self.classes])
        if self.nearest:
            outcomes = (*outcomes, self._nearest(files, each[0].by_key))
        return Attributed(
            outcomes=tuple(replace(o, caveats=(*o.caveats, *caveats)) for o in outcomes),
            not_assessed=reasons,
            releases=tuple(disclosure(c.by_key, certain=self.certain) for c in each if c.whole),
            flags=tuple(flags(c.by_key, files.original, self.known, certain=self.certain) for c in each),
            before=record_cap(itself(each[0].by_key)),
            after=_mean([record_cap(c.by_key) for c in each]),
        )

    def _counts(self, files: Files, release: pl.DataFrame) -> _Counts:
        """The counts against one release."""
        one = replace(files, releases=(release,), linked=False)
        rules = released_target(files.original, release, self.target, self.classes)
        if [name for name in ranged_columns(one, self.known, {}) if name not in rules]:
            coded = Coded.of(files.original, release, self.known, self.target, files.control, rules)
            return _Counts(key_cells(coded), row_cells(coded))
        if rules:
            return _whole(self._in_classes(one, rules))
        return _whole(Cells.of(files.original, release, self.known, self.target, files.control))

    def _in_classes(self, files: Files, rules: Mapping[str, Classes]) -> Cells:
        tables = [files.original, files.releases[0]] + ([] if files.control is None else [files.control])
        keys = class_codes(tables, self.known, rules)
        if (keys[0] == NONE).all():
            raise NotAssessable("No record of the original lies in a class of the known columns.")
        return Cells.of_numbers(apart(keys), apart(class_codes(tables, [self.target], rules)))

    def _pooled(self, each: list[_Counts]) -> tuple[tuple[Outcome, ...], dict[str, str]]:
        found: dict[str, Outcome] = {}
        reasons: dict[str, str] = {}
        for name, measure in self._measures().items():
            try:
                found[name] = _pool([measure(counts) for counts in each])
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

    def _measures(self) -> dict[str, Callable[[_Counts], Outcome]]:
        def plain(at: int) -> Callable[[_Counts], Outcome]:
            return lambda counts: MEASURES[at].outcome(counts.by_key, guess=self.guess, certain=self.certain)

        def rows(*, zero: bool) -> Callable[[_Counts], Outcome]:
            return lambda counts: over_rows_outcome(
                counts.by_row,
                unmatched_as_zero=zero,
                guess=self.guess,
                certain=self.certain,
                by_key=counts.by_key,
            )

        found = {measure.name: plain(i) for i, measure in enumerate(MEASURES)}
        return found | {"TCAP A": rows(zero=False), "TCAP A0": rows(zero=True)}


class _Counts(NamedTuple):
    """One release counted by the keys of people, and by what its rows say; where nothing is a range, the same."""

    by_key: Cells
    by_row: Cells

    @property
    def whole(self) -> bool:
        """Whether every row has one key."""
        return self.by_row is self.by_key


def _whole(cells: Cells) -> _Counts:
    return _Counts(cells, cells)


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
