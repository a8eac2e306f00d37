"""Reasons to think that B is higher than its estimate, each with the value that B would then have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lookalike.evaluate.people import Estimates

NARROWER = 0.5
"""Of N, the people who are taken to count where the file seems to be of some people only."""
FEWER = 0.9
"""Of N, the people that the weights sum to, below which it is doubted."""

INTERVAL, BACKTEST, REPEATS = "interval", "backtest", "repeats"
ELIGIBLE, NOT_ELIGIBLE, WEIGHTS, MARGINS = "eligible", "not eligible", "weights", "margins"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """One reason, and B if it is justified.

    >>> Doubt(name="interval", value=0.12).about
    ()
    """

    name: str
    """One of the names above; docs/concepts/verdict.md says what each means."""
    value: float
    about: tuple[str, ...] = ()
    """The quasi-identifiers or files that it is about."""


def doubts(found: Estimates, *, interval: bool = True) -> Iterator[Doubt]:
    """All doubts about the estimate that decides. `interval`: nobody set a limit on the upper end by itself."""
    rate, finding = found.match_rate, found.findings[found.chosen]
    if rate.value is None:
        return
    if interval and rate.high is not None:
        yield Doubt(name=INTERVAL, value=rate.high)
    missed = [test for test in found.backtests if test.missed_low]
    if missed:
        worst = max(test.truth / test.estimate.value for test in missed if test.estimate.value)
        yield Doubt(name=BACKTEST, value=rate.value * worst)
    if finding.uncorrected is not None:
        yield Doubt(name=REPEATS, value=finding.uncorrected)
    if found.narrowed and found.counts_all:
        yield Doubt(name=NOT_ELIGIBLE, value=found.most, about=found.narrowed)
    elif found.narrowed:
        yield Doubt(name=ELIGIBLE, value=found.at(NARROWER), about=found.narrowed)
    if found.weighted is not None and found.weighted < FEWER:
        yield Doubt(name=WEIGHTS, value=found.at(found.weighted))
    if found.without_margins is not None:
        yield Doubt(name=MARGINS, value=found.without_margins, about=found.contradicted)
