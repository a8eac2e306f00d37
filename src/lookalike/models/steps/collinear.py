"""Predictors that a regression cannot use: constants, copies of the response, combinations of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.models.steps.design import Design, Floats
from lookalike.models.steps.one_thread import one_thread

LEAST_VARIANCE = 1e-5
SAME = 0.99999
SMALLEST = 1e-5
"""The smallest share of the largest eigenvalue."""

WIDEST = 600
"""Columns of the matrix that is looked at; a category with many levels shows its most frequent ones."""


@dataclass(frozen=True, slots=True)
class Screened:
    """Which predictors stay, and why the others do not."""

    kept: tuple[int, ...]
    reasons: tuple[str, ...]
    """One a predictor dropped; columns are counted from 1."""


def screen(response: Column, predictors: Mixed, *, numbers: Sequence[int] | None = None) -> Screened:
    """Drop, in this order: constants; what equals the response; while columns explain each other, one of them.

    A number with variance below 1e-5 (and below a hundred-thousandth of its mean square: a share in small units is
    no constant) is dropped, then one with |r| ≥ 0.99999 with the response, then, as long as the smallest eigenvalue of
    the correlation matrix is below 1e-5 of the largest, the column with the largest loading on its vector (design,
    section 2.1). Categories are looked at by their 0/1 columns. `numbers` are the names of the columns in the reasons,
    1, 2, … without it.

    >>> x = np.random.default_rng(1).normal(size=(50, 2))
    >>> columns = (Numbers(x[:, 0]), Numbers(x[:, 1]), Numbers(x.sum(axis=1)), Numbers(np.ones(50)))
    >>> found = screen(Numbers(np.arange(50.0)), Mixed(columns))
    >>> found.kept
    (0, 1)
    >>> print("; ".join(found.reasons))
    column 4 is constant; column 3 is a combination of other predictors
    """
    names = [f"column {number}" for number in (numbers or range(1, len(predictors.columns) + 1))]
    told: dict[int, str] = {}
    for j, column in enumerate(predictors.columns):
        if _constant(column):
            told[j] = "is constant"
        elif _same(response, column):
            told[j] = "says the same as the column that is drawn"
    left = [j for j in range(len(names)) if j not in told]
    for j in _combinations(predictors.only(left)):
        told[left[j]] = "is a combination of other predictors"
    kept = tuple(j for j in range(len(names)) if j not in told)
    return Screened(kept, tuple(f"{names[j]} {words}" for j, words in told.items()))


def _constant(column: Column) -> bool:
    if isinstance(column, Categories):
        return bool((column.codes == column.codes[0]).all())
    variance = column.values.var()
    return bool(variance < LEAST_VARIANCE * min(1.0, float(np.mean(column.values**2))) or variance == 0)


def _same(response: Column, column: Column) -> bool:
    from lookalike.models.steps.one_to_one import determine_each_other

    if isinstance(response, Categories) and isinstance(column, Categories):
        return determine_each_other(response, column)
    left, right = _as_numbers(response), _as_numbers(column)
    if left is None or right is None or not left.std() or not right.std():
        return False
    return bool(abs(np.corrcoef(left, right)[0, 1]) >= SAME)


def _as_numbers(column: Column) -> Floats | None:
    """Numbers, and categories of which two levels are seen; None for others."""
    if isinstance(column, Numbers):
        return column.values
    seen = np.unique(column.codes)
    return (column.codes == seen[-1]).astype(np.float64) if len(seen) <= 2 else None


def _combinations(table: Mixed) -> list[int]:
    """Columns to drop, one at a time, until no column of the matrix is a combination of others."""
    if len(table.columns) < 2:
        return []
    narrow = Mixed(tuple(_narrowed(c, WIDEST // len(table.columns)) for c in table.columns))
    design = Design.of(narrow)
    with one_thread():
        correlation = _correlation(design, narrow)
        return _dropped(correlation, design.owner)


def _correlation(design: Design, table: Mixed) -> Floats:
    found = np.zeros((design.width - 1,) * 2)
    for _, part in design.blocks(table):
        found += part[:, 1:].T @ part[:, 1:]
    return found / max(table.records, 1)


def _dropped(correlation: Floats, owner: NDArray[np.int64]) -> list[int]:
    dropped = list[int]()
    while len(set(owner)) > 1:
        values, vectors = np.linalg.eigh(correlation)
        if values[0] >= SMALLEST * values[-1]:
            break
        loading = np.abs(vectors[:, 0])
        # Of equal loadings the last, so that what comes first in the file stays.
        place = np.flatnonzero(loading >= loading.max() * (1 - 1e-6))[-1]
        dropped.append(int(owner[place]))
        stays = owner != owner[place]
        correlation, owner = correlation[np.ix_(stays, stays)], owner[stays]
    return dropped


def _narrowed(column: Column, most: int) -> Column:
    """A category with its most frequent levels, the others together as the level 0."""
    most = max(most, 2)
    if isinstance(column, Numbers) or column.levels <= most:
        return column
    by_count = np.argsort(-np.bincount(column.codes, minlength=column.levels), kind="stable")
    place = np.zeros(column.levels, np.int32)
    place[by_count[: most - 1]] = np.arange(1, most)
    return Categories(place[column.codes], most)
