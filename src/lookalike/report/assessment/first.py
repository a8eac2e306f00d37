"""The first screen: the verdict, B with its interval, the threshold, what drives the risk, what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lookalike.estimate import Estimate, Rate
from lookalike.evaluate.result import Evaluation, Outcome, Risk
from lookalike.evaluate.result import Verdict as Decided
from lookalike.report import words
from lookalike.report.assessment import phrases as p
from lookalike.report.assessment.few_below import few_below
from lookalike.report.few import shown, without_few
from lookalike.report.html import Figure, Grid, Headline, Verdict
from lookalike.report.numbers import digits, interval, number
from lookalike.report.simple_charts import Dot, Limit, dots, figure
from lookalike.report.verdict import MOODS, B, Counted, cautions, mood, next_step, no_driver, says

WORDS = {
    Outcome.HOLDS: p.HOLDS_WORD,
    Outcome.FAILS: p.FAILS_WORD,
    Outcome.NOT_ASSESSABLE: p.UNKNOWN_WORD,
    Outcome.UNDECIDED: p.UNDECIDED_WORD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstScreen:
    """What a reader sees first; its fields are those of `Page`."""

    says: str
    mood: str
    headlines: tuple[Headline, ...]
    figures: tuple[Figure, ...]
    lead: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    next: str


def first_screen(evaluation: Evaluation, *, kept: bool = True) -> FirstScreen:
    """What a reader sees first; `kept` says that the evidence was asked for, or is not to be asked for here."""
    return FirstScreen(
        says=says(evaluation),
        mood=mood(evaluation),
        headlines=tuple(_headlines(evaluation)),
        figures=(gauge(evaluation),),
        lead=(without_few(_about(evaluation)), *told_cautions(evaluation)),
        verdicts=tuple(_verdict(verdict, evaluation.risk) for verdict in evaluation.verdicts),
        next=without_few(next_step(evaluation, kept=kept, counted=_counted(evaluation.risk))),
    )


def told_cautions(evaluation: Evaluation) -> tuple[str, ...]:
    """What the verdict rests on and leaves out, as a page may tell it: no count of a few."""
    return tuple(without_few(line) for line in cautions(evaluation, counted=_counted(evaluation.risk)))


def drawn_from(evaluation: Evaluation) -> Iterator[str]:
    """The number of people that B rests on, for the page of a release."""
    risk = evaluation.risk
    if risk.population is not None:
        yield p.DRAWN_FROM.format(people=f"{risk.population:,}", source=risk.population_from)


def _about(evaluation: Evaluation) -> str:
    source, risk = evaluation.inputs[0], evaluation.risk
    told = {"records": f"{risk.records:,}", "columns": source.columns}
    if risk.population is None:
        return p.ABOUT_FILE.format(**told)
    return p.ABOUT.format(**told, people=f"{risk.population:,}", source=risk.population_from)


def _headlines(evaluation: Evaluation) -> Iterator[Headline]:
    risk = evaluation.risk
    limit = _limit(evaluation)
    estimate = risk.sample_to_population
    value = p.NOT_KNOWN if estimate.value is None else digits(estimate.value)
    yield Headline(label=p.B, value=value, note=_how_sure(estimate), mood=_b_mood(evaluation))
    if limit is None:
        yield Headline(label=p.THRESHOLD, value=p.NO_THRESHOLD, note=p.NO_THRESHOLD_NOTE)
    else:
        note = p.THRESHOLD_NOTE.format(records=f"{1 / limit:,.0f}") if limit > 0 else ""
        yield Headline(label=p.THRESHOLD, value=f"{limit:g}", note=note)
    unique = shown(risk.unique_records.count, risk.records)
    note = p.UNIQUE_NOTE.format(count=unique.count, records=f"{risk.records:,}")
    yield Headline(label=p.UNIQUE, value=unique.share, note=note)
    if no_driver(risk):
        yield Headline(label=p.DRIVES, value=p.NO_DRIVER, note=p.NO_DRIVER_NOTE)
        return
    driver = risk.drivers[0]
    note = p.DRIVES_NOTE.format(without=number(driver.mean_without), mean=number(risk.prosecutor.mean))
    yield Headline(label=p.DRIVES, value=driver.variable, note=note)


def _how_sure(estimate: Estimate) -> str:
    """How B was come by, and between which ends it lies."""
    if estimate.value is None:
        return p.B_BOUNDS.format(
            low=digits(estimate.low or 0), high=digits(1 if estimate.high is None else estimate.high)
        )
    if estimate.method == "exact":
        return p.B_EXACT
    if estimate.method == "upper bound":
        return p.B_UPPER
    if estimate.lower_limit:
        return p.B_LOWER.format(method=estimate.method, high=_end(estimate.high))
    if estimate.low is None or estimate.high is None or estimate.low == estimate.high:
        return p.B_POINT.format(method=estimate.method)
    return p.B_INTERVAL.format(low=digits(estimate.low), high=digits(estimate.high), method=estimate.method)


def _b_mood(evaluation: Evaluation) -> str:
    """Of the number itself: as its own threshold decides."""
    decided = [v for v in evaluation.verdicts if v.measure == B]
    return MOODS[decided[0].outcome] if decided else ""


def _limit(evaluation: Evaluation) -> float | None:
    return next((v.threshold for v in evaluation.verdicts if v.measure == B), None)


def gauge(evaluation: Evaluation) -> Figure:
    """B with its interval, and what is possible at all, against the threshold."""
    risk, limit = evaluation.risk, _limit(evaluation)
    estimate = risk.sample_to_population
    rows = []
    if estimate.value is not None:
        rows.append(_dot(p.ESTIMATE if estimate.method != "exact" else "B", estimate))
    low, high = risk.bounds or (estimate.low, estimate.high)
    if low is not None and high is not None and estimate.method != "exact":
        rows.append(Dot(label=p.CERTAIN, value=None, low=low, high=high, words=""))
    table = Grid(
        title=p.GAUGE,
        heads=(p.WHAT, p.VALUE, p.LOW, p.HIGH),
        rows=(
            *((r.label, number(r.value) if r.value is not None else p.NONE, _end(r.low), _end(r.high)) for r in rows),
            *([(p.THRESHOLD, f"{limit:g}", "", "")] if limit is not None else []),
        ),
    )
    said = _gauge_says(estimate, limit)
    return figure(dots(rows, axis=p.CHANCE, limit=limit_of(limit)), says=said, table=table)


def _gauge_says(estimate: Estimate, limit: float | None) -> str:
    told = {"value": number(estimate.value), "low": _end(estimate.low), "high": _end(estimate.high)}
    if limit is None:
        return p.GAUGE_SAYS_FREE.format(value=p.NOT_KNOWN if estimate.value is None else told["value"])
    if estimate.value is None:
        return p.GAUGE_SAYS_BOUNDS.format(**told, threshold=f"{limit:g}")
    has = estimate.low is not None and estimate.low != estimate.high
    return (p.GAUGE_SAYS_INTERVAL if has else p.GAUGE_SAYS).format(**told, threshold=f"{limit:g}")


def _dot(label: str, estimate: Estimate) -> Dot:
    return Dot(label=label, value=estimate.value, low=estimate.low, high=estimate.high, words=_end(estimate.value))


def limit_of(value: float | None) -> Limit | None:
    """The threshold as a chart draws it."""
    return None if value is None else Limit(value=value, words=p.LIMIT.format(value=f"{value:g}"))


def _end(value: float | None) -> str:
    return p.NONE if value is None else digits(value)


def _verdict(verdict: Decided, risk: Risk) -> Verdict:
    template = p.VERDICT_REASON if verdict.reason else p.VERDICT
    line = template.format(
        measure=words.MEASURES[verdict.measure],
        value=_value(verdict, risk),
        threshold=f"{verdict.threshold:g}",
        reason=verdict.reason,
    )
    return Verdict(word=WORDS[verdict.outcome], mood=MOODS[verdict.outcome], says=without_few(line))


def _value(verdict: Decided, risk: Risk) -> str:
    """The figure that decided; shares of few records are told with care."""
    if verdict.value is None:
        return p.NOT_KNOWN
    if verdict.measure == B:
        ends = interval(risk.sample_to_population)
        estimated = ends and risk.sample_to_population.method != "exact"
        return f"{number(verdict.value)} ({ends})" if estimated else number(verdict.value)
    if verdict.measure == "unique_records":
        return shown(risk.unique_records.count, risk.records).share
    if verdict.measure == "attribute_disclosure":
        rates = [s.one_value for s in risk.sensitive.values() if s] if not risk.targets else list(risk.targets.values())
        found = next(rate for rate in rates if rate is not None and rate.value == verdict.value)
        return shown(found.count, found.of).share
    return number(verdict.value)


def _counted(risk: Risk) -> Counted:
    """How the page tells counts: those of the table of small classes as they stand there."""
    below = {rate: records for rate, (records, _) in zip(risk.records_below.values(), few_below(risk), strict=True)}

    def counted(rate: Rate) -> str:
        return (below.get(rate) or shown(rate.count, rate.of)).count

    return counted
