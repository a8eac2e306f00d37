"""Looking for predicates that are true for exactly one row of a release, and predicates at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.grids import MISSING
from lookalike.attacks.predicates import BOTTOM, TOP, Predicates, Ranks

ROUNDS = 20
"""Batches without a new predicate after which a search ends."""


def all_univariate(release: Ranks, ordered: NDArray[np.bool_], *, most: int, rng: Generator) -> Predicates:
    """Conditions on one column that are true for one row: a value that occurs once, the lowest, the highest, a gap.

    They are enumerated, and `most` of them drawn where there are more."""
    found = [part for c in range(len(ordered)) for part in _of_column(release, c, bool(ordered[c]))]
    rows = np.array(found, np.int32).reshape(-1, 3)
    drawn = rng.permutation(len(rows))
    whole = _conditions(rows[drawn, 0][:, None], rows[drawn, 1][:, None], rows[drawn, 2][:, None])
    return whole.single(release).take(slice(most))


def some_multivariate(
    release: Ranks, ordered: NDArray[np.bool_], *, columns: int, most: int, tries: int, rng: Generator
) -> Predicates:
    """Conditions on several columns that are true for one row: a row and columns are drawn, the row's cells asked for.

    A number or a time is asked for with all beyond it, on the side away from the median; another cell as it is. What
    is not true for exactly one row, or was found before, is dropped; `tries` bounds the search."""
    middle = _medians(release)
    found: dict[bytes, Predicates] = {}
    idle = 0
    while len(found) < most and tries > 0 and idle < ROUNDS:
        batch = min(max(2 * most, 100), tries)
        asked = _drawn(release, ordered, middle, columns, batch, rng).single(release)
        tries -= batch
        before = len(found)
        for i, name in enumerate(asked.names()):
            if len(found) < most and name not in found:
                found[name] = asked.take([i])
        idle = 0 if len(found) > before else idle + 1
    return _together(list(found.values()), columns)


def at_random(release: Ranks, ordered: NDArray[np.bool_], *, columns: int, number: int, rng: Generator) -> Predicates:
    """Predicates of somebody who knows what values there are and nothing else: columns, values, comparisons at random.

    =, ≠ for categories, and <, ≤, >, ≥ besides for numbers and times; a missing value is or is not."""
    column = _some_columns(len(ordered), columns, number, rng)
    low, high = np.empty(column.shape, np.int32), np.empty(column.shape, np.int32)
    for c in range(len(ordered)):
        here = np.nonzero(column == c)
        _, one, _ = _cells(release, c)
        drawn = one[rng.integers(len(one), size=len(here[0]))]
        low[here], high[here] = release.low[c, drawn], release.high[c, drawn]
    how = rng.integers(np.where(ordered[column], 6, 2))
    how = np.where((low == MISSING) & (how > 0), _IS_THERE, how)
    from_bottom, to_top = np.isin(how, (_BELOW, _AT_MOST, _IS_THERE)), np.isin(how, (_ABOVE, _AT_LEAST, _IS_THERE))
    first = np.select([how == _ABOVE, from_bottom], [high + 1, BOTTOM], low)
    last = np.select([how == _BELOW, to_top], [low - 1, TOP], high)
    return Predicates(column, first.astype(np.int32), last.astype(np.int32), how == _IS_NOT)


_IS_NOT, _ABOVE, _BELOW, _AT_LEAST, _AT_MOST, _IS_THERE = 1, 2, 3, 4, 5, 6


def _of_column(release: Ranks, c: int, ordered: bool) -> Iterator[tuple[int, int, int]]:
    low, high = release.low[c], release.high[c]
    _, one, sizes = _cells(release, c)
    for row in one[sizes == 1].tolist():
        yield c, int(low[row]), int(high[row])
    there = low != MISSING
    if ordered and there.any():
        yield c, BOTTOM, int(high[there].min())
        yield c, int(low.max()), TOP


def _cells(release: Ranks, c: int) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.intp]]:
    """The distinct cells of a column: as keys, in which row each stands first, and how often it occurs."""
    return np.unique((release.low[c].astype(np.int64) << 32) + release.high[c], return_index=True, return_counts=True)


def _drawn(
    release: Ranks, ordered: NDArray[np.bool_], middle: NDArray[np.int32], columns: int, number: int, rng: Generator
) -> Predicates:
    column = _some_columns(len(ordered), columns, number, rng)
    rows = rng.integers(release.records, size=number)[:, None]
    low, high = release.low[column, rows], release.high[column, rows]
    beyond = ordered[column] & (low == high) & (low != MISSING)
    above = low > middle[column]
    first = np.where(beyond & ~above, BOTTOM, low)
    return _conditions(column, first, np.where(beyond & above, TOP, high))


def _medians(release: Ranks) -> NDArray[np.int32]:
    """The lower median of each column: a value above it is above the median, whatever lies between the two middles."""
    found = np.zeros(len(release.low), np.int32)
    for c, ranks in enumerate(release.low):
        there = np.sort(ranks[ranks != MISSING])
        found[c] = there[(len(there) - 1) // 2] if len(there) else 0
    return found


def _some_columns(of: int, columns: int, number: int, rng: Generator) -> NDArray[np.int32]:
    """So many different columns a row, in order."""
    drawn = rng.random((number, of)).argsort(axis=1)[:, :columns]
    return np.sort(drawn, axis=1).astype(np.int32)


def _conditions(column: NDArray[np.int32], first: NDArray[np.int32], last: NDArray[np.int32]) -> Predicates:
    negated = np.zeros(column.shape, bool)
    return Predicates(column.astype(np.int32), first.astype(np.int32), last.astype(np.int32), negated)


def _together(parts: Sequence[Predicates], columns: int) -> Predicates:
    if not parts:
        return _conditions(*(np.empty((0, columns), np.int32) for _ in range(3)))
    return Predicates(*(np.concatenate([getattr(p, name) for p in parts]) for name in _FIELDS))


_FIELDS = ("column", "first", "last", "negated")
