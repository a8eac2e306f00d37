"""What a hierarchy is: each value has a more general cell at each level; and one laid over the values of a column."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data.cells import WILDCARD
from lookalike.data.variable import Variable

Shares = NDArray[np.float64]


class Hierarchy(ABC):
    """Maps each value to a cell at each level. Level 0 is the value itself; the last level is mostly `*`, all values.

    It is monotone: values that share a cell at one level share one at the next. It never needs to hold the missing
    value, which stays missing at every level.
    """

    __slots__ = ()
    kind: ClassVar[str]
    """Its name in plain data."""

    @property
    @abstractmethod
    def levels(self) -> int:
        """How many levels it has, level 0 among them."""

    @abstractmethod
    def cells(self, values: pl.Series) -> list[pl.Series]:
        """The cells of values, none missing, at level 1, 2, …; null where the hierarchy lacks a value."""

    def fitted(self, variable: Variable, values: pl.Series, counts: NDArray[np.int64]) -> Hierarchy:
        """The same with all that it takes from a column: its distinct values and the records of each."""
        return self

    def leaves(self, values: pl.Series) -> pl.Series:
        """The values that make up its domain; if it names none, those of the column."""
        return values

    def shares(self, values: pl.Series, cells: Sequence[pl.Series]) -> list[Shares]:
        """The share of the domain that each value's cell covers: (leaves covered − 1) / (leaves − 1)."""
        leaves = self.leaves(values)
        own = cells if leaves is values else self.cells(leaves)
        return [_covered(at_values, at_leaves) for at_values, at_leaves in zip(cells, own, strict=True)]

    def faults(self) -> list[str]:
        """What is wrong with its settings."""
        return []


@dataclass(frozen=True)
class Laid:
    """A hierarchy laid over the distinct values of a column.

    >>> from lookalike.data.hierarchy import Intervals
    >>> laid = lay(Intervals(widths=(10,)), pl.Series([21, 29, 30]))
    >>> laid.cells[0].to_list(), laid.codes[1].tolist(), laid.shares[1].tolist()
    (['[20;29]', '[20;29]', '[30;39]'], [0, 0, 1], [0.8888888888888888, 0.8888888888888888, 0.0])
    """

    hierarchy: Hierarchy
    values: pl.Series
    """The distinct values, none missing."""
    cells: tuple[pl.Series, ...]
    """At level 1, 2, … the cell of each value; null where the hierarchy lacks the value."""
    codes: tuple[NDArray[np.int32], ...]
    """At level 0, 1, … a number of each value's cell; -1 where the hierarchy lacks the value."""
    shares: tuple[Shares, ...]
    """At level 0, 1, … the share of the domain that each value's cell covers; 1 where the value is lacking."""

    @property
    def levels(self) -> int:
        """How many levels there are."""
        return len(self.codes)

    @property
    def lacking(self) -> NDArray[np.bool_]:
        """The values that the hierarchy lacks."""
        found = np.zeros(len(self.values), bool)
        for codes in self.codes[1:]:
            found |= codes < 0
        return found

    @property
    def split(self) -> int:
        """Groups of a level that do not stay together at the next: 0 if it is monotone."""
        return sum(_split(low, high) for low, high in zip(self.codes, self.codes[1:], strict=False))


def lay(hierarchy: Hierarchy, values: pl.Series) -> Laid:
    """A hierarchy over the distinct values of a column, none of them missing."""
    cells = hierarchy.cells(values)
    codes = [np.arange(len(values), dtype=np.int32), *map(_codes, cells)]
    shares = [np.where(c < 0, 1.0, s) for c, s in zip(codes[1:], hierarchy.shares(values, cells), strict=True)]
    return Laid(hierarchy, values, tuple(cells), tuple(codes), (np.zeros(len(values)), *shares))


def texts_of(values: pl.Series) -> pl.Series:
    """Values as a hierarchy writes them: stripped, whole numbers without decimals.

    >>> texts_of(pl.Series([1.0, 2.0])).to_list(), texts_of(pl.Series([" a b "])).to_list()
    (['1', '2'], ['a b'])
    """
    if values.dtype.is_float() and bool((values == values.round()).all()) and bool(values.is_finite().all()):
        values = values.cast(pl.Int64)
    return values.cast(pl.String).str.strip_chars()


def numbers_of(values: pl.Series) -> NDArray[np.float64]:
    """Values as numbers; NaN where one is none."""
    numbers = values.str.strip_chars() if values.dtype == pl.String else values
    return numbers.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()


def everywhere(values: pl.Series) -> pl.Series:
    """The cell `*` for each value."""
    return pl.Series(values.name, [WILDCARD] * len(values), dtype=pl.String)


def _codes(cells: pl.Series) -> NDArray[np.int32]:
    return (cells.rank("dense").cast(pl.Int32) - 1).fill_null(-1).to_numpy()


def _covered(cells: pl.Series, leaves: pl.Series) -> Shares:
    """By counting the leaves in each cell."""
    counted = leaves.drop_nulls().value_counts(name="__leaves")
    found = cells.to_frame("cell").join(
        counted.rename({leaves.name: "cell"}), on="cell", how="left", maintain_order="left"
    )
    covered = found["__leaves"].fill_null(1).to_numpy().astype(np.float64)
    return (covered - 1) / max(len(leaves) - 1, 1)


def _split(low: NDArray[np.int32], high: NDArray[np.int32]) -> int:
    """Groups of `low` that have more than one group of `high`."""
    pairs = np.unique(np.column_stack([low, high])[low >= 0], axis=0)
    return int((np.unique(pairs[:, 0], return_counts=True)[1] > 1).sum())
