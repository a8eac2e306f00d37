"""What the estimators answer at one point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from lookalike.errors import NotAssessable
from lookalike.estimate import Estimate
from lookalike.evaluate.people import name_seed
from lookalike.evaluate.simulation.choices import Point
from lookalike.evaluate.simulation.people import Drawn, People
from lookalike.population import ESTIMATORS

NOT_FINITE = "gave no finite number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One estimate beside the truth: a line of the journal."""

    point: int
    variables: tuple[str, ...]
    fraction: float
    records: int
    classes: int
    truth: float
    estimator: str
    ratio: float
    """What the true N was multiplied by."""
    value: float | None
    low: float | None
    high: float | None
    seconds: float
    reason: str | None
    """Why there is no value."""


@dataclass(frozen=True, slots=True)
class Task:
    """A point with the pairs of estimator and ratio that are still to be computed."""

    point: Point
    pairs: tuple[tuple[str, float], ...]


def answers(task: Task, people: People, names: Sequence[str], seed: int) -> Iterator[Answer]:
    """One answer a pair, each seeded by the point and the estimator's name alone."""
    point = task.point
    drawn = people.draw(point.variables, point.records, np.random.default_rng([seed, point.index, 0]))
    for key, ratio in task.pairs:
        started = perf_counter()
        estimate = _estimate(key, drawn, round(ratio * len(people)), [seed, point.index, name_seed(key)])
        seconds = perf_counter() - started
        value, low, high = (_finite(v) for v in (estimate.value, estimate.low, estimate.high))
        yield Answer(
            point=point.index,
            variables=tuple(names[i] for i in point.variables),
            fraction=point.fraction,
            records=point.records,
            classes=len(drawn.sample),
            truth=drawn.truth,
            estimator=key,
            ratio=ratio,
            value=value,
            low=low,
            high=high,
            seconds=seconds,
            reason=_reason(estimate) if value is None else None,
        )


def _estimate(key: str, drawn: Drawn, population: int, seed: list[int]) -> Estimate:
    try:
        return ESTIMATORS[key].estimate(drawn.sample, population, rng=np.random.default_rng(seed)).match_rate
    except NotAssessable as reason:
        return Estimate.not_assessable(str(reason), method=key)


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _reason(estimate: Estimate) -> str:
    return NOT_FINITE if estimate.value is not None else "; ".join(estimate.caveats)
