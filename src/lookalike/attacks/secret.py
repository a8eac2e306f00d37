"""A secret that is guessed: which guesses are right, and what one would guess without knowing anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.grids import Scale, as_numbers, is_ordered, is_time
from lookalike.attacks.ranges import is_coarse

Floats = NDArray[np.float64]

_EDGE = 1e-9
"""0.05 · 20 is a little more than 1 in floating point or a little less: the edge must not decide."""


@dataclass(frozen=True, slots=True, eq=False)
class Secret:
    """A secret in all files as numbers, missing as −∞, and how far from each value a guess is right.

    Numbers: within a share of the secret's size, |guess − secret| ≤ tolerance·|secret|, so a secret of 0 is guessed by
    0 alone. Dates and times: within so many days. All else, and missing: by being equal."""

    values: list[Floats]
    radius: list[Floats]

    @classmethod
    def of(cls, columns: Sequence[pl.Series], releases: Sequence[int], tolerance: float, days: float) -> Secret:
        """The secret of the files. A number given as a range is guessed by its middle; another range is never right.

        >>> secret = Secret.of([pl.Series([-100, 0, None]), pl.Series([-96, 0, None])], [1], 0.05, 1)
        >>> secret.right(0, secret.values[1]).tolist()
        [True, True, True]
        >>> secret.right(0, np.array([96.0, 1.0, 0.0])).tolist()
        [False, False, False]
        """
        coarse = any(is_coarse(columns[i], columns[0]) for i in releases)
        numeric = columns[0].dtype.is_numeric() if coarse else is_ordered(columns)
        if numeric and not coarse:
            values = as_numbers(columns)
        else:
            scale = Scale.of(columns, releases)
            values = [_one(low, high, numeric) for low, high in zip(scale.low, scale.high, strict=True)]
        times = is_time(columns)
        return cls(values, [_radius(v, numeric, tolerance, days if times else None) for v in values])

    def right(self, file: int, guesses: Floats) -> NDArray[np.bool_]:
        """Whether guess i is right for record i of a file."""
        secrets = self.values[file]
        with np.errstate(invalid="ignore"):
            near = np.abs(guesses - secrets) <= self.radius[file]
        return np.asarray((guesses == secrets) | near, bool)

    def best(self, release: int) -> float:
        """The value of the release that is a right guess for the most of its rows; the lowest of several."""
        values, radius = self.values[release], self.radius[release]
        there = ~np.isnan(values)
        if not there.any():
            return float("nan")
        distinct = np.unique(values[there])
        first, last = _within(distinct, values[there], radius[there])
        gains = np.bincount(first, minlength=len(distinct) + 1) - np.bincount(last, minlength=len(distinct) + 1)
        return float(distinct[np.argmax(np.cumsum(gains)[:-1])])

    def drawn(self, file: int, release: int) -> Floats:
        """For each record of a file, the share of rows of the release whose secret is a right guess."""
        values = self.values[release]
        ranks = np.sort(values[~np.isnan(values)])
        secrets = self.values[file]
        first, last = _within(ranks, secrets, self.radius[file])
        return np.where(np.isnan(secrets), 0.0, (last - first) / len(values))


def _within(ranks: Floats, centre: Floats, radius: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """From which to which place of sorted values lie those within the radius of each centre."""
    first, last = np.searchsorted(ranks, centre - radius, "left"), np.searchsorted(ranks, centre + radius, "right")
    return first.astype(np.int64), last.astype(np.int64)


def _one(low: Floats, high: Floats, numeric: bool) -> Floats:
    return (low + high) / 2 if numeric else np.where(low == high, low, np.nan)


def _radius(values: Floats, numeric: bool, tolerance: float, days: float | None) -> Floats:
    if not numeric:
        return np.zeros(len(values))
    size = np.where(np.isfinite(values), np.abs(values), 0.0)
    radius = size * tolerance if days is None else np.where(np.isfinite(values), days, 0.0)
    return radius * (1 + _EDGE)
