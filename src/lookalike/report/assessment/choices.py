"""The part on the plan: every choice that an assessment rests on, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lookalike.plan import Plan, as_document
from lookalike.plan.paths import name_only, with_paths
from lookalike.report.assessment import phrases as p
from lookalike.report.assessment.meanings import MEANS, TITLES
from lookalike.report.html import Grid, Section

_PARTS = ("roles", "kinds", "missing", "population", "thresholds", "knowledge", "suda", "targets", "data", "seed")


def plan_section(plan: Plan) -> Section:
    """What was chosen, by the names of the plan file; what was not chosen is left out."""
    document = as_document(with_paths(plan, name_only))
    rows = tuple(row for part in _PARTS if part in document for row in _rows(part, document[part]))
    grid = Grid(title=p.PLAN, heads=(p.CHOSEN, p.CHOICE_VALUE), rows=rows, names=2)
    return Section(title=TITLES["plan"], means=MEANS["plan"], folded=(grid,))


def chosen_words(section: Section) -> frozenset[str]:
    """What stands in the part on the plan in the plan's own words; no language changes it."""
    return frozenset(
        cell
        for grid in section.folded
        for row in grid.rows
        for cell in row
        if cell not in (p.YES, p.NO) and any(letter.isalpha() for letter in cell)
    )


def _rows(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _rows(f"{name}.{key}", inner)
    elif isinstance(value, (list, tuple)):
        if value:
            yield name, ", ".join(map(_text, value))
    elif value is not False and value is not None:
        yield name, _text(value)


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{key} {_text(inner)}" for key, inner in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    return {True: p.YES, False: p.NO}[value] if isinstance(value, bool) else str(value)
