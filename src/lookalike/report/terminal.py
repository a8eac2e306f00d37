"""The evaluation in a terminal: the verdict first, then what drives the risk, then every figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lookalike.evaluate.result import Evaluation, Outcome, Risk, Verdict
from lookalike.report import words
from lookalike.report.population import population_parts
from lookalike.report.tables import new_table, percent
from lookalike.report.words import MEASURES, MISSING

if TYPE_CHECKING:
    from lookalike.risk import Knowledge, MatchRisk

_COLOUR = {Outcome.HOLDS: "green", Outcome.FAILS: "red", Outcome.NOT_ASSESSABLE: "yellow"}
_UNSHOWN = ("estimated_frequency_of_uniques", "relative_frequency_of_uniques")
_SHOWN = 8
_FEW = 0.01
"""The share of records below k that is better suppressed than coarsened for."""
_HARDLY = 0.9
"""A variable whose loss leaves more of the mean risk than this hardly helps."""


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
    for warning in evaluation.warnings:
        yield Text(f"Note: {warning}", style="yellow")
    yield Text(words.EXPLAINED, style="dim")


def _verdict_panel(evaluation: Evaluation) -> Panel:
    outcome = evaluation.outcome
    lines = [Text(_says(evaluation), style=f"bold {_COLOUR[outcome]}")]
    lines += [_verdict_line(v, evaluation.risk) for v in evaluation.verdicts]
    lines += [Text(line) for line in _cautions(evaluation)]
    lines.append(Text(f"Next: {_next(evaluation)}"))
    source = evaluation.inputs[0]
    title = f"{source.name}: {source.records:,} records, {source.columns} columns"
    return Panel(Group(*lines), title=Text(title), border_style=_COLOUR[outcome])


def _says(evaluation: Evaluation) -> str:
    identifiers = evaluation.plan.roles.identifiers
    if not evaluation.verdicts:
        return words.NOTHING_DECIDED
    if evaluation.outcome is Outcome.HOLDS and identifiers:
        return words.HOLDS_WITHOUT_IDENTIFIERS.format(names=", ".join(identifiers))
    return words.SAYS[evaluation.outcome.value]


def _cautions(evaluation: Evaluation) -> Iterator[str]:
    """What the verdict rests on, and what it leaves out."""
    risk, roles = evaluation.risk, evaluation.plan.roles
    yield words.KNOWN.format(names=", ".join(d.variable for d in sorted(risk.drivers, key=lambda d: d.variable)))
    yield from _near(evaluation)
    if evaluation.overlooked:
        yield words.OVERLOOKED.format(names=_first(evaluation.overlooked))
    if roles.identifiers and evaluation.outcome is not Outcome.HOLDS:
        yield words.IDENTIFIERS.format(names=", ".join(roles.identifiers))
    if evaluation.outcome is Outcome.HOLDS and risk.unique_records.count and not _decides_on_k(evaluation):
        yield words.ALONE.format(count=_records(risk.unique_records.count))


def _near(evaluation: Evaluation) -> Iterator[str]:
    """Whether the interval of B holds the threshold: then the verdict could be otherwise."""
    estimate = evaluation.risk.sample_to_population
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return
    for verdict in evaluation.verdicts:
        if verdict.measure == "sample_to_population" and estimate.low < verdict.threshold < estimate.high:
            yield words.NEAR.format(low=estimate.low, high=estimate.high)


def _decides_on_k(evaluation: Evaluation) -> bool:
    return any(v.measure in ("k_anonymity", "unique_records", "prosecutor_maximum") for v in evaluation.verdicts)


def _next(evaluation: Evaluation) -> str:
    risk, outcome = evaluation.risk, evaluation.outcome
    if outcome is Outcome.HOLDS:
        return words.HOLDS_NEXT
    if outcome is Outcome.NOT_ASSESSABLE:
        return words.NO_SIZE_NEXT if risk.population is None else words.NO_FILE_NEXT
    names = ", ".join(d.variable for d in risk.drivers[:2])
    failed = [v for v in evaluation.verdicts if v.outcome is Outcome.FAILS]
    below = risk.records_below.get(int(failed[0].threshold)) if failed[0].measure == "k_anonymity" else None
    if len(failed) == 1 and below is not None and below.value < _FEW:
        return words.FEW_NEXT.format(count=_records(below.count), k=int(failed[0].threshold), drivers=names)
    if risk.suda is not None and risk.drivers[0].mean_without > _HARDLY * risk.prosecutor.mean:
        parts = risk.suda.contributions
        return words.NO_DRIVER_NEXT.format(drivers=", ".join(sorted(parts, key=lambda v: -parts[v])[:2]))
    return words.FAILS_NEXT.format(drivers=names)


def _verdict_line(verdict: Verdict, risk: Risk) -> Text:
    text = Text(f"{verdict.outcome.value.upper()}  ", style=_COLOUR[verdict.outcome])
    value = "not known" if verdict.value is None else f"{verdict.value:.4g}"
    text.append(f"{MEASURES[verdict.measure]}: ", style="default")
    if verdict.measure == "sample_to_population":
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
    if estimate.value is not None:
        sure = (
            ""
            if estimate.low is None or estimate.low == estimate.high
            else f" ({estimate.low:.3g} to {estimate.high:.3g})"
        )
        said = f"{estimate.value:.4g}{sure}, {threshold}; {estimate.method}{people}"
        return f"{said} ({'; '.join(estimate.caveats)})" if estimate.caveats else said
    if verdict.outcome is Outcome.HOLDS:
        return f"at most {estimate.high:.4g} whatever the population looks like, {threshold}{people}"
    if verdict.outcome is Outcome.FAILS:
        return f"at least {estimate.low:.4g} whatever the population looks like, {threshold}{people}"
    certain = f"certain is {estimate.low:.2g} to {estimate.high:.2g}"
    return f"not known, {certain}, {threshold}{people} ({verdict.reason})"


def _first(names: Sequence[str], most: int = 10) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _records(count: int) -> str:
    return "1 record is" if count == 1 else f"{count:,} records are"


def _drivers(risk: Risk) -> Table:
    table = new_table("What drives the risk: the file without one variable")
    table.add_column("without")
    table.add_column("its values", justify="right")
    table.add_column("unique records left", justify="right")
    table.add_column("mean risk 1/f", justify="right")
    table.add_column("part in special uniques", justify="right")
    table.add_row("nothing", "", f"{risk.unique_records.count:,}", f"{risk.prosecutor.mean:.4g}", "")
    for driver in risk.drivers[:_SHOWN]:
        part = "" if risk.suda is None else f"{risk.suda.contributions.get(driver.variable, 0):.0f} %"
        table.add_row(
            Text(driver.variable),
            f"{driver.distinct:,}",
            f"{driver.uniques_without:,}",
            f"{driver.mean_without:.4g}",
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
        yield "unique in the worst case (intervals)", percent(risk.fitting.value), str(risk.fitting)
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
            yield "unique in the population, if unique here", percent(people.unique.value), str(people.unique)
    if risk.household is not None:
        yield from _match_rows("household (one member found)", risk.household)
    if risk.suda is not None:
        sets = ", ".join(f"{n:,} with {k}" for k, n in risk.suda.sets_by_size.items())
        label = f"special uniques (up to {risk.suda.largest_set} variables)"
        yield label, f"{risk.suda.records:,}", f"records; sets of variables: {sets or 'none'}"


def _match_rows(name: str, risk: MatchRisk) -> Iterator[tuple[str, str, str]]:
    above = f"{percent(risk.share_above_threshold)} of records above {risk.threshold:g}"
    yield name, f"{risk.mean:.4g}", f"mean; worst {risk.maximum:.3g}; {above}"


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
    for label, found in _by_size(risk):
        worst = max(found, key=lambda k: k.unique_records.count)
        mean = sum(k.unique_records.value for k in found) / len(found)
        share = percent(worst.unique_records.value)
        if len(found) > 1:
            share = f"{percent(mean)} mean, {share} worst"
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
