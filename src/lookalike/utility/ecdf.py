"""Distribution functions of a number in two files, and the largest gap between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import NotAssessable

Floats = NDArray[np.float64]

POINTS = 512
"""Points of a curve that is drawn."""

NO_P_VALUE = (
    "A p-value of the Kolmogorov–Smirnov test is not given: it holds for independent samples, and a release depends on "
    "its original."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EcdfPair:
    """Both empirical distribution functions at some values, and their distance over all values."""

    values: Floats
    """Values of the files: for the custodian alone."""
    original: Floats
    """The share of the original's records at or below each value."""
    release: Floats
    distance: float
    """The Kolmogorov–Smirnov distance, sup |F − G|."""
    higher: float
    """The largest F − G: above 0 the release has larger values somewhere."""
    lower: float
    """The largest G − F."""
    caveats: tuple[str, ...] = (NO_P_VALUE,)


def ecdf_pair(original: Floats, release: Floats, *, points: int = POINTS) -> EcdfPair:
    """Compare two columns of numbers; missing ones (NaN) are left out.

    F(x) = #{x_i ≤ x}/n. Source: Qu (2024), section 4.4.2.

    >>> found = ecdf_pair(np.array([1.0, 2, 3, 4]), np.array([2.0, 2, 3, 9]))
    >>> found.distance, found.values.tolist(), found.original.tolist(), found.release.tolist()
    (0.25, [1.0, 2.0, 3.0, 4.0, 9.0], [0.25, 0.5, 0.75, 1.0, 1.0], [0.0, 0.5, 0.75, 0.75, 1.0])
    """
    one, other = (np.sort(column[~np.isnan(column)]) for column in (original, release))
    if not len(one) or not len(other):
        raise NotAssessable("A column without any value has no distribution function.")
    values = np.unique(np.concatenate([one, other]))
    first = np.searchsorted(one, values, side="right") / len(one)
    second = np.searchsorted(other, values, side="right") / len(other)
    gap = first - second
    tops = [int(np.searchsorted(curve, curve[-1])) for curve in (first, second)]
    kept = np.unique(np.concatenate([_thinned(first + second, gap, points), tops]))
    return EcdfPair(
        values=values[kept],
        original=first[kept],
        release=second[kept],
        distance=float(np.abs(gap).max()),
        higher=float(max(gap.max(), 0.0)),
        lower=float(max(-gap.min(), 0.0)),
    )


def _thinned(height: Floats, gap: Floats, points: int) -> NDArray[np.int64]:
    """Places evenly spread over the height of both curves; the ends and the largest gaps are always among them."""
    if len(height) <= points:
        return np.arange(len(height))
    spread = np.searchsorted(height, np.linspace(0.0, height[-1], points))
    ends = [0, len(height) - 1, int(gap.argmax()), int(gap.argmin())]
    return np.unique(np.concatenate([np.minimum(spread, len(height) - 1), ends]))
