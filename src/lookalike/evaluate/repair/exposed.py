"""Which attacks gain too much from a release, and the rows behind each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.attacks.behind import Behind, behind_attribution, behind_copies, behind_matches
from lookalike.attacks.bins import class_codes
from lookalike.attacks.copies import Copies
from lookalike.attacks.files import Files
from lookalike.attacks.matching import Matching
from lookalike.attacks.outcome import Outcome
from lookalike.errors import NotAssessable
from lookalike.evaluate.comparison.attacks import Attacking
from lookalike.evaluate.comparison.files import Both
from lookalike.plan import Plan

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Exposure:
    """One attack: what it gains, and, where that is above the threshold, the rows behind it by copy."""

    attack: str
    target: str | None = None
    outcome: Outcome | None
    """None if it could not be assessed."""
    risk: float | None = None
    """The gain over the control, else how often it succeeds; None if it does no better than a guess. Of attribution
    without a control it leaves out what is common knowledge."""
    above: bool = False
    behind: tuple[Behind, ...] = field(default=(), repr=False)
    secrets: tuple[Ints, ...] = field(default=(), repr=False)
    """Of an attribution: by copy, the target of each row as a number."""
    reason: str = ""
    """Why it, or the rows behind it, could not be told."""

    @property
    def records(self) -> int:
        """Records at risk, each counted once over the copies."""
        return len(self.people)

    @property
    def people(self) -> Ints:
        """The records at risk, by their place among those attacked."""
        found = [one.records for one in self.behind]
        return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)


@dataclass(frozen=True, kw_only=True)
class Exposed:
    """The attacks on one state of a release."""

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    linked: bool
    attacks: tuple[Exposure, ...]

    @property
    def anything(self) -> bool:
        """Whether a row is behind a risk above the threshold."""
        return any(len(one.rows) for attack in self.attacks for one in attack.behind)


@dataclass(frozen=True, kw_only=True)
class Exposing:
    """The search for rows behind a risk."""

    both: Both
    plan: Plan

    def found(self) -> Exposed:
        """Every attack that has rows behind it."""
        attacking = Attacking(both=self.both, plan=self.plan)
        ready = attacking.ready()
        targets = attacking.wanted()
        found = [
            *self._matching(ready.files, ready.keys),
            *(self._attribution(attacking, ready.files, ready.keys, target) for target in targets),
            *self._copies(attacking.whole(ready.files)),
        ]
        return Exposed(keys=ready.keys, targets=targets, linked=ready.files.linked, attacks=tuple(found))

    def _matching(self, files: Files, keys: tuple[str, ...]) -> Iterator[Exposure]:
        if not files.linked:
            return
        found = Matching(known=keys).attack(files)
        assert found.hits is not None
        exposure = self._judged(Exposure(attack="matching", outcome=found.hits), found.hits.risk.value)
        least = self.plan.repair.least
        behind = tuple(behind_matches(one, least) for one in found.releases) if exposure.above else ()
        yield replace(exposure, behind=behind)

    def _attribution(self, attacking: Attacking, files: Files, keys: tuple[str, ...], target: str) -> Exposure:
        exposure = Exposure(attack="attribution", target=target, outcome=None)
        try:
            found = attacking.attributed_by(files, keys, target)
            outcome = found["DiSCO"]
        except NotAssessable as error:
            return replace(exposure, reason=str(error))
        risk = outcome.risk.value
        if risk is not None and files.control is None:
            risk = float(np.mean([flags.without_flagged.value for flags in found.flags]))
        exposure = self._judged(replace(exposure, outcome=outcome), risk)
        if not exposure.above:
            return exposure
        try:
            parts = [self._given_away(attacking, one, keys, target) for one in _one_by_one(files)]
        except NotAssessable as error:
            return replace(exposure, reason=str(error))
        return replace(exposure, behind=tuple(b for b, _ in parts), secrets=tuple(s for _, s in parts))

    def _given_away(
        self, attacking: Attacking, files: Files, keys: tuple[str, ...], target: str
    ) -> tuple[Behind, Ints]:
        rules = attacking.rules(files, keys, target)
        behind = behind_attribution(files, attacking.attributed_by(files, keys, target), keys, rules)
        return behind, class_codes([files.original, files.releases[0]], [target], rules)[1]

    def _copies(self, files: Files) -> Iterator[Exposure]:
        """Row i of a linked file is record i, and meant to be: its copies are no finding."""
        if files.linked:
            return
        outcome = Copies().attack(files).whole.unique
        exposure = self._judged(Exposure(attack="copies", outcome=outcome), outcome.risk.value)
        found = (behind_copies(files.original, release, files.columns) for release in files.releases)
        yield replace(exposure, behind=tuple(found) if exposure.above else ())

    def _judged(self, exposure: Exposure, risk: float | None) -> Exposure:
        return replace(exposure, risk=risk, above=risk is not None and risk > self.plan.repair.threshold)


def _one_by_one(files: Files) -> list[Files]:
    return [replace(files, releases=(release,)) for release in files.releases]
