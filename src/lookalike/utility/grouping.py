"""Numbers of two files in groups, for tables: quantile groups of the pooled values, missing codes apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lookalike.utility.levels import MISSING
from lookalike.utility.numbers import Floats

GROUPS = 5
"""Groups of a number, if nothing else is asked for."""

LEAST = 3
"""With fewer quantile groups than this a number is cut into equal widths."""


@dataclass(frozen=True, slots=True)
class NumberGroups:
    """How a number is cut: edges (a group has its lower edge, the last both), then the codes for missing values."""

    edges: Floats
    missing: tuple[float, ...] = ()

    @property
    def intervals(self) -> int:
        """The groups that hold numbers."""
        return max(len(self.edges) - 1, 0)

    @property
    def labels(self) -> list[str]:
        """What each code means; these are values of the file."""
        ends = [f"{edge:.8g}" for edge in self.edges]
        last = self.intervals - 1
        named = [f"[{low}, {high}{']' if i == last else ')'}" for i, (low, high) in enumerate(pairwise(ends))]
        return [*named, *(f"{code:.8g}" for code in self.missing), MISSING]

    def codes(self, values: Floats) -> NDArray[np.int64]:
        """The group of each value: intervals, then missing codes, then cells without a value."""
        codes = np.zeros(len(values), np.int64)
        for edge in self.edges[1:-1]:
            codes += values >= edge
        for place, code in enumerate(self.missing):
            codes[values == code] = self.intervals + place
        codes[np.isnan(values)] = self.intervals + len(self.missing)
        return codes


def number_groups(values: Floats, groups: int = GROUPS, missing: Sequence[float] = ()) -> NumberGroups:
    """Cut pooled values into about so many groups of equal share.

    Edges are the quantiles 0, 1/g, …, 1 (linear between neighbours); equal edges are one. If fewer than 3 groups
    result, equal widths are taken. A number with at most as many distinct values as groups keeps them apart.
    Source: synthpop's `utility.tab` (Nowok, Raab and Dibben 2016), but for the last rule.

    >>> number_groups(np.arange(11.0)).edges.tolist()
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    >>> number_groups(np.array([0.0] * 9 + [1, 2, 3, 4, 10])).edges.tolist()       # nine of them 0: equal widths
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    >>> number_groups(np.array([1.0, 1, 1, 1, 7, 9])).codes(np.array([1.0, 7, 9])).tolist()
    [0, 1, 2]
    """
    use = np.isfinite(values)
    for code in missing:
        use &= values != code
    known = values if use.all() else values[use]
    return NumberGroups(_edges(np.sort(known), groups), tuple(missing))


def _edges(ordered: Floats, groups: int) -> Floats:
    if len(ordered) == 0:
        return np.empty(0)
    edges = np.unique(_quantiles(ordered, groups))
    if len(edges) == groups + 1:
        return edges
    distinct = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    if len(distinct) <= groups:
        return np.append(distinct, distinct[-1])
    return edges if len(edges) - 1 >= LEAST else np.linspace(ordered[0], ordered[-1], groups + 1)


def _quantiles(ordered: Floats, groups: int) -> Floats:
    """Of sorted values; between two neighbours linear, and exactly the value where both are equal."""
    at = np.arange(groups + 1) * (len(ordered) - 1) / groups  # a place that is whole comes out whole
    below = np.floor(at).astype(np.int64)
    above = np.minimum(below + 1, len(ordered) - 1)
    return np.asarray(ordered[below] + (at - below) * (ordered[above] - ordered[below]), np.float64)
