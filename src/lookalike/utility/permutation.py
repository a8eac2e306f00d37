"""The permutation test: the distribution of a statistic if the labels "original" and "release" meant nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan, NotAssessable
from lookalike.utility.table_nulls import Null

Floats = NDArray[np.float64]
Statistic = Callable[[Floats, Floats], float]

DRAWS = 999

CAVEAT = (
    "Labels may be exchanged only if the release is independent of the original. A release drawn from it lies nearer, "
    "so the test is too mild."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Permuted:
    """A statistic beside its values under permuted labels."""

    value: float
    draws: Floats
    null: Null

    @property
    def p_value(self) -> float | None:
        """(1 + draws at least as large)/(1 + draws); None unless the files are independent samples."""
        if self.null is not Null.INDEPENDENT:
            return None
        close = 1e-9 * max(abs(self.value), 1e-300)
        return float((1 + (self.draws >= self.value - close).sum()) / (1 + len(self.draws)))

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the figure does not mean."""
        return () if self.null is Null.INDEPENDENT else (CAVEAT,)


def kolmogorov_smirnov(original: Floats, release: Floats) -> float:
    """The largest gap between two distribution functions.

    >>> kolmogorov_smirnov(np.array([1.0, 2, 3, 4]), np.array([2.0, 2, 3, 9]))
    0.25
    """
    both = np.concatenate([original, release])
    order = np.argsort(both, kind="stable")
    return float(_gaps(both[order], (order < len(original))[None, :])[0])


def permutation_test(
    original: Floats,
    release: Floats,
    *,
    rng: Generator,
    null: Null = Null.INDEPENDENT,
    statistic: Statistic = kolmogorov_smirnov,
    draws: int = DRAWS,
) -> Permuted:
    """Compare two columns by a statistic, with its distribution under permuted labels (Qu 2024, section 4.4.6).

    The draws are always given, the p-value only for independent samples: for a release drawn from the original use
    `bootstrap_null` of a table, or the propensity score with its factor 1 − c.

    >>> rng = np.random.default_rng(1)
    >>> found = permutation_test(rng.normal(size=200), rng.normal(1, 1, size=200), rng=rng, draws=199)
    >>> found.p_value
    0.005
    """
    if draws < 1:
        raise BadPlan("At least 1 permutation must be drawn.")
    one, other = original[~np.isnan(original)], release[~np.isnan(release)]
    if not len(one) or not len(other):
        raise NotAssessable("A column without any value cannot be compared.")
    value = statistic(one, other)
    both = np.sort(np.concatenate([one, other]))
    if statistic is kolmogorov_smirnov:
        found = np.concatenate([_gaps(both, labels) for labels in _labels(len(both), len(one), draws, rng)])
    else:
        found = np.array(
            [statistic(both[row], both[~row]) for rows in _labels(len(both), len(one), draws, rng) for row in rows]
        )
    return Permuted(value=value, draws=found, null=null)


def _labels(records: int, first: int, draws: int, rng: Generator) -> list[NDArray[np.bool_]]:
    """Rows of labels, True for the original, some rows at a time."""
    step = max(1, 2_000_000 // records)
    plain = np.arange(records) < first
    sizes = [min(step, draws - at) for at in range(0, draws, step)]
    return [rng.permuted(np.tile(plain, (size, 1)), axis=1) for size in sizes]


def _gaps(ordered: Floats, labels: NDArray[np.bool_]) -> Floats:
    """The largest gap for each row of labels of sorted values; within equal values no gap counts."""
    ones = labels.sum(axis=1, keepdims=True)
    last = np.append(ordered[1:] != ordered[:-1], True)
    seen = np.cumsum(labels, axis=1)[:, last]
    before = np.flatnonzero(last) + 1
    return np.asarray(np.abs(seen / ones - (before - seen) / (labels.shape[1] - ones)).max(axis=1))
