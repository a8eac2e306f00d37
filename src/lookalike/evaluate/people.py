"""Ask the estimators of a plan how many people look like each record, and how far the answer can be trusted."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.classes import Missing
from lookalike.engine import stage
from lookalike.errors import NotAssessable
from lookalike.estimate import Estimate
from lookalike.evaluate.request import Request
from lookalike.population import (
    ESTIMATORS,
    RATIOS,
    Backtest,
    Estimator,
    Finding,
    RecordRisk,
    Sample,
    backtest,
    profile,
)

CONSERVATIVE = "needs missing values read as a category or as wildcards: no law says that they match nothing"
WILDCARD = "missing values are read as a value of their own here, which overstates the risk if they match all"

OFF = 0.1
"""How far the people of a known margin may be from N before it is told."""


@dataclass(frozen=True, kw_only=True)
class Estimates:
    """What the estimators of a plan say; the first named is the one the verdict rests on."""

    chosen: str
    findings: Mapping[str, Finding]
    sensitivity: Mapping[float, float | None]
    """B by what N was multiplied by; None if not assessable, or if there would be fewer people than records."""
    backtests: tuple[Backtest, ...]
    records: RecordRisk | None

    @property
    def match_rate(self) -> Estimate:
        """B by the chosen estimator."""
        return self.findings[self.chosen].match_rate

    @property
    def risk(self) -> NDArray[np.float64] | None:
        """The risk of each class by the chosen estimator, where it has one."""
        return self.findings[self.chosen].risk


def ask(request: Request, *, threshold: float) -> Estimates:
    """Run the plan's estimators on the request's classes; there must be a size of the population."""
    plan, people = request.plan, request.population
    assert people is not None
    as_counted = replace(Sample.of(request.classes, weight=request.file.weight), margins=request.margins)
    sample, places = as_counted.in_order()
    chosen = plan.estimators[0]
    if request.classes.missing is Missing.CONSERVATIVE and request.classes.incomplete:
        none = {key: Finding.not_assessable(CONSERVATIVE, method=key) for key in plan.estimators}
        return Estimates(chosen=chosen, findings=none, sensitivity={}, backtests=(), records=None)
    findings = {}
    for key in plan.estimators:
        with stage(f"estimating by {key}"):
            findings[key] = _with_caveats(found(ESTIMATORS[key], sample, people, seed=plan.seed), request)
    rate, risk = findings[chosen].match_rate, findings[chosen].risk
    tested = plan.backtest and rate.value is not None
    return Estimates(
        chosen=chosen,
        findings={key: _at(places, finding) for key, finding in findings.items()},
        sensitivity=_sensitivity(ESTIMATORS[chosen], sample, people, findings[chosen], plan.seed),
        backtests=_backtests(ESTIMATORS[chosen], sample, plan.seed) if tested else (),
        records=None if risk is None else profile(sample, risk, request.classes.variables, threshold=threshold),
    )


def _at(places: NDArray[np.int64], finding: Finding) -> Finding:
    """The finding with its risk in the order of the request's classes."""
    if finding.risk is None:
        return finding
    risk = np.empty(len(places))
    risk[places] = finding.risk
    return replace(finding, risk=risk)


def _with_caveats(finding: Finding, request: Request) -> Finding:
    """What the request adds: how missing values were read, margins that the method does not use."""
    rate, caveats = finding.match_rate, []
    if request.classes.missing is Missing.WILDCARD and request.classes.incomplete:
        caveats.append(WILDCARD)
    if request.margins and rate.method != "posterior":
        caveats.append("does not use the known margins")
    elif request.population is not None:
        caveats += [
            f"margin {m.name} counts {m.total:,.0f} people, not the {request.population:,} told: scaled to them"
            for m in request.margins
            if abs(m.total / request.population - 1) > OFF
        ]
    return replace(finding, match_rate=replace(rate, caveats=(*rate.caveats, *caveats)))


def found(estimator: Estimator, sample: Sample, people: int, *, seed: int) -> Finding:
    """The finding with its seed and seconds; a reason instead of a number where it has none."""
    clock = perf_counter()
    try:
        finding = estimator.estimate(sample, people, rng=generator(seed, estimator.key))
    except NotAssessable as reason:
        finding = Finding.not_assessable(str(reason), method=estimator.key)
    rate = replace(finding.match_rate, seed=seed, seconds=round(perf_counter() - clock, 3))
    return replace(finding, match_rate=rate)


def generator(seed: int, *names: str | int) -> Generator:
    """A stream for a name, so that adding an estimator does not change what the others draw.

    >>> float(generator(1, "a").random()) == float(generator(1, "b").random())
    False
    """
    return np.random.default_rng([seed, name_seed("/".join(map(str, names)))])


def name_seed(key: str) -> int:
    """A number for a name, so that adding an estimator does not change what the others draw.

    >>> name_seed("entropy") == name_seed("entropy"), name_seed("entropy") == name_seed("chao")
    (True, False)
    """
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8])


def _sensitivity(
    estimator: Estimator, sample: Sample, people: int, finding: Finding, seed: int
) -> dict[float, float | None]:
    """B if the population were smaller or larger than told; from the finding itself where it answers for every N."""
    values: dict[float, float | None] = {1.0: finding.match_rate.value}
    for ratio in RATIOS:
        other = round(ratio * people)
        if finding.sensitivity is not None:
            values[ratio] = finding.sensitivity.get(ratio)
        else:
            fits = other >= sample.records
            values[ratio] = found(estimator, sample, other, seed=seed).match_rate.value if fits else None
    return dict(sorted(values.items()))


def _backtests(estimator: Estimator, sample: Sample, seed: int) -> tuple[Backtest, ...]:
    with stage("testing on the file itself"):
        return backtest(estimator, sample, rng=generator(seed, estimator.key, "backtest"))
