"""The box at the top of the report: the verdict, what it rests on, what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group
from rich.panel import Panel
from rich.text import Text

from lookalike.estimate import Estimate
from lookalike.evaluate.measure import REPEATED
from lookalike.evaluate.result import Evaluation, Outcome, Risk, Verdict
from lookalike.report import words

B = "sample_to_population"
_COLOUR = {Outcome.HOLDS: "green", Outcome.FAILS: "red", Outcome.NOT_ASSESSABLE: "yellow"}
_FEW = 0.01
"""The share of records below k that is better suppressed than coarsened for."""
_HARDLY = 0.9
"""A variable whose loss leaves more of the mean risk than this hardly helps."""


def verdict_box(evaluation: Evaluation, *, kept: bool) -> Panel:
    """The verdict; `kept` says that the evidence was asked for."""
    colour = "yellow" if _is_open(evaluation) else _COLOUR[evaluation.outcome]
    lines = [Text(_says(evaluation), style=f"bold {colour}")]
    lines += [_verdict_line(v, evaluation.risk) for v in evaluation.verdicts]
    lines += [Text(line) for line in cautions(evaluation)]
    lines.append(Text(f"Next: {_next(evaluation, kept)}"))
    source = evaluation.inputs[0]
    title = f"{source.name}: {source.records:,} records, {source.columns} columns"
    return Panel(Group(*lines), title=Text(title), border_style=colour)


def _is_open(evaluation: Evaluation) -> bool:
    """Whether all holds by the value of B while its interval reaches beyond the threshold."""
    high = evaluation.risk.sample_to_population.high
    return evaluation.outcome is Outcome.HOLDS and any(
        v.measure == B and v.value is not None and high is not None and v.threshold < high for v in evaluation.verdicts
    )


def _says(evaluation: Evaluation) -> str:
    identifiers = evaluation.plan.roles.identifiers
    if not evaluation.verdicts:
        return words.NOTHING_DECIDED
    if _is_open(evaluation):
        return words.OPEN
    if evaluation.outcome is Outcome.HOLDS and identifiers:
        return words.HOLDS_WITHOUT_IDENTIFIERS.format(names=", ".join(identifiers))
    return words.SAYS[evaluation.outcome.value]


def cautions(evaluation: Evaluation) -> Iterator[str]:
    """What the verdict rests on, and what it leaves out."""
    risk, roles = evaluation.risk, evaluation.plan.roles
    yield words.KNOWN.format(names=", ".join(d.variable for d in sorted(risk.drivers, key=lambda d: d.variable)))
    yield from _near(evaluation)
    yield from _missed(risk)
    if evaluation.overlooked:
        yield words.OVERLOOKED.format(names=_first(evaluation.overlooked))
    if evaluation.undeclared:
        yield words.UNDECLARED.format(names=_first(evaluation.undeclared))
    if roles.identifiers and (evaluation.outcome is not Outcome.HOLDS or _is_open(evaluation)):
        yield words.IDENTIFIERS.format(names=", ".join(roles.identifiers))
    if evaluation.outcome is not Outcome.HOLDS:
        return
    if risk.repeated is not None:
        yield REPEATED.format(rate=risk.repeated)
    if risk.unique_records.count and not _decides_on_k(evaluation):
        yield words.ALONE.format(count=_records(risk.unique_records.count))


def _near(evaluation: Evaluation) -> Iterator[str]:
    """Whether the interval of B holds the threshold: then the verdict could be otherwise."""
    estimate = evaluation.risk.sample_to_population
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return
    for verdict in evaluation.verdicts:
        inside = estimate.low < verdict.threshold < estimate.high
        if verdict.measure == B and verdict.value is not None and inside:
            end = words.NEAR_ENDS[1 + (estimate.value >= estimate.high) - (estimate.value <= estimate.low)]
            yield words.NEAR.format(low=estimate.low, high=estimate.high, end=end)


def _missed(risk: Risk) -> Iterator[str]:
    """Backtests whose interval does not hold the truth, where the estimate is what B is taken from."""
    found = risk.estimates
    if found is None or risk.sample_to_population.method != found.chosen:
        return
    missed = sum(test.covers is False for test in found.backtests)
    if missed:
        yield words.BACKTEST.format(missed=missed, tests=len(found.backtests))


def _decides_on_k(evaluation: Evaluation) -> bool:
    return any(v.measure in ("k_anonymity", "unique_records", "prosecutor_maximum") for v in evaluation.verdicts)


def _next(evaluation: Evaluation, kept: bool) -> str:
    risk, outcome = evaluation.risk, evaluation.outcome
    names = ", ".join(d.variable for d in risk.drivers[:2])
    if _is_open(evaluation):
        ways = [words.OPEN_FILE] if evaluation.plan.margins else [words.OPEN_MARGINS, words.OPEN_FILE]
        return words.OPEN_NEXT.format(ways=" or ".join(ways), drivers=names)
    if outcome is Outcome.HOLDS:
        return words.KEPT_NEXT if kept else words.HOLDS_NEXT
    if outcome is Outcome.NOT_ASSESSABLE:
        return _unknown_next(evaluation)
    failed = [v for v in evaluation.verdicts if v.outcome is Outcome.FAILS]
    below = risk.records_below.get(int(failed[0].threshold)) if failed[0].measure == "k_anonymity" else None
    if len(failed) == 1 and below is not None and below.value < _FEW:
        return words.FEW_NEXT.format(count=_records(below.count), k=int(failed[0].threshold), drivers=names)
    if risk.suda is not None and risk.drivers[0].mean_without > _HARDLY * risk.prosecutor.mean:
        parts = risk.suda.contributions
        return words.NO_DRIVER_NEXT.format(drivers=", ".join(sorted(parts, key=lambda v: -parts[v])[:2]))
    return words.FAILS_NEXT.format(drivers=names)


def _unknown_next(evaluation: Evaluation) -> str:
    risk = evaluation.risk
    unknown = [v for v in evaluation.verdicts if v.outcome is Outcome.NOT_ASSESSABLE]
    told = risk.sample_to_population.value is not None and not risk.sample_to_population.lower_limit
    if unknown and (unknown[0].measure != B or told):
        return words.NOT_SHOWN_NEXT.format(reason=unknown[0].reason)
    if risk.population is None:
        return words.NO_SIZE_NEXT
    return words.LOWER_NEXT if risk.sample_to_population.lower_limit else words.NO_FILE_NEXT


def _verdict_line(verdict: Verdict, risk: Risk) -> Text:
    text = Text(f"{verdict.outcome.value.upper()}  ", style=_COLOUR[verdict.outcome])
    value = "not known" if verdict.value is None else f"{verdict.value:.4g}"
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
        return f"at most {estimate.high:.4g} whatever the population looks like, {threshold}{people}"
    if verdict.outcome is Outcome.FAILS:
        return f"at least {estimate.low:.4g} whatever the population looks like, {threshold}{people}"
    certain = f"certain is {estimate.low:.2g} to {estimate.high:.2g}"
    return f"not known, {certain}, {threshold}{people} ({verdict.reason})"


def _value(estimate: Estimate) -> str:
    """The value with its interval; of a lower limit, the two ends."""
    if estimate.lower_limit:
        return f"at least {estimate.value:.4g}, at most {estimate.high:.4g}"
    if estimate.low is None or estimate.low == estimate.high:
        return f"{estimate.value:.4g}"
    return f"{estimate.value:.4g} ({estimate.low:.3g} to {estimate.high:.3g})"


def _first(names: Sequence[str], most: int = 10) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _records(count: int) -> str:
    return "1 record is" if count == 1 else f"{count:,} records are"
