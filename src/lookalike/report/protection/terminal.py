"""A protected file in a terminal: what was done, what it cost, the risk before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lookalike.anonymize.cells import Done
from lookalike.evaluate.result import Evaluation
from lookalike.report.numbers import digits, number
from lookalike.report.protection import words
from lookalike.report.protection.figures import fate_row
from lookalike.report.protection.frontier import again
from lookalike.report.protection.level_words import levels_grid, raised
from lookalike.report.protection.next_step import COLOURS, decided, is_unchanged, next_of, verdict_of
from lookalike.report.tables import new_table, percent, render_grid
from lookalike.report.verdict import doubts
from lookalike.utility import Losses

if TYPE_CHECKING:
    from lookalike.evaluate.protection import ProtectedRun

POINTS = 8
"""Points of the frontier that are shown."""


def render_protected(result: ProtectedRun, *, kept: bool = False) -> RenderableType:
    """The page of a protected file; `kept` says that the evidence was asked for."""
    return Group(*_parts(result, kept))


def _parts(result: ProtectedRun, kept: bool) -> Iterator[RenderableType]:
    from lookalike.report.terminal import render

    colour = COLOURS[decided(result.assessed)]
    yield Panel(Group(*_said(result, colour)), title=Text("Release"), border_style=colour)
    yield _compared(result)
    if result.release.cells:
        yield _cells(result)
    for step in result.release.taken:
        yield from _details(step.details, result.assessed)
    yield Text("\nThe risk of the release", style="bold")
    yield render(result.assessed, kept=kept)


def _said(result: ProtectedRun, colour: str) -> Iterator[Text]:
    release, source = result.release, result.inputs[0]
    said = words.NOT_CHANGED if is_unchanged(result) else words.CHANGED
    records, every = f"{release.data.records:,}", f"{source.records:,}"
    yield Text(verdict_of(result), style=f"bold {colour}")
    yield from (Text(doubt, style="yellow") for doubt in doubts(result.assessed))
    yield Text(said.format(records=records, all=every, file=source.name, method=release.method))
    if release.removed:
        yield Text(f"Records removed: {release.removed:,}.")
    yield Text(
        f"Cells generalized: {release.count(Done.GENERALIZED):,}, suppressed: {release.count(Done.SUPPRESSED):,}, "
        f"perturbed: {release.count(Done.PERTURBED):,}."
    )
    if not result.plan.protection.shuffle:
        yield Text(words.IN_ORDER)
    if release.left_out:
        yield Text(f"Left out: {', '.join(release.left_out)}.")
    for warning in (*release.caveats, *result.warnings):
        yield Text(f"Note: {warning}", style="yellow")
    yield Text(f"Next: {next_of(result)}")


def _compared(result: ProtectedRun) -> Table:
    table = new_table("Before and after")
    for head in ("measure", "file", "release"):
        table.add_column(head, justify="left" if head == "measure" else "right")
    before, after = _figures(result.before), _figures(result.assessed)
    for name in dict.fromkeys([*before, *after]):
        table.add_row(name, before.get(name, "-"), after.get(name, "-"))
    for name, value in _losses(result.losses).items():
        table.add_row(name, "0", value)
    return table


def _losses(losses: Losses) -> dict[str, str]:
    """What was lost, in words and digits; the average class size has no zero to begin from and is told by classes."""
    return {
        "loss: share of its column a cell stands for": percent(losses.granularity),
        "loss: mean standardized distance": f"{losses.information_loss:.4f}",
        "cells of quasi-identifiers suppressed": percent(losses.suppressed),
    }


def _figures(evaluation: Evaluation) -> dict[str, str]:
    """The measures of one file, in words and digits."""
    risk = evaluation.risk
    estimate = risk.sample_to_population
    figures = {
        "records": f"{risk.records:,}",
        "classes": f"{risk.classes:,}",
        "k-anonymity": f"{risk.k_anonymity}",
        "unique records": percent(risk.unique_records.value),
        "mean risk 1/f in the file": number(risk.prosecutor.mean),
    }
    if risk.fitting is not None:
        figures[words.MEASURES["fitting"]] = percent(risk.fitting.value)
    if risk.population_to_sample is not None:
        figures["A, person to record"] = number(risk.population_to_sample)
    if estimate.value is not None:
        span = "" if estimate.low == estimate.high else f" ({digits(estimate.low)} to {digits(estimate.high)})"
        figures["B, record to person"] = f"{number(estimate.value)}{span}"
    elif risk.population is not None:
        figures["B, record to person"] = f"at most {number(estimate.high)}"
    for name, found in risk.sensitive.items():
        if found is not None:
            figures[f"ℓ of {name}"] = f"{found.distinct}"
            t = found.total_variation if found.earth_mover is None else found.earth_mover
            figures[f"t of {name}"] = f"{t:.3f}"
    for name, rate in risk.targets.items():
        if rate is not None:
            figures[f"disclosure of {name}"] = percent(rate.value)
    return figures


def _cells(result: ProtectedRun) -> Table:
    table = new_table("What was done to the cells")
    table.add_column("column")
    for fate in Done:
        table.add_column(fate.name.lower(), justify="right")
    for name, fates in result.release.cells.items():
        counts = [fates.get(fate, 0) for fate in Done]
        row = fate_row(name, counts, _counts, emptied=name in result.release.emptied)
        table.add_row(*map(Text, row))
    return table


def _counts(counts: Sequence[int]) -> list[str]:
    """As they are: what a terminal shows stays in the house."""
    return [f"{count:,}" for count in counts]


def _details(details: Mapping[str, Any], after: Evaluation) -> Iterator[RenderableType]:
    """The levels that a search chose, the points beside its choice, and what else could be raised."""
    points = details.get("frontier", ())
    if details.get("levels"):
        yield render_grid(levels_grid(details))
    if len(points) > 1:
        yield _frontier(points)
        yield from (Text(f"{said}\n") for said in again(points, after))
    if details.get("buys", {}).get("chosen"):
        yield _buys(details["buys"]["chosen"])


def _frontier(points: Sequence[Mapping[str, Any]]) -> Table:
    """Other choices: less risk for more loss."""
    title = (
        "The frontier: of the versions seen none has less risk and less loss (* chosen). Take another by --option "
        "levels; the page (--html) tells what each level is"
    )
    table = new_table(title)
    coarser, _, *figures = words.FRONTIER_HEADS
    table.add_column(coarser)
    for head in figures:
        table.add_column(head, justify="right")
    for point in _some(points):
        table.add_row(
            Text(f"{'* ' if point['chosen'] else ''}{raised(point['levels'])}"),
            number(point["risk"]),
            f"{point['loss']:.4f}",
            f"{point['suppressed']:,}",
            "yes" if point["holds"] else "no",
        )
    return table


def _some(points: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """A few points spread over the frontier, the chosen one among them."""
    if len(points) <= POINTS:
        return list(points)
    at = {i * (len(points) - 1) // (POINTS - 1) for i in range(POINTS)}
    at |= {i for i, point in enumerate(points) if point["chosen"]}
    return [points[i] for i in sorted(at)]


def _buys(columns: Sequence[Mapping[str, Any]]) -> Table:
    """What one more level of each column would change."""
    table = new_table("What more would buy: the change of risk and loss from here, before any suppression")
    for head in ("column", "one level up: risk", "loss", "removed: risk", "loss"):
        table.add_column(head, justify="left" if head == "column" else "right")
    for column in columns[:POINTS]:
        changes = [column.get("raised"), column.get("removed")]
        cells = [f"{change[key]:+.4f}" if change else "" for change in changes for key in ("risk", "loss")]
        table.add_row(Text(column["column"]), *cells)
    return table
