"""Linear interpolation: draw a record, then each number between its value and the next one below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.filled import Filled
from lookalike.models.mixed import Column, Mixed, Numbers

Array = NDArray[np.float64]

_REACH = 3.0
"""Standard deviations from the middle of an interval to its ends, for draws that gather in the middle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpolation:
    """Linear interpolation I or II of the thesis (section 3.2.12), a smoothed bootstrap.

    The distinct values x_(1) < … < x_(n') of a column cut the line into intervals. A record is drawn as in the
    bootstrap; where its value is x_(l), the new one lies in (x_(l−1), x_(l)). For x_(1) there is nothing below: I adds
    a point x_(0) = x_(1) − (x_(n') − x_(1))/(n' − 1), the mean gap; II takes (x_(1), x_(2)), so that no value leaves
    the range of the file. The intervals of all numbers of one record make its box; categories are those of the record.
    Inside an interval values are uniform, or normal around the middle with the ends at three standard deviations.

    A value that c records hold is spread over its interval as the thesis has it, whose intervals join distinct values;
    with ties="keep" it stays as it is with chance (c − 1)/c, which keeps spikes and copies their value.

    >>> table = Mixed((Numbers(np.array([0.0, 10.0, 11.0, 11.0])),))
    >>> law = Interpolation().fit_mixed(table, rng=np.random.default_rng(1))
    >>> x = law.sample(100_000, rng=np.random.default_rng(2)).columns[0].values
    >>> bool(abs((x < 10).mean() - 2 / 4) < 0.01)                # the records of 0 and 10; those of 11 lie above 10
    True
    """

    kind: Literal[1, 2] = 2
    inside: Literal["uniform", "normal"] = "uniform"
    ties: Literal["spread", "keep"] = "spread"

    def __post_init__(self) -> None:
        if self.kind not in (1, 2):
            raise BadPlan(f"Interpolation: 'kind' is 1 or 2, not {self.kind}.")
        if self.inside not in ("uniform", "normal"):
            raise BadPlan(f"Interpolation: 'inside' is 'uniform' or 'normal', not '{self.inside}'.")
        if self.ties not in ("spread", "keep"):
            raise BadPlan(f"Interpolation: 'ties' is 'spread' or 'keep', not '{self.ties}'.")

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> InterpolationLaw:
        """The box of every record; unknown cells are filled from other records of the column."""
        return InterpolationLaw(self, Filled.of(table, rng=rng, what="Interpolation"))


class InterpolationLaw:
    """The boxes of the records."""

    def __init__(self, choice: Interpolation, records: Filled) -> None:
        self._choice, self._records = choice, records
        self._intervals = [
            _Intervals.of(c.values, choice.kind) if isinstance(c, Numbers) else None for c in records.table.columns
        ]

    @property
    def caveats(self) -> tuple[str, ...]:
        """How near the file the records are."""
        return (
            "Numbers lie between two neighbouring values of the file, and all numbers of a record near those of one "
            "real record; categories are those of that record. Interpolation is not protection.",
            *self._of_choice,
            *self._records.caveats,
        )

    @property
    def _of_choice(self) -> tuple[str, ...]:
        spread = "A value that many records hold is spread over the gap below it: spikes are lost."
        kept = "A value that several records hold is often drawn as it is."
        below = "Some numbers lie below the smallest of the file, which may be impossible (a negative age)."
        return (spread if self._choice.ties == "spread" else kept, *([below] if self._choice.kind == 1 else []))

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records; one stream, so the number of threads changes nothing."""
        rows = rng.integers(0, self._records.table.records, n)
        columns = zip(self._records.table.columns, self._intervals, strict=True)
        return Mixed(tuple(self._draw(column, interval, rows, rng) for column, interval in columns))

    def _draw(self, column: Column, intervals: _Intervals | None, rows: NDArray[np.int64], rng: Generator) -> Column:
        if intervals is None:
            return column.take(rows)
        found = between(*intervals.of_rows(rows), self._parts(len(rows), rng))
        if self._choice.ties == "keep" and isinstance(column, Numbers):
            moved = rng.random(len(rows)) * intervals.sizes[intervals.place[rows]] < 1
            found = np.where(moved, found, column.values[rows])
        return Numbers(found)

    def _parts(self, n: int, rng: Generator) -> Array:
        """How far from the lower to the upper end, from 0 to 1."""
        u = rng.random(n)
        if self._choice.inside == "uniform":
            return u
        from scipy.special import ndtr, ndtri

        low, high = ndtr(-_REACH), ndtr(_REACH)
        return np.asarray(0.5 + ndtri(low + u * (high - low)) / (2 * _REACH), np.float64)


@dataclass(frozen=True, slots=True)
class _Intervals:
    """The interval of each distinct value of a column, and the place of each record among them."""

    low: Array
    high: Array
    place: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, values: Array, kind: int) -> _Intervals:
        distinct, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
        low, high = np.concatenate([distinct[:1], distinct[:-1]]), distinct.copy()
        if len(distinct) > 1 and kind == 1:
            # Each end divided by itself: their difference may be beyond the largest number.
            gaps = len(distinct) - 1
            with np.errstate(over="ignore"):
                low[0] = max(distinct[0] - (distinct[-1] / gaps - distinct[0] / gaps), np.finfo(np.float64).min)
        elif len(distinct) > 1:
            high[0] = distinct[1]
        return cls(low, high, place.astype(np.int64), sizes)

    def of_rows(self, rows: NDArray[np.int64]) -> tuple[Array, Array]:
        """The ends of the intervals of some records."""
        place = self.place[rows]
        return self.low[place], self.high[place]


def between(start: Array, end: Array, part: Array) -> Array:
    """start + part·(end − start), never beyond the two, exact where both agree, and without overflow.

    >>> between(np.array([0.1, 1e308]), np.array([0.1, -1e308]), np.array([0.3, 0.5])).tolist()
    [0.1, 0.0]
    """
    found = (1 - part) * start + part * end
    return np.asarray(np.clip(found, np.minimum(start, end), np.maximum(start, end)), np.float64)
