"""Plans as plain data, for the evidence and for `parse_plan`."""

from __future__ import annotations

from typing import Any

from lookalike.anonymize.choices import Protection
from lookalike.plan.keys import COMPARE, DATA, PROTECT, REPAIR, ROLE_LISTS, ROLE_NAMES, SYNTHESIZE, TARGET, THRESHOLDS
from lookalike.plan.plan import Plan
from lookalike.synthesis.choices import Synthesis


def as_document(plan: Plan) -> dict[str, Any]:
    """The plan as plain data: what `parse_plan` reads and the evidence holds. What is None is left out.

    >>> as_document(Plan(population=1000))["population"]
    {'size': 1000, 'margins': [], 'estimators': ['posterior'], 'backtest': True}
    """
    document = {
        "schema": 1,
        "seed": plan.seed,
        **_file(plan),
        "population": {
            "size": plan.population,
            "file": plan.population_file,
            "counts": plan.population_counts,
            "cluster": plan.cluster,
            "margins": list(plan.margins),
            "estimators": list(plan.estimators),
            "backtest": plan.backtest,
        },
        "thresholds": {k: False if (limit := getattr(plan.thresholds, k)) is None else limit for k in THRESHOLDS},
        "knowledge": {"up_to": plan.known_up_to, "groups": {k: list(v) for k, v in plan.groups.items()}},
        "suda": {"size": plan.suda_size or 0},
        "synthesize": _synthesis(plan.synthesis),
        "protect": _protection(plan.protection),
        "compare": _lists({key: getattr(plan.comparison, key) for key in COMPARE}),
        "repair": {key: getattr(plan.repair, key) for key in REPAIR},
        "targets": [_lists({key: getattr(target, key) for key in TARGET}) for target in plan.targets],
        "data": {k: getattr(plan, k) for k in DATA},
    }
    return {key: _without_none(value) for key, value in document.items()}


def _file(plan: Plan) -> dict[str, Any]:
    """What the columns are and which cells are missing."""
    return {
        "roles": _lists({key: getattr(plan.roles, key) for key in (*ROLE_LISTS, *ROLE_NAMES)}),
        "kinds": dict(plan.kinds),
        "missing": {
            "mode": plan.missing,
            "codes": {k: list(v) for k, v in plan.missing_codes.items()},
            "keep": list(plan.keep_words),
        },
    }


def _protection(choices: Protection) -> dict[str, Any]:
    steps = [{"method": step.method, **step.options} for step in choices.steps]
    return _lists({key: steps if key == "steps" else getattr(choices, key) for key in PROTECT})


def _synthesis(choices: Synthesis) -> dict[str, Any]:
    found = {key: getattr(choices, key) for key in SYNTHESIZE}
    return {
        **found,
        "options": dict(choices.options),
        **{key: list(found[key]) for key in ("columns", "drop", "impossible")},
        "given": dict(choices.given),
        "computed": dict(choices.computed),
        "rules": [{"when": rule.when, "then": dict(rule.then)} for rule in choices.rules],
    }


def _lists(table: dict[str, Any]) -> dict[str, Any]:
    """Tuples as lists, as JSON and TOML have them."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in table.items()}


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_none(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_none(v) for v in value]
    return value
