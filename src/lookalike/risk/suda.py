"""SUDA2: the smallest sets of variables on which a record is alone in the file.

A minimal sample unique (MSU) of a record is a set of variables on which no other record equals it,
while on every smaller set inside it some other record does. A record with many and small MSUs is easy
to single out: little knowledge is enough.

The sets are walked level by level over the class table. A record that is alone on a set is alone on
every larger one, so it drops out of those; so does it as a twin of others, because a twin on a set is
a twin on each part of it. Each level has fewer rows left to look at.

Missing (-1) is a category of its own. Sets have at least one variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import BadPlan, NotAssessable

BUDGET = 2_000_000_000
"""Sets of variables times classes that are tried at most; at some 20 ns each that is 40 seconds."""

_LARGEST = np.iinfo(np.int64).max
_MOST_VARIABLES = 27


@dataclass(frozen=True, slots=True, kw_only=True)
class Suda:
    """Scores per class (those of its one record; 0 where there are more), and what makes them.

    `contributions` is in percent of the file's total score, and sums to more than 100: a set counts for
    each of its variables. `uniques_by_size` is the number of minimal sample uniques of each size.

    >>> found = suda(np.array([[0, 0], [1, 0], [2, 0]]), np.array([1, 1, 2]), ["x", "y"])
    >>> found.mean_score, found.contributions, found.uniques_by_size
    (0.5, {'x': 100.0, 'y': 0.0}, {1: 2, 2: 0})
    >>> round(found.mean_dis, 4) >= 0
    True
    """

    scores: NDArray[np.float64]
    dis: NDArray[np.float64]
    contributions: dict[str, float]
    uniques_by_size: dict[int, int]
    records: int

    @property
    def mean_score(self) -> float:
        """Mean score over all records, unique or not."""
        return float(self.scores.sum()) / self.records

    @property
    def mean_dis(self) -> float:
        """Mean DIS score over all records, unique or not."""
        return float(self.dis.sum()) / self.records


def suda(
    codes: NDArray[np.int64],
    sizes: NDArray[np.int64],
    variables: Sequence[str],
    *,
    max_size: int | None = None,
    fraction: float = 0.01,
    budget: int = BUDGET,
) -> Suda:
    """SUDA and DIS-SUDA scores of each class, and the share of each variable in them.

    The score of a record is the sum over its MSUs, of size m, of prod_{i=m}^{M} (q - i), with q
    variables and M = min(max_size, q - 1); with all sizes that is (q - m)!. The contribution of a
    variable is the score of the MSUs that hold it, over the score of all. For DIS see `dis_scores`;
    `fraction` is the sampling fraction.

    Sources: Elliot, Manning and Ford (2002), "A computational algorithm for handling the special
    uniques problem"; Manning, Haglin and Keane (2008), "A recursive search algorithm for statistical
    disclosure assessment". The values are those of sdcMicro's original scores.

    Two records are alone on x, which is (2 - 1)! = 1 each; the twins are alone on nothing.

    >>> codes = np.array([[0, 0], [1, 0], [2, 0]])
    >>> result = suda(codes, np.array([1, 1, 2]), ["x", "y"])
    >>> result.scores.tolist(), result.contributions, result.uniques_by_size
    ([1.0, 1.0, 0.0], {'x': 100.0, 'y': 0.0}, {1: 2, 2: 0})
    """
    largest = _door(codes, max_size, fraction, budget)
    q = codes.shape[1]
    scores, parts = np.zeros(len(sizes)), np.zeros(q)
    found = dict.fromkeys(range(1, largest + 1), 0)
    for subset, alone in minimal_sample_uniques(codes, sizes, max_size=largest):
        score = _weight(len(subset), q, largest)
        scores[alone] += score
        parts[list(subset)] += score * alone.size
        found[len(subset)] += alone.size
    shares = 100 * parts / max(float(scores.sum()), 1.0)
    return Suda(
        scores=scores,
        dis=dis_scores(scores, sizes, q, fraction=fraction),
        contributions=dict(zip(variables, shares.tolist(), strict=True)),
        uniques_by_size=found,
        records=int(sizes.sum()),
    )


def minimal_sample_uniques(
    codes: NDArray[np.int64], sizes: NDArray[np.int64], *, max_size: int
) -> Iterator[tuple[tuple[int, ...], NDArray[np.int64]]]:
    """Every set of variables (their positions) up to a size, with the classes it is an MSU of.

    >>> codes = np.array([[0, 0], [0, 1], [1, 0]])
    >>> for subset, alone in minimal_sample_uniques(codes, np.ones(3, int), max_size=2):
    ...     print(subset, alone)
    (0,) [2]
    (1,) [1]
    (0, 1) [0]
    """
    columns = [_ranks(column) for column in codes.T]
    below: dict[tuple[int, ...], NDArray[np.uint8]]
    below = {(): np.packbits(np.zeros(len(sizes), dtype=np.bool_))}
    for size in range(1, max_size + 1):
        level = {}
        for subset in combinations(range(len(columns)), size):
            known = reduce(np.bitwise_or, (below[part] for part in combinations(subset, size - 1)))
            rows = np.flatnonzero(np.unpackbits(known, count=len(sizes)) == 0)
            single = _alone([columns[v][rows] for v in subset], [_span(columns[v]) for v in subset])
            alone = rows[single & (sizes[rows] == 1)]
            level[subset] = _with(known, alone, len(sizes))
            yield subset, alone
        below = level


def dis_scores(
    scores: NDArray[np.float64], sizes: NDArray[np.int64], q: int, *, fraction: float
) -> NDArray[np.float64]:
    """DIS-SUDA: the probability that a match on a unique record is right, spread by SUDA score.

    theta = pi c1 / (pi c1 + 2 (1 - pi) c2) for the file, where c1 and c2 count the classes of one and
    of two records: sdcMicro too counts the records in pairs, 2 c2, and not the pairs. A record of
    score s has odds theta / (1 - theta) * s^Q * mean(s^-Q), with Q = 1 + (8 - q) / 20 and the mean over
    records of score above 0. Score 0 has DIS 0. Without pairs theta is 1, and so is every DIS above 0.

    Sources: Skinner and Elliot (2002), "A measure of disclosure risk for microdata", for theta;
    Elliot (2000), "DIS: a new approach to the measurement of statistical disclosure risk"; Q as in
    sdcMicro.

    One record of score 1 with one pair beside it, pi = 1/2: theta = 0.5 / (0.5 + 2 * 0.5 * 1) = 1/3.

    >>> dis_scores(np.array([1.0, 0.0]), np.array([1, 2]), 8, fraction=0.5).round(4).tolist()
    [0.3333, 0.0]
    """
    dis, above = np.zeros_like(scores), scores > 0
    if above.any():
        matches = fraction * np.count_nonzero(sizes == 1)
        pairs = 2 * (1 - fraction) * np.count_nonzero(sizes == 2)
        power = scores[above] ** (1 + (8 - q) / 20)
        # Sorted, for engines give classes in any order, and a sum depends on it in the last digit.
        spread = matches * power * np.sort(1 / power).mean()
        dis[above] = spread / (spread + pairs)
    return dis


def _weight(size: int, q: int, largest: int) -> float:
    """What one MSU of this size adds to its record's score."""
    return float(prod(q - i for i in range(size, min(largest, q - 1) + 1)))


