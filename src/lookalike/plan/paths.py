"""The files that a plan names beside the data: what they are for, and the same plan with them elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lookalike.anonymize.choices import Step
from lookalike.data.read import name_at
from lookalike.plan.plan import Plan

Change = Callable[[str, str], str]
"""From what a file is for and its path to another path."""
_SETTINGS = {("recode", "file"): "recode", ("rare-people", "table"): "table"}
"""Settings of a step that name a file, and what it is for."""


def with_paths(plan: Plan, change: Change) -> Plan:
    """The plan with its paths changed.

    >>> with_paths(Plan(population_file="data/people.csv"), lambda _, path: Path(path).name).population_file
    'people.csv'
    """
    choices = plan.comparison
    return plan.changed(
        population_file=_changed("population", plan.population_file, change),
        margins=tuple(change("margins", path) for path in plan.margins),
        comparison=replace(
            choices,
            made=_changed("made", choices.made, change),
            control=_changed("control", choices.control, change),
        ),
        protection=replace(plan.protection, steps=tuple(step_with_paths(s, change) for s in plan.protection.steps)),
    )


def step_with_paths(step: Step, change: Change) -> Step:
    """A step of a protection with the paths in its settings changed."""
    options = dict(step.options)
    for name, value in options.items():
        use = _SETTINGS.get((step.method, name))
        if use is not None and isinstance(value, (str, Path)) and str(value):
            options[name] = change(use, str(value))
        elif (step.method, name) == ("generalize", "hierarchies"):
            options[name] = _hierarchies(value, change)
    return Step(method=step.method, options=options)


def paths_of(plan: Plan) -> tuple[tuple[str, str], ...]:
    """All files that a plan names, each with what it is for.

    >>> paths_of(Plan(population_file="data/people.csv", margins=("areas.csv",)))
    (('population', 'data/people.csv'), ('margins', 'areas.csv'))
    """
    found: list[tuple[str, str]] = []

    def keep(use: str, path: str) -> str:
        found.append((use, path))
        return path

    with_paths(plan, keep)
    return tuple(found)


def name_only(_use: str, path: str) -> str:
    """A path without its folders: what the evidence may hold of it."""
    return name_at(path)


def _changed(use: str, path: str | None, change: Change) -> str | None:
    return None if path is None else change(use, path)


def _hierarchies(given: Any, change: Change) -> Any:
    """A folder, or by column a hierarchy, a file, or a table that names a file alone."""
    if isinstance(given, (str, Path)):
        return change("hierarchies", str(given))
    if not isinstance(given, Mapping):
        return given
    return {name: _hierarchy(document, change) for name, document in given.items()}


def _hierarchy(document: Any, change: Change) -> Any:
    if isinstance(document, (str, Path)):
        return change("hierarchy", str(document))
    if isinstance(document, Mapping) and set(document) == {"file"}:
        return {"file": change("hierarchy", str(document["file"]))}
    return document
