"""Rows at risk share their cells with near rows, so that nobody can be told apart among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.groups import Groups, common_range
from lookalike.anonymize.repairing.gower import Points
from lookalike.classes.axis import Axis, axis_of
from lookalike.data import Microdata
from lookalike.data.cells import GENERALIZED
from lookalike.engine import number

Ints = NDArray[np.int64]
Secrets = Sequence[tuple[Ints, Ints]]
"""Of each target: its value in every row as a number, and the rows that give it away."""


@dataclass(kw_only=True, eq=False)
class _Classes:
    """The classes of equal keys, and what each holds."""

    of: Ints
    """The class of each row."""
    points: Points
    sizes: Ints
    secrets: Secrets
    used: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self.used = np.zeros(len(self.sizes), bool)
        self.order = np.argsort(self.of, kind="stable")
        self.starts = np.append(0, np.cumsum(self.sizes))

    def rows(self, which: int) -> Ints:
        """The rows of a class."""
        return self.order[self.starts[which] : self.starts[which + 1]]


def coarsened(
    file: Microdata, rows: Ints, keys: Sequence[str], *, least: int = 2, secrets: Secrets = ()
) -> dict[str, pl.Series]:
    """The keys with the cells of these rows, and of as many near rows as are needed, as the range of their group.

    A group has at least `least` rows, and two values of each target that one of its rows gives away. The nearest
    classes of equal keys join first. Cells that are ranges already, and differ, are suppressed.

    >>> import lookalike as la
    >>> file = la.read(pl.DataFrame({"age": [30, 30, 31, 31, 64]}))
    >>> coarsened(file, np.array([4]), ["age"])["age"].to_list()
    ['30', '30', '[31;64]', '[31;64]', '[31;64]']
    """
    axes = [axis_of(file, name) for name in keys]
    return _as_ranges(axes, _labels(axes, rows, least, secrets))


def moved(file: Microdata, rows: Ints, keys: Sequence[str]) -> dict[str, pl.Series]:
    """The keys with each of these rows and the nearest of them that differs sharing the range of both.

    No other row changes: what is wanted is that these rows are no longer what they were. The last of an odd number
    shares with its neighbour; one that no other row differs from stays.

    >>> import lookalike as la
    >>> file = la.read(pl.DataFrame({"age": [30, 30, 31, 35, 64]}))
    >>> moved(file, np.array([0, 2, 4]), ["age"])["age"].to_list()
    ['[30;31]', '30', '[30;31]', '[35;64]', '[35;64]']
    """
    axes = [axis_of(file, name) for name in keys]
    points = Points.of(axes)
    labels = np.arange(file.records)
    alone = np.zeros(file.records, bool)
    alone[rows] = True
    for row in rows:
        if not alone[row]:
            continue
        alone[row] = False
        partner = _nearest_other(points, int(row), np.flatnonzero(alone))
        if partner is None:
            partner = _nearest_other(points, int(row), np.arange(file.records))
        if partner is not None:
            labels[labels == labels[row]] = labels[partner]
            alone[partner] &= not points.differ(partner, np.array([row]))[0]
    return _as_ranges(axes, labels)


def _nearest_other(points: Points, row: int, others: Ints) -> int | None:
    """The nearest of these rows that differs in a value the row has; None if none does."""
    others = others[points.differ(row, others)]
    return int(others[points.to(row, others).argmin()]) if len(others) else None


def _as_ranges(axes: Sequence[Axis], labels: Ints) -> dict[str, pl.Series]:
    groups = Groups.of(labels)
    return {axis.name: _range(axis, groups, labels) for axis in axes}


def _labels(axes: Sequence[Axis], rows: Ints, least: int, secrets: Secrets) -> Ints:
    """A number for every row: equal in one group; rows that stay as they are have numbers of their class."""
    codes = np.zeros(len(axes[0].codes), np.int64)
    for axis in axes:
        found = number(codes * (len(axis.values) + 1) + axis.codes + 1)
        codes = found.index.astype(np.int64)
    first = np.asarray(found.first, np.int64)
    classes = _Classes(
        of=codes,
        points=Points.of(axes, first),
        sizes=np.bincount(codes, minlength=len(first)),
        secrets=secrets,
    )
    group = np.arange(len(first))
    for place in np.unique(codes[rows]):
        if not classes.used[place]:
            _join(classes, group, int(place), least)
    return group[codes]


def _join(classes: _Classes, group: Ints, start: int, least: int) -> None:
    """Give the class and the nearest that are free one group, until it is safe; then the nearest groups there are."""
    classes.used[start] = True
    free = np.flatnonzero(~classes.used)
    taken = np.flatnonzero(classes.used & (group != start))
    for others in (free, taken):
        # Ties go to the larger class: fewer classes are changed then.
        for place in others[np.lexsort((-classes.sizes[others], classes.points.to(start, others)))]:
            if _safe(classes, np.flatnonzero(group == start), least):
                return
            classes.used[place] = True
            group[group == group[place]] = start


def _safe(classes: _Classes, members: Ints, least: int) -> bool:
    if classes.sizes[members].sum() < least:
        return False
    rows = np.concatenate([classes.rows(int(place)) for place in members])
    return all(len(np.unique(values[rows])) > 1 or not np.isin(rows, given).any() for values, given in classes.secrets)


def _range(axis: Axis, groups: Groups, labels: Ints) -> pl.Series:
    if axis.texts.str.contains(GENERALIZED).any():
        return _equal_or_none(axis, labels)
    return common_range(axis, groups)


def _equal_or_none(axis: Axis, labels: Ints) -> pl.Series:
    """Cells that are ranges: kept where a group has one value, else suppressed."""
    frame = pl.DataFrame({"label": labels, "code": axis.codes})
    one = frame.select(pl.col("code").n_unique().over("label") == 1).to_series().to_numpy()
    texts: Mapping[int, str] = dict(enumerate(axis.texts.to_list()))
    cells = [texts.get(int(code)) if same else None for code, same in zip(axis.codes, one, strict=True)]
    return pl.Series(axis.name, cells, dtype=pl.String)
