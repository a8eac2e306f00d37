"""The evaluation in a terminal: the verdict first, then what drives the risk, then every figure."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lookalike.console import TerminalConsole
from lookalike.evaluate.result import Evaluation, Risk
from lookalike.report import words
from lookalike.report.numbers import digits, number
from lookalike.report.population import population_parts
from lookalike.report.tables import new_table, percent
from lookalike.report.verdict import cautions
from lookalike.report.verdict_box import verdict_box
from lookalike.report.words import MISSING

if TYPE_CHECKING:
    from lookalike.risk import Knowledge, MatchRisk

_UNSHOWN = ("estimated_frequency_of_uniques", "relative_frequency_of_uniques")
_SHOWN = 8


def as_text(evaluation: Evaluation, *, width: int = 100) -> str:
    """The report as plain text."""
    console = TerminalConsole(file=StringIO(), width=width, no_color=True)
    console.print(render(evaluation))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return str(text)


def render(evaluation: Evaluation, *, kept: bool = False, part_of: str | None = None) -> RenderableType:
    """The report as something rich can print; `kept` says that the evidence was asked for.

    `part_of` is the verdict where the report is a part of another, which says what to do next.
    """
    return Group(*_parts(evaluation, kept, part_of))


def _parts(evaluation: Evaluation, kept: bool, part_of: str | None) -> Iterator[RenderableType]:
    risk = evaluation.risk
    yield verdict_box(evaluation, kept=kept, part_of=part_of)
    if risk.estimates is not None:
        yield from population_parts(risk, risk.estimates)
    yield _drivers(risk)
    yield _file(risk, evaluation.plan.missing)
    if risk.sensitive or risk.targets:
        yield _sensitive(risk)
    yield _knowledge(risk)
    for name, reason in risk.not_assessed.items():
        if name in _UNSHOWN:
            continue
        yield Text(f"Not assessable: {name}: {reason}", style="yellow")
    told = set(cautions(evaluation))
    for warning in evaluation.warnings:
        if warning not in told:
            yield Text(f"Note: {warning}", style="yellow")
    yield Text(words.EXPLAINED, style="dim")


def _drivers(risk: Risk) -> Table:
    table = new_table("What drives the risk, by 1/f in the file: the file without one variable")
    table.add_column("without")
    table.add_column("its values", justify="right")
    table.add_column("unique records left", justify="right")
    table.add_column("mean risk 1/f", justify="right")
    table.add_column("part in special uniques", justify="right")
    table.add_row("nothing", "", f"{risk.unique_records.count:,}", number(risk.prosecutor.mean), "")
    for driver in risk.drivers[:_SHOWN]:
        part = "" if risk.suda is None else f"{risk.suda.contributions.get(driver.variable, 0):.0f} %"
        table.add_row(
            Text(driver.variable),
            f"{driver.distinct:,}",
            f"{driver.uniques_without:,}",
            number(driver.mean_without),
            part,
        )
    if len(risk.drivers) > _SHOWN:
        table.add_row(f"({len(risk.drivers) - _SHOWN} more, which change less)")
    return table


def _file(risk: Risk, missing: str) -> Table:
    table = new_table(f"Records that look alike ({MISSING[missing]})")
    table.add_column("measure")
    table.add_column("value", justify="right")
    table.add_column("of what")
    for row in _file_rows(risk):
        table.add_row(*row)
    return table


def _file_rows(risk: Risk) -> Iterator[tuple[str, str, str]]:
    yield "k-anonymity", f"{risk.k_anonymity}", f"smallest of {risk.classes:,} classes"
    yield "unique records", percent(risk.unique_records.value), str(risk.unique_records)
    yield "unique classes", percent(risk.unique_classes.value), str(risk.unique_classes)
    for k, rate in risk.records_below.items():
        if k > 2:
            yield f"records in classes below {k}", percent(rate.value), str(rate)
    if risk.fitting is not None:
        yield "alone even where intervals overlap", percent(risk.fitting.value), str(risk.fitting)
    yield from _match_rows("prosecutor (knows the person is in the file)", risk.prosecutor)
    if risk.population_to_sample is not None:
        yield "A, person to record", number(risk.population_to_sample), f"{risk.population:,} people"
    people = risk.population_file
    if people is not None:
        yield from _match_rows("journalist (knows the person is in the population)", people.journalist)
        yield "B, record to person", number(people.journalist.mean), f"{risk.records:,} records, exact"
        yield "k-map", f"{people.k_map}", f"smallest in {people.records:,} people"
        low, high = people.delta_presence
        yield "δ-presence", f"{digits(low, 2)} to {digits(high, 2)}", "share of a class that is in the file"
        if people.unique is not None:
            yield "unique in the population, if unique here", percent(people.unique.value), str(people.unique)
    if risk.household is not None:
        yield from _match_rows("household (one member found)", risk.household)
    if risk.suda is not None:
        sets = ", ".join(f"{n:,} with {k}" for k, n in risk.suda.sets_by_size.items())
        label = f"special uniques (up to {risk.suda.largest_set} variables)"
        yield label, f"{risk.suda.records:,}", f"records; sets of variables: {sets or 'none'}"


def _match_rows(name: str, risk: MatchRisk) -> Iterator[tuple[str, str, str]]:
    above = f"{percent(risk.share_above_threshold)} of records above {risk.threshold:g}"
    yield name, number(risk.mean), f"mean; worst {digits(risk.maximum)}; {above}"


def _sensitive(risk: Risk) -> Table:
    table = new_table("What classes give away")
    table.add_column("variable", overflow="fold", min_width=12)
    for name in ("ℓ", "entropy ℓ", "one value only", "t KL", "t TV", "t ordered"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, s in risk.sensitive.items():
        if s is None:
            table.add_row(Text(name), "not assessable")
            continue
        ordered = "" if s.earth_mover is None else f"{s.earth_mover:.3f}"
        table.add_row(
            Text(name),
            f"{s.distinct}",
            f"{s.entropy:.2f}",
            f"{percent(s.one_value.value)} of {s.one_value.of:,}",
            f"{s.kl:.3f}",
            f"{s.total_variation:.3f}",
            ordered,
        )
    for name, rate in risk.targets.items():
        table.add_row(Text(name), "", "", f"{percent(rate.value)} of {rate.of:,}" if rate else "not assessable")
    return table


def _knowledge(risk: Risk) -> Table:
    """By number of known variables: the mean and the worst subset; then the named groups."""
    table = new_table("What an attacker needs to know")
    exact = risk.exact is not None
    for name in ("variables known", "unique records", *(["B"] if exact else []), "worst choice"):
        table.add_column(name, justify="right" if name == "B" else "left")
    for label, found in by_size(risk):
        worst = max(found, key=lambda k: k.unique_records.count)
        mean = sum(k.unique_records.value for k in found) / len(found)
        share = percent(worst.unique_records.value)
        if len(found) > 1:
            share = f"{percent(mean)} mean, {share} worst"
        b = [digits(worst.sample_to_population)] if worst.sample_to_population is not None else []
        names = ", ".join(worst.variables) if worst.unique_records.count else "none is unique"
        table.add_row(Text(label), share, *b, Text(names))
    return table


def by_size(risk: Risk) -> Iterator[tuple[str, list[Knowledge]]]:
    """What is known, by number of variables and then by named group."""
    subsets = [k for k in risk.knowledge if not k.group]
    for size in sorted({len(k.variables) for k in subsets}):
        yield f"{size} of {len(risk.drivers)}", [k for k in subsets if len(k.variables) == size]
    for known in risk.knowledge:
        if known.group:
            yield known.group, [known]
