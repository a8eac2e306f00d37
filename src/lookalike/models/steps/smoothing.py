"""Smoothing of drawn numbers, so that values of the file are not copied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import Numbers
from lookalike.models.steps.bandwidth import sheather_jones
from lookalike.models.steps.decimals import decimals_of, rounded

Floats = NDArray[np.float64]

SPIKE = 0.7
"""A value that more than this share of the numbers holds is left alone."""

TOP = 10
"""A largest value held by so many times more numbers than the one below is a top code, and left alone."""

KNOTS = 1_000
WINDOW = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Smoothing:
    """Drawn numbers moved a little.

    - "density": y + N(0, h²), h the bandwidth of Sheather and Jones; kept inside [min, max + h] of the file, or
      [min, max] where the maximum is a top code.
    - "spline": a smoothing spline of the sorted values on their rank (its penalty by cross-validation).
    - "rmean": the mean of five neighbours in the sorted values.

    A value with more than 70 % of the numbers and a top-coded maximum stay as they are; so do unknown cells. The result
    has the decimals of the file.

    >>> drawn = Numbers(np.array([3.5, 1.0, 2.25, np.nan, 9.0, 4.0]))
    >>> Smoothing(how="rmean").smooth(drawn, drawn, rng=np.random.default_rng(1)).values.tolist()
    [3.95, 2.25, 2.69, nan, 5.5, 4.69]
    """

    how: Literal["density", "spline", "rmean"] = "density"

    def __post_init__(self) -> None:
        if self.how not in ("density", "spline", "rmean"):
            raise BadPlan(f"Smoothing: 'how' is 'density', 'spline' or 'rmean', not '{self.how}'.")

    def smooth(self, drawn: Numbers, observed: Numbers, *, rng: Generator) -> Numbers:
        """The drawn numbers, moved; `observed` are those of the file."""
        seen = observed.values[observed.known]
        moving, topped = movable(drawn.values)
        if len(seen) == 0 or np.unique(drawn.values[moving]).size < 2:
            return drawn
        values, old = drawn.values.copy(), drawn.values[moving]
        if self.how == "density":
            h = sheather_jones(old)
            new, highest = rng.normal(old, h), seen.max() + (0.0 if topped else h)
        else:
            new, highest = _in_order(old, _spline if self.how == "spline" else _running_mean), seen.max()
        values[moving] = rounded(np.clip(new, seen.min(), highest), decimals_of(seen))
        return Numbers(values)


def movable(values: Floats) -> tuple[NDArray[np.bool_], bool]:
    """Which numbers may be moved, and whether the largest is a top code.

    >>> where, topped = movable(np.array([0.0] * 8 + [1.0, 2.0]))       # 80 % are 0
    >>> int(where.sum()), topped
    (2, False)
    """
    known = ~np.isnan(values)
    held, counts = np.unique(values[known], return_counts=True)
    if not len(held):
        return known, False
    if counts.max() > SPIKE * counts.sum():
        known &= values != held[counts.argmax()]
    topped = len(held) > 1 and bool(counts[-1] - counts[-2] > TOP * counts[-2])
    if topped:
        known &= values != held[-1]
    return known, topped


def _in_order(values: Floats, work: Callable[[Floats], Floats]) -> Floats:
    order = np.argsort(values, kind="stable")
    found = np.empty_like(values)
    found[order] = work(values[order])
    return found


def _spline(rising: Floats) -> Floats:
    """Fitted at a thousand ranks at most; kept rising."""
    from scipy.interpolate import make_smoothing_spline

    if len(rising) < 5:
        return rising
    ranks = np.arange(len(rising), dtype=np.float64)
    at = np.unique(np.linspace(0, len(rising) - 1, min(len(rising), KNOTS)).astype(np.int64))
    curve = make_smoothing_spline(ranks[at] / len(rising), rising[at])
    return np.asarray(np.maximum.accumulate(curve(ranks / len(rising))), np.float64)


def _running_mean(rising: Floats) -> Floats:
    """Of the values up to two places away; fewer at the ends."""
    sums, half = np.concatenate([[0.0], np.cumsum(rising)]), WINDOW // 2
    place = np.arange(len(rising))
    low, high = np.maximum(place - half, 0), np.minimum(place + half + 1, len(rising))
    return np.asarray((sums[high] - sums[low]) / (high - low), np.float64)
