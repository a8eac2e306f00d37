"""Ask every room of `attacks/` what an attacker gains from the release."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.random import Generator

from lookalike.attacks.attribution import Attributed, Attribution
from lookalike.attacks.bins import Classes, EqualFrequency
from lookalike.attacks.cap_classes import ClassCap, class_cap, sweep
from lookalike.attacks.common_values import CommonApart, mostly_one
from lookalike.attacks.copies import Copies, CopiesFound
from lookalike.attacks.distances import Distanced, Distances
from lookalike.attacks.files import Files
from lookalike.attacks.fits import ranged_columns
from lookalike.attacks.guessing import Guessed, Guessing
from lookalike.attacks.inference import Inference, Inferred
from lookalike.attacks.key_subsets import KeySubsets, key_subsets
from lookalike.attacks.learners import Learner, Neighbours, Perceptron
from lookalike.attacks.linkability import Joined, Linkability
from lookalike.attacks.linkage import Linkage, Linked
from lookalike.attacks.linkage_pairs import MOST_PAIRS
from lookalike.attacks.linkage_ranges import linkable
from lookalike.attacks.matching import Matched, Matching
from lookalike.attacks.membership import Members, Membership
from lookalike.attacks.outcome import Outcome, Reading
from lookalike.attacks.singling_out import SingledOut, SinglingOut
from lookalike.engine import Stage, records, stage
from lookalike.errors import LookalikeError
from lookalike.evaluate.comparison.attackable import Attackable, attackable
from lookalike.evaluate.comparison.files import Both, part_of
from lookalike.evaluate.people import generator
from lookalike.plan import Plan

_T = TypeVar("_T")
_K = TypeVar("_K")

CLASSES = 10
"""Classes of as many records that numbers are put in, so that near values count as equal."""
PREDICTED = 5_000
"""Records at most whose targets are predicted by models."""
SWEPT = 20_000
"""Records at most by which CAP is told for many numbers of bins: a tenth of a second a target."""
LINKED = 20_000
"""Records up to which a release is linked record by record."""
LEARNERS: Mapping[str, Learner] = {"knn": Neighbours(), "mlp": Perceptron()}
NO_NETWORK = "The models named (--models) hold no network (mlp)."
NO_KEYS = "Nothing is said of what an attacker knows: name the quasi-identifiers (--qi) or the keys (--keys)."


@dataclass(frozen=True, kw_only=True, repr=False)
class Attacks:
    """What an attacker gains; what could not be tried is in `not_assessed` with the reason."""

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    control: bool
    matching: Matched | None = None
    linkage: Linked | None = None
    attribution: Mapping[str, Attributed] = field(default_factory=dict)
    classes: Mapping[str, ClassCap] = field(default_factory=dict)
    """By target, with numbers in classes."""
    sweeps: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """By target that is a number, CAP for each number of classes of it and of the keys that are numbers."""
    subsets: Mapping[str, KeySubsets] = field(default_factory=dict)
    inference: Mapping[str, Inferred] = field(default_factory=dict)
    """By learner."""
    singling_out: Mapping[int, SingledOut] = field(default_factory=dict)
    """By the number of conditions of a predicate."""
    linkability: Joined | None = None
    guessing: Mapping[str, Guessed] = field(default_factory=dict)
    copies: CopiesFound | None = None
    distances: Distanced | None = None
    membership: Members | None = None
    not_assessed: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def beyond(self) -> tuple[Outcome, ...]:
        """Attacks that gain over the control beyond chance, the most first; without a control none can be told."""
        found = [
            (o.excess, o) for o in self.outcomes if o.excess is not None and o.reading is not Reading.NOT_INFORMATIVE
        ]
        told = [(e.value, o) for e, o in found if e.value is not None and e.low is not None and e.low > 0]
        return tuple(o for _, o in sorted(told, key=lambda pair: -pair[0]))

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """One figure an attack, with its control and its baseline."""
        return tuple(self._outcomes())

    def _outcomes(self) -> Iterator[Outcome]:
        if self.matching is not None:
            yield self.matching.found if self.matching.hits is None else self.matching.hits
        if self.linkage is not None:
            yield self.linkage.outcome
        for target, attributed in self.attribution.items():
            yield from (
                replace(o, measure=f"{o.measure} of {target}") for o in attributed.outcomes if o.measure in _MAIN
            )
        for inferred in self.inference.values():
            yield from (found.outcome for found in inferred.targets)
        for found in self.singling_out.values():
            yield found.outcome
        if self.linkability is not None:
            yield self.linkability.outcome
        for guessed in self.guessing.values():
            yield guessed.outcome
        for several in (self.copies, self.distances, self.membership):
            yield from (() if several is None else several.outcomes)


_MAIN = ("DCAP", "DiSCO")
"""Measures of attribution that stand for the family; all are in the evidence."""


@dataclass(kw_only=True)
class Attacking:
    """One comparison seen by an attacker."""

    both: Both
    plan: Plan
    not_assessed: dict[str, str] = field(default_factory=dict)

    def found(self) -> Attacks | None:
        """Every attack that the files allow; None if nothing is known of the attacker."""
        named, targets = self._known(), self.wanted()
        if not named:
            return None
        ready = self.ready()
        if not ready.keys:
            self.not_assessed["attacks"] = "No key can be matched with the release: all are released in other words."
            return Attacks(keys=(), targets=targets, control=False, not_assessed=dict(self.not_assessed))
        with stage("Attacking", 6 + 4 * len(targets)) as progress:
            return replace(self._found(ready.keys, targets, ready.files, progress), notes=ready.notes)

    def ready(self) -> Attackable:
        """The whole files in the words of the release, and the keys that can be matched."""
        return attackable(self._files(), self._known())

    def _known(self) -> tuple[str, ...]:
        named = self.plan.comparison.keys or self.both.file.quasi_identifiers
        return tuple(name for name in named if name in self.both.columns)

    def wanted(self) -> tuple[str, ...]:
        """The targets."""
        named = self.plan.comparison.targets or self.both.file.sensitive
        return tuple(name for name in named if name in self.both.columns and name not in self._known())

    def _files(self) -> Files:
        """The whole files with their cells as they are released: a part would hide rows from the attacker."""
        both, columns = self.both, self.both.columns
        original = records(both.file.table, columns)
        releases = tuple(records(release.table, columns) for release in both.readable_releases)
        beside = original if both.file_rows is None else original[both.file_rows]
        control = None if both.control_file is None else records(both.control_file.table, columns)
        return Files(original=beside, releases=releases, control=control, linked=both.made.linked)

    def _found(self, keys: tuple[str, ...], targets: tuple[str, ...], files: Files, progress: Stage) -> Attacks:
        def step(what: str, action: Callable[[], _T]) -> _T | None:
            try:
                return action()
            except LookalikeError as error:
                self.not_assessed[what] = str(error)
                return None
            finally:
                progress.advance()

        rest = tuple(name for name in self.both.columns if name not in keys)
        rng = self._rng
        attributed = {t: step(f"attribution of {t}", partial(self.attributed_by, files, keys, t)) for t in targets}
        classes = {t: step(f"classes of {t}", partial(self._classes, files, keys, t)) for t in targets}
        subsets = {t: step(f"sets of keys, {t}", partial(self._subsets, files, keys, t)) for t in targets}
        guessed = {
            t: step(f"guessing {t}", partial(Guessing(known=keys, secret=t).attack, files, rng=rng("guessing", t)))
            for t in targets
        }
        linkage = Linkage(known=keys, compared=rest)
        singled = {
            c: step(
                f"singling out by {c}", partial(SinglingOut(conditions=c).attack, files, rng=rng("singling", str(c)))
            )
            for c in (1, min(3, len(self.both.columns)))
        }
        linkability = Linkability(first=keys, second=rest)
        return Attacks(
            keys=keys,
            targets=targets,
            control=files.control is not None,
            matching=step("matching", partial(Matching(known=keys).attack, files)),
            linkage=step("record linkage", partial(self._linked, linkage, files)) if files.linked and rest else None,
            attribution=_those(attributed),
            classes=_those(classes),
            sweeps=self._sweeps(files, keys, targets),
            subsets=_those(subsets),
            inference=self._inferred(files, keys, targets, step),
            singling_out=_those(singled),
            linkability=step("linkability", partial(linkability.attack, files, rng=rng("linkability")))
            if rest
            else None,
            guessing=_those(guessed),
            copies=step("copies", partial(Copies(keys=keys).attack, self.whole(files))),
            **self._with_control(files, step),
            not_assessed=dict(self.not_assessed),
        )

    def whole(self, files: Files) -> Files:
        """With weights and household numbers too: nobody compares them, but a copy has them, and chance has not."""
        named = (self.both.file.weight, self.both.file.household)
        releases = self.both.releases
        extra = [n for n in named if n is not None and n not in files.columns and all(n in r.columns for r in releases)]
        if not extra:
            return files
        original = records(self.both.file.table, extra)
        beside = original if self.both.file_rows is None else original[self.both.file_rows]
        control = self.both.control_file
        return replace(
            files,
            original=files.original.hstack(beside),
            releases=tuple(f.hstack(records(r.table, extra)) for f, r in zip(files.releases, releases, strict=True)),
            control=files.control
            if files.control is None or control is None or any(n not in control.columns for n in extra)
            else files.control.hstack(records(control.table, extra)),
        )

    def _with_control(self, files: Files, step: Callable[..., Any]) -> dict[str, Any]:
        """Attacks that mean nothing without records that were not used."""
        if files.control is None:
            self.not_assessed["distances, membership"] = "They need records that were not used (--control)."
            return {}
        rng = self._rng
        return {
            "distances": step("distances", partial(Distances().attack, files, rng=rng("distances"))),
            "membership": step("membership", partial(Membership().attack, files, rng=rng("membership"))),
        }

    def attributed_by(self, files: Files, keys: tuple[str, ...], target: str) -> Attributed:
        """By equal values, numbers by classes; a key that the release has ranges of by what they hold."""
        rules = self.rules(files, keys, target)
        return Attribution(known=keys, target=target, classes=rules).attack(files)

    def _classes(self, files: Files, keys: tuple[str, ...], target: str) -> ClassCap:
        return class_cap(files.original, files.releases[0], keys, target, self.rules(files, keys, target))

    def _subsets(self, files: Files, keys: tuple[str, ...], target: str) -> KeySubsets:
        return key_subsets(_first(files), keys, target, classes=self.rules(files, keys, target))

    def rules(self, files: Files, keys: tuple[str, ...], target: str) -> dict[str, Classes]:
        """Numbers in classes; a column that a release has ranges of is left to the attack, which matches by ranges."""
        frames = (files.original, *files.releases)
        return {
            name: (_of_target(files, name) if name == target else EqualFrequency)(CLASSES)
            for name in (*keys, target)
            if all(frame[name].dtype.is_numeric() for frame in frames)
        }

    def _sweeps(self, files: Files, keys: tuple[str, ...], targets: tuple[str, ...]) -> dict[str, pl.DataFrame]:
        """With classes of as many records each: of equal length, one would hold nearly all of a long-tailed column."""
        frames = (files.original, files.releases[0])
        numbers = [n for n in (*keys, *targets) if all(frame[n].dtype.is_numeric() for frame in frames)]
        known = [n for n in keys if n in numbers]
        one, other = (part_of(frame, SWEPT, self._rng("sweep")) for frame in frames)
        found = {}
        for target in (t for t in targets if t in numbers and known):
            try:
                cut = _of_target(files, target)
                found[target] = sweep(one, other, known, target, rule=EqualFrequency, target_rule=cut)
            except LookalikeError as error:
                self.not_assessed[f"classes of many numbers, {target}"] = str(error)
        return found

    def _linked(self, linkage: Linkage, files: Files) -> Linked:
        """Record by record, of a random part if there are many; the same rows of all files."""
        files = self._some_linked(files, LINKED)
        if ranged_columns(files, linkage.known, {}):
            most = min(linkable(files.original, release, linkage.known, MOST_PAIRS // 2) for release in files.releases)
            files = self._some_linked(files, most)
        return linkage.attack(files, rng=self._rng("linkage"))

    def _some_linked(self, files: Files, most: int) -> Files:
        if files.original.height <= most:
            return files
        rows = np.sort(self._rng("linked").choice(files.original.height, most, replace=False))
        releases = tuple(release[rows] for release in files.releases)
        return replace(files, original=files.original[rows], releases=releases)

    def _inferred(
        self, files: Files, keys: tuple[str, ...], targets: tuple[str, ...], step: Callable[..., Inferred | None]
    ) -> dict[str, Inferred]:
        """By models, for a random part of the records."""
        if not targets:
            return {}
        some = partial(self._some, files)
        attacks = {name: Inference(known=keys, targets=targets, learner=learner) for name, learner in LEARNERS.items()}
        if "mlp" not in self.plan.comparison.models:
            del attacks["mlp"]
            self.not_assessed["inference, mlp"] = NO_NETWORK
        found = {
            name: step(f"inference, {name}", lambda a=attack, n=name: a.attack(some(n), rng=self._rng("inference", n)))
            for name, attack in attacks.items()
        }
        return _those(found)

    def _some(self, files: Files, name: str) -> Files:
        def part(frame: pl.DataFrame) -> pl.DataFrame:
            return part_of(frame, PREDICTED, self._rng("part", name))

        control = None if files.control is None else part(files.control)
        return replace(files, original=part(files.original), control=control, linked=False)

    def _rng(self, *what: str) -> Generator:
        return generator(self.plan.seed, "attack", *what)


def _of_target(files: Files, target: str) -> Callable[[int], Classes]:
    """How a target that is a number is cut: one that is mostly the same, as an income of 0, into that and the rest."""
    return CommonApart if mostly_one(files.original[target]) else EqualFrequency


def _first(files: Files) -> Files:
    """The first release alone."""
    return replace(files, releases=files.releases[:1])


def _those(found: Mapping[_K, _T | None]) -> dict[_K, _T]:
    """The answers there are."""
    return {key: answer for key, answer in found.items() if answer is not None}
