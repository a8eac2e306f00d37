"""The parts on the file alone: drivers, attacker knowledge, special uniques, households, small classes."""

from __future__ import annotations

from collections.abc import Iterator

from lookalike.evaluate.result import Evaluation, Risk, SudaRisk
from lookalike.report.assessment import phrases as p
from lookalike.report.assessment.few_below import above, few_below
from lookalike.report.assessment.first import limit_of
from lookalike.report.assessment.meanings import MEANS, MORE, TITLES
from lookalike.report.assessment.people import above_of
from lookalike.report.few import FEWEST, Shown, shown
from lookalike.report.html import Grid, Section
from lookalike.report.numbers import digits, number
from lookalike.report.simple_charts import Bar, Dot, Limit, bars, dots, figure
from lookalike.report.tables import percent
from lookalike.report.terminal import by_size
from lookalike.report.words import MISSING as MODES
from lookalike.risk import Knowledge, MatchRisk

SHOWN = 12
"""Variables and choices that are shown."""
HALF = 0.5


def drivers_section(evaluation: Evaluation) -> Section:
    """The file without one variable at a time."""
    risk = evaluation.risk
    first = risk.drivers[:SHOWN]
    uniques = risk.unique_records.count
    rows = [(p.NOTHING, "", shown(uniques, risk.records).count, number(risk.prosecutor.mean), "")]
    for driver in first:
        left = shown(driver.uniques_without, risk.records, beside=[uniques])
        part = p.NONE if risk.suda is None else f"{risk.suda.contributions.get(driver.variable, 0):.0f} %"
        rows.append((driver.variable, f"{driver.distinct:,}", left.count, number(driver.mean_without), part))
    more = len(risk.drivers) - len(first)
    grid = Grid(
        title=p.DRIVERS,
        heads=(p.WITHOUT, p.VALUES, p.UNIQUES_LEFT, p.MEAN_RISK, p.SUDA_PART),
        rows=tuple(rows),
        note=p.MORE_ROWS.format(count=more) if more else "",
    )
    drawn = [Bar(label=d.variable, value=d.mean_without, words=digits(d.mean_without)) for d in first]
    said = p.DRIVERS_SAYS.format(
        mean=number(risk.prosecutor.mean), variable=first[0].variable, without=number(first[0].mean_without)
    )
    whole = Limit(value=risk.prosecutor.mean, words=p.DRIVERS_LIMIT.format(value=digits(risk.prosecutor.mean)))
    chart = bars(drawn, axis=p.MEAN_RISK, limit=whole, shares=False)
    return Section(
        title=TITLES["drivers"],
        means=MEANS["drivers"],
        figures=(figure(chart, says=said, table=grid),),
        more=MORE["drivers"],
    )


def knowledge_section(evaluation: Evaluation) -> Section:
    """Unique records by what is known: the worst and the mean choice of each size, then the named groups."""
    risk = evaluation.risk
    exact = risk.exact is not None
    rows, drawn = [], []
    for label, found in by_size(risk):
        worst = max(found, key=lambda k: k.unique_records.count)
        told, mean = _unique(worst, risk), _mean(found, risk)
        names = ", ".join(worst.variables) if worst.unique_records.count else p.NONE_UNIQUE
        b = [p.NONE if worst.sample_to_population is None else digits(worst.sample_to_population)] if exact else []
        rows.append((label, names, mean.share, told.share, number(worst.mean), *b))
        drawn.append(Bar(label=label, value=told.drawn, words=told.share, other=mean.drawn if len(found) > 1 else None))
    heads = (p.KNOWN, p.CHOICE, p.UNIQUE_MEAN, p.UNIQUE_WORST, p.RISK_WORST, *([p.B_WORST] if exact else []))
    grid = Grid(title=p.KNOWLEDGE, heads=heads, rows=tuple(rows), names=2)
    chart = bars(drawn, axis=p.SHARE)
    return Section(
        title=TITLES["knowledge"],
        means=MEANS["knowledge"],
        figures=(figure(chart, says=_knowledge_says(risk), table=grid),),
        more=MORE["knowledge"],
    )


def _unique(known: Knowledge, risk: Risk) -> Shown:
    return shown(known.unique_records.count, risk.records, beside=[risk.unique_records.count])


def _mean(found: list[Knowledge], risk: Risk) -> Shown:
    """Over all choices of a size; of one choice alone it is told as that, and of few records with care."""
    if len(found) == 1:
        return _unique(found[0], risk)
    mean = sum(k.unique_records.count for k in found) / len(found)
    if 0 < mean < FEWEST:
        return shown(1, risk.records)
    return Shown(f"{mean:,.0f}", percent(mean / risk.records), mean / risk.records)


def _knowledge_says(risk: Risk) -> str:
    told = {"all": len(risk.drivers), "share": shown(risk.unique_records.count, risk.records).share}
    halves = [len(k.variables) for k in risk.knowledge if not k.group and k.unique_records.value >= HALF]
    if halves and min(halves) < len(risk.drivers):
        return p.KNOWLEDGE_SAYS_HALF.format(**told, size=min(halves))
    return p.KNOWLEDGE_SAYS.format(**told)


