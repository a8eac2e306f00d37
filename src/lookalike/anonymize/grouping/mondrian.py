"""Mondrian: the file is cut along its widest variable, again and again; each part shares its ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.chosen import chosen, given_up, partly
from lookalike.anonymize.columns.coded import Axis, axis_of
from lookalike.anonymize.columns.groups import Groups, common_range
from lookalike.anonymize.grouping.clustering import unordered
from lookalike.anonymize.method import Asked, Changed
from lookalike.data import Kind, Microdata
from lookalike.errors import BadPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Mondrian:
    """Groups of k to 2k − 1 records by cutting in the middle, each made alike by its common range.

    A part is cut along its widest variable, (highest − lowest)/σ, between two values and as near the middle as leaves
    k records on both sides; if the widest cannot be cut, along the next. Where no variable can be cut between two
    values, equal values are parted, unless `strict`. With `l` or `t` a cut must also leave ℓ different values of
    every sensitive variable on both sides, or their distribution within t of the file's. Source: LeFevre, DeWitt and
    Ramakrishnan (2006).

    >>> import lookalike as la
    >>> file = la.read(pl.DataFrame({"age": [30, 61, 33, 60, 35]}), quasi_identifiers=["age"])
    >>> made = Mondrian(k=2).change(Asked(file=file, rng=np.random.default_rng(1)))
    >>> made.columns["age"].to_list()
    ['[30;33]', '[35;61]', '[30;33]', '[35;61]', '[35;61]']
    """

    name: ClassVar[str] = "mondrian"
    k: int
    l: float | None = None  # noqa: E741 (its name in the literature, and in plans)
    t: float | None = None
    strict: bool = False
    columns: tuple[str, ...] = ()

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        found = [f"mondrian: k must be at least 2, not {self.k}."] if self.k < 2 else []
        if self.l is not None and not self.l >= 1:
            found.append(f"mondrian: l must be at least 1, not {self.l:g}.")
        if self.t is not None and not 0 < self.t <= 1:
            found.append(f"mondrian: t must lie in (0, 1], not {self.t:g}.")
        return found

    def change(self, asked: Asked) -> Changed:
        """The columns as ranges of parts; `figures` tell how many parts, and the mean number of their records."""
        file = asked.file
        guarded = self.l is not None or self.t is not None
        secrets = [axis_of(file, name) for name in file.sensitive] if guarded else []
        names = chosen(file, self.columns, [*self.faults(), *self._misfits(secrets)], k=self.k)
        axes = finite([axis_of(file, name) for name in names])
        groups = self._groups(axes, _Secrets.of(file, secrets))
        columns = {axis.name: common_range(axis, groups) for axis in axes}
        return Changed(
            columns=columns,
            caveats=(*partly(file, names), *unordered(axes), *given_up(asked, columns)),
            figures={"groups": len(groups.starts), "mean size": float(groups.sizes.mean())},
        )

    def _misfits(self, secrets: Sequence[Axis]) -> list[str]:
        if (self.l is not None or self.t is not None) and not secrets:
            return ["mondrian: l and t are about sensitive variables, and none is named. Name them."]
        found = [
            f"mondrian: '{axis.name}' is missing in all records: l and t have no answer."
            for axis in secrets
            if not len(axis.values)
        ]
        return found + [
            f"mondrian: l = {self.l:g} cannot be reached: '{axis.name}' has {len(axis.values)} different values."
            for axis in secrets
            if self.l is not None and 0 < len(axis.values) < self.l
        ]

    def _groups(self, axes: Sequence[Axis], secrets: _Secrets) -> Groups:
        limits = (ceil(self.l or 0), float(1 if self.t is None else self.t))
        return parts(axes, self.k, strict=self.strict, secrets=secrets, limits=limits)


@dataclass(frozen=True)
class _Secrets:
    """The sensitive variables as the kernel reads them (see `_mondrian.partition`)."""

    codes: NDArray[np.int32]
    shares: NDArray[np.float64]
    begins: NDArray[np.int64]
    ordered: NDArray[np.bool_]

    @classmethod
    def of(cls, file: Microdata | None, axes: Sequence[Axis]) -> _Secrets:
        if file is None or not axes:
            return cls(np.empty((0, 0), np.int32), np.empty(0), np.zeros(1, np.int64), np.empty(0, bool))
        shares = [np.cumsum(axis.counts) / axis.counts.sum() for axis in axes]
        return cls(
            np.stack([axis.codes for axis in axes]),
            np.concatenate(shares),
            np.append(0, np.cumsum([len(one) for one in shares])),
            np.array([_ordered(file, axis) for axis in axes]),
        )

    @property
    def most(self) -> int:
        """The most values one of them has."""
        return int(np.diff(self.begins).max(initial=0))


def _ordered(file: Microdata, axis: Axis) -> bool:
    """Whether the values have an order, so that t is an earth mover's distance; else it is the total variation."""
    kind = file.variable(axis.name).kind
    return kind is Kind.ORDINAL or (kind in (Kind.NUMERIC, Kind.DATE) and axis.values.dtype != pl.String)


_NONE = _Secrets.of(None, ())


def finite(axes: list[Axis]) -> list[Axis]:
    """The axes, if all their values lie somewhere: infinite numbers have no distance and no mean."""
    beyond = {axis.name: int(axis.counts[~np.isfinite(axis.positions)].sum()) for axis in axes if len(axis.values)}
    faults = [
        f"Column '{name}' holds infinite numbers (records: {count:,}). Make them missing, or top-code them."
        for name, count in beyond.items()
        if count
    ]
    if faults:
        raise BadPlan(faults)
    return axes


def parts(
    axes: Sequence[Axis],
    k: int,
    *,
    strict: bool = False,
    secrets: _Secrets = _NONE,
    limits: tuple[int, float] = (0, 1.0),
) -> Groups:
    """The parts of at least k records.

    >>> from lookalike.data import Variable
    >>> from lookalike.anonymize.columns.coded import axis
    >>> ages = axis(Variable(name="age", kind=Kind.NUMERIC), pl.Series("age", [7, 1, 8, 2, 9]))
    >>> groups = parts([ages], 2)
    >>> np.split(groups.order, groups.starts[1:])
    [array([1, 3], dtype=int32), array([0, 2, 4], dtype=int32)]
    """
    from lookalike.anonymize.grouping import _mondrian as kernel

    n = len(axes[0].codes)
    rows, order = np.empty((n, len(axes)), np.int32), np.arange(n, dtype=np.int32)
    for j, axis in enumerate(axes):
        np.add(axis.codes, 1, out=rows[:, j])
    at = [_scaled(axis) for axis in axes]
    first = np.append(0, np.cumsum([len(one) for one in at]))[:-1]
    told = (secrets.codes, secrets.shares, secrets.begins, secrets.ordered)
    starts = kernel.partition(rows, order, np.concatenate(at), first, k, strict, told, limits, secrets.most)
    return Groups(order, starts)


def _scaled(axis: Axis) -> NDArray[np.float64]:
    """Where values lie in standard deviations; missing one range below the lowest, so that they part early."""
    if not len(axis.values):
        return np.zeros(1)
    where = axis.positions / (axis.deviation or 1.0)
    return np.append(where[0] - max(where[-1] - where[0], 1.0), where)
