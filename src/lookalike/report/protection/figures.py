"""The figures of a protected file as charts with tables, section by section."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lookalike.anonymize.cells import Done
from lookalike.anonymize.release import Taken
from lookalike.evaluate.comparison.rare import hidden_levels
from lookalike.report.few import FEWEST
from lookalike.report.html import Figure, Grid
from lookalike.report.numbers import number
from lookalike.report.protection import words
from lookalike.report.protection.charts import b_chart, fate_bars, loss_bars, risk_dumbbells
from lookalike.report.protection.measures import Change, changes, in_words
from lookalike.report.simple_charts import figure
from lookalike.report.tables import percent
from lookalike.report.told import counted, told_apart

if TYPE_CHECKING:
    from lookalike.evaluate.protection import ProtectedRun

MOST = 40
"""Columns of a chart; the table has all."""
UNSEEN = 0.005
"""The share of a bar that nobody sees."""
GONE = {words.FATES[Done.SUPPRESSED.name]: 1.0}
"""Of a column without a value left; cells that were missing already are no part of it."""
LONGEST = 160
"""Letters of a setting; a longer one is told by its number of entries."""


def b_figure(result: ProtectedRun) -> Figure:
    """B before and after, with the threshold."""
    before, after = (e.risk.sample_to_population for e in (result.before, result.assessed))
    limit = result.plan.thresholds.sample_to_population
    told = {"before": in_words(before), "after": in_words(after)}
    says = words.B_SAYS.format(**told) if limit is None else words.B_SAYS_LIMIT.format(threshold=f"{limit:g}", **told)
    rows = tuple(
        (file, *("-" if v is None else number(v) for v in (e.value, e.low, e.high)))
        for file, e in ((words.FILE, before), (words.RELEASE, after))
    )
    table = Grid(title=words.B_TITLE, heads=words.B_HEADS, rows=rows)
    return figure(b_chart(before, after, limit), says=says, table=table)


def risk_figure(result: ProtectedRun) -> Figure:
    """All measures of risk before and after."""
    found = changes(result.before, result.assessed)
    says = _fell(found)
    rows = tuple((change.name, *change.told) for change in found)
    table = Grid(title=words.RISK_CHART, heads=words.RISK_HEADS, rows=rows, note=words.RISK_NOTE)
    return figure(risk_dumbbells(found), says=says, table=table)


def _fell(found: tuple[Change, ...]) -> str:
    """How many measures fell, and which most."""
    drops = [(shares[0] - shares[1], change) for change in found if (shares := change.shares) is not None]
    drop, most = max(drops, key=lambda pair: pair[0])
    if drop <= 0:
        return words.RISK_SAME.format(of=len(drops))
    fell = sum(by > 0 for by, _ in drops)
    before, after = most.told
    return words.RISK_SAYS.format(fell=fell, of=len(drops), name=most.name, before=before, after=after)


def changed_cells(result: ProtectedRun) -> dict[str, list[int]]:
    """By column of which a cell was changed, how many cells met each fate."""
    found = {name: [fates.get(fate, 0) for fate in Done] for name, fates in result.release.cells.items()}
    return {name: counts for name, counts in found.items() if sum(counts) > counts[Done.KEPT]}


def cell_figure(result: ProtectedRun) -> Figure:
    """What became of the cells of each column that was changed."""
    cells, emptied = changed_cells(result), result.release.emptied
    order = sorted(cells, key=lambda name: cells[name][Done.KEPT] / max(sum(cells[name]), 1))
    says = _most_changed(cells, order)
    shares = {name: GONE if name in emptied else _fates(cells[name]) for name in order[:MOST]}
    rows = tuple(fate_row(name, cells[name], told_apart, emptied=name in emptied) for name in order)
    table = Grid(title=words.CELLS_CHART, heads=words.CELLS_HEADS, rows=rows, note=words.CELLS_NOTE)
    return figure(fate_bars(shares), says=says, table=table)


def fate_row(
    name: str, counts: list[int], told: Callable[[list[int]], Sequence[str]], *, emptied: bool
) -> tuple[str, ...]:
    """How many cells of a column met each fate; of one without a value left, that it is so.

    Cells that were missing already stay so: they are "kept" by their count, and no reader would say so.
    """
    if emptied:
        return f"{name}: {words.EMPTIED}", *(words.ALL if fate is Done.SUPPRESSED else "0" for fate in Done)
    return name, *told(counts)


def _fates(counts: list[int]) -> dict[str, float]:
    """Shares of the cells by fate; those that may not be told as one, named by the largest if the rest is not seen."""
    hidden, total = hidden_levels(counts), max(sum(counts), 1)
    named = {words.FATES[fate.name]: counts[fate] / total for fate in Done if fate not in hidden}
    if not hidden:
        return named
    largest, together = max(hidden, key=lambda place: counts[place]), sum(counts[place] for place in hidden)
    unseen = together - counts[largest] <= UNSEEN * total
    return {**named, words.FATES[Done(largest).name] if unseen else words.UNTOLD: together / total}


def _most_changed(cells: Mapping[str, list[int]], order: list[str]) -> str:
    first = cells[order[0]]
    changed = sum(first) - first[Done.KEPT]
    if hidden_levels([changed, first[Done.KEPT]]):
        return words.CELLS_FEW.format(count=len(cells))
    return words.CELLS_SAYS.format(count=len(cells), name=order[0], share=percent(changed / max(sum(first), 1)))


def loss_figure(result: ProtectedRun) -> Figure:
    """What each quasi-identifier lost."""
    lost, records = result.losses.columns, result.release.original.records
    order = sorted(lost, key=lambda name: -lost[name].granularity)
    most = order[0]
    share = lost[most].granularity
    says = words.LOSS_SAYS.format(name=most, share=percent(share)) if share > 0 else words.LOSS_NOTHING
    rows = tuple((name, percent(lost[name].granularity), _emptied(lost[name].suppressed, records)) for name in order)
    table = Grid(title=words.LOSS_CHART, heads=words.LOSS_HEADS, rows=rows)
    return figure(loss_bars({name: lost[name].granularity for name in order[:MOST]}), says=says, table=table)


def _emptied(share: float, cells: int) -> str:
    """A share of cells, unless it is of a few."""
    return f"<{FEWEST}" if 0 < round(share * cells) < FEWEST else percent(share)


def total_grid(result: ProtectedRun) -> Grid:
    """What was lost in all."""
    lost, said = result.losses, words.LOSS_ROWS
    cells = result.release.original.records * max(len(lost.columns), 1)
    rows = (
        (said["distance"], f"{lost.information_loss:.4f}"),
        (said["granularity"], percent(lost.granularity)),
        (said["suppressed"], _emptied(lost.suppressed, cells)),
        (said["removed"], counted(lost.removed)),
        (said["class_size"], number(lost.average_class_size)),
        (said["discernibility"], f"{lost.discernibility:,}"),
    )
    return Grid(title=words.LOSS_TOTAL, heads=words.LOSS_TOTAL_HEADS, rows=rows)


def step_grid(number: int, step: Taken) -> Grid:
    """A method with its settings and what it tells of its work."""
    rows = [(name, setting(value)) for name, value in step.settings.items()]
    rows += [(words.FIGURES.get(name, name), _figure(name, value)) for name, value in step.figures.items()]
    return Grid(
        title=words.STEP.format(number=number, method=step.method), heads=words.STEP_HEADS, rows=tuple(rows), names=2
    )


def setting(value: Any) -> str:
    """A setting as a plan would say it; a long one by its number of entries.

    >>> setting(0.5), setting({}), setting(list(range(100)))
    ('0.5', '{}', '100 entries: see the evidence')
    """
    told = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    if len(told) <= LONGEST:
        return told
    return words.STEP_ENTRIES.format(count=len(value) if isinstance(value, list | tuple | Mapping) else 1)


def _figure(name: str, value: float) -> str:
    if name in words.RECORD_FIGURES:
        return counted(round(value))
    return f"{value:,.0f}" if value == round(value) else number(value)