def suda_section(risk: Risk, suda: SudaRisk) -> Section:
    """Special uniques: which variables make them, and how many variables they need."""
    parts = sorted(suda.contributions.items(), key=lambda item: -item[1])[:SHOWN]
    told = shown(suda.records, risk.records, beside=[risk.unique_records.count])
    if suda.records:
        said = p.SUDA_SAYS.format(
            records=told.count, largest=suda.largest_set, variable=parts[0][0], part=percent(parts[0][1] / 100)
        )
    else:
        said = p.SUDA_SAYS_NONE.format(largest=suda.largest_set)
    sizes = Grid(
        title=p.SUDA_SIZES,
        heads=(p.SUDA_SIZE, p.SUDA_SETS),
        rows=tuple((f"{size}", _few(count)) for size, count in suda.sets_by_size.items()),
    )
    grid = Grid(
        title=p.SUDA, heads=(p.VARIABLE, p.SUDA_PART), rows=tuple((name, f"{part:.1f} %") for name, part in parts)
    )
    chart = bars([Bar(label=name, value=part / 100, words=f"{part:.0f} %") for name, part in parts], axis=p.SUDA_PART)
    return Section(
        title=TITLES["suda"],
        means=MEANS["suda"],
        figures=(figure(chart, says=said, table=grid),) if suda.records else (),
        lines=() if suda.records else (said,),
        grids=(sizes,) if suda.records else (),
        more=MORE["suda"],
    )


def _few(count: int) -> str:
    """Sets, each of a record: few of them are told as few."""
    return shown(count, max(count, 10**9)).count


def household_section(risk: Risk, household: MatchRisk) -> Section:
    """A record by itself, by the best that is known of it, and with its household."""
    alone, single = _alone(risk)
    with_others = (p.AS_HOUSEHOLD, household.mean, household.maximum, above(household, risk))
    drawn = [
        Dot(label=name, value=mean, other=worst, words=digits(mean))
        for name, mean, worst, _ in ((alone, *single), with_others)
    ]
    rows = tuple(
        (name, number(mean), number(worst), share) for name, mean, worst, share in ((alone, *single), with_others)
    )
    heads = (p.WHAT, p.MEAN, p.WORST, p.ABOVE.format(threshold=f"{household.threshold:g}"))
    chart = dots(drawn, axis=p.CHANCE, limit=limit_of(household.threshold))
    said = p.HOUSEHOLD_SAYS.format(mean=number(household.mean), alone=number(single[0]))
    return Section(
        title=TITLES["household"],
        means=MEANS["household"],
        figures=(figure(chart, says=said, table=Grid(title=p.HOUSEHOLD, heads=heads, rows=rows)),),
        more=MORE["household"],
    )


def _alone(risk: Risk) -> tuple[str, tuple[float, float, str]]:
    """The mean, the worst and the share above of records alone: what the household's risk is made of."""
    if risk.population_file is not None:
        found = risk.population_file.journalist
        return p.SINGLE_FILE, (found.mean, found.maximum, above(found, risk))
    records = None if risk.estimates is None else risk.estimates.records
    if risk.estimates is not None and records is not None and risk.estimates.match_rate.value is not None:
        share = above_of(records, risk.records).share
        return p.SINGLE_ESTIMATE, (risk.estimates.match_rate.value, records.maximum, share)
    return p.SINGLE, (risk.prosecutor.mean, risk.prosecutor.maximum, above(risk.prosecutor, risk))


def alike_section(evaluation: Evaluation) -> Section:
    """Records and classes below each k."""
    risk = evaluation.risk
    told = dict(zip(risk.records_below, few_below(risk), strict=True))
    grid = Grid(
        title=p.ALIKE,
        heads=(p.BELOW, p.RECORDS_BELOW, p.SHARE, p.CLASSES_BELOW),
        rows=tuple((f"{k}", records.count, records.share, classes.count) for k, (records, classes) in told.items()),
    )
    drawn = [Bar(label=p.BELOW_LABEL.format(k=k), value=r.drawn, words=r.share) for k, (r, _) in told.items()]
    largest = max(told)
    said = (p.ALIKE_SAYS_ONE if risk.k_anonymity == 1 else p.ALIKE_SAYS).format(
        k=risk.k_anonymity, share=told[largest][0].share, largest=largest
    )
    return Section(
        title=TITLES["alike"],
        means=MEANS["alike"],
        lines=tuple(_alike_lines(evaluation)),
        figures=(figure(bars(drawn, axis=p.SHARE), says=said, table=grid),),
        more=MORE["alike"],
    )


def _alike_lines(evaluation: Evaluation) -> Iterator[str]:
    risk = evaluation.risk
    yield p.ALIKE_LINE.format(k=risk.k_anonymity, classes=f"{risk.classes:,}", records=f"{risk.records:,}")
    yield p.MISSING.format(mode=MODES[evaluation.plan.missing])
    for template, rate in ((p.FITTING, risk.fitting), (p.REPEATED, risk.repeated)):
        if rate is not None:
            told = shown(rate.count, rate.of)
            yield template.format(count=told.count, records=f"{rate.of:,}", share=told.share)
