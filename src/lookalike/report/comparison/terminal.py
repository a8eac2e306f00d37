"""A comparison in a terminal: what is kept, in words; then the figures."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lookalike.console import TerminalConsole
from lookalike.evaluate.comparison import Compared
from lookalike.evaluate.comparison.attacks import NO_KEYS
from lookalike.evaluate.comparison.grades import findings
from lookalike.report.comparison.figures import (
    SHOWN,
    attack_grid,
    coarse_grid,
    column_grid,
    learned_grid,
    loss_grid,
    propensity_grid,
    regression_grid,
    table_grid,
)
from lookalike.report.comparison.meanings import MEANS
from lookalike.report.comparison.words import (
    ATTACKED,
    COLOURS,
    EXPLAINED,
    GRADES,
    NO_CONTROL,
    copied,
    decides,
    gained,
    origin_in_words,
    overall,
    sentence,
    verdict_of,
)
from lookalike.report.tables import new_table, render_grid
from lookalike.report.verdict_box import COLOURS as MOOD_COLOURS
from lookalike.report.words import risk_title


def as_text(result: Compared, *, width: int = 100) -> str:
    """The page as plain text."""
    out = StringIO()
    TerminalConsole(file=out, width=width, no_color=True).print(render_compared(result))
    return out.getvalue()


def render_compared(result: Compared) -> RenderableType:
    """The page of a comparison."""
    return Group(*_parts(result))


def _parts(result: Compared) -> Iterator[RenderableType]:
    utility = result.utility
    yield Panel(Group(*_said(result)), title=Text("What the release keeps"))
    yield _verdicts(result)
    yield from (render_grid(regression_grid(found, utility.rare)) for found in utility.regressions)
    if utility.learned:
        yield render_grid(learned_grid(utility))
    yield from (render_grid(grid) for grid in propensity_grid(utility))
    yield render_grid(table_grid(utility, SHOWN))
    if utility.coarse:
        yield render_grid(coarse_grid(utility))
        yield Text(MEANS["coarse"])
    yield render_grid(column_grid(utility, SHOWN))
    if utility.losses is not None:
        yield from (render_grid(grid) for grid in loss_grid(utility))
    attacks = result.attacks
    if attacks is not None and attacks.outcomes:
        yield render_grid(attack_grid(attacks))
        yield Text(ATTACKED if attacks.control else f"{ATTACKED} {NO_CONTROL}")
    reasons = {**utility.not_assessed, **({} if attacks is None else attacks.not_assessed)}
    for what, reason in reasons.items():
        yield Text(f"Not assessed: {what}: {reason}", style="yellow")
    if result.assessed is not None:
        from lookalike.report.terminal import render

        yield Text(f"\n{risk_title(result.copies)}", style="bold")
        verdict = verdict_of(result)
        yield render(result.assessed, part_of=None if verdict is None else verdict[0])
    yield Text(EXPLAINED if attacks is not None else f"{EXPLAINED} {NO_KEYS}", style="dim")


def _said(result: Compared) -> Iterator[Text]:
    original, release = result.inputs[0], result.inputs[1]
    copies = f"{result.copies} copies" if result.copies > 1 else release.name
    if (verdict := verdict_of(result)) is not None:
        yield Text(verdict[0], style=f"bold {MOOD_COLOURS[verdict[1]]}")
    yield Text(overall(findings(result)), style="bold")
    for attacked in (gained(result.attacks), copied(result.attacks)):
        if attacked is not None:
            yield Text(attacked, style="bold")
    if (deciding := decides(result)) is not None:
        yield Text(deciding)
    yield Text(
        f"{copies} ({result.records[1]:,} records) beside {original.name} ({result.records[0]:,}); "
        f"{len(result.columns)} columns."
    )
    yield Text(origin_in_words(result.origin.how.value, proper=result.origin.proper, told=result.origin_from))
    for warning in result.warnings:
        yield Text(f"Note: {warning}", style="yellow")


def _verdicts(result: Compared) -> Table:
    table = new_table("Analysis by analysis")
    table.show_header = False
    table.add_column("", no_wrap=True)
    table.add_column("", overflow="fold")
    for finding in findings(result):
        table.add_row(Text(GRADES[finding.grade], style=COLOURS[finding.grade]), Text(sentence(finding)))
    return table
