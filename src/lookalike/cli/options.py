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


def plan_from(
    plan_file: Path | None,
    faults: list[str],
    *,
    roles: Mapping[str, str | None],
    population: str | None,
    thresholds: Mapping[str, float | None],
    kinds: Sequence[str],
    missing_codes: Sequence[str],
    targets: Sequence[str],
    margins: Sequence[str] = (),
    estimators: str | None = None,
    keep_words: str | None = None,
    synthesis: Mapping[str, Any] | None = None,
    protection: Mapping[str, Any] | None = None,
    **choices: Any,
) -> Plan | None:
    """The plan of a file with the options over it; what is wrong joins the faults. None without a readable plan."""
    plan = _load(plan_file, faults) if plan_file is not None else Plan()
    given = {
        k: names(v) if k in ("identifiers", "quasi_identifiers", "sensitive") else v
        for k, v in roles.items()
        if v is not None
    }
    changes = {
        "kinds": dict(pairs("--kind", kinds, faults)),
        "missing_codes": {k: names(v) or () for k, v in pairs("--missing-code", missing_codes, faults)},
        "targets": tuple(t for text in targets if (t := _target(text, faults)) is not None),
        **_population(population, faults),
        **({"margins": tuple(margins)} if margins else {}),
        **({"estimators": names(estimators) or ()} if estimators is not None else {}),
        **({"keep_words": names(keep_words) or ()} if keep_words is not None else {}),
    }
    if plan is None:
        return None
    limits = {k: v for k, v in thresholds.items() if v is not None}
    return plan.changed(
        roles=replace(plan.roles, **given),  # type: ignore[arg-type]
        thresholds=replace(plan.thresholds, **limits),  # type: ignore[arg-type]
        kinds={**plan.kinds, **changes.pop("kinds")},
        missing_codes={**plan.missing_codes, **changes.pop("missing_codes")},
        targets=(*plan.targets, *changes.pop("targets")),
        synthesis=replace(plan.synthesis, **{k: v for k, v in (synthesis or {}).items() if v is not None}),
        protection=_protection(plan.protection, protection or {}, faults),
        **changes,
        **{k: v for k, v in choices.items() if v is not None},
    )


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
