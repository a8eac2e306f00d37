"""Predicates: what an attacker says of one person, drawn from a release, and for how many records it is true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.grids import MISSING, Grid

Ints = NDArray[np.int64]

TOP = np.iinfo(np.int32).max
BOTTOM = 0
"""Ranks above and below all others; a missing cell lies below both."""


class Ranks(NamedTuple):
    """A file as ranks, a column a row (see `Grid`); `order` sorts the records by each, `lowest` is `low` so sorted."""

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    order: NDArray[np.int32]
    lowest: NDArray[np.int32]

    @classmethod
    def of(cls, low: Sequence[NDArray[np.int32]], high: Sequence[NDArray[np.int32]]) -> Ranks:
        """From the columns."""
        lows = np.array(low, np.int32)
        order = np.argsort(lows, axis=1, kind="stable").astype(np.int32)
        return cls(lows, np.array(high, np.int32), order, np.take_along_axis(lows, order, axis=1))

    @property
    def records(self) -> int:
        """How many records the file has."""
        return int(self.low.shape[1])


def ranked(files: Sequence[pl.DataFrame], names: Sequence[str], releases: Sequence[int]) -> tuple[list[Ranks], Kinds]:
    """All files as ranks, and which columns have an order."""
    grids = [Grid.of([file[name] for file in files], releases) for name in names]
    found = [Ranks.of([g.low[i] for g in grids], [g.high[i] for g in grids]) for i in range(len(files))]
    return found, Kinds(tuple(names), np.array([g.ordered for g in grids]), tuple(g.values for g in grids))


class Kinds(NamedTuple):
    """The columns of ranked files: names, which have an order, and the values in order."""

    names: tuple[str, ...]
    ordered: NDArray[np.bool_]
    values: tuple[pl.Series | None, ...]


class Counted(NamedTuple):
    """For how many records of a file each predicate is true, and two such records."""

    counts: Ints
    which: Ints
    records: int

    @property
    def single(self) -> int:
        """How many predicates are true for exactly one record."""
        return int(np.count_nonzero(self.counts == 1))

    @property
    def singled_out(self) -> Ints:
        """The records that some predicate is true for alone."""
        return np.unique(self.which[self.counts == 1, 0])

    @property
    def dependence(self) -> float:
        """How much more the number of predicates true for one record varies than if each spoke of another person.

        Take record r away: K_r predicates lose their only record, L_r keep one of two. D = Σ (L_r − K_r)²/Σ (L_r + K_r)
        is 1 if no record is in two of them, and more if one outlying person answers many. At least 1.

        >>> both = Counted(np.array([1, 1, 1]), np.array([[4, -1], [4, -1], [7, -1]]), 9)
        >>> both.dependence                                     # (2² + 1²)/(2 + 1)
        1.6666666666666667
        """
        lost = np.bincount(self.which[self.counts == 1, 0], minlength=self.records)
        kept = np.bincount(self.which[self.counts == 2].ravel(), minlength=self.records)
        moves = int((lost + kept).sum())
        return max(1.0, float(((kept - lost) ** 2).sum()) / moves) if moves else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Predicates:
    """Predicates, one a row: each condition is a column, the ranks a cell may lie between, and whether it is negated.

    >>> file = pl.DataFrame({"age": [30, 40, 40], "sex": ["F", "F", "M"]})
    >>> (ranks,), kinds = ranked([file], file.columns, [])
    >>> older = Predicates(*(np.array([[v]], np.int32) for v in (0, 2, TOP)), np.array([[False]]))
    >>> older.count(ranks).counts.tolist(), older.words(0, kinds)
    ([2], 'age >= 40')
    """

    column: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    negated: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.column)

    def take(self, which: Sequence[int] | NDArray[np.bool_] | slice) -> Predicates:
        """Some of the predicates."""
        return Predicates(self.column[which], self.first[which], self.last[which], self.negated[which])

    def count(self, file: Ranks, most: int | None = None) -> Counted:
        """For how many records of a file each is true, counted no further than `most`."""
        from lookalike.attacks import _predicates as kernel

        conditions = (self.column, self.first, self.last, self.negated)
        counts, which = kernel.count(*file, *conditions, most or file.records + 1)
        return Counted(counts, which, file.records)

    def single(self, file: Ranks) -> Predicates:
        """Those that are true for exactly one record of a file."""
        return self.take(self.count(file, 2).counts == 1)

    def names(self) -> Iterator[bytes]:
        """Each as bytes: equal if and only if the predicates are."""
        for row in np.hstack([self.column, self.first, self.last, self.negated.astype(np.int32)]):
            yield row.tobytes()

    def words(self, i: int, kinds: Kinds) -> str:
        """A predicate in words; it holds values, so it is for the custodian alone."""
        parts = zip(self.column[i], self.first[i], self.last[i], self.negated[i], strict=True)
        return " and ".join(_words(kinds, *part) for part in parts)


def _words(kinds: Kinds, column: int, first: int, last: int, negated: bool) -> str:
    name, values = kinds.names[column], kinds.values[column]
    if last == MISSING:
        return f"{name} is missing"
    if (first, last) == (BOTTOM, TOP):
        return f"{name} is not missing"
    if values is None:
        return f"{name} in a range"
    if first > len(values) or last == BOTTOM:
        return f"{name} {'above' if last == TOP else 'below'} all values"
    if last == TOP:
        return f"{name} >= {values[int(first) - 1]}"
    return f"{name} {'<=' if first == BOTTOM else '!=' if negated else '=='} {values[int(last) - 1]}"
