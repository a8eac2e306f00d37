"""MDAV microaggregation: groups of k near records, each number replaced by the mean of its group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
import polars as pl

from lookalike.anonymize.columns.chosen import chosen, given_up, partly
from lookalike.anonymize.columns.coded import Axis, axis_of
from lookalike.anonymize.columns.groups import Groups, common_range
from lookalike.anonymize.grouping.mdav_groups import Floats, Labels, coordinates, exchanged, mdav_groups
from lookalike.anonymize.grouping.mondrian import finite, parts
from lookalike.anonymize.method import Asked, Changed
from lookalike.data import Kind, Microdata

Form = Literal["mean", "range"]
_KINDS = (Kind.NUMERIC, Kind.DATE, Kind.ORDINAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mdav:
    """Microaggregation by the maximum distance to the average vector, with groups of fixed size.

    Groups as `mdav_groups` has them, on the standardized Euclidean distance. Numbers and dates become the mean of
    their group, ordered values its median; or all become its range. `refine` is the number of passes in which records
    then change places where that lowers the loss. `block`: the file is first cut into parts of so many records (see
    `Mondrian`), and MDAV runs in each; that is an approximation. Source: Domingo-Ferrer and Torra (2005).

    >>> import lookalike as la
    >>> file = la.read(pl.DataFrame({"age": [30, 61, 33, 60, 35]}), quasi_identifiers=["age"])
    >>> made = Mdav(k=2).change(Asked(file=file, rng=np.random.default_rng(1)))
    >>> made.columns["age"].round(2).to_list()
    [32.67, 60.5, 32.67, 60.5, 32.67]
    """

    name: ClassVar[str] = "mdav"
    k: int
    columns: tuple[str, ...] = ()
    release: Form = "mean"
    standardize: bool = True
    refine: int = 0
    block: int | None = None

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        found = [f"mdav: k must be at least 2, not {self.k}."] if self.k < 2 else []
        if self.release not in get_args(Form):
            found.append(f"mdav: release must be one of {', '.join(get_args(Form))}.")
        if self.refine < 0:
            found.append(f"mdav: refine must be at least 0, not {self.refine}.")
        if self.block is not None and self.block < 2 * self.k:
            found.append(f"mdav: block must be at least 2k = {2 * self.k}, not {self.block}.")
        return found

    def change(self, asked: Asked) -> Changed:
        """The columns as means or ranges; `figures` tell the groups and the loss 100·SSE/SST."""
        file = asked.file
        names = chosen(file, self.columns, [*self.faults(), *self._misfits(file)], k=self.k)
        axes = finite([axis_of(file, name) for name in names])
        points, weights = coordinates(axes, standardize=self.standardize)
        groups = Groups.of(self._labels(axes, points, weights))
        means = self.release == "mean"
        columns = {axis.name: (_averaged if means else common_range)(axis, groups) for axis in axes}
        return Changed(
            columns=columns,
            perturbed=frozenset(names) if means else frozenset(),
            caveats=(
                *partly(file, names),
                *_given_up(axes, groups),
                *given_up(asked, columns),
                *self._approximate(file),
            ),
            figures={"groups": len(groups.starts), "loss": _loss(points, weights, groups)},
        )

    def _misfits(self, file: Microdata) -> list[str]:
        wanted = dict.fromkeys(self.columns) or file.quasi_identifiers
        return [
            f"mdav: column '{name}' is {file.variable(name).kind.value} and has no mean. Name columns of numbers, "
            "dates or ordered values (columns), or choose mondrian."
            for name in wanted
            if name in file.columns and not _has_mean(file, name)
        ]

    def _labels(self, axes: Sequence[Axis], points: Floats, weights: Floats) -> Labels:
        """The group of every record, part by part if the file is cut first."""
        if self.block is None or self.block > len(points[0]):
            return self._grouped(points, weights)
        labels, count = np.empty(points.shape[1], np.int64), 0
        cut = parts(axes, self.block)
        for rows in np.split(cut.order, cut.starts[1:]):
            labels[rows] = self._grouped(points[:, rows], weights) + count
            count = int(labels[rows].max()) + 1
        return labels

    def _grouped(self, points: Floats, weights: Floats) -> Labels:
        labels = mdav_groups(points, weights, self.k)
        return exchanged(points, weights, labels, self.k, self.refine) if self.refine else labels

    def _approximate(self, file: Microdata) -> tuple[str, ...]:
        if self.block is None or self.block > file.records:
            return ()
        return (
            f"The file was first cut into parts of {self.block:,} records or more: no group crosses their borders.",
        )


def _has_mean(file: Microdata, name: str) -> bool:
    dtype = file.table.schema[name]
    return dtype.is_numeric() or dtype.is_temporal() or file.variable(name).kind is Kind.ORDINAL


def _averaged(axis: Axis, groups: Groups) -> pl.Series:
    """Each record's cell as the mean of its group, the median where values are ranks; null where a record misses it."""
    codes = axis.codes[groups.order]
    lacking = np.minimum.reduceat(codes, groups.starts) < 0
    if not len(axis.values):
        return pl.Series(axis.name, [None] * len(codes), dtype=axis.values.dtype)
    if axis.metric and axis.values.dtype != pl.String:
        cells = _means(axis, groups)
    else:
        order = np.lexsort((codes, np.repeat(np.arange(len(groups.starts)), groups.sizes)))
        cells = axis.values.gather(np.maximum(codes[order][groups.starts + (groups.sizes - 1) // 2], 0))
    kept = pl.select(pl.when(pl.Series(~lacking)).then(cells)).to_series()
    return kept.gather(groups.spread(np.arange(len(groups.starts)))).alias(axis.name)


def _means(axis: Axis, groups: Groups) -> pl.Series:
    """The mean of each group: a number, or a day."""
    sums = np.add.reduceat(axis.spread(axis.positions, 0.0)[groups.order], groups.starts)
    means = sums / groups.sizes
    dtype = axis.values.dtype
    if not dtype.is_temporal():
        return pl.Series(means)
    if dtype == pl.Datetime:
        return pl.Series(np.rint(means * 86_400_000_000).astype(np.int64)).cast(pl.Datetime("us")).cast(dtype)
    return pl.Series(np.rint(means).astype(np.int64)).cast(axis.values.to_physical().dtype).cast(dtype)


def _loss(points: Floats, weights: Floats, groups: Groups) -> float:
    """100·SSE/SST over the coordinates; a value that is given up counts as far as it is from its neighbours."""
    inside = whole = 0.0
    for row, weight in zip(points, weights, strict=True):
        means = np.add.reduceat(row[groups.order], groups.starts) / groups.sizes
        inside += weight * float(((row[groups.order] - np.repeat(means, groups.sizes)) ** 2).sum())
        whole += weight * float(((row - row.mean()) ** 2).sum())
    return float(100 * inside / whole) if whole else 0.0


def _given_up(axes: Sequence[Axis], groups: Groups) -> tuple[str, ...]:
    """A caveat on known values that are lost because a record of their group misses them."""
    lost = 0
    for axis in axes:
        if axis.gaps:
            lacking = np.minimum.reduceat(axis.codes[groups.order], groups.starts) < 0
            lost += int((np.repeat(lacking, groups.sizes) & (axis.codes[groups.order] >= 0)).sum())
    return (f"Known values given up because another record of the group misses them: {lost:,}.",) if lost else ()
