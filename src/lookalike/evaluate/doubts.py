"""Reasons to think that B is higher than its estimate, each with the value that B would then have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lookalike.estimate import Estimate
from lookalike.evaluate.people import Estimates

NARROWER = 0.5
"""Of N, the people who are taken to count where the file seems to be of some people only."""
FEWER = 0.9
"""Of N, the people that the weights sum to, below which it is doubted."""

INTERVAL, BACKTEST, REPEATS = "interval", "backtest", "repeats"
ELIGIBLE, NOT_ELIGIBLE, WEIGHTS, MARGINS = "eligible", "not eligible", "weights", "margins"
CLUSTERS, EVEN = "clusters", "even counts"
COARSENED_AWAY = (INTERVAL, BACKTEST)
"""Doubts that coarser values end; all others are questions to whoever knows how the file came about."""


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


def doubts(rate: Estimate, found: Estimates | None, *, interval: bool = True) -> Iterator[Doubt]:
    """All doubts about an estimate of B. `interval`: nobody set a limit on the upper end by itself."""
    if rate.value is None:
        return
    if interval and rate.high is not None:
        yield Doubt(name=INTERVAL, value=rate.high)
    if found is None or rate.method != found.chosen:
        return
    missed = [test.truth / test.estimate.value for test in found.backtests if test.missed_low and test.estimate.value]
    if missed:
        yield Doubt(name=BACKTEST, value=min(rate.value * max(missed), found.most))
    uncorrected = found.findings[found.chosen].uncorrected
    if uncorrected is not None:
        yield Doubt(name=REPEATS, value=max(uncorrected, found.if_repeated or 0.0))
    if found.narrowed and found.counts_all:
        yield Doubt(name=NOT_ELIGIBLE, value=found.most, about=found.narrowed)
    elif found.narrowed:
        yield Doubt(name=ELIGIBLE, value=min(found.at(NARROWER), found.most), about=found.narrowed)
    if found.weighted is not None and found.weighted < FEWER:
        yield Doubt(name=WEIGHTS, value=min(found.at(found.weighted), found.most))
    if found.if_grouped is not None:
        yield Doubt(name=CLUSTERS, value=found.if_grouped, about=found.grouped)
    if found.even:
        yield Doubt(name=EVEN, value=found.most, about=found.even)
    if found.without_margins is not None:
        yield Doubt(name=MARGINS, value=found.without_margins, about=found.contradicted)
