"""How far rows are from one another: Gower's distance on columns as places on an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.classes.axis import Axis

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Points:
    """Rows as points: numbers over their range, other values by their code, missing as "not a number".

    >>> import polars as pl, lookalike as la
    >>> from lookalike.classes.axis import axis_of
    >>> file = la.read(pl.DataFrame({"age": [30, 40, None], "town": ["A", "B", "A"]}))
    >>> Points.of([axis_of(file, name) for name in file.columns]).to(0).tolist()
    [0.0, 1.0, 0.5]
    """

    at: Floats
    sized: NDArray[np.bool_]
    """Which columns have sizes; of the others two values are equal or not."""

    @classmethod
    def of(cls, axes: Sequence[Axis], rows: Ints | None = None) -> Points:
        """All rows, or some of them."""
        columns = [_placed(axis) for axis in axes]
        at = np.column_stack([axis.spread(place, np.nan) for axis, place in zip(axes, columns, strict=True)])
        return cls(at if rows is None else at[rows], np.array([axis.metric for axis in axes]))

    def to(self, row: int, others: Ints | None = None) -> Floats:
        """The mean distance over the columns of one row to all, or to some others."""
        point, at = self.at[row], self.at if others is None else self.at[others]
        there, here = ~np.isnan(at), ~np.isnan(point)
        apart = np.where(self.sized, np.abs(at - point), at != point)
        # Both missing are alike, one missing is as far as can be.
        return np.asarray(np.where(there & here, apart, there != here).mean(axis=1))

    def differ(self, row: int, others: Ints) -> NDArray[np.bool_]:
        """Which of these rows differ in a value that the row has."""
        point = self.at[row]
        return np.asarray(((self.at[others] != point) & ~np.isnan(point)).any(axis=1))


def _placed(axis: Axis) -> Floats:
    if not axis.metric:
        return np.arange(len(axis.values), dtype=np.float64)
    width = float(np.ptp(axis.positions)) if len(axis.positions) else 0.0
    return axis.positions / width if width else np.zeros(len(axis.positions))
