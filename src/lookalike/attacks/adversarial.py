"""Nearest neighbour adversarial accuracy: whether a release lies between the records it was made from."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.distance_space import some
from lookalike.attacks.gower import TIE, Points, nearest
from lookalike.estimate import Estimate

Floats = NDArray[np.float64]


def privacy_loss(original: Points, control: Points, release: Points, *, rng: Generator, most: int) -> Estimate:
    """The adversarial accuracy against the control minus that against the original: 0 if nothing was copied, ½ at most.

    AA = ½ [P(d(t, S) > d(t, T)) + P(d(s, T) > d(s, S))], equal distances count half, no record is its own neighbour,
    all files equally large. Source: Yale et al. (2020). Rows with the same record nearest vary together.

    >>> rng = np.random.default_rng(1)
    >>> original, control = rng.random((200, 2)).astype(np.float32), rng.random((200, 2)).astype(np.float32)
    >>> round(privacy_loss(original, control, original, rng=rng, most=200).value, 1)
    0.5
    """
    n = min(len(original), len(control), len(release), most)
    if n < 2:
        return Estimate.not_assessable("A record alone has no neighbour in its own file.", method=_METHOD)
    own, other, rows = (points[some(len(points), n, rng)] for points in (original, control, release))
    inside = nearest(rows, rows, itself=True).first
    mine, theirs = (_above(nearest(p, rows).first, nearest(p, p, itself=True).first) for p in (own, other))
    near, far = nearest(rows, own), nearest(rows, other)
    close, away = _above(near.first, inside), _above(far.first, inside)
    value = (theirs.mean() - mine.mean() + away.mean() - close.mean()) / 2
    spread = (theirs.var() + mine.var()) / n + _variance(close, near.which) + _variance(away, far.which)
    error = 1.96 * sqrt(float(spread)) / 2
    return Estimate(value=float(value), low=float(value) - error, high=float(value) + error, method=_METHOD)


_METHOD = "nearest neighbour adversarial accuracy"


def _variance(hits: Floats, cluster: NDArray[np.int64]) -> float:
    """Of the mean, if the rows of a cluster vary together."""
    return float((np.bincount(cluster, weights=hits - hits.mean()) ** 2).sum()) / len(hits) ** 2


def _above(some: Floats, others: Floats) -> Floats:
    return np.where(np.abs(some - others) <= TIE, 0.5, some > others)
