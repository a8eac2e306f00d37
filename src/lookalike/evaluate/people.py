"""Ask the estimators of a plan how many people look like each record, and how far the answer can be trusted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.classes import Missing
from lookalike.engine import stage
from lookalike.errors import NotAssessable
from lookalike.estimate import Estimate
from lookalike.evaluate.design import clusters_of, evenly_sampled, grouped_records, narrowed, suspected
from lookalike.evaluate.request import Request
from lookalike.population import (
    ESTIMATORS,
    RATIOS,
    Backtest,
    Estimator,
    Finding,
    Margin,
    RecordRisk,
    Sample,
    backtest,
    profile,
)
from lookalike.population.limits import limits

CONSERVATIVE = "needs missing values read as a category or as wildcards: no law says that they match nothing"
WILDCARD = "missing values are read as a value of their own here, which overstates the risk if they match all"
IN_CLUSTERS = "records were sampled in clusters of {size:.1f}: each draw rests on one record of each"
NO_CLUSTERS = "takes no account of clusters ({size:.1f} records each): B is likely to be higher"

REPEATED_BELOW = 0.9
"""Of the model's own B, what the corrected one is below where records seem to repeat each other."""
OFF = 0.1
"""How far the people of a known margin, or the sum of the weights, may be from N before it is told."""
CLOSE = 1e-9
"""A difference that is rounding."""
USE_MARGINS = ("posterior",)
"""The estimators that keep to known margins."""
USE_CLUSTERS = ("posterior",)
"""The estimators that allow for clusters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMargin:
    """A table of people that was given: its file, the variables it counts by, and how many people it counts."""

    name: str
    variables: tuple[str, ...]
    people: int


@dataclass(frozen=True, kw_only=True, repr=False)
class Estimates:
    """What the estimators of a plan say; the first named is the one the verdict rests on."""

    chosen: str
    findings: Mapping[str, Finding]
    sensitivity: Mapping[float, float | None]
    """B by what N was multiplied by; None if not assessable, or if there would be fewer people than records."""
    backtests: tuple[Backtest, ...]
    records: RecordRisk | None
    margins: tuple[KnownMargin, ...] = ()
    narrowed: tuple[str, ...] = ()
    """Quasi-identifiers by which the file seems to be of some people only, unless the plan says that N counts these."""
    counts_all: bool = False
    """Whether the plan says that N counts people who could not be in the file."""
    most: float = 1.0
    """What B cannot exceed, whatever the population looks like."""
    weighted: float | None = None
    """The sum of the weights as a share of N."""
    grouped: tuple[str, ...] = ()
    """Columns by which records seem to have been sampled in groups that nobody named."""
    if_grouped: float | None = None
    """The upper end of B's interval if they were."""
    even: tuple[str, ...] = ()
    """Quasi-identifiers of which each value occurs too equally often for a random sample."""
    if_repeated: float | None = None
    """B with one record of each class, where records repeat each other far more than the model foresees."""
    contradicted: tuple[str, ...] = ()
    """Known margins that say that the file is no random sample."""
    without_margins: float | None = None
    """B without the known margins, where these contradict the file."""

    def __repr__(self) -> str:
        found = {key: finding.match_rate.value for key, finding in self.findings.items()}
        values = ", ".join(f"{key}: {'not assessable' if v is None else f'{v:.4g}'}" for key, v in found.items())
        return f"Estimates(chosen={self.chosen!r}, B by {values}; backtests: {len(self.backtests)})"

    @property
    def margins_used(self) -> tuple[str, ...]:
        """The estimators asked that keep to the known margins."""
        return tuple(key for key in self.findings if self.margins and key in USE_MARGINS)

    @property
    def match_rate(self) -> Estimate:
        """B by the chosen estimator."""
        return self.findings[self.chosen].match_rate

    def at(self, ratio: float) -> float:
        """B if N were so many times what was told: read between the values of `sensitivity`, and beyond as a power."""
        value = self.match_rate.value
        told = {r: b for r, b in self.sensitivity.items() if b}
        if value is None or len(told) < 2:
            return 1.0
        place, logs = np.log(sorted(told)), np.log([told[r] for r in sorted(told)])
        if np.log(ratio) >= place[0]:
            return float(np.exp(np.interp(np.log(ratio), place, logs)))
        slope = (logs[1] - logs[0]) / (place[1] - place[0])
        return float(min(np.exp(logs[0] + slope * (np.log(ratio) - place[0])), 1.0))

    @property
    def risk(self) -> NDArray[np.float64] | None:
        """The risk of each class by the chosen estimator, where it has one."""
        return self.findings[self.chosen].risk


