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
from lookalike.attacks.cap_classes import ClassCap, class_cap
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
from lookalike.attacks.matching import Matched, Matching
from lookalike.attacks.membership import Members, Membership
from lookalike.attacks.outcome import Outcome, Reading
from lookalike.attacks.singling_out import SingledOut, SinglingOut
from lookalike.engine import Stage, records, stage
from lookalike.errors import LookalikeError
from lookalike.evaluate.comparison.attackable import attackable
from lookalike.evaluate.comparison.files import Both, part_of
from lookalike.evaluate.people import generator
from lookalike.plan import Plan

_T = TypeVar("_T")
_K = TypeVar("_K")

CLASSES = 10
"""Classes of as many records that numbers are put in, so that near values count as equal."""
PREDICTED = 5_000
"""Records at most whose targets are predicted by models."""
LINKED = 20_000
"""Records up to which a release is linked record by record."""
LEARNERS: Mapping[str, Learner] = {"knn": Neighbours(), "mlp": Perceptron()}
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
        named, targets = self._known(), self._wanted()
        if not named:
            return None
        ready = attackable(self._files(), named)
        if not ready.keys:
            self.not_assessed["attacks"] = "No key can be matched with the release: all are released in other words."
            return Attacks(keys=(), targets=targets, control=False, not_assessed=dict(self.not_assessed))
        with stage("Attacking", 6 + 4 * len(targets)) as progress:
            return replace(self._found(ready.keys, targets, ready.files, progress), notes=ready.notes)

    def _known(self) -> tuple[str, ...]:
        named = self.plan.comparison.keys or self.both.file.quasi_identifiers
        return tuple(name for name in named if name in self.both.columns)

    def _wanted(self) -> tuple[str, ...]:
        named = self.plan.comparison.targets or self.both.file.sensitive
        return tuple(name for name in named if name in self.both.columns and name not in self._known())

    def _files(self) -> Files:
        """The whole files with their cells as they are released: a part would hide rows from the attacker."""
        both, columns = self.both, self.both.columns
        original = records(both.file.table, columns)
        releases = tuple(records(release.table, columns) for release in both.releases)
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
        attributed = {t: step(f"attribution of {t}", partial(self._attributed, files, keys, t)) for t in targets}
        classes = {t: step(f"classes of {t}", partial(self._classes, files, keys, t)) for t in targets}
        subsets = {t: step(f"sets of keys, {t}", partial(key_subsets, _first(files), keys, t)) for t in targets}
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
            subsets=_those(subsets),
            inference=self._inferred(files, keys, targets, step),
            singling_out=_those(singled),
            linkability=step("linkability", partial(linkability.attack, files, rng=rng("linkability")))
            if rest
            else None,
            guessing=_those(guessed),
            copies=step("copies", partial(Copies(keys=keys).attack, files)),
            **self._with_control(files, step),
            not_assessed=dict(self.not_assessed),
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

    def _attributed(self, files: Files, keys: tuple[str, ...], target: str) -> Attributed:
        """By equal values; a number among the targets by classes, unless the keys are ranges."""
        rules = self._rules(files, keys, target)
        return Attribution(known=keys, target=target, classes=rules).attack(files)

    def _classes(self, files: Files, keys: tuple[str, ...], target: str) -> ClassCap:
        return class_cap(files.original, files.releases[0], keys, target, self._rules(files, keys, target))

    def _rules(self, files: Files, keys: tuple[str, ...], target: str) -> dict[str, Classes]:
        if ranged_columns(_first(files), keys, {}):
            return {}
        frames = (files.original, *files.releases)
        return {
            name: EqualFrequency(CLASSES)
            for name in (*keys, target)
            if all(frame[name].dtype.is_numeric() for frame in frames)
        }

    def _linked(self, linkage: Linkage, files: Files) -> Linked:
        """Record by record, of a random part if there are many; the same rows of all files."""
        if files.original.height > LINKED:
            rows = np.sort(self._rng("linked").choice(files.original.height, LINKED, replace=False))
            releases = tuple(release[rows] for release in files.releases)
            files = replace(files, original=files.original[rows], releases=releases)
        return linkage.attack(files, rng=self._rng("linkage"))

    def _inferred(
        self, files: Files, keys: tuple[str, ...], targets: tuple[str, ...], step: Callable[..., Inferred | None]
    ) -> dict[str, Inferred]:
        """By models, for a random part of the records."""
        if not targets:
            return {}
        some = partial(self._some, files)
        attacks = {name: Inference(known=keys, targets=targets, learner=learner) for name, learner in LEARNERS.items()}
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


def _first(files: Files) -> Files:
    """The first release alone."""
    return replace(files, releases=files.releases[:1])


def _those(found: Mapping[_K, _T | None]) -> dict[_K, _T]:
    """The answers there are."""
    return {key: answer for key, answer in found.items() if answer is not None}