def _door(codes: NDArray[np.int64], max_size: int | None, fraction: float, budget: int) -> int:
    """The largest size of a set, after all that can be wrong has been asked."""
    k, q = codes.shape
    if max_size is not None and max_size < 1:
        raise BadPlan(f"SUDA: max_size must be at least 1, got {max_size}.")
    if not 0 < fraction <= 1:
        raise BadPlan(f"SUDA: the sampling fraction must be above 0 and at most 1, got {fraction}.")
    if k == 0 or not 0 < q <= _MOST_VARIABLES:
        raise NotAssessable(
            f"SUDA needs records and 1 to {_MOST_VARIABLES} quasi-identifiers (beyond, the exponent "
            f"of DIS is not positive); got {k:,} classes on {q}. Name fewer quasi-identifiers."
        )
    largest = int(q if max_size is None else min(max_size, q))
    check_affordable(k, q, largest, budget=budget)
    return largest


def check_affordable(k: int, q: int, max_size: int, *, budget: int = BUDGET) -> None:
    """Refuse a search on k classes and q variables that would take too long, with the size that would not.

    >>> check_affordable(1_000, 9, 9)
    """
    largest = min(max_size, q)
    costs = [k * sum(comb(q, size) for size in range(1, most + 1)) for most in range(1, largest + 1)]
    if costs[-1] > budget:
        fits = sum(cost <= budget for cost in costs)
        advice = (
            f"Let sets have at most {fits} variables (plan: [suda] size)" if fits else "Name fewer quasi-identifiers"
        )
        raise NotAssessable(
            f"SUDA on {q} quasi-identifiers with sets up to {largest} would try {costs[-1] // k:,} sets "
            f"on {k:,} classes, more than the budget of {budget:,} in all. {advice}, or raise the budget."
        )


def _ranks(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same values as 0, 1, 2, ... without gaps, so that packed keys stay small."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64, copy=False)


def _span(ranks: NDArray[np.int64]) -> int:
    return int(ranks.max(initial=0)) + 1


def _alone(columns: Sequence[NDArray[np.int64]], spans: Sequence[int]) -> NDArray[np.bool_]:
    """Which rows equal no other row on these columns.

    The columns are packed into one integer, which is exact; where it would not fit, the part packed so
    far is ranked anew and is then below the number of rows.
    """
    key, span = columns[0], spans[0]
    for column, radix in zip(columns[1:], spans[1:], strict=True):
        if span > _LARGEST // radix:
            key = _ranks(key)
            span = _span(key)
        key, span = key * radix + column, span * radix
    return _once(key, span)


def _once(key: NDArray[np.int64], span: int) -> NDArray[np.bool_]:
    """Which entries occur once: by counting where the span is small, else by sorting."""
    if span <= 8 * key.size + 1024:
        counted: NDArray[np.bool_] = np.bincount(key)[key] == 1
        return counted
    order = np.argsort(key)
    differs = np.ones(key.size + 1, dtype=np.bool_)
    np.not_equal(key[order[1:]], key[order[:-1]], out=differs[1:-1])
    once = np.empty(key.size, dtype=np.bool_)
    once[order] = differs[1:] & differs[:-1]
    return once


def _with(bits: NDArray[np.uint8], rows: NDArray[np.int64], count: int) -> NDArray[np.uint8]:
    """These packed flags, with those of the rows set."""
    if rows.size == 0:
        return bits
    flags = np.zeros(count, dtype=np.bool_)
    flags[rows] = True
    return bits | np.packbits(flags)
