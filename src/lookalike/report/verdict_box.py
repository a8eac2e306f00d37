"""The box at the top of the report in a terminal: the verdict, what it rests on, what to do next."""

from __future__ import annotations

from rich.console import Group
from rich.panel import Panel
from rich.text import Text

from lookalike.estimate import Estimate
from lookalike.evaluate.result import Evaluation, Outcome, Risk, Verdict
from lookalike.report import words
from lookalike.report.numbers import digits, number
from lookalike.report.verdict import MOODS, B, cautions, mood, next_step, says

COLOURS = {"good": "green", "bad": "red", "middling": "yellow"}
"""Of moods in a terminal."""


def verdict_box(evaluation: Evaluation, *, kept: bool, part_of: str | None = None) -> Panel:
    """The verdict; `kept` says that the evidence was asked for.

    `part_of` stands in place of the verdict where another box says what to do next.
    """
    colour = COLOURS[mood(evaluation)]
    lines = [Text(part_of or says(evaluation), style=f"bold {colour}")]
    lines += [_verdict_line(v, evaluation.risk) for v in evaluation.verdicts]
    lines += [Text(line) for line in cautions(evaluation)]
    if part_of is None:
        lines.append(Text(f"Next: {next_step(evaluation, kept=kept)}"))
    source = evaluation.inputs[0]
    title = f"{source.name}: {source.records:,} records, {source.columns} columns"
    return Panel(Group(*lines), title=Text(title), border_style=colour)


def _verdict_line(verdict: Verdict, risk: Risk) -> Text:
    text = Text(f"{verdict.outcome.value.upper()}  ", style=COLOURS[MOODS[verdict.outcome]])
    value = "not known" if verdict.value is None else number(verdict.value)
    text.append(f"{words.MEASURES[verdict.measure]}: ", style="default")
    if verdict.measure == B:
        text.append(_b(verdict, risk), style="default")
    else:
        text.append(f"{value}, threshold {verdict.threshold:g}", style="default")
        if verdict.reason:
            text.append(f" ({verdict.reason})", style="default")
    return text


def _b(verdict: Verdict, risk: Risk) -> str:
    """B, or what is certain of it, with the threshold and the population."""
    estimate = risk.sample_to_population
    people = f"; population {risk.population:,} ({risk.population_from})" if risk.population else ""
    threshold = f"threshold {verdict.threshold:g}"
    if estimate.value is not None and not (estimate.lower_limit and verdict.outcome is Outcome.HOLDS):
        said = f"{_value(estimate)}, {threshold}; {estimate.method}{people}"
        return f"{said} ({'; '.join(estimate.caveats)})" if estimate.caveats else said
    if verdict.outcome is Outcome.HOLDS:
        return f"at most {number(estimate.high)} whatever the population looks like, {threshold}{people}"
    if verdict.outcome is Outcome.FAILS:
        return f"at least {number(estimate.low)} whatever the population looks like, {threshold}{people}"
    certain = f"certain is {digits(estimate.low, 2)} to {digits(estimate.high, 2)}"
    return f"not known, {certain}, {threshold}{people} ({verdict.reason})"


def _value(estimate: Estimate) -> str:
    """The value with its interval; of a lower limit, the two ends."""
    if estimate.lower_limit:
        return f"at least {number(estimate.value)}, at most {digits(estimate.high, 4)}"
    if estimate.low is None or estimate.low == estimate.high:
        return number(estimate.value)
    return f"{number(estimate.value)} ({digits(estimate.low)} to {digits(estimate.high)})"
