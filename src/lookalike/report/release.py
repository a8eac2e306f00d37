"""A release in the evidence and in a terminal: what was drawn from what, and how like the file it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from lookalike.estimate import Rate
from lookalike.report.tables import new_table, percent
from lookalike.report.words import risk_title
from lookalike.synthesis import Likeness, Release

if TYPE_CHECKING:
    from lookalike.evaluate.synthesis import Synthesized

SHOWN = 8
"""Columns of which values of one record alone are told."""
SIDE_BY_SIDE = 3
"""Copies that are shown one by one; of more, the lowest and the highest."""
REAL = (
    "Row i of the release is row i of the file, and the columns that were kept are real. B is that of the file by "
    "these columns; only what was drawn is protected."
)
PARTLY = (
    "Row i of the release is row i of the file, and the columns that were kept are real. Of the quasi-identifiers "
    "{drawn} was drawn: B is what it would be if the drawn values were real. For an attacker who knows the kept ones "
    "alone, assess the file with these."
)
NOTHING = "Nothing was measured: no quasi-identifier was named (--qi), so this says nothing of the risk."
NOBODY = (
    "No record of the release is a person's. B reads the drawn records as if each were a person: a caution, not the "
    "verdict on people. It tells how far the release singles out, not whom, and does not know of the values and "
    "records copied from the file that are counted above."
)
AS_IF_REAL = "Read as if each drawn record were a person:"
_LIKE = {
    "repeated": "records equal to a record of the file",
    "repeated_uniques": "records unique in the file and in the copy, by all columns",
    "repeated_uniques_by_chance": "  expected by chance, if drawn columns knew nothing of others",
    "known_uniques": "records unique in the file and in the copy, by quasi-identifiers",
    "known_uniques_by_chance": "  expected by chance, if drawn columns knew nothing of others",
}


def release_document(release: Release) -> dict[str, Any]:
    """The release as plain data: counts and names, no cell."""
    return {
        "method": release.model,
        "copies": len(release.copies),
        "records": release.data.records,
        "drawn": list(release.drawn),
        "kept": list(release.kept),
        "left_out": list(release.left_out),
        "given": list(release.given),
        "linked": release.linked,
        "combining": release.combining.value,
        "redrawn": release.redrawn,
        "caveats": list(release.caveats),
        "figures": dict(release.figures),
        "details": dict(release.details),
        "likeness": [_likeness(found) for found in release.likeness],
    }


def _likeness(found: Likeness) -> dict[str, Any]:
    return {
        "equal_cells": {name: rate.value for name, rate in found.equal_cells.items()},
        "most_frequent": dict(found.most_frequent),
        "single_values": {name: _rate(rate) for name, rate in found.single_values.items()},
        **{key: _rate(getattr(found, key)) for key in _LIKE},
    }


def _rate(rate: Rate | None) -> dict[str, Any] | None:
    return None if rate is None else {"count": rate.count, "of": rate.of, "value": rate.value}


def render_release(result: Synthesized) -> RenderableType:
    """The page of a release."""
    return Group(*_parts(result))


def _parts(result: Synthesized) -> Iterator[RenderableType]:
    from lookalike.report.protection.next_step import COLOURS
    from lookalike.report.synthesis.said import how_of, verdict_of
    from lookalike.report.terminal import render

    release = result.release
    colour = COLOURS.get(how_of(result), "yellow")
    yield Panel(Group(*_said(result, colour)), title=Text("Release"), border_style=colour)
    yield _table(release)
    if len(release.details.get("order", ())) > 1:
        yield _sequence(release.details)
    if release.figures:
        yield _fit(release)
    if result.assessed is not None:
        yield Text(f"\n{risk_title(len(release.copies))}", style="bold")
        yield Text(_whose(release))
        yield render(result.assessed, part_of=verdict_of(result) if release.linked else AS_IF_REAL)
    else:
        yield Text(f"\n{NOTHING}", style="bold yellow")


def _whose(release: Release) -> str:
    """Whose risk it is."""
    if not release.linked:
        return NOBODY
    drawn = [name for name in release.data.quasi_identifiers if name in release.drawn]
    return PARTLY.format(drawn=", ".join(drawn)) if drawn else REAL


def _said(result: Synthesized, colour: str) -> Iterator[Text]:
    """The verdict and what to do next as on the page, and what was drawn from what between them."""
    from lookalike.report.synthesis.said import next_of, verdict_of

    yield Text(verdict_of(result), style=f"bold {colour}")
    yield from _drawn(result)
    yield Text(f"Next: {next_of(result)}")


def _drawn(result: Synthesized) -> Iterator[Text]:
    release, source = result.release, result.inputs[0]
    copies = f"{len(release.copies)} copies" if len(release.copies) > 1 else "1 copy"
    yield Text(
        f"{copies} of {release.data.records:,} records drawn by {release.model} from {source.name} "
        f"({source.records:,} records)."
    )
    yield Text(f"Drawn: {', '.join(release.drawn)}.")
    if release.given:
        yield Text(f"Given, the same in all records: {', '.join(release.given)}.")
    if release.kept:
        yield Text(f"Kept as they are: {', '.join(release.kept)}. Row i of a copy is row i of the file.")
    if release.left_out:
        yield Text(f"Left out: {', '.join(release.left_out)}.")
    if release.redrawn:
        yield Text(f"{release.redrawn:,} records were drawn again because they broke a rule.")
    yield Text(f"Estimates from the copies are combined as: {release.combining.value}.")
    for caveat in dict.fromkeys((*release.caveats, *result.warnings)):
        yield Text(f"Note: {caveat}", style="yellow")


def _table(release: Release) -> RenderableType:
    table = new_table("How like the file (a synthetic file is not safe by name)")
    table.add_column("what")
    many = len(release.likeness) > SIDE_BY_SIDE
    heads = ["lowest of the copies", "highest"] if many else [f"copy {i + 1}" for i in range(len(release.likeness))]
    for head in heads:
        table.add_column(head, justify="right")
    for key, said in _LIKE.items():
        if not key.startswith("known_uniques") or release.data.quasi_identifiers:
            table.add_row(said, *_shares([getattr(found, key) for found in release.likeness]))
    if release.linked:
        for name in release.drawn:
            guess = percent(release.likeness[0].most_frequent[name])
            said = f"values of {name} equal to the original (guessing its most frequent value: {guess})"
            table.add_row(said, *_shares([f.equal_cells[name] for f in release.likeness]))
    copied = _copied(release)
    for name in copied[:SHOWN]:
        said = f"values of {name} that one record alone has, in the copy again"
        table.add_row(said, *_shares([f.single_values[name] for f in release.likeness]))
    if len(copied) > SHOWN:
        table.add_row(f"such values of {len(copied) - SHOWN} more columns: see the evidence (--json)")
    return table


def _copied(release: Release) -> list[str]:
    """The columns of which most values of one record alone stand in the first copy."""
    found = {name: rate.count for name, rate in release.likeness[0].single_values.items() if rate.count}
    return sorted(found, key=lambda name: -found[name])


def _sequence(details: Mapping[str, Any]) -> RenderableType:
    """The order of the columns, their methods, and which predictors were asked for and used."""
    table = new_table("One column after another")
    for head in ("column", "method", "predicted by", "asked for, not used"):
        table.add_column(head)
    names = details["columns"]
    for name in (name for name in details["order"] if details["methods"][name] != "given"):
        used, asked = (_named(details[key], names, name) for key in ("predictors_used", "predictors_asked"))
        if isinstance(used, int):
            table.add_row(name, details["methods"][name], f"{used} columns", f"{asked - used} columns")
        else:
            rest = [other for other in asked if other not in used]
            table.add_row(name, details["methods"][name], _few(used), _few(rest))
    return table


def _named(matrix: Any, names: Sequence[str], name: str) -> Any:
    """The predictors of a column by name; their number where the matrix is not shown whole."""
    if isinstance(matrix, Mapping):
        return matrix[name]
    return [other for other, taken in zip(names, matrix[names.index(name)], strict=True) if taken]


def _few(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _fit(release: Release) -> RenderableType:
    table = new_table(f"How the model fits ({release.model})")
    table.add_column("what")
    table.add_column("value", justify="right")
    for name, value in release.figures.items():
        table.add_row(name, f"{value:.4g}")
    return table


def _shares(rates: Sequence[Rate | None]) -> list[str]:
    """Side by side, or the lowest and the highest of many."""
    if len(rates) > SIDE_BY_SIDE:
        rates = sorted(rates, key=lambda rate: rate.count if rate else 0)
        rates = [rates[0], rates[-1]]
    return [_share(rate) for rate in rates]


def _share(rate: Rate | None) -> str:
    return "none is unique" if rate is None else f"{percent(rate.value)} ({rate.count:,} of {rate.of:,})"
