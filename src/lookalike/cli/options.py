"""From options to a plan: options override what the plan file says."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lookalike.anonymize.choices import Protection, Step
from lookalike.errors import BadFile, BadPlan
from lookalike.plan import Plan, Target, load_plan, people_in


def names(text: str | None) -> tuple[str, ...] | None:
    """Comma-separated names, one that holds a comma in quotes; None if the option was not given.

    >>> names('age, "height, cm"')
    ('age', 'height, cm')
    """
    if text is None:
        return None
    cells = (cell for row in csv.reader([text], skipinitialspace=True) for cell in row)
    return tuple(cell.strip() for cell in cells if cell.strip())


LIMITS = {
    "threshold": "sample_to_population",
    "upper": "sample_to_population_upper",
    "k": "k_anonymity",
    "diversity": "l_diversity",
    "t": "t_closeness",
    "uniques": "unique_records",
    "disclosure": "attribute_disclosure",
}
"""Options that are limits, by the name of the limit."""
_LISTS = ("identifiers", "quasi_identifiers", "sensitive")
_NAMES = ("weight", "household")
_PLAIN = (
    "population_counts",
    "cluster",
    "backtest",
    "missing",
    "known_up_to",
    "seed",
    "engine",
    "spark_master",
    "delimiter",
    "encoding",
    "sheet",
)


def plan_from(
    given: Mapping[str, Any],
    faults: list[str],
    *,
    synthesis: Mapping[str, Any] | None = None,
    protection: Mapping[str, Any] | None = None,
    comparison: Mapping[str, Any] | None = None,
    repair: Mapping[str, Any] | None = None,
) -> Plan | None:
    """The plan of a command's options, by their names, over the plan file they name; None if that cannot be read.

    An option that a command does not have, or that was not given, leaves the plan as it is. What is wrong joins the
    faults.
    """
    plan_file = given.get("plan")
    plan = _made(given.get("made"), faults) if plan_file is None else _load(plan_file, faults)
    roles: dict[str, Any] = {name: names(given[name]) for name in _LISTS if given.get(name) is not None}
    roles |= {name: given[name] for name in _NAMES if given.get(name) is not None}
    limits = {limit: given[name] for name, limit in LIMITS.items() if given.get(name) is not None}
    kinds = dict(pairs("--kind", given.get("kind") or [], faults))
    codes = {k: names(v) or () for k, v in pairs("--missing-code", given.get("missing_code") or [], faults)}
    targets = [_target(text, faults) for text in given.get("target") or []]
    changes = {**_population(given.get("population"), faults), **_listed(given)}
    if plan is None:
        return None
    return plan.changed(
        roles=replace(plan.roles, **roles),
        thresholds=replace(plan.thresholds, **limits),
        kinds={**plan.kinds, **kinds},
        missing_codes={**plan.missing_codes, **codes},
        targets=(*plan.targets, *(target for target in targets if target is not None)),
        synthesis=replace(plan.synthesis, **{k: v for k, v in (synthesis or {}).items() if v is not None}),
        protection=_protection(plan.protection, protection or {}, faults),
        comparison=replace(plan.comparison, **{k: v for k, v in (comparison or {}).items() if v is not None}),
        repair=replace(plan.repair, **{k: v for k, v in (repair or {}).items() if v is not None}),
        **changes,
        **{name: given[name] for name in _PLAIN if given.get(name) is not None},
    )


def _listed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options that are lists in the plan."""
    found = {name: names(given[name]) or () for name in ("estimators", "keep_words") if given.get(name) is not None}
    return {**found, "margins": tuple(given["margins"])} if given.get("margins") else found


def _protection(plan: Protection, named: Mapping[str, Any], faults: list[str]) -> Protection:
    """The protection of a plan with what was named over it: a method takes the place of the plan's steps."""
    changes = {k: v for k, v in named.items() if v is not None and k not in ("method", "options")}
    method, options = named.get("method"), named.get("options") or {}
    if method is not None:
        changes["steps"] = (Step(method=method, options=options),)
    elif options and len(plan.steps) > 1:
        faults.append("The plan has several steps: say their settings there, or name one method (--method).")
    elif options:
        first = plan.steps[0] if plan.steps else Step(method="generalize")
        changes["steps"] = (Step(method=first.method, options={**first.options, **options}),)
    return replace(plan, **changes)


def _load(plan_file: Path, faults: list[str]) -> Plan | None:
    try:
        return load_plan(plan_file)
    except BadPlan as error:
        faults += (f"{plan_file.name}: {fault}" for fault in error.faults)
    except BadFile as error:
        faults.append(str(error))
    return None


def _made(evidence: Path | None, faults: list[str]) -> Plan:
    """The plan to begin from where none is named: what the evidence of a release tells of the file."""
    if evidence is None:
        return Plan()
    from lookalike.evaluate.comparison.origin import plan_of_release

    try:
        return plan_of_release(evidence)
    except BadFile as error:
        faults.append(str(error))
        return Plan()


def _population(text: str | None, faults: list[str]) -> dict[str, Any]:
    """How many people, in digits with or without marks between them, or a file of them."""
    if text is None:
        return {}
    try:
        size = people_in(text)
    except BadPlan as error:
        faults += error.faults
        return {}
    return {"population": size, "population_file": text if size is None else None}


def pairs(option: str, texts: Sequence[str], faults: list[str]) -> list[tuple[str, str]]:
    """Options of the form NAME=VALUE; those that are not join the faults."""
    found = []
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not sign or not name or not value:
            faults.append(f"{option} '{text}' must look like {'NAME' if option == '--option' else 'COLUMN'}=VALUE.")
        else:
            found.append((name.strip(), value.strip()))
    return found


def setting(text: str) -> Any:
    """A setting as a number, a truth value, a list or a table where it reads as one, else as text.

    >>> setting("5"), setting("[1, 2]"), setting("mean")
    (5, [1, 2], 'mean')
    """
    try:
        return json.loads(text)
    except ValueError:
        return text


def _target(text: str, faults: list[str]) -> Target | None:
    """`charges>100000`, `age<18`, `diagnosis=C50,C61`."""
    for sign in (">", "<", "="):
        name, found, value = text.partition(sign)
        if not found or not name.strip() or not value.strip():
            continue
        if sign == "=":
            return Target(variable=name.strip(), equals=names(value) or ())
        try:
            limit = float(value)
        except ValueError:
            continue
        above, below = (limit, None) if sign == ">" else (None, limit)
        return Target(variable=name.strip(), above=above, below=below)
    faults.append("--target must look like COLUMN>NUMBER, COLUMN<NUMBER or COLUMN=VALUE.")
    return None
