"""The finest class table of a file and a coarser version of it: what the search over levels works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.classes import EquivalenceClasses
from lookalike.classes.codes import distinct_and_codes
from lookalike.data.hierarchy import Laid

Codes = NDArray[np.int32]
_WORD = 2**62


@dataclass(frozen=True)
class NodeTable:
    """The classes of a file at chosen levels: what a match rate is computed from.

    `maps[j]` gives, at the place of a fine code of variable j, its code at the level; fine codes are those of
    `FinestTable.codes`. `codes` has one row a class, with codes of the level. Suppressed records are in no class.
    """

    levels: tuple[int, ...]
    maps: tuple[Codes, ...]
    codes: Codes
    sizes: NDArray[np.int64]
    suppressed: int = 0


class MatchRate(Protocol):
    """Tells B of a version of the file: the mean over the records of its classes of 1/F, F the people alike."""

    def __call__(self, node: NodeTable, /) -> float:
        """B of the records in these classes."""
        ...


@dataclass(frozen=True)
class Column:
    """One variable of the finest table: its distinct values, the records of each, and whether some have none."""

    name: str
    values: pl.Series
    counts: NDArray[np.int64]
    aside: NDArray[np.int64]
    """Those of the records that are set aside."""
    missing: bool


@dataclass(frozen=True)
class FinestTable:
    """The classes of a file as it is, with a hierarchy laid over each variable.

    A missing value has the last code of its variable, at every level: it stays a value of its own.
    """

    columns: tuple[Column, ...]
    codes: Codes
    """One row a class; of each variable the place of the value among the distinct ones."""
    sizes: NDArray[np.int64]
    place: NDArray[np.int64]
    """The row of each class of the equivalence classes it was made from."""
    laid: tuple[Laid, ...] = ()
    lonely: int = 0
    """Records set aside: with a missing value, where that is read as matching nothing."""
    _maps: dict[tuple[int, int], Codes] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, classes: EquivalenceClasses, *, alone: bool = False) -> FinestTable:
        """From the classes of a file, in the order of their values; `alone`: incomplete records are set aside."""
        parts = [_coded(classes.keys[name]) for name in classes.variables]
        codes = np.column_stack([codes for _, codes in parts]).astype(np.int32)
        whole = np.ones(len(codes), bool)
        for j, (values, _) in enumerate(parts):
            whole &= codes[:, j] < len(values)
        kept = np.flatnonzero(whole) if alone else np.arange(len(codes))
        order = kept[_sorted(codes[kept])]
        place = np.full(len(codes), -1, np.int64)
        place[order] = np.arange(len(order))
        columns = tuple(
            _column(name, values, codes[:, j], classes.sizes, place < 0)
            for j, (name, (values, _)) in enumerate(zip(classes.variables, parts, strict=True))
        )
        sizes = classes.sizes[order].astype(np.int64)
        lonely = int(classes.sizes.sum() - sizes.sum())
        return cls(columns, np.ascontiguousarray(codes[order]), sizes, place, lonely=lonely)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def records(self) -> int:
        """The number of records, those set aside among them."""
        return int(self.sizes.sum()) + self.lonely

    @property
    def depths(self) -> tuple[int, ...]:
        """How many levels each variable has."""
        return tuple(laid.levels for laid in self.laid)

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """Where the codes of each variable begin, if all stand one after another; at the end their number."""
        return np.cumsum([0, *(len(column.values) + 1 for column in self.columns)])

    @cached_property
    def offset_codes(self) -> Codes:
        """The codes with those of all variables one after another."""
        return np.ascontiguousarray(self.codes + self.first[:-1].astype(np.int32))

    @cached_property
    def empty(self) -> int:
        """The class of records with all values missing; -1 if there is none."""
        last = np.array([len(column.values) for column in self.columns], np.int32)
        found = np.flatnonzero((self.codes == last).all(axis=1))
        return int(found[0]) if len(found) else -1

    def map(self, variable: int, level: int) -> Codes:
        """From the codes of a variable to those of a level; one level above the last, all are 0: it is taken out."""
        if (variable, level) not in self._maps:
            self._maps[variable, level] = self._mapped(variable, level)
        return self._maps[variable, level]

    def _mapped(self, variable: int, level: int) -> Codes:
        laid = self.laid[variable]
        if level >= laid.levels:
            return np.zeros(len(laid.values) + 1, np.int32)
        codes = laid.codes[level]
        missing = int(codes.max(initial=-1)) + 1
        return np.append(np.where(codes < 0, missing, codes), missing).astype(np.int32)

    def shares(self, variable: int, level: int) -> NDArray[np.float64]:
        """The share of the domain that the cell of each code covers; of a missing value 0."""
        laid = self.laid[variable]
        own = laid.shares[level] if level < laid.levels else np.ones(len(laid.values))
        return np.append(own, 0.0)

    def parts(self, levels: Sequence[int]) -> NDArray[np.int64]:
        """What each code adds to the words of a class's key at these levels."""
        rows, room = [np.zeros(self.first[-1], np.int64)], 1
        for j, level in enumerate(levels):
            coarse = self.map(j, level)
            radix = int(coarse.max()) + 1
            if room * radix >= _WORD:
                rows.append(np.zeros(self.first[-1], np.int64))
                room = 1
            rows[-1][self.first[j] : self.first[j + 1]] = coarse.astype(np.int64) * room
            room *= radix
        return np.stack(rows)

    def node(self, levels: Sequence[int], places: Codes, sizes: NDArray[np.int64], suppressed: int) -> NodeTable:
        """The version of the file at these levels, for a match rate."""
        maps = tuple(self.map(j, level) for j, level in enumerate(levels))
        codes = np.column_stack([m[self.codes[places, j]] for j, m in enumerate(maps)]).astype(np.int32)
        return NodeTable(tuple(levels), maps, codes, sizes, suppressed)

    def by_name(self, values: Sequence[int]) -> Mapping[str, int]:
        """A number a variable, by its name."""
        return dict(zip(self.names, map(int, values), strict=True))


def _coded(column: pl.Series) -> tuple[pl.Series, Codes]:
    """The distinct values in order, and the place of each; missing values have the place after the last."""
    whole = column.drop_nulls()
    if not len(whole):
        return whole, np.zeros(len(column), np.int32)
    if whole.dtype == pl.String:
        values = whole.unique().sort()
        places = whole.cast(pl.Enum(values)).to_physical().cast(pl.Int32).to_numpy()
    else:
        values, places = distinct_and_codes(whole)
    codes = np.full(len(column), len(values), np.int32)
    codes[column.is_not_null().to_numpy()] = places
    return values, codes


def _column(name: str, values: pl.Series, codes: Codes, sizes: NDArray[np.int64], aside: NDArray[np.bool_]) -> Column:
    room = len(values) + 1
    counts = np.bincount(codes, weights=sizes, minlength=room).astype(np.int64)
    apart = np.bincount(codes[aside], weights=sizes[aside], minlength=room).astype(np.int64)
    return Column(name, values, counts[:-1], apart[:-1], bool(counts[-1]))


def _sorted(codes: Codes) -> NDArray[np.int64]:
    """The order of the rows: engines give classes in none."""
    radices = codes.max(axis=0, initial=0).astype(object) + 1
    if int(np.prod(radices)) >= _WORD:
        return np.lexsort(codes.T[::-1])
    key = np.zeros(len(codes), np.int64)
    for j, radix in enumerate(radices):
        key = key * int(radix) + codes[:, j]
    return np.argsort(key, kind="stable")
