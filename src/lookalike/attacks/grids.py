"""Cells of several files on one grid: ranks that predicates ask for, numbers that distances are taken of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.columns import alike
from lookalike.attacks.ranges import is_coarse, spans_of

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

MISSING = -1
"""The rank of a missing cell."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """One column of all files as ranks: a cell stands for the values from `low` to `high`, mostly one value.

    Ranks from 1, equal if and only if the values are, in the order of the values; a missing cell has rank −1. `values`
    are the values in order, for words; None where cells of a release stand for several values."""

    low: list[Ints]
    high: list[Ints]
    ordered: bool
    values: pl.Series | None

    @classmethod
    def of(cls, columns: Sequence[pl.Series], releases: Sequence[int]) -> Grid:
        """The columns of the files, of which `releases` tells which may hold intervals, masks and wildcards.

        >>> grid = Grid.of([pl.Series([-5, 3, None]), pl.Series([3.0, 7.5, -5.0])], [1])
        >>> [rank.tolist() for rank in grid.low], grid.ordered
        ([[1, 2, -1], [2, 3, 1]], True)
        >>> grid = Grid.of([pl.Series([21, 25]), pl.Series(["[20;24]", "[25;29]"])], [1])
        >>> [rank.tolist() for rank in (*grid.low, grid.high[1])]          # of 20, 21, 24, 25, 29
        [[2, 4], [1, 4], [3, 5]]
        """
        if any(is_coarse(columns[i], columns[0]) for i in releases):
            ends = spans_of(columns)
            seen = np.unique(np.concatenate([end for pair in ends for end in pair]))
            low, high = ([(1 + np.searchsorted(seen, e[i])).astype(np.int32) for e in ends] for i in (0, 1))
            return cls(low, high, columns[0].dtype.is_numeric(), None)
        joined = pl.concat(in_one_type(columns))
        values = joined.drop_nulls().unique().sort()
        # Texts are ranked many times faster through the list of their values.
        text = joined.dtype == pl.String
        places = joined.cast(pl.Enum(values)).to_physical().cast(pl.Int32) + 1 if text else joined.rank("dense")
        ranks = places.cast(pl.Int32).fill_null(MISSING).to_numpy()
        each = np.split(ranks, np.cumsum([len(c) for c in columns])[:-1])
        return cls(each, each, is_ordered(columns), values)


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """One column of all files as numbers, for the distance of Gower (1971).

    The distance of a value from a cell is what lies between them times `inverse`, at most 1. Numbers and times have
    1/range over all files, so that the original and the control stand alike; categories have codes and 1, so that
    any two differ by 1. A missing cell is −∞: at 0 from another one, at 1 from all else."""

    low: list[Floats]
    high: list[Floats]
    ordered: bool
    inverse: float

    @classmethod
    def of(cls, columns: Sequence[pl.Series], releases: Sequence[int]) -> Scale:
        """The columns of the files, of which `releases` tells which may hold intervals, masks and wildcards.

        >>> scale = Scale.of([pl.Series([10, None]), pl.Series([20, 60])], [1])
        >>> [v.tolist() for v in scale.low], scale.inverse
        ([[10.0, -inf], [20.0, 60.0]], 0.02)
        >>> Scale.of([pl.Series(["F", "M"]), pl.Series(["M"])], [1]).inverse
        1.0
        """
        if any(is_coarse(columns[i], columns[0]) for i in releases):
            ends = spans_of(columns)
            low, high = [e[0] for e in ends], [e[1] for e in ends]
            ordered = columns[0].dtype.is_numeric()
        else:
            ordered = is_ordered(columns)
            low = high = as_numbers(columns) if ordered else [_codes(ranks) for ranks in Grid.of(columns, ()).low]
        return cls(low, high, ordered, _inverse([*low, *high]) if ordered else 1.0)


def is_ordered(columns: Sequence[pl.Series]) -> bool:
    """Whether a column holds numbers, or dates and times, in every file."""
    types = [c.dtype for c in columns if c.dtype != pl.Null]
    return bool(types) and (all(t.is_numeric() for t in types) or is_time(columns))


def is_time(columns: Sequence[pl.Series]) -> bool:
    """Whether a column holds dates or times that can be compared, in every file."""
    types = {c.dtype.base_type() for c in columns if c.dtype != pl.Null}
    return types in ({pl.Time}, {pl.Duration}) or (bool(types) and types <= {pl.Date, pl.Datetime})


def in_one_type(columns: Sequence[pl.Series]) -> list[pl.Series]:
    """Columns in one type, as `alike`; dates and times to the microsecond, however they are stored.

    >>> from datetime import date, datetime
    >>> found = in_one_type([pl.Series([date(2020, 1, 1)]), pl.Series([datetime(2020, 1, 1)])])
    >>> bool((found[0] == found[1]).all())
    True
    """
    if not is_time(columns):
        return alike(columns)
    kinds = {c.dtype.base_type() for c in columns if c.dtype != pl.Null}
    return [_in_one_unit(c, kinds) for c in columns]


def as_numbers(columns: Sequence[pl.Series]) -> list[Floats]:
    """Numbers as they are, dates and times in days; missing is −∞.

    >>> from datetime import date
    >>> [v.tolist() for v in as_numbers([pl.Series([date(1970, 1, 2), None]), pl.Series([date(1969, 12, 31)])])]
    [[1.0, -inf], [-1.0]]
    """
    times = is_time(columns)
    found = []
    for column in in_one_type(columns):
        numbers = column.to_physical().cast(pl.Float64) / _A_DAY[column.dtype.base_type()] if times else column
        found.append(numbers.cast(pl.Float64).fill_nan(None).fill_null(-np.inf).to_numpy())
    return found


_A_DAY = {pl.Date: 1.0, pl.Datetime: 86_400e6, pl.Duration: 86_400e6, pl.Time: 86_400e9}
"""A day in the units each type is stored in."""


def _in_one_unit(column: pl.Series, kinds: set[type[pl.DataType]]) -> pl.Series:
    if kinds in ({pl.Time}, {pl.Date}):
        return column.cast(*kinds).alias("v")
    if kinds == {pl.Duration}:
        return column.cast(pl.Duration("us")).alias("v")
    if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None:
        column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return column.cast(pl.Datetime("us")).alias("v")


def _codes(ranks: Ints) -> Floats:
    return np.where(ranks == MISSING, -np.inf, ranks)


def _inverse(values: Sequence[Floats]) -> float:
    """1/range of what is not missing; 1 where there is no range."""
    seen = np.concatenate(values)
    seen = seen[np.isfinite(seen)]
    spread = float(np.ptp(seen)) if len(seen) else 0.0
    return 1 / spread if spread > 0 else 1.0
