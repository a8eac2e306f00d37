"""The ranges of a release's own cells as classes of a target, also where they overlap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.bins import NONE, Classes, Edges
from lookalike.attacks.ranges import is_coarse, spans_of
from lookalike.data.cells import WILDCARD
from lookalike.errors import BadPlan

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

BINS = 10
"""Classes that overlapping ranges of numbers are put in, unless told."""


@dataclass(frozen=True, slots=True)
class ReleaseRanges:
    """The ranges of the release's cells, and single values, as classes of a target.

    Where they overlap: a range of numbers stands for its middle, and classes hold about as many records of the
    original each; words in ranges that overlap are one class. A missing cell is a class of its own; `*` says
    nothing and lies in no class, nor does a value that no range of the release holds.

    >>> released = pl.Series(["[0;9]", "[10;19]", "*", "[10;19]"])
    >>> [c.tolist() for c in ReleaseRanges().codes(pl.Series([3, 12, 15, 40]), released)]
    [[0, 1, 1, -1], [0, 1, -1, 1]]
    >>> [c.tolist() for c in ReleaseRanges(bins=2).codes(pl.Series([1, 2, 8, 9]), pl.Series(["[1;3]", "[2;9]", "8"]))]
    [[0, 0, 1, 1], [0, 1, 1]]
    >>> [c.tolist() for c in ReleaseRanges().codes(pl.Series(["C50", "C51", "I63"]), pl.Series(["C5*", "C51", "I63"]))]
    [[0, 0, 1], [0, 0, 1]]
    """

    bins: int = BINS

    def codes(self, original: pl.Series, release: pl.Series, *others: pl.Series) -> list[Ints]:
        """See `Classes`."""
        columns = [original, release, *others]
        ends, missing = spans_of(columns), [column.is_null().to_numpy() for column in columns]
        silent = [_says_nothing(column) for column in columns]
        there = ~missing[1] & ~silent[1]
        ranges = np.unique(np.column_stack(ends[1])[there], axis=0)
        numeric = original.dtype.is_numeric()
        joined = _joined(ranges, touching=numeric)
        if len(joined) < len(ranges):
            if numeric:
                placed = self._by_middles(ends, missing)
                return _with(placed, missing, silent)
            if len(joined) < 2:
                raise BadPlan(
                    f"The ranges of column '{release.name}' in the release overlap so that all its values are one "
                    "class, and nothing is left to guess."
                )
        return _with([_placed(low, high, joined) for low, high in ends], missing, silent)

    def _by_middles(self, ends: list[tuple[Floats, Floats]], missing: list[Bools]) -> list[Ints]:
        known = ends[0][0][~missing[0]]
        if not len(known):
            return [np.full(len(low), NONE, np.int64) for low, _ in ends]
        edges = np.unique(np.quantile(known, np.linspace(0, 1, self.bins + 1)))
        rule = Edges(tuple(map(float, edges)) if len(edges) > 1 else (float(edges[0]), np.inf))
        middles = [pl.Series((low + high) / 2) for low, high in ends]
        return rule.codes(middles[0], middles[1], *middles[2:])


def released_target(
    original: pl.DataFrame, release: pl.DataFrame, target: str, classes: Mapping[str, Classes]
) -> dict[str, Classes]:
    """The rules, with one for the target where the release has ranges of it and no rule is given."""
    wanted = target not in classes and is_coarse(release[target], original[target])
    return {**classes, **({target: ReleaseRanges()} if wanted else {})}


def _says_nothing(column: pl.Series) -> Bools:
    if column.dtype != pl.String:
        return np.zeros(len(column), bool)
    return (column.str.strip_chars() == WILDCARD).fill_null(False).to_numpy()


def _joined(ranges: Floats, *, touching: bool) -> Floats:
    """Ranges in order, those that overlap as one; with `touching` two ranges may share an end, as 160-165 and 165-170.

    >>> _joined(np.array([[0.0, 5.0], [5.0, 9.0], [7.0, 12.0], [12.0, 12.0]]), touching=True).tolist()
    [[0.0, 5.0], [5.0, 12.0]]
    """
    if not len(ranges):
        return ranges
    low, high, reached = ranges[1:, 0], ranges[1:, 1], np.maximum.accumulate(ranges[:, 1])[:-1]
    shares_an_end = (low == reached) & (high > low) & (low > ranges[:-1, 0])
    new = np.concatenate([[True], (low > reached) | (touching & shares_an_end)])
    return np.column_stack([ranges[new, 0], np.maximum.reduceat(ranges[:, 1], np.flatnonzero(new))])


def _placed(low: Floats, high: Floats, ranges: Floats) -> Ints:
    """The range that holds each cell; an end that two share belongs to the upper one."""
    if not len(ranges):
        return np.full(len(low), NONE, np.int64)
    found = np.searchsorted(ranges[:, 0], low, side="right") - 1
    inside = (found >= 0) & (high <= ranges[np.maximum(found, 0), 1])
    return np.where(inside, found, NONE).astype(np.int64)


def _with(placed: list[Ints], missing: list[Bools], silent: list[Bools]) -> list[Ints]:
    """Missing cells as a class of their own, and those that say nothing in none."""
    room = 1 + max(int(c.max(initial=0)) for c in placed)
    return [
        np.where(gap, room, np.where(none, NONE, codes))
        for codes, gap, none in zip(placed, missing, silent, strict=True)
    ]
