"""How a release came about: told by the object that made it, by its evidence, by an option, or guessed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.errors import BadFile, BadPlan
from lookalike.plan import Comparison, Plan, parse_plan
from lookalike.synthesis.release import Combining
from lookalike.utility.losses import PERTURBED
from lookalike.utility.origin import How, Origin
from lookalike.utility.readable import has_generalized_cells

GUESSED_CHANGED = "guessed: its cells hold ranges, or its rows are linked"
GUESSED_DRAWN = "guessed: nothing says otherwise"
GUESS = (
    "Nobody said how the release was made; it was taken as {origin}. Expectations rest on that: name the evidence of "
    "the release (--made) or its origin (--how)."
)
OF_THE_FILE = (
    *("roles", "kinds", "missing", "missing_codes", "keep_words"),
    *("population", "estimators", "thresholds", "targets", "groups"),
)
"""What a plan tells of a file, whatever is done with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """The origin of a release, who told it, and what else its maker told."""

    origin: Origin
    told: str
    linked: bool = False
    cells: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """By column, how many cells were perturbed."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """A guess is told."""
        return (GUESS.format(origin=self.origin),) if self.told in (GUESSED_CHANGED, GUESSED_DRAWN) else ()


def of_combining(combining: Combining, drawn: Sequence[str], *, proper: bool = False) -> Origin:
    """The origin of a synthesis by its rule.

    >>> str(of_combining(Combining.COMPLETE_PROPER, ()))
    'complete, proper'
    """
    if combining is Combining.PARTIAL:
        return Origin(how=How.PARTIAL, drawn=tuple(drawn), proper=proper)
    return Origin(how=How.COMPLETE, proper=combining is Combining.COMPLETE_PROPER)


def chosen_or_guessed(choices: Comparison, release: pl.DataFrame, original: pl.DataFrame) -> Made:
    """By the options; without any, a release with ranges or linked rows was changed, and any other drawn."""
    if choices.how is not None:
        how = How(choices.how)
        origin = Origin(how=how, proper=choices.proper, drawn=choices.drawn)
        return Made(origin=origin, told="told", linked=choices.linked or how is How.PARTIAL)
    if choices.linked or has_generalized_cells(release, original):
        return Made(origin=Origin(how=How.CHANGED), told=GUESSED_CHANGED, linked=choices.linked)
    return Made(origin=Origin(proper=choices.proper), told=GUESSED_DRAWN)


def of_evidence(path: Path, digests: Sequence[str | None], records: int) -> Made:
    """By the evidence of the run that made the release; it must name the digests of the files."""
    document = _document(path)
    command, release, plan = document["command"], document["release"], document["plan"]
    written = {output["sha256"] for output in document["outputs"] if output.get("role", "release") == "release"}
    if not set(digests) <= written:
        raise BadPlan(f"{path.name} is the evidence of other files: the digest of the release is not in it.")
    if command == "synthesize":
        combining = Combining(release["combining"])
        origin = of_combining(combining, release["drawn"], proper=plan["synthesize"].get("proper", False))
        return Made(origin=origin, told=path.name, linked=bool(release["linked"]))
    whole = not release["records_removed"] and not plan["protect"].get("shuffle", False)
    return Made(
        origin=Origin(how=How.CHANGED),
        told=path.name,
        linked=whole and release["records"] == records,
        cells=_perturbed(release["cells"]),
    )


def plan_of_release(path: Path) -> Plan:
    """What the run that made a release was told of the file: roles, kinds, missing values, population, thresholds.

    How to compare, and the seed, are another matter; a file of the population must be named anew.
    """
    document = _document(path)
    try:
        made = parse_plan(document["plan"])
    except BadPlan:
        raise BadFile(f"{path.name}: its plan cannot be read; say the roles themselves (--qi, --sensitive).") from None
    return Plan(**{name: getattr(made, name) for name in OF_THE_FILE})


def _document(path: Path) -> Mapping[str, Any]:
    """The evidence of a release, if it is one."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        lacking = {"command", "release", "plan", "outputs"} - set(document)
    except FileNotFoundError:
        raise BadFile(f"{path.name}: there is no such evidence.") from None
    except (OSError, ValueError, TypeError):
        lacking = {"all"}
    if lacking or not isinstance(document, Mapping):
        raise BadFile(f"{path.name} is not the evidence of a release (protect --json, synthesize --json).")
    return document


def _perturbed(cells: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[int, int]]:
    return {name: {PERTURBED: int(fates.get("perturbed", 0))} for name, fates in cells.items()}
