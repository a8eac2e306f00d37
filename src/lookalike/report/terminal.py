"""The evaluation in a terminal: the verdict first, then what drives the risk, then every figure."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lookalike.evaluate.result import Evaluation, Outcome, Risk, Verdict
from lookalike.report.words import FAILS_NEXT, HOLDS_NEXT, MEASURES, MISSING, NO_FILE_NEXT, NO_SIZE_NEXT

if TYPE_CHECKING:
    from lookalike.risk import Knowledge, MatchRisk

_COLOUR = {Outcome.HOLDS: "green", Outcome.FAILS: "red", Outcome.NOT_ASSESSABLE: "yellow"}
_SAYS = {
    Outcome.HOLDS: "The file may leave the house: every threshold holds.",
    Outcome.FAILS: "The file must not leave the house as it is: a threshold does not hold.",
    Outcome.NOT_ASSESSABLE: "No verdict: a measure the plan decides on could not be assessed.",
}
_SHOWN = 8


def as_text(evaluation: Evaluation, *, width: int = 100) -> str:
    """The report as plain text."""
    console = Console(file=StringIO(), width=width, no_color=True)
    console.print(render(evaluation))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return str(text)


def render(evaluation: Evaluation) -> RenderableType:
    """The report as something rich can print."""
    return Group(*_parts(evaluation))


def _parts(evaluation: Evaluation) -> Iterator[RenderableType]:
    risk = evaluation.risk
    yield _verdict_panel(evaluation)
    yield _drivers(risk)
    yield _file(risk, evaluation.plan.missing)
    if risk.sensitive or risk.targets:
        yield _sensitive(risk)
    yield _knowledge(risk)
    for name, reason in risk.not_assessed.items():
        yield Text(f"Not assessable: {name}: {reason}", style="yellow")
    for warning in evaluation.warnings:
        yield Text(f"Note: {warning}", style="yellow")


def _verdict_panel(evaluation: Evaluation) -> Panel:
    outcome = evaluation.outcome
    lines = [Text(_SAYS[outcome], style=f"bold {_COLOUR[outcome]}")]
    lines += [_verdict_line(v, evaluation.risk) for v in evaluation.verdicts]
    lines.append(Text(f"Next: {_next(evaluation)}"))
    source = evaluation.inputs[0]
    title = f"{source.name}: {source.records:,} records, {source.columns} columns"
    return Panel(Group(*lines), title=Text(title), border_style=_COLOUR[outcome])


def _next(evaluation: Evaluation) -> str:
    risk, outcome = evaluation.risk, evaluation.outcome
    if outcome is Outcome.HOLDS:
        return HOLDS_NEXT
    if outcome is Outcome.FAILS:
        return FAILS_NEXT.format(drivers=", ".join(d.variable for d in risk.drivers[:2]))
    return NO_SIZE_NEXT if risk.population is None else NO_FILE_NEXT


def _verdict_line(verdict: Verdict, risk: Risk) -> Text:
    value = "?" if verdict.value is None else f"{verdict.value:.4g}"
    text = Text(f"{verdict.outcome.value.upper()}  ", style=_COLOUR[verdict.outcome])
    text.append(f"{MEASURES[verdict.measure]}: {value}, threshold {verdict.threshold:g}", style="default")
    if verdict.measure == "sample_to_population":
        text.append(_population(risk), style="default")
    if verdict.reason:
        text.append(f" ({verdict.reason})", style="default")
    return text


def _population(risk: Risk) -> str:
    estimate = risk.sample_to_population
    people = f"; population {risk.population:,} ({risk.population_from})" if risk.population else ""
    if estimate.value is not None:
        return f"; {estimate.method}{people}"
    return f"; between {estimate.low:.2g} and {estimate.high:.2g} for certain{people}"


def _drivers(risk: Risk) -> Table:
    table = _table("What drives the risk: the file without one variable")
    table.add_column("without")
    table.add_column("its values", justify="right")
    table.add_column("unique records left", justify="right")
    table.add_column("mean risk 1/f", justify="right")
    table.add_column("part in special uniques", justify="right")
    table.add_row("nothing", "", f"{risk.unique_records.count:,}", f"{risk.prosecutor.mean:.4f}", "")
    for driver in risk.drivers[:_SHOWN]:
        part = "" if risk.suda is None else f"{risk.suda.contributions.get(driver.variable, 0):.0f} %"
        table.add_row(
            Text(driver.variable),
            f"{driver.distinct:,}",
            f"{driver.uniques_without:,}",
            f"{driver.mean_without:.4f}",
            part,
        )
    return table


def _file(risk: Risk, missing: str) -> Table:
    table = _table(f"Records that look alike ({MISSING[missing]})")
    table.add_column("measure")
    table.add_column("value", justify="right")
    table.add_column("of what")
    for row in _file_rows(risk):
        table.add_row(*row)
    return table


def _file_rows(risk: Risk) -> Iterator[tuple[str, str, str]]:
    yield "k-anonymity", f"{risk.k_anonymity}", f"smallest of {risk.classes:,} classes"
    yield "unique records", _share(risk.unique_records.value), str(risk.unique_records)
    yield "unique classes", _share(risk.unique_classes.value), str(risk.unique_classes)
    for k, rate in risk.records_below.items():
        if k > 2:
            yield f"records in classes below {k}", _share(rate.value), str(rate)
    if risk.fitting is not None:
        yield "unique in the worst case (intervals)", _share(risk.fitting.value), str(risk.fitting)
    yield from _match_rows("prosecutor (knows the person is in the file)", risk.prosecutor)
    if risk.population_to_sample is not None:
        yield "A, person to record", f"{risk.population_to_sample:.4g}", f"{risk.population:,} people"
    people = risk.population_file
    if people is not None:
        yield from _match_rows("journalist (knows the person is in the population)", people.journalist)
        yield "B, record to person", f"{people.journalist.mean:.4g}", f"{risk.records:,} records, exact"
        yield "k-map", f"{people.k_map}", f"smallest in {people.records:,} people"
        low, high = people.delta_presence
        yield "δ-presence", f"{low:.2g} to {high:.2g}", "share of a class that is in the file"
        if people.unique is not None:
            yield "unique in the population, if unique here", _share(people.unique.value), str(people.unique)
    if risk.household is not None:
        yield from _match_rows("household (one member found)", risk.household)
    if risk.suda is not None:
        sets = ", ".join(f"{n:,} of {k}" for k, n in risk.suda.sets_by_size.items())
        label = f"special uniques (up to {risk.suda.largest_set} variables)"
        yield label, f"{risk.suda.records:,}", f"records; sets by size: {sets or 'none'}"


def _match_rows(name: str, risk: MatchRisk) -> Iterator[tuple[str, str, str]]:
    above = f"{_share(risk.share_above_threshold)} of records above {risk.threshold:g}"
    yield name, f"{risk.mean:.4g}", f"mean; worst {risk.maximum:.3g}; {above}"


def _sensitive(risk: Risk) -> Table:
    table = _table("What classes give away")
    for name in (
        "variable",
        "ℓ distinct",
        "ℓ entropy",
        "one value only",
        "t (KL)",
        "t (variation)",
        "t (ordered)",
    ):
        table.add_column(name, justify="left" if name == "variable" else "right")
    for name, s in risk.sensitive.items():
        if s is None:
            table.add_row(Text(name), "not assessable")
            continue
        ordered = "" if s.earth_mover is None else f"{s.earth_mover:.3f}"
        table.add_row(
            Text(name),
            f"{s.distinct}",
            f"{s.entropy:.2f}",
            f"{_share(s.one_value.value)} of records",
            f"{s.kl:.3f}",
            f"{s.total_variation:.3f}",
            ordered,
        )
    for name, rate in risk.targets.items():
        table.add_row(Text(name), "", "", f"{_share(rate.value)} of those" if rate else "not assessable")
    return table


def _knowledge(risk: Risk) -> Table:
    """By number of known variables: the mean and the worst subset; then the named groups."""
    table = _table("What an attacker needs to know")
    exact = risk.exact is not None
    for name in ("variables known", "unique records", *(["B"] if exact else []), "worst choice"):
        table.add_column(name, justify="right" if name == "B" else "left")
    for label, found in _by_size(risk):
        worst = max(found, key=lambda k: k.unique_records.count)
        mean = sum(k.unique_records.value for k in found) / len(found)
        share = _share(worst.unique_records.value)
        if len(found) > 1:
            share = f"{_share(mean)} mean, {share} worst"
        b = [f"{worst.sample_to_population:.3g}"] if worst.sample_to_population is not None else []
        names = ", ".join(worst.variables) if worst.unique_records.count else "none is unique"
        table.add_row(Text(label), share, *b, Text(names))
    return table


def _by_size(risk: Risk) -> Iterator[tuple[str, list[Knowledge]]]:
    subsets = [k for k in risk.knowledge if not k.group]
    for size in sorted({len(k.variables) for k in subsets}):
        yield f"{size} of {len(risk.drivers)}", [k for k in subsets if len(k.variables) == size]
    for known in risk.knowledge:
        if known.group:
            yield known.group, [known]


def _table(title: str) -> Table:
    return Table(title=Text(title, style="bold"), box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)


def _share(value: float) -> str:
    """A share in percent, never rounded to 0 % or 100 % unless it is that."""
    percent = 100 * value
    if 0 < percent < 0.1:
        return "<0.1 %"
    if 99.9 < percent < 100:
        return ">99.9 %"
    return f"{percent:.1f} %"
