"""From options to a plan: options override what the plan file says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lookalike.errors import BadPlan
from lookalike.plan import Plan, Target, load_plan


def names(text: str | None) -> tuple[str, ...] | None:
    """Comma-separated names; None if the option was not given.

    >>> names("age, sex")
    ('age', 'sex')
    """
    if text is None:
        return None
    return tuple(part.strip() for part in text.split(",") if part.strip())


def plan_from(
    plan_file: Path | None,
    *,
    roles: Mapping[str, str | None],
    population: str | None,
    thresholds: Mapping[str, float | None],
    kinds: Sequence[str],
    missing_codes: Sequence[str],
    targets: Sequence[str],
    **choices: Any,
) -> Plan:
    """The plan of a file with the options over it; all faults of the options are told at once."""
    plan = load_plan(plan_file) if plan_file is not None else Plan()
    faults: list[str] = []
    given = {
        k: names(v) if k in ("identifiers", "quasi_identifiers", "sensitive") else v
        for k, v in roles.items()
        if v is not None
    }
    limits = {k: v for k, v in thresholds.items() if v is not None}
    plan = plan.changed(
        roles=replace(plan.roles, **given),  # type: ignore[arg-type]
        thresholds=replace(plan.thresholds, **limits),  # type: ignore[arg-type]
        kinds={**plan.kinds, **dict(_pairs("--kind", kinds, faults))},
        missing_codes={
            **plan.missing_codes,
            **{k: names(v) or () for k, v in _pairs("--missing-code", missing_codes, faults)},
        },
        targets=(*plan.targets, *(t for text in targets if (t := _target(text, faults)) is not None)),
        **{k: v for k, v in choices.items() if v is not None},
        **_population(population),
    )
    if faults:
        raise BadPlan([*faults, *plan.faults()])
    return plan


def _population(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    digits = text.replace(",", "").replace("_", "")
    if digits.lstrip("+-").isdigit():
        return {"population": int(digits), "population_file": None}
    return {"population": None, "population_file": text}


def _pairs(option: str, texts: Sequence[str], faults: list[str]) -> list[tuple[str, str]]:
    pairs = []
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not sign or not name or not value:
            faults.append(f"{option} '{text}' must look like COLUMN=VALUE.")
        else:
            pairs.append((name.strip(), value.strip()))
    return pairs


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
