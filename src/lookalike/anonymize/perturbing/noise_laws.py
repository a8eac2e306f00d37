"""Noise of a given size for the columns of a table, alone or tied as the columns are."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.float64]

INSIDE = {"gaussian": 1.959963984540054, "laplace": log(20) / sqrt(2)}
"""Half of the interval that holds 95 % of a noise, in its standard deviations."""


def spread_of(numbers: Floats) -> float:
    """The standard deviation of the finite numbers (divided by n − 1); 0 if there are fewer than two."""
    finite = numbers[np.isfinite(numbers)]
    return float(finite.std(ddof=1)) if len(finite) > 1 else 0.0


def alone(records: int, spreads: Floats, law: str, *, rng: Generator) -> Floats:
    """Noise for each column by itself, with these standard deviations."""
    shape = records, len(spreads)
    return spreads * (rng.laplace(scale=1 / sqrt(2), size=shape) if law == "laplace" else rng.standard_normal(shape))


def tied(table: Floats, spreads: Floats, *, rng: Generator) -> Floats:
    """Normal noise whose correlations are those of the table's complete records (Kim 1986)."""
    root = _root(_correlation(table))
    return np.asarray(rng.standard_normal((len(table), len(spreads))) @ root.T * spreads)


def _correlation(table: Floats) -> Floats:
    whole = table[np.isfinite(table).all(axis=1)]
    spread = whole.std(axis=0, ddof=1)
    centred = (whole - whole.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    found = centred.T @ centred / (len(whole) - 1)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found, np.float64)


def _root(matrix: Floats) -> Floats:
    """A matrix whose product with its transpose is this one; columns that follow from others are no trouble."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)), np.float64)


def with_moments_of(before: Floats, after: Floats) -> Floats:
    """The numbers moved and stretched to the mean and the standard deviation they had before.

    >>> with_moments_of(np.array([1.0, 2.0, 3.0]), np.array([0.0, 5.0, 10.0])).tolist()
    [1.0, 2.0, 3.0]
    """
    known = np.isfinite(before)
    one, other = spread_of(before), spread_of(after[known])
    if not other:
        return after
    centre = after[known].mean()
    return np.where(known, before[known].mean() + (after - centre) * (one / other), after)


def folded(numbers: Floats, low: float, high: float) -> Floats:
    """Numbers beyond an end turned back inside by as much, as often as it takes.

    >>> folded(np.array([-3.0, 5.0, 12.0, 27.0]), 0, 10).tolist()
    [3.0, 5.0, 8.0, 7.0]
    """
    width = high - low
    if width <= 0:
        return np.where(np.isfinite(numbers), low, numbers)
    if not np.isfinite(width):
        bent = np.where(numbers < low, 2 * low - numbers, numbers) if np.isfinite(low) else numbers
        return np.where(bent > high, 2 * high - bent, bent) if np.isfinite(high) else bent
    turned = np.mod(numbers - low, 2 * width)
    return np.asarray(low + np.minimum(turned, 2 * width - turned))
