"""The verdict in words, for a terminal and for a page: what is decided, what it rests on, what to do next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from lookalike.estimate import Rate
from lookalike.evaluate.doubts import BACKTEST, ELIGIBLE, INTERVAL, MARGINS, NOT_ELIGIBLE, WEIGHTS
from lookalike.evaluate.measure import REPEATED
from lookalike.evaluate.people import OFF
from lookalike.evaluate.result import Evaluation, Outcome, Risk
from lookalike.report import words
from lookalike.report.numbers import number
from lookalike.report.tables import percent

B = "sample_to_population"
B_UPPER = "sample_to_population_upper"
MOODS = {
    Outcome.HOLDS: "good",
    Outcome.FAILS: "bad",
    Outcome.NOT_ASSESSABLE: "middling",
    Outcome.UNDECIDED: "middling",
}
_FEW = 0.01
"""The share of records below k that is better suppressed than coarsened for."""
_NAMED = 12
"""Names of columns in a sentence; of more, how many."""
_OF_VALUES = frozenset({"attribute_disclosure", "l_diversity", "t_closeness"})
"""Measures of what classes give away."""
_GIVEN = 0.05
"""The share of records from which it is told that their classes give a value away."""
_HARDLY = 0.9
"""A variable whose loss leaves more of the mean risk than this hardly helps."""
Counted: TypeAlias = Callable[[Rate], str]
"""How a count is told: as it is, or with care for few."""


def exactly(rate: Rate) -> str:
    """The count as it is, for the custodian's own eyes."""
    return f"{rate.count:,}"


def mood(evaluation: Evaluation) -> str:
    """good, middling or bad."""
    return MOODS[evaluation.outcome]


def says(evaluation: Evaluation) -> str:
    """The verdict in one sentence."""
    identifiers = evaluation.plan.roles.identifiers
    if not evaluation.verdicts:
        return words.NOTHING_DECIDED
    if evaluation.outcome is Outcome.HOLDS and identifiers:
        return words.HOLDS_WITHOUT_IDENTIFIERS.format(names=", ".join(identifiers))
    return words.SAYS[evaluation.outcome.value]


def cautions(evaluation: Evaluation, *, counted: Counted = exactly) -> Iterator[str]:
    """What the verdict rests on, and what it leaves out."""
    risk, roles = evaluation.risk, evaluation.plan.roles
    yield words.KNOWN.format(names=", ".join(d.variable for d in sorted(risk.drivers, key=lambda d: d.variable)))
    yield from doubts(evaluation)
    if evaluation.overlooked:
        yield words.OVERLOOKED.format(names=_first(evaluation.overlooked))
    if evaluation.undeclared:
        yield words.UNDECLARED.format(names=_first(evaluation.undeclared))
    if roles.identifiers and evaluation.outcome is not Outcome.HOLDS:
        yield words.IDENTIFIERS.format(names=", ".join(roles.identifiers))
    if evaluation.outcome not in (Outcome.HOLDS, Outcome.UNDECIDED):
        return
    if risk.repeated is not None:
        rate = risk.repeated
        yield REPEATED.format(rate=f"{counted(rate)} of {rate.of:,} {rate.what}")
    if risk.unique_records.count and not _decides_on_k(evaluation):
        count = counted(risk.unique_records)
        yield words.ALONE_ONE if count == "1" else words.ALONE.format(count=count)
    yield from _given_away(evaluation)


def _given_away(evaluation: Evaluation) -> Iterator[str]:
    """The sensitive variable that classes give away most, unless the plan decides on such."""
    if any(v.measure in _OF_VALUES for v in evaluation.verdicts):
        return
    found = {name: s.one_value for name, s in evaluation.risk.sensitive.items() if s is not None}
    name = max(found, key=lambda each: found[each].count, default=None)
    if name is not None and found[name].value >= _GIVEN:
        yield words.GIVEN_AWAY.format(share=percent(found[name].value), name=name)


def doubts(evaluation: Evaluation) -> Iterator[str]:
    """What speaks against the estimate that decides: what leaves the verdict undecided first."""
    named = {doubt.name: doubt for verdict in evaluation.verdicts for doubt in verdict.doubts}
    for doubt in named.values():
        yield words.DOUBTS[doubt.name].format(value=number(doubt.value), about=_first(doubt.about))
    if INTERVAL not in named:
        yield from _near(evaluation)
    yield from _smaller(evaluation)
    yield from _others_above(evaluation)
    yield from _not_random(evaluation.risk, frozenset(named))
    if BACKTEST not in named:
        yield from _missed(evaluation.risk)


def _not_random(risk: Risk, told: frozenset[str]) -> Iterator[str]:
    """What says that the file is no random sample of N people, where no doubt tells it already."""
    found = risk.estimates
    if found is None or risk.sample_to_population.method != found.chosen:
        return
    if found.narrowed and not told & {ELIGIBLE, NOT_ELIGIBLE}:
        yield words.ELIGIBLE.format(about=_first(found.narrowed))
    if found.without_margins is not None and MARGINS not in told:
        yield words.NOT_RANDOM.format(about=_first(found.contradicted), value=number(found.without_margins))
    if found.weighted is not None and abs(found.weighted - 1) > OFF and WEIGHTS not in told:
        yield words.WEIGHTS_OFF.format(share=percent(found.weighted))


