"""The chance of a right match: prosecutor, journalist, marketer, A and B."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.classes import EquivalenceClasses, Missing, least_match_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRisk:
    """The chance of a right match over the records: the worst, the mean, the share above a threshold.

    >>> MatchRisk(maximum=1.0, mean=0.5, share_above_threshold=0.9, threshold=0.09).mean
    0.5
    """

    maximum: float
    mean: float
    share_above_threshold: float
    threshold: float


def prosecutor(classes: EquivalenceClasses, *, threshold: float = 0.09) -> MatchRisk:
    """The attacker knows the person is in the file: 1/f for each record (El Emam).

    >>> import lookalike as la, polars as pl
    >>> table = la.read(pl.DataFrame({"sex": ["F", "F", "F", "M"]}))
    >>> risk = prosecutor(la.EquivalenceClasses.of(table, ["sex"]), threshold=0.5)
    >>> risk.maximum, risk.mean, risk.share_above_threshold
    (1.0, 0.5, 0.25)
    """
    return over_records(1 / classes.lookalikes, classes.sizes, threshold=threshold)


def journalist(
    classes: EquivalenceClasses, population_sizes: NDArray[np.int64], *, threshold: float = 0.09
) -> MatchRisk:
    """The attacker knows the person is in the population: 1/F for each record (El Emam).

    `population_sizes` is `classes.sizes_in(population)`. The mean over records is the marketer's risk, B.

    >>> import lookalike as la, polars as pl
    >>> sample = la.EquivalenceClasses.of(la.read(pl.DataFrame({"age": [30, 31]})), ["age"])
    >>> people = la.EquivalenceClasses.of(la.read(pl.DataFrame({"age": [30, 31, 31, 31]})), ["age"])
    >>> journalist(sample, sample.sizes_in(people)).mean == (1 / 1 + 1 / 3) / 2
    True
    """
    lookalikes = at_least_sample(classes, population_sizes)
    return over_records(1 / lookalikes, classes.sizes, threshold=threshold)


def population_to_sample(classes: EquivalenceClasses, population: int) -> float:
    """A = (1/N) Σ 1/f over the records = K/N: a random person of the population is matched to the right record.

    Source: Jiang et al. (2022) equation 1.

    >>> import lookalike as la, polars as pl
    >>> classes = la.EquivalenceClasses.of(la.read(pl.DataFrame({"sex": ["F", "F", "M"]})), ["sex"])
    >>> population_to_sample(classes, 10)
    0.2
    """
    return float((classes.sizes / classes.lookalikes).sum() / population)


def sample_to_population(classes: EquivalenceClasses, population_sizes: NDArray[np.int64]) -> float:
    """B = (1/n) Σ 1/F over the records: a random record is matched to the right person of the population.

    Source: Jiang et al. (2022) equation 2. Exact, because F is counted in a population file.

    >>> import lookalike as la, polars as pl
    >>> sample = la.EquivalenceClasses.of(la.read(pl.DataFrame({"age": [30, 31]})), ["age"])
    >>> people = la.EquivalenceClasses.of(la.read(pl.DataFrame({"age": [30, 31, 31, 31]})), ["age"])
    >>> sample_to_population(sample, sample.sizes_in(people)) == (1 + 1 / 3) / 2
    True
    """
    return journalist(classes, population_sizes).mean


def bounds_of_sample_to_population(classes: EquivalenceClasses, population: int) -> tuple[float, float]:
    """What holds for B whatever population of N people the file came from.

    Above: a record has at least its lookalikes in the file, 1/F ≤ 1/f, so B ≤ K/n, the prosecutor's mean.
    Below: `least_match_rate`. That is at most A = K/N, which bounds the expected B, not every B.

    >>> import lookalike as la, polars as pl
    >>> classes = la.EquivalenceClasses.of(la.read(pl.DataFrame({"sex": ["F", "F", "M"]})), ["sex"])
    >>> low, high = bounds_of_sample_to_population(classes, 4)
    >>> round(low, 3), round(high, 3)
    (0.486, 0.667)
    """
    high = prosecutor(classes).mean
    if classes.missing is Missing.WILDCARD:
        return 1 / population, high  # people may match several classes, so Σ F_c is not N
    return least_match_rate(classes.sizes, population), high


def at_least_sample(classes: EquivalenceClasses, population_sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """F, but never below f: a file that is no part of its population must not look safer for it.

    >>> import lookalike as la, polars as pl
    >>> classes = la.EquivalenceClasses.of(la.read(pl.DataFrame({"sex": ["F", "F", "M"]})), ["sex"])
    >>> at_least_sample(classes, np.array([1, 5])).tolist()
    [2, 5]
    """
    return np.maximum(population_sizes, classes.lookalikes)


def over_records(
    risk: NDArray[np.float64], sizes: NDArray[np.int64] | None = None, *, threshold: float = 0.09
) -> MatchRisk:
    """The summary of a risk per record, or per class with its sizes.

    >>> over_records(np.array([0.5, 0.1]), threshold=0.2).share_above_threshold
    0.5
    """
    if sizes is None:
        sizes = np.ones(len(risk), np.int64)
    records = sizes.sum()
    return MatchRisk(
        maximum=float(risk.max()),
        mean=float((risk * sizes).sum() / records),
        share_above_threshold=float(sizes[risk > threshold].sum() / records),
        threshold=threshold,
    )
