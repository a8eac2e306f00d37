"""Classes of values that count as equal: intervals of equal length, of equal frequency, one's own, or the release's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.columns import numbered, ordered
from lookalike.attacks.ranges import spans_of
from lookalike.errors import BadPlan

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
NONE = -1
"""The class of a value that lies in no class."""


class Classes(Protocol):
    """A rule that puts the values of one column into classes, the same for all files.

    >>> rule: Classes = EqualLength(2)
    >>> [codes.tolist() for codes in rule.codes(pl.Series([0.0, 4.0, 9.0]), pl.Series([0.0, 9.0]))]
    [[0, 0, 1], [0, 1]]
    """

    def codes(self, original: pl.Series, release: pl.Series, *others: pl.Series) -> list[Ints]:
        """The class of every value, one array a file; `NONE` where it lies in none."""
        ...


@dataclass(frozen=True, slots=True)
class EqualLength:
    """So many intervals of equal length over the range of the release (Qu 2024, section 2.6.7).

    >>> [c.tolist() for c in EqualLength(2).codes(pl.Series([0.0, 4.0, 9.0]), pl.Series([0.0, 4.0]))]
    [[0, 1, -1], [0, 1]]
    """

    bins: int

    def codes(self, original: pl.Series, release: pl.Series, *others: pl.Series) -> list[Ints]:
        """See `Classes`."""
        low, high = _range(release)
        return Edges(tuple(np.linspace(low, high, self.bins + 1))).codes(original, release, *others)


@dataclass(frozen=True, slots=True)
class EqualFrequency:
    """So many intervals with about equally many rows of the release each; equal ends are one.

    >>> [c.tolist() for c in EqualFrequency(2).codes(pl.Series([1, 9]), pl.Series([1, 2, 3, 9]))]
    [[0, 1], [0, 0, 1, 1]]
    """

    bins: int

    def codes(self, original: pl.Series, release: pl.Series, *others: pl.Series) -> list[Ints]:
        """See `Classes`."""
        _range(release)  # tells if there is none
        values = _numbers(release)
        ends = np.unique(np.quantile(values[~np.isnan(values)], np.linspace(0, 1, self.bins + 1)))
        return Edges(tuple(ends)).codes(original, release, *others)


@dataclass(frozen=True, slots=True)
class Edges:
    """Intervals [e₀, e₁), [e₁, e₂), …, the last one closed. A missing value is a class of its own.

    >>> Edges((0, 1, 2)).codes(pl.Series([0.5, 1.0, 2.0, 2.5, None]), pl.Series([1.5]))[0].tolist()
    [0, 1, 1, -1, 2]
    """

    edges: tuple[float, ...]

    def codes(self, original: pl.Series, release: pl.Series, *others: pl.Series) -> list[Ints]:
        """See `Classes`."""
        return [self._placed(_numbers(column)) for column in (original, release, *others)]

    def _placed(self, values: Floats) -> Ints:
        ends = np.asarray(self.edges, np.float64)
        last = max(len(ends) - 2, 0)
        found = np.minimum(np.searchsorted(ends, values, side="right") - 1, last).astype(np.int64)
        found[(values < ends[0]) | (values > ends[-1])] = NONE
        found[np.isnan(values)] = last + 1
        return found


@dataclass(frozen=True, slots=True)
class ReleaseIntervals:
    """The intervals the release's own cells are; they may touch and not overlap. A shared end belongs to the upper one.

    >>> release = pl.Series(["[160;165]", "[160;165]", "[165;170]"])
    >>> [c.tolist() for c in ReleaseIntervals().codes(pl.Series([160, 161, 168, 175]), release)]
    [[0, 0, 1, -1], [0, 0, 1]]
    """

    def codes(self, original: pl.Series, release: pl.Series, *others: pl.Series) -> list[Ints]:
        """See `Classes`."""
        ends = spans_of([original, release, *others])
        intervals = np.unique(np.column_stack(ends[1]), axis=0)
        if (intervals[1:, 0] < intervals[:-1, 1]).any():
            raise BadPlan(
                f"Column '{release.name}' of the release has intervals that overlap, so they are no classes. "
                "Leave the column without classes: its cells are then matched as ranges."
            )
        placed = [self._placed(low, high, intervals) for low, high in ends]
        placed[1] = np.searchsorted(intervals[:, 0], ends[1][0], side="right") - 1
        return placed

    def _placed(self, low: Floats, high: Floats, intervals: Floats) -> Ints:
        found = np.searchsorted(intervals[:, 0], low, side="right") - 1
        inside = (found >= 0) & (high <= intervals[np.maximum(found, 0), 1])
        return np.where(inside, found, NONE).astype(np.int64)


def class_codes(files: Sequence[pl.DataFrame], names: Sequence[str], classes: Mapping[str, Classes]) -> list[Ints]:
    """One number per record over several columns, classes where there is a rule and values where not.

    `files` are the original, the release, and others. A record with a value in no class gets `NONE`.
    """
    coded = [
        classes[name].codes(*(file[name] for file in files))
        if name in classes
        else ordered([file[name] for file in files])
        for name in names
    ]
    outside = [np.any([c[i] == NONE for c in coded], axis=0) for i in range(len(files))]
    shifted = [pl.DataFrame({str(j): c[i] for j, c in enumerate(coded)}) for i in range(len(files))]
    found = numbered(shifted, shifted[0].columns).files if len(names) > 1 else coded[0]
    return [np.where(out, NONE, numbers) for out, numbers in zip(outside, found, strict=True)]


def classed(files: Sequence[pl.DataFrame], names: Sequence[str], classes: Mapping[str, Classes]) -> list[pl.DataFrame]:
    """Some columns of the original, the release and others, those with a rule as the numbers of their classes.

    >>> files = [pl.DataFrame({"pay": [5.0, 90.0], "age": [18, 30]}), pl.DataFrame({"pay": [7.0], "age": ["[18;20]"]})]
    >>> [f.rows() for f in classed(files, ["pay", "age"], {"pay": Edges((0, 10))})]
    [[(0, 18), (1, 30)], [(0, '[18;20]')]]
    """
    found = [file.select(names) for file in files]
    for name in names:
        if name in classes:
            codes = apart(class_codes(files, [name], classes))
            found = [f.with_columns(pl.Series(name, c)) for f, c in zip(found, codes, strict=True)]
    return found


def apart(codes: Sequence[Ints]) -> list[Ints]:
    """Codes in which what lies in no class equals nothing of another file.

    >>> [c.tolist() for c in apart([np.array([0, -1]), np.array([-1, 1])])]
    [[0, 2], [3, 1]]
    """
    room = room_of(codes)
    return [np.where(c == NONE, room + i, c) for i, c in enumerate(codes)]


def room_of(codes: Sequence[Ints]) -> int:
    """One more than the largest code."""
    return 1 + max(int(c.max(initial=0)) for c in codes)


def faults_of(classes: Mapping[str, Classes]) -> list[str]:
    """What is wrong with the rules alone."""
    found = []
    for name, rule in classes.items():
        if getattr(rule, "bins", 1) < 1:
            found.append(f"The classes of column '{name}' must be at least 1.")
        if isinstance(rule, Edges) and (len(rule.edges) < 2 or list(rule.edges) != sorted(set(rule.edges))):
            found.append(
                f"The ends of the classes of column '{name}' must be two or more numbers, each above the last."
            )
    return found


def _numbers(column: pl.Series) -> Floats:
    if not column.dtype.is_numeric():
        raise BadPlan(f"Column '{column.name}' does not hold numbers, so it cannot be cut into intervals.")
    found: Floats = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return found


def _range(column: pl.Series) -> tuple[float, float]:
    values = _numbers(column)
    if np.isnan(values).all():
        raise BadPlan(f"Column '{column.name}' of the release has only missing values, so it has no range to cut.")
    return float(np.nanmin(values)), float(np.nanmax(values))