def _near(evaluation: Evaluation) -> Iterator[str]:
    """Whether the interval of B contains the threshold: then the verdict could be otherwise."""
    estimate = evaluation.risk.sample_to_population
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return
    if any(v.measure == B_UPPER for v in evaluation.verdicts):
        return
    for verdict in evaluation.verdicts:
        inside = estimate.low < verdict.threshold < estimate.high
        if verdict.measure == B and verdict.value is not None and inside:
            end = words.NEAR_ENDS[1 + (estimate.value >= estimate.high) - (estimate.value <= estimate.low)]
            yield words.NEAR.format(low=estimate.low, high=estimate.high, end=end)


def _smaller(evaluation: Evaluation) -> Iterator[str]:
    """Whether B would be above the threshold it holds if there were somewhat fewer people: the nearest such number."""
    found, people, limit = evaluation.risk.estimates, evaluation.risk.population, _held(evaluation)
    if found is None or people is None or limit is None:
        return
    above = {r: b for r, b in found.sensitivity.items() if r < 1 and b is not None and b > limit}
    if above:
        yield words.SMALLER.format(people=f"{max(above) * people:,.0f}", b=number(above[max(above)]))


def _others_above(evaluation: Evaluation) -> Iterator[str]:
    """Which of the estimators that were asked beside the one that decides put B above the threshold it holds."""
    found, limit = evaluation.risk.estimates, _held(evaluation)
    if found is None or limit is None or evaluation.risk.sample_to_population.method != found.chosen:
        return
    values = {name: finding.match_rate.value for name, finding in found.findings.items()}
    above = [f"{name} ({number(b)})" for name, b in values.items() if b is not None and b > limit]
    if above:
        yield words.OTHERS_ABOVE.format(names=", ".join(above))


def _held(evaluation: Evaluation) -> float | None:
    """The threshold that B holds; None if it fails, or nothing is decided on it."""
    passed = (Outcome.HOLDS, Outcome.UNDECIDED)
    held = (v.threshold for v in evaluation.verdicts if v.measure == B and v.outcome in passed)
    return next(held, None)


def _missed(risk: Risk) -> Iterator[str]:
    """Backtests whose interval does not contain the truth, where the estimate is what B is taken from."""
    found = risk.estimates
    if found is None or risk.sample_to_population.method != found.chosen:
        return
    missed = [test for test in found.backtests if test.covers is False]
    under = sum(test.error is not None and test.error < 0 for test in missed)
    if missed:
        said = words.BACKTEST if under else words.BACKTEST_HIGH
        yield said.format(missed=len(missed), tests=len(found.backtests), under=under)


def _decides_on_k(evaluation: Evaluation) -> bool:
    return any(v.measure in ("k_anonymity", "unique_records", "prosecutor_maximum") for v in evaluation.verdicts)


def next_step(evaluation: Evaluation, *, kept: bool, counted: Counted = exactly) -> str:
    """What to do next; `kept` says that the evidence was asked for."""
    risk, outcome = evaluation.risk, evaluation.outcome
    names = ", ".join(d.variable for d in risk.drivers[:2])
    if outcome is Outcome.UNDECIDED:
        return " ".join(_settle(evaluation))
    if outcome is Outcome.HOLDS:
        return words.KEPT_NEXT if kept else words.HOLDS_NEXT
    if outcome is Outcome.NOT_ASSESSABLE:
        return _unknown_next(evaluation)
    failed = [v for v in evaluation.verdicts if v.outcome is Outcome.FAILS]
    below = risk.records_below.get(int(failed[0].threshold)) if failed[0].measure == "k_anonymity" else None
    if len(failed) == 1 and below is not None and below.value < _FEW:
        count, k = counted(below), int(failed[0].threshold)
        return (words.FEW_NEXT_ONE if count == "1" else words.FEW_NEXT).format(count=count, k=k, drivers=names)
    if risk.suda is not None and no_driver(risk):
        parts = risk.suda.contributions
        return words.NO_DRIVER_NEXT.format(drivers=", ".join(sorted(parts, key=lambda v: -parts[v])[:2]))
    return words.FAILS_NEXT.format(drivers=names)


def _settle(evaluation: Evaluation) -> Iterator[str]:
    """What would settle each doubt, the gravest first."""
    for name in dict.fromkeys(doubt.name for verdict in evaluation.verdicts for doubt in verdict.doubts):
        yield words.SETTLE_FILE if name == INTERVAL and evaluation.plan.margins else words.SETTLE[name]


def no_driver(risk: Risk) -> bool:
    """Whether no variable alone lowers the risk in the file much."""
    return risk.drivers[0].mean_without > _HARDLY * risk.prosecutor.mean


def _unknown_next(evaluation: Evaluation) -> str:
    risk = evaluation.risk
    unknown = [v for v in evaluation.verdicts if v.outcome is Outcome.NOT_ASSESSABLE]
    told = risk.sample_to_population.value is not None and not risk.sample_to_population.lower_limit
    if unknown and (unknown[0].measure != B or told):
        return words.NOT_SHOWN_NEXT.format(reason=unknown[0].reason)
    if risk.population is None:
        return words.NO_SIZE_NEXT
    return words.LOWER_NEXT if risk.sample_to_population.lower_limit else words.NO_FILE_NEXT


def _first(names: Sequence[str], most: int = _NAMED) -> str:
    shown = ", ".join(names[:most])
    return words.AND_MORE.format(names=shown, count=len(names) - most) if len(names) > most else shown
