"""Columns that determine each other: one of them is drawn, the other is looked up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Mixed, Numbers

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Twin:
    """A column that an earlier one determines, and that determines it."""

    first: int
    second: int
    why: str


def twins(table: Mixed) -> tuple[Twin, ...]:
    """Every column that has a one-to-one partner before it, with the first such partner; constants are left out.

    Two columns of which nearly every value is unique always determine each other; they count only if both are numbers
    that rise together or fall together.

    >>> code = Categories(np.array([0, 1, 2, 1, 0, 2], np.int32), levels=3)
    >>> name = Categories(np.array([2, 0, 1, 0, 2, 1], np.int32), levels=3)
    >>> [twin.why for twin in twins(Mixed((code, name)))]
    ['column 2 says the same as column 1: each value of one goes with one value of the other']
    """
    coded = [_codes(column) for column in table.columns]
    found, taken = list[Twin](), set[int]()
    for j, (second, levels) in enumerate(coded):
        for i in range(j):
            first, others = coded[i]
            if i not in taken and levels == others > 1 and _same(table, i, j, first, second, levels):
                words = "each value of one goes with one value of the other"
                found.append(Twin(i, j, f"column {j + 1} says the same as column {i + 1}: {words}"))
                taken.add(j)
                break
    return tuple(found)


def determine_each_other(left: Column, right: Column) -> bool:
    """Whether each value of one goes with one value of the other."""
    (a, levels), (b, others) = _codes(left), _codes(right)
    return levels == others and _maps(a, b, levels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The value that goes with the value of the first predictor; of a new number, with the nearest one ("collinear").

    >>> x = Mixed((Numbers(np.array([1.0, 2.0, 1.0])),))
    >>> step = Copied().fit(Numbers(np.array([10.0, 20.0, 10.0])), x, rng=np.random.default_rng(1))
    >>> step.draw(Mixed((Numbers(np.array([2.0, 1.2])),)), rng=np.random.default_rng(1)).values.tolist()
    [20.0, 10.0]
    """

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedCopied:
        """One record of each value of the predictor is kept; a predictor that does not determine it is refused."""
        if not predictors.columns:
            raise BadPlan("Copied needs a predictor that determines the column.")
        first, source = _codes(response)[0], predictors.columns[0]
        codes, levels = _codes(source)
        row = np.zeros(levels, np.int64)
        row[codes] = np.arange(len(codes))
        if (first[row][codes] != first).any():
            raise BadPlan("Copied: records with the same value of the predictor have different values of the column.")
        return FittedCopied(source.take(row), response.take(row), len(response))


@dataclass(frozen=True, slots=True)
class FittedCopied:
    """What goes with what."""

    source: Column
    values: Column
    rows: int

    @property
    def caveats(self) -> tuple[str, ...]:
        """Nothing to tell."""
        return ()

    @property
    def figures(self) -> Mapping[str, float]:
        """Rows, and values that were paired."""
        return {"rows": self.rows, "values": len(self.source)}

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Column:
        """Looked up; a level that was not in the file is refused."""
        source = predictors.columns[0]
        if isinstance(source, Numbers) and isinstance(self.source, Numbers):
            return self.values.take(_nearest(self.source.values, source.values))
        assert isinstance(source, Categories)
        assert isinstance(self.source, Categories)
        place = np.full(max(source.levels, self.source.levels), -1)
        place[self.source.codes] = np.arange(len(self.source))
        found = place[source.codes]
        if missing := int((found < 0).sum()):
            raise BadPlan(f"Copied: {missing} records have a level of the predictor that no record of the file has.")
        return self.values.take(found)


def _nearest(rising: NDArray[np.float64], wanted: NDArray[np.float64]) -> Codes:
    right = np.clip(np.searchsorted(rising, wanted), 1, max(len(rising) - 1, 1))
    right = np.minimum(right, len(rising) - 1)
    left = np.maximum(right - 1, 0)
    return np.where(wanted - rising[left] <= rising[right] - wanted, left, right)


def _codes(column: Column) -> tuple[Codes, int]:
    """Values numbered without gaps, rising; what is not known is one more value."""
    cells = column.values if isinstance(column, Numbers) else column.codes
    held, codes = np.unique(cells, return_inverse=True)
    return codes.astype(np.int64), len(held)


def _same(table: Mixed, i: int, j: int, first: Codes, second: Codes, levels: int) -> bool:
    if 2 * levels > len(first):
        numbers = isinstance(table.columns[i], Numbers) and isinstance(table.columns[j], Numbers)
        return numbers and bool((first == second).all() or (first == levels - 1 - second).all())
    return _maps(first, second, levels)


def _maps(first: Codes, second: Codes, levels: int) -> bool:
    """With as many values on both sides, a function from one onto the other is one-to-one."""
    goes_with = np.zeros(levels, np.int64)
    goes_with[first] = second
    return bool((goes_with[first] == second).all())
