"""A repair in words and figures: what was behind the risks, what changed, what is kept and given away now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from lookalike.anonymize.rebuilt import rebuilt
from lookalike.data import Microdata, read
from lookalike.evaluate.comparison.attacks import Attacks
from lookalike.evaluate.comparison.grades import Grade, findings
from lookalike.evaluate.repair import Found, Repaired
from lookalike.evaluate.result import Outcome
from lookalike.report.comparison.evidence import compared_document
from lookalike.report.comparison.words import GRADES, sentence
from lookalike.report.few import FEWEST
from lookalike.report.html import Grid
from lookalike.report.tables import render_grid
from lookalike.report.told import counted

NOTHING = "Nothing had to be changed: no row is behind a risk above {threshold:g}."
SAME = "The file that is written has the same rows and cells as the release."
MENDED = "Repaired: no attack with rows behind it gains more than {threshold:g} any more."
LEFT = "Not repaired: {names} still gain more than {threshold:g}."
ELSEWHERE = "No single row is behind what is left. Protect the original (lookalike protect), or draw another file."
MORE_ROUNDS = "Rows are still behind it: allow more rounds (--rounds), or another way (--by)."
UNKNOWN = "Not known whether it is repaired: {names} could not be assessed."
STILL = "But a threshold of the plan on the release itself does not hold: see its risk below."
CHANGED = "{changed} of {rows} rows changed and {dropped} dropped, in {rounds} rounds, by {by}."
MANY = (
    "More than {share:.0%} of the rows changed: the release is no longer what its method makes. Think of another "
    "model, or protect the file."
)
MANY_ROWS = 0.05
EYES = (
    "Which records and rows they are stands in the file of --records alone. It tells who could be found: keep it in "
    "the house."
)
WORSE = "Less is kept than before: {names}"
KEPT = "Every analysis keeps its grade."
NOT_COMMON = (
    "Attribution leaves out what is common knowledge here, what nearly everybody with such a key has: its risk is "
    "lower than in the table of all attacks."
)


def repaired_document(result: Repaired) -> dict[str, Any]:
    """What the evidence holds: the repair, the comparison before, and the comparison of the repaired release."""
    choices = result.plan.repair
    return {
        "repair": {
            "by": choices.by,
            "threshold": choices.threshold,
            "rounds": result.rounds,
            "rows": result.rows,
            "rows_changed": _few(result.rows_changed),
            "rows_dropped": _few(result.rows_dropped),
            "cells_changed": {name: _few(count) for name, count in result.cells.items()},
            "attacks": [_attack(found) for found in result.found],
        },
        "before": compared_document(result.before),
        **compared_document(result.after),
    }


def _attack(found: Found) -> dict[str, Any]:
    return {
        "attack": found.attack,
        "target": found.target,
        **{
            when: {"risk": one.risk, "above": one.above, "records": _few(one.records), "reason": one.reason or None}
            for when, one in (("before", found.before), ("after", found.after))
        },
    }


def _few(count: int) -> int | str:
    return f"<{FEWEST}" if 0 < count < FEWEST else count


def changes_table(result: Repaired) -> Microdata:
    """The list for the custodian as a file can hold it, also if nothing was at risk."""
    if not result.changes.is_empty():
        return read(result.changes)
    nobody = pl.DataFrame([[None] * result.changes.width], schema=result.changes.schema, orient="row")
    return rebuilt(read(nobody), {}, np.empty(0, np.int64))


def says(result: Repaired) -> str:
    """The verdict in one sentence or two."""
    threshold = result.plan.repair.threshold
    left = [found for found in result.found if found.after.above]
    if left:
        hint = MORE_ROUNDS if any(found.after.records for found in left) else ELSEWHERE
        return f"{LEFT.format(names=', '.join(_name(f) for f in left), threshold=threshold)} {hint}"
    unknown = [found for found in result.found if found.after.outcome is None]
    if unknown:
        return UNKNOWN.format(names=", ".join(_name(f) for f in unknown))
    said = (MENDED if result.rounds else NOTHING).format(threshold=threshold)
    return f"{said} {STILL}" if result.after.outcome is Outcome.FAILS else said


def notes(result: Repaired) -> Iterator[str]:
    """What changed, and what it costs."""
    if result.rounds:
        yield CHANGED.format(
            changed=counted(result.rows_changed),
            rows=f"{result.rows:,}",
            dropped=counted(result.rows_dropped),
            rounds=result.rounds,
            by=result.plan.repair.by,
        )
        if result.rows_changed + result.rows_dropped > MANY_ROWS * result.rows:
            yield MANY.format(share=MANY_ROWS)
        worse = [sentence(after) for before, after in _graded(result) if _rank(after.grade) > _rank(before.grade)]
        yield WORSE.format(names=" ".join(worse)) if worse else KEPT
        yield EYES
    else:
        yield SAME
    for found in result.found:
        if found.after.reason:
            yield f"{_name(found)}: {found.after.reason}"


def render_repaired(result: Repaired) -> RenderableType:
    """The repair in a terminal."""
    colour = {Outcome.HOLDS: "green", Outcome.FAILS: "red"}.get(result.outcome, "yellow")
    lines = [Text(says(result), style=f"bold {colour}"), *(Text(note) for note in notes(result))]
    return Group(Panel(Group(*lines), title=Text("Repair"), border_style=colour), *map(render_grid, grids(result)))


def grids(result: Repaired) -> tuple[Grid, ...]:
    """The attacks that were repaired, all attacks, and the analyses, before and after."""
    return (_repaired(result), *_attacks(result), _analyses(result))


def _repaired(result: Repaired) -> Grid:
    rows = [
        (
            _name(found),
            _risk(found.before.risk),
            counted(found.records) if found.before.above else "",
            _risk(found.after.risk),
            counted(found.after.records) if found.after.above else "",
        )
        for found in result.found
    ]
    heads = ("attack", "risk before", "records at risk", "risk after", "records at risk")
    note = NOT_COMMON if _leaves_out(result) else ""
    return Grid(title="Attacks with rows behind them", heads=heads, rows=tuple(rows), note=note)


def _leaves_out(result: Repaired) -> bool:
    """Whether a risk is without what is common knowledge: of attribution, if there is no control."""
    attacks = result.before.attacks
    return attacks is not None and not attacks.control and any(found.target is not None for found in result.found)


def _attacks(result: Repaired) -> Iterator[Grid]:
    before, after = _by_name(result.before.attacks), _by_name(result.after.attacks)
    if not before or not after:
        return
    rows = [(name, _risk(before.get(name)), _risk(after.get(name))) for name in dict.fromkeys([*before, *after])]
    yield Grid(title="All attacks", heads=("attack", "risk before", "risk after"), rows=tuple(rows))


def _by_name(attacks: Attacks | None) -> dict[str, float | None]:
    return {} if attacks is None else {f"{o.attack}: {o.measure}": o.risk.value for o in attacks.outcomes}


def _analyses(result: Repaired) -> Grid:
    rows = [
        (f"{after.analysis}: {after.what}", GRADES[before.grade], GRADES[after.grade])
        for before, after in _graded(result)
    ]
    heads = ("analysis", "before", "after")
    return Grid(title="What an analyst keeps", heads=heads, rows=tuple(rows), names=3)


def _graded(result: Repaired) -> Iterator[tuple[Any, Any]]:
    """The analyses of both sides, beside each other."""
    before = {(f.analysis, f.what): f for f in findings(result.before)}
    for after in findings(result.after):
        if (after.analysis, after.what) in before:
            yield before[after.analysis, after.what], after


def _rank(grade: Grade) -> int:
    return (Grade.KEPT, Grade.OPEN, Grade.PARTLY, Grade.LOST).index(grade)


def _name(found: Found) -> str:
    return found.attack if found.target is None else f"{found.attack} of {found.target}"


def _risk(value: float | None) -> str:
    return "not informative" if value is None else f"{value:.3f}"
