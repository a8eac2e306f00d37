"""The parts on the population: estimators, records, groups of records, another size, the backtest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lookalike.evaluate.people import Estimates
from lookalike.evaluate.result import Evaluation, Risk
from lookalike.population import Backtest, RecordRisk
from lookalike.population.profile import ValueGroup
from lookalike.report.assessment import phrases as p
from lookalike.report.assessment.first import limit_of
from lookalike.report.assessment.meanings import MEANS, MORE, TITLES
from lookalike.report.comparison.small_cells import merged_bins
from lookalike.report.few import FEWEST, Shown, shown, without_few
from lookalike.report.html import Figure, Grid, Section
from lookalike.report.numbers import digits, interval, number
from lookalike.report.simple_charts import Bar, Dot, bars, columns, dots, figure, line
from lookalike.report.tables import percent

GROUPS_SHOWN = 10


def population_sections(evaluation: Evaluation) -> Iterator[Section]:
    """What the estimators say of the people who look like the records."""
    risk, found = evaluation.risk, evaluation.risk.estimates
    if found is None:
        return
    yield _estimators(risk, found)
    if found.records is not None:
        yield from _records(found.records, risk.records)
        yield from _groups(found.records, risk.records)
    yield from _size(risk, found)
    if found.backtests:
        yield _backtests(risk, found)


def _estimators(risk: Risk, found: Estimates) -> Section:
    rows = tuple(_estimates(risk, found))
    known = [row.value for row in rows if row.value is not None]
    grid = Grid(
        title=p.ESTIMATORS,
        heads=(p.ESTIMATOR, p.VALUE, p.INTERVAL),
        rows=tuple(_estimate_rows(risk, found)),
    )
    caveats = tuple(
        (key, caveat) for key, each in found.findings.items() for caveat in map(without_few, each.match_rate.caveats)
    )
    figures: tuple[Figure, ...] = ()
    if len(known) > 1:
        said = p.ESTIMATORS_SAYS.format(
            count=sum(each.match_rate.value is not None for each in found.findings.values()),
            low=number(min(known)),
            high=number(max(known)),
            chosen=risk.sample_to_population.method,
        )
        chart = dots(rows, axis=p.CHANCE, limit=limit_of(risk.prosecutor.threshold))
        figures = (figure(chart, says=said, table=grid),)
    lines = []
    if len(known) > 1 and min(known) > 0:
        lines.append(p.AGREE.format(times=digits(max(known) / min(known))))
    if found.margins_used:
        told = "; ".join(
            p.MARGIN.format(name=m.name, variables=", ".join(m.variables), people=f"{m.people:,}")
            for m in found.margins
        )
        lines.append(p.MARGINS.format(estimators=", ".join(found.margins_used), margins=told))
    return Section(
        title=TITLES["estimators"],
        means=MEANS["estimators"],
        lines=tuple(lines),
        figures=figures,
        grids=(
            *([] if figures else [grid]),
            *([Grid(title=p.CAVEATS, heads=(p.ESTIMATOR, p.CAVEAT), rows=caveats, names=2)] if caveats else []),
        ),
        more=MORE["estimators"],
    )


def _estimates(risk: Risk, found: Estimates) -> Iterator[Dot]:
    if risk.exact is not None:
        yield Dot(label=_exact(risk), value=risk.exact, words=digits(risk.exact))
    for key, each in found.findings.items():
        rate = each.match_rate
        words = p.NOT_ASSESSABLE if rate.value is None else digits(rate.value)
        ends = (None, None) if rate.value is None else (rate.low, rate.high)
        yield Dot(label=key, value=rate.value, low=ends[0], high=ends[1], words=words)


def _estimate_rows(risk: Risk, found: Estimates) -> Iterator[tuple[str, ...]]:
    if risk.exact is not None:
        yield _exact(risk), number(risk.exact), p.NONE
    for key, each in found.findings.items():
        rate = each.match_rate
        yield key, number(rate.value), interval(rate) or p.NONE
    if risk.bounds is not None:
        low, high = risk.bounds
        yield p.BOUNDS, p.NONE, p.RANGE.format(low=digits(low), high=digits(high))


def _exact(risk: Risk) -> str:
    return p.EXACT_FILE if risk.population_file is not None else p.EXACT_WHOLE


def _records(found: RecordRisk, records: int) -> Iterator[Section]:
    """The distribution; bins of few records are joined to their neighbours."""
    counts, starts = _bins(found, records)
    if not starts:
        return
    rows, drawn = [], []
    for first, end in pairwise(starts):
        low, high = found.distribution[first][0], found.distribution[end - 1][1]
        told = shown(int(counts[first:end].sum()), records)
        rows.append((p.RANGE.format(low=f"{low:g}", high=f"{high:g}"), told.count, told.share))
        drawn.append(Bar(label=f"{high:g}", value=told.drawn, words=told.share))
    said = p.DISTRIBUTION_SAYS.format(
        share=above_of(found, records).share,
        threshold=f"{found.threshold:g}",
        median=digits(found.median),
        worst=digits(found.maximum),
    )
    grid = Grid(title=p.DISTRIBUTION, heads=(p.RISK_OF_RECORD, p.RECORDS, p.SHARE), rows=tuple(rows))
    chart = columns(drawn, axis=p.UP_TO, heights=p.SHARE)
    yield Section(
        title=TITLES["records"],
        means=MEANS["records"],
        figures=(figure(chart, says=said, table=grid),),
        more=MORE["records"],
    )


def _bins(found: RecordRisk, records: int) -> tuple[NDArray[np.int64], list[int]]:
    """Records by risk, and where the bins begin that are shown; the end comes last."""
    counts = np.array([round(share * records) for _, _, share in found.distribution], np.int64)
    return counts, merged_bins(counts).tolist()


def above_of(found: RecordRisk, records: int) -> Shown:
    """The records above the threshold; beside the bins they tell no count of a few."""
    counts, starts = _bins(found, records)
    return shown(
        round(found.share_above_threshold * records),
        records,
        beside=[int(counts[first:].sum()) for first in starts[:-1]],
    )


def _groups(found: RecordRisk, records: int) -> Iterator[Section]:
    groups = sorted(safe_groups(found.groups, records), key=lambda g: -g.mean)
    if not groups:
        return
    first = groups[:GROUPS_SHOWN]
    left = len(groups) - len(first)
    grid = Grid(
        title=p.GROUPS,
        heads=(p.VARIABLE, p.GROUP, p.RECORDS, p.MEAN_RISK, p.PART),
        rows=tuple((g.variable, g.group, f"{g.records:,}", digits(g.mean), percent(g.share)) for g in first),
        names=2,
        note=p.GROUPS_LEFT.format(count=left) if left else p.GROUPS_ALL,
    )
    drawn = [
        Bar(label=p.GROUP_LABEL[g.group].format(variable=g.variable), value=g.mean, words=digits(g.mean)) for g in first
    ]
    said = p.GROUPS_SAYS.format(mean=digits(first[0].mean), group=first[0].group, variable=first[0].variable)
    chart = bars(drawn, axis=p.MEAN_RISK, limit=limit_of(found.threshold), shares=False)
    yield Section(
        title=TITLES["groups"],
        means=MEANS["groups"],
        figures=(figure(chart, says=said, table=grid),),
        more=MORE["groups"],
    )


def safe_groups(groups: Sequence[ValueGroup], records: int) -> Iterator[ValueGroup]:
    """Without the smallest group of a variable whose others left one to four records untold."""
    for variable in dict.fromkeys(group.variable for group in groups):
        own = sorted((group for group in groups if group.variable == variable), key=lambda g: g.records)
        untold = records - sum(group.records for group in own)
        yield from own[1:] if 0 < untold < FEWEST else own


def _size(risk: Risk, found: Estimates) -> Iterator[Section]:
    points = [(ratio, value) for ratio, value in found.sensitivity.items() if value is not None]
    if len(points) < 2 or risk.population is None:
        return
    values = [value for _, value in points]
    limit = risk.prosecutor.threshold
    crosses = min(values) <= limit < max(values)
    said = (p.SIZE_SAYS_CROSSES if crosses else p.SIZE_SAYS).format(
        low=number(values[0]),
        high=number(values[-1]),
        smallest=f"{points[0][0]:.0%}",
        largest=f"{points[-1][0]:.0%}",
    )
    grid = Grid(
        title=p.SIZE,
        heads=(p.TOLD, p.PEOPLE, "B"),
        rows=tuple((f"{r:.0%}", f"{r * risk.population:,.0f}", number(v)) for r, v in found.sensitivity.items()),
    )
    chart = line(points, across=p.TOLD, up="B", limit=limit_of(limit))
    yield Section(
        title=TITLES["size"], means=MEANS["size"], figures=(figure(chart, says=said, table=grid),), more=MORE["size"]
    )


def _backtests(risk: Risk, found: Estimates) -> Section:
    tests = found.backtests
    grid = Grid(
        title=p.BACKTEST,
        heads=(p.PART_OF_FILE, p.RECORDS, "B", p.INTERVAL, p.TRUTH, p.HELD),
        rows=tuple(_tested(test) for test in tests),
    )
    rows = [
        Dot(
            label=p.PART_LABEL.format(fraction=f"{test.fraction:.0%}"),
            value=test.estimate.value,
            low=test.estimate.low,
            high=test.estimate.high,
            other=test.truth,
            words=p.NOT_ASSESSABLE if test.estimate.value is None else digits(test.estimate.value),
        )
        for test in tests
    ]
    return Section(
        title=TITLES["backtest"],
        means=MEANS["backtest"],
        lines=(p.NO_MARGINS_HERE,) if found.margins_used else (),
        figures=(figure(dots(rows, axis=p.CHANCE), says=_tests_say(tests), table=grid),),
        more=MORE["backtest"],
    )


def _tested(test: Backtest) -> tuple[str, ...]:
    rate = test.estimate
    held = {True: p.YES, False: p.NO, None: p.NONE}[test.covers]
    part = f"{test.fraction:.0%}"
    return part, f"{test.records:,}", number(rate.value), interval(rate) or p.NONE, number(test.truth), held


def _tests_say(tests: Sequence[Backtest]) -> str:
    judged = [test.covers for test in tests if test.covers is not None]
    if judged:
        return p.BACKTEST_SAYS.format(held=sum(judged), tests=len(judged))
    errors = [abs(test.error) for test in tests if test.error is not None]
    if not errors:
        return p.BACKTEST_SAYS_NONE
    return p.BACKTEST_SAYS_POINT.format(low=number(min(errors)), high=number(max(errors)))
