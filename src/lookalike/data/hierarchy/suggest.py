"""A hierarchy for a column that has none, by its kind."""

from __future__ import annotations

from collections import Counter
from math import ceil, floor, log10

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data.hierarchy.dates import DateParts, days_of
from lookalike.data.hierarchy.grouped import OrderedGroups
from lookalike.data.hierarchy.hierarchy import Hierarchy, numbers_of, texts_of
from lookalike.data.hierarchy.intervals import Intervals
from lookalike.data.hierarchy.prefix import Prefix
from lookalike.data.hierarchy.rare import Rare
from lookalike.data.variable import Kind, Variable

MOST_LEVELS = 8
"""Levels of intervals or groups between the value and `*`, at most."""
PARTS = 32
"""The first width is the round number next to the common range by this."""
RARE = (0.001, 0.01, 0.05)
"""The shares of the records below which a category is rare, level by level."""


def suggest(variable: Variable, cells: pl.Series) -> Hierarchy:
    """A hierarchy for a column: numbers in intervals of round widths that double, dates by parts, text codes by prefix,
    ordinal values in groups of neighbours, other categories with the rare ones as "other"; above all of them `*`.

    >>> suggest(Variable(name="age", kind=Kind.NUMERIC), pl.Series(range(17, 91))).widths
    (5.0, 10.0, 20.0, 40.0)
    """
    counted = cells.drop_nulls().value_counts(sort=False, name="__records").sort(cells.name)
    return suggested(variable, counted[cells.name], counted["__records"].to_numpy().astype(np.int64))


def suggested(variable: Variable, values: pl.Series, counts: NDArray[np.int64]) -> Hierarchy:
    """The same by the distinct values of a column and the records of each."""
    made = _by_kind(variable, values, counts)
    return made.fitted(variable, values, counts)


def _by_kind(variable: Variable, values: pl.Series, counts: NDArray[np.int64]) -> Hierarchy:
    kind = variable.kind
    if kind is Kind.NUMERIC and len(values) and np.isfinite(numbers := numbers_of(values)).all():
        return Intervals(widths=_widths(numbers, counts))
    if kind is Kind.DATE and len(values) and not days_of(values).null_count():
        return _date_parts(values)
    if kind is Kind.TEXT_CODE and len(values):
        return _prefix(values)
    if kind in (Kind.ORDINAL, Kind.NUMERIC, Kind.DATE):
        return OrderedGroups(sizes=_doubling(2, len(values)))
    return _rare(counts)


def _widths(numbers: NDArray[np.float64], counts: NDArray[np.int64]) -> tuple[float, ...]:
    """Round widths that double, from a part of the range of nearly all records up to the whole."""
    order = np.argsort(numbers)
    below = np.cumsum(counts[order]) / counts.sum()
    low, high = (float(numbers[order][min(int(np.searchsorted(below, q)), len(numbers) - 1)]) for q in (0.01, 0.99))
    whole, whole_range = bool((numbers % 1 == 0).all()), float(np.ptp(numbers))
    first = _round_up((high - low or whole_range or 1.0) / PARTS)
    first = max(first, 2.0) if whole else first
    widths = [first * 2**i for i in range(MOST_LEVELS) if first * 2**i < whole_range]
    return tuple(widths)


def _round_up(width: float) -> float:
    """The next 1 or 5 times a power of ten.

    >>> _round_up(2.3), _round_up(0.07), _round_up(10.0)
    (5.0, 0.1, 10.0)
    """
    power = 10.0 ** floor(log10(width))
    return float(f"{next(power * m for m in (1, 5, 10) if power * m >= width * (1 - 1e-9)):.12g}")


def _date_parts(values: pl.Series) -> DateParts:
    days = days_of(values)
    years = int(np.ptp(days.dt.year().to_numpy()))
    moments = days.n_unique() < len(values)
    parts = ["day"] * moments + ["month", "quarter", "year"] + ["decade"] * (years > 10)
    return DateParts(parts=tuple(parts))


def _prefix(values: pl.Series) -> Prefix:
    """One character less a level, of the commonest length; of long codes some are left out."""
    length = Counter(texts_of(values).str.len_chars().to_list()).most_common(1)[0][0]
    kept = np.unique(np.linspace(max(length - 1, 1), 1, min(MOST_LEVELS, max(length - 1, 1))).round().astype(int))
    return Prefix(keep=tuple(int(k) for k in kept[::-1]))


def _doubling(first: int, values: int) -> tuple[int, ...]:
    sizes = [first * 2**i for i in range(MOST_LEVELS) if first * 2**i < values]
    return tuple(sizes)


def _rare(counts: NDArray[np.int64]) -> Rare:
    """Only limits that make a difference."""
    limits = sorted({ceil(share * int(counts.sum())) for share in RARE} - {0, 1})
    kept: list[int] = []
    rare = 0
    for limit in limits:
        now = int((counts < limit).sum())
        if now > max(rare, 1) and now < len(counts):
            kept.append(limit)
            rare = now
    return Rare(at_least=tuple(kept))
