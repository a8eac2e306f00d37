"""The part on attacks: what each attacker may expect, and what a file of the population tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lookalike.evaluate.result import Evaluation, PopulationRisk, Risk
from lookalike.report.assessment import phrases as p
from lookalike.report.assessment.few_below import above
from lookalike.report.assessment.first import limit_of
from lookalike.report.assessment.meanings import MEANS, MORE, TITLES
from lookalike.report.assessment.people import above_of
from lookalike.report.few import shown
from lookalike.report.html import Grid, Section
from lookalike.report.numbers import digits, interval, number
from lookalike.report.simple_charts import Dot, dots, figure
from lookalike.risk import MatchRisk


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One attacker: the mean chance, its interval, the worst record, and the share above the threshold."""

    key: str
    name: str
    mean: float | None
    low: float | None = None
    high: float | None = None
    interval: str = ""
    worst: float | None = None
    above: str = p.NONE


def attacks_section(evaluation: Evaluation) -> Section:
    """Risk by attack."""
    risk = evaluation.risk
    found = tuple(_attacks(risk))
    limit = risk.prosecutor.threshold
    known = [each for each in found if each.mean is not None]
    highest = max(known, key=lambda each: each.mean or 0.0)
    table = Grid(
        title=p.ATTACKS,
        heads=(p.ATTACK_HEAD, p.MEAN, p.INTERVAL, p.WORST, p.ABOVE.format(threshold=f"{limit:g}")),
        rows=tuple((a.name, number(a.mean), a.interval or p.NONE, _worst(a), a.above) for a in found),
    )
    rows = [
        Dot(label=p.SHORT[a.key], value=a.mean, low=a.low, high=a.high, other=a.worst, words=_short(a.mean))
        for a in found
    ]
    said = p.ATTACKS_SAYS.format(value=number(highest.mean), attack=p.SHORT[highest.key])
    people = risk.population_file
    return Section(
        title=TITLES["attacks"],
        means=MEANS["attacks"],
        figures=(figure(dots(rows, axis=p.CHANCE, limit=limit_of(limit)), says=said, table=table),),
        grids=() if people is None else (_population(risk, people),),
        more=MORE["attacks"],
    )


def _attacks(risk: Risk) -> Iterator[Attack]:
    yield _matched("prosecutor", p.PROSECUTOR, risk.prosecutor, risk)
    people = risk.population_file
    if people is not None:
        yield _matched("journalist", p.JOURNALIST, people.journalist, risk)
    yield _marketer(risk)
    if risk.population_to_sample is not None:
        yield Attack(key="A", name=p.TO_RECORD, mean=risk.population_to_sample)


def _matched(key: str, name: str, found: MatchRisk, risk: Risk) -> Attack:
    return Attack(key=key, name=name, mean=found.mean, worst=found.maximum, above=above(found, risk))


def _marketer(risk: Risk) -> Attack:
    """B; its records one by one are known where the estimator tells them."""
    rate = risk.sample_to_population
    ends = interval(rate) if rate.method != "exact" else ""
    found = None if risk.estimates is None else risk.estimates.records
    told = found is not None and risk.exact is None and rate.value is not None
    return Attack(
        key="marketer",
        name=p.MARKETER,
        mean=rate.value,
        low=rate.low,
        high=rate.high,
        interval=ends
        if rate.value is not None
        else p.RANGE.format(low=digits(rate.low or 0), high=digits(1 if rate.high is None else rate.high)),
        worst=found.maximum if found is not None and told else None,
        above=above_of(found, risk.records).share if found is not None and told else p.NONE,
    )


def _population(risk: Risk, people: PopulationRisk) -> Grid:
    unmatched = shown(people.unmatched, risk.records)
    low, high = people.delta_presence
    of_people = p.K_MAP_OF.format(people=f"{people.records:,}")
    rows = [
        (p.K_MAP, f"{people.k_map:,}", of_people),
        (p.PRESENCE, p.RANGE.format(low=f"{low:.2g}", high=f"{high:.2g}"), ""),
        (p.UNMATCHED, unmatched.share, unmatched.count),
    ]
    if people.unique is not None:
        unique = shown(people.unique.count, people.unique.of)
        rows.append((p.UNIQUE_THERE, unique.share, unique.count))
    return Grid(title=p.POPULATION, heads=(p.WHAT, p.VALUE, p.COUNT), rows=tuple(rows))


def _worst(found: Attack) -> str:
    return p.NONE if found.worst is None else number(found.worst)


def _short(value: float | None) -> str:
    return p.NOT_KNOWN if value is None else digits(value)
