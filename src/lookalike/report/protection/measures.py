"""The measures of risk of a file and of its release, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lookalike.estimate import Estimate, Rate
from lookalike.evaluate.result import Evaluation, Risk
from lookalike.report.few import FEWEST
from lookalike.report.numbers import digits, number
from lookalike.report.protection import words
from lookalike.report.told import shared

NOTHING = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure of one file: as text, and as a share where it is one."""

    name: str
    text: str
    share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A measure before and after; a side that lacks it is None."""

    name: str
    before: Measure | None
    after: Measure | None

    @property
    def told(self) -> tuple[str, str]:
        """Both as text."""
        before, after = (NOTHING if side is None else side.text for side in (self.before, self.after))
        return before, after

    @property
    def shares(self) -> tuple[float, float] | None:
        """Both as shares; None unless both are."""
        if self.before is None or self.after is None or self.before.share is None or self.after.share is None:
            return None
        return self.before.share, self.after.share


def changes(before: Evaluation, after: Evaluation) -> tuple[Change, ...]:
    """Every measure that one of the files has, in the order of the report."""
    one, other = ({m.name: m for m in _measures(evaluation.risk)} for evaluation in (before, after))
    return tuple(
        Change(name=name, before=one.get(name), after=other.get(name)) for name in dict.fromkeys([*one, *other])
    )


def value_of(estimate: Estimate, places: int = 3) -> str:
    """An estimate without its interval; of one without an answer, what it is at most.

    >>> value_of(Estimate(value=None, high=0.5, method="posterior")), value_of(Estimate(value=None, method="exact"))
    ('at most 0.5', 'not known')
    """
    if estimate.value is not None and not estimate.lower_limit:
        return digits(estimate.value, places)
    return words.NOT_KNOWN if estimate.high is None else words.AT_MOST.format(value=digits(estimate.high, places))


def span_of(estimate: Estimate, places: int = 3) -> str:
    """The interval of an estimate in words.

    >>> span_of(Estimate(value=0.5, low=0.25, high=0.75, method="posterior"))
    'interval 0.25 to 0.75'
    """
    low, high = estimate.low, estimate.high
    if low is None or high is None or low == high:
        return words.B_EXACT
    return words.B_SPAN.format(low=digits(low, places), high=digits(high, places))


def in_words(estimate: Estimate, places: int = 3) -> str:
    """An estimate with its interval.

    >>> in_words(Estimate(value=0.5, low=0.25, high=0.75, method="posterior"))
    '0.5 (0.25 to 0.75)'
    """
    low, high, value = estimate.low, estimate.high, value_of(estimate, places)
    if estimate.value is None or estimate.lower_limit or low is None or high is None or low == high:
        return value
    return words.WITH_INTERVAL.format(value=value, low=digits(low, places), high=digits(high, places))


def _measures(risk: Risk) -> Iterator[Measure]:
    names = words.MEASURES
    yield Measure(name=names["records"], text=f"{risk.records:,}")
    yield Measure(name=names["classes"], text=f"{risk.classes:,}")
    yield Measure(name=names["k"], text=f"{risk.k_anonymity:,}")
    yield _rate(names["unique"], risk.unique_records)
    yield _chance(names["worst"], risk.prosecutor.maximum)
    yield _chance(names["mean"], risk.prosecutor.mean)
    if risk.fitting is not None:
        yield _rate(names["fitting"], risk.fitting)
    if risk.population_to_sample is not None:
        yield _chance(names["A"], risk.population_to_sample)
    if risk.population is not None or risk.sample_to_population.value is not None:
        estimate = risk.sample_to_population
        yield Measure(name=names["B"], text=in_words(estimate), share=estimate.value)
    yield from _sensitive(risk)


def _sensitive(risk: Risk) -> Iterator[Measure]:
    names = words.MEASURES
    for name, found in risk.sensitive.items():
        if found is not None:
            yield Measure(name=names["l"].format(name=name), text=f"{found.distinct:,}")
            distance = found.total_variation if found.earth_mover is None else found.earth_mover
            yield _chance(names["t"].format(name=name), distance)
            yield _rate(names["one_value"].format(name=name), found.one_value)
    for name, rate in risk.targets.items():
        if rate is not None:
            yield _rate(names["target"].format(name=name), rate)


def _chance(name: str, value: float) -> Measure:
    return Measure(name=name, text=number(value), share=value)


def _rate(name: str, rate: Rate) -> Measure:
    """A share of records; one of a few is drawn where five would be."""
    few = 0 < rate.count < FEWEST
    return Measure(name=name, text=shared(rate), share=min(FEWEST / rate.of, 1.0) if few else rate.value)