def ask(request: Request, *, threshold: float) -> Estimates:
    """Run the plan's estimators on the request's classes; there must be a size of the population."""
    plan, people = request.plan, request.population
    assert people is not None
    as_counted = replace(
        Sample.of(request.classes, weight=request.file.weight), margins=request.margins, clusters=clusters_of(request)
    )
    sample, places = as_counted.in_order()
    chosen = plan.estimators[0]
    if request.classes.missing is Missing.CONSERVATIVE and request.classes.incomplete:
        none = {key: Finding.not_assessable(CONSERVATIVE, method=key) for key in plan.estimators}
        return Estimates(chosen=chosen, findings=none, sensitivity={}, backtests=(), records=None)
    findings = {}
    for key in plan.estimators:
        with stage(f"estimating by {key}"):
            findings[key] = _with_caveats(found(ESTIMATORS[key], sample, people, seed=plan.seed), request, sample)
    rate, risk = findings[chosen].match_rate, findings[chosen].risk
    tested = plan.backtest and rate.value is not None
    names = request.classes.variables
    contradicted = _contradicted(sample) if chosen in USE_MARGINS else ()
    without = replace(sample, margins=tuple(m for m in sample.margins if m not in contradicted))
    grouped = suspected(request) if chosen in USE_CLUSTERS and as_counted.clusters is None else None
    groups = None if grouped is None else grouped_records(grouped.of_record, request.classes)
    in_groups = None if groups is None else replace(as_counted, clusters=groups).in_order()[0]

    uncorrected = findings[chosen].uncorrected
    repeated = uncorrected is not None and rate.value is not None and rate.value < REPEATED_BELOW * uncorrected
    once = Sample.from_codes(sample.table.codes, np.ones_like(sample.sizes), domains=sample.domains)
    most = limits(sample, people)[1]

    def instead(other: Sample) -> Estimate:
        return found(ESTIMATORS[chosen], other, people, seed=plan.seed).match_rate

    return Estimates(
        chosen=chosen,
        findings={key: _at(places, finding) for key, finding in findings.items()},
        sensitivity=_sensitivity(ESTIMATORS[chosen], sample, people, findings[chosen], plan.seed),
        backtests=_backtests(ESTIMATORS[chosen], sample, plan.seed) if tested else (),
        records=None if risk is None else profile(sample, risk, request.classes.variables, threshold=threshold),
        margins=tuple(_named(margin, names) for margin in request.margins),
        narrowed=narrowed(request, sample),
        counts_all=plan.population_counts == "all",
        most=most,
        weighted=None if sample.weights is None else float(sample.weights.sum()) / people,
        contradicted=tuple(margin.name for margin in contradicted),
        without_margins=instead(without).value if contradicted else None,
        even=evenly_sampled(request, sample),
        if_repeated=instead(once).value if repeated else None,
        grouped=() if grouped is None or groups is None else (grouped.by,),
        if_grouped=(instead(in_groups).high or most) if in_groups is not None else None,
    )


def _contradicted(sample: Sample) -> tuple[Margin, ...]:
    """The known margins of which the file is hardly a random sample."""
    shares = sample.population_shares.counts
    worth = float(shares.sum()) if sample.clusters is None else float(len(np.unique(sample.clusters.cluster)))
    return tuple(margin for margin in sample.margins if margin.contradicts(shares / shares.sum(), worth))


def _named(margin: Margin, names: Sequence[str]) -> KnownMargin:
    return KnownMargin(
        name=margin.name, variables=tuple(names[j] for j in margin.variables), people=round(margin.total)
    )


def _at(places: NDArray[np.int64], finding: Finding) -> Finding:
    """The finding with its risk in the order of the request's classes."""
    if finding.risk is None:
        return finding
    risk = np.empty(len(places))
    risk[places] = finding.risk
    return replace(finding, risk=risk)


def _with_caveats(finding: Finding, request: Request, sample: Sample) -> Finding:
    """What the request adds: how missing values were read, what does not fit N, an answer that cannot be."""
    rate, caveats = finding.match_rate, list[str]()
    assert request.population is not None
    if request.classes.missing is Missing.WILDCARD and request.classes.incomplete:
        caveats.append(WILDCARD)
    if request.margins and rate.method not in USE_MARGINS:
        caveats.append("does not use the known margins")
    else:
        caveats += [
            f"margin {m.name} counts {m.total:,.0f} people, not the {request.population:,} told: scaled to them"
            for m in request.margins
            if abs(m.total / request.population - 1) > OFF
        ]
    if sample.clusters is not None:
        size = sample.clusters.mean_size
        caveats.append(IN_CLUSTERS.format(size=size) if rate.method in USE_CLUSTERS else NO_CLUSTERS.format(size=size))
    caveats += [*_weights(sample, request.population), *_impossible(rate, sample, request.population)]
    return replace(finding, match_rate=replace(rate, caveats=(*rate.caveats, *caveats)))


def _weights(sample: Sample, people: int) -> Iterator[str]:
    """Weights that tell of another number of people than N."""
    total = None if sample.weights is None else float(sample.weights.sum())
    if total is not None and abs(total / people - 1) > OFF:
        yield f"the weights sum to {total:,.0f} people, not the {people:,} told: scaled to them"


def _impossible(rate: Estimate, sample: Sample, people: int) -> Iterator[str]:
    """An answer that no population can have; the method is left as its paper has it."""
    least, most = limits(sample, people)
    if rate.value is not None and rate.value > most * (1 + CLOSE):
        yield f"above what is possible here ({most:.4g}): everyone has at least the lookalikes of the file"
    if rate.value is not None and rate.value < least * (1 - CLOSE):
        yield f"below what is possible here ({least:.4g}): the population is not that large"


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
