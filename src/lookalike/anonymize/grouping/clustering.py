"""k-anonymity by clustering: records in the order of one distance, cut into groups (seed 004, Algorithm S2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymize.columns.chosen import chosen, given_up, partly
from lookalike.anonymize.columns.coded import Axis, axis_of
from lookalike.anonymize.columns.distance import by_distance_to_zero, squares_to
from lookalike.anonymize.columns.groups import Groups, common_range
from lookalike.anonymize.method import Asked, Changed
from lookalike.classes import group


@dataclass(frozen=True, slots=True, kw_only=True)
class Microaggregation:
    """Groups of k records after another by their distance to zero, each made alike by its common range.

    Records are sorted by the standardized Euclidean distance (equation 2) to the record whose quasi-identifiers are
    all zero, ties in the order of the file; cut into groups of k, the last one k to 2k − 1; each value is replaced by
    its group's range. With `keep_safe`, records whose class has k members already are left as they are (the paper's
    point i) and the rest is clustered. Source: seed 004, Algorithm S2.

    >>> import lookalike as la, polars as pl
    >>> file = la.read(pl.DataFrame({"age": [30, 61, 33, 60, 35]}), quasi_identifiers=["age"])
    >>> made = Microaggregation(k=2).change(Asked(file=file, rng=np.random.default_rng(1)))
    >>> made.columns["age"].to_list()
    ['[30;33]', '[35;61]', '[30;33]', '[35;61]', '[35;61]']
    """

    name: ClassVar[str] = "microaggregate"
    k: int
    keep_safe: bool = False
    columns: tuple[str, ...] = ()

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        return [] if self.k >= 2 else [f"k must be at least 2, not {self.k}."]

    def change(self, asked: Asked) -> Changed:
        """The columns as ranges of groups; `figures` count the groups and the records left alone."""
        file = asked.file
        names = chosen(file, self.columns, self.faults(), k=self.k)
        axes = [axis_of(file, name) for name in names]
        groups, alone = self._groups(axes)
        columns = {axis.name: common_range(axis, groups) for axis in axes}
        return Changed(
            columns=columns,
            caveats=(*partly(file, names), *unordered(axes), *given_up(asked, columns)),
            figures={"groups": len(groups.starts) - alone, "left alone": alone},
        )

    def _groups(self, axes: Sequence[Axis]) -> tuple[Groups, int]:
        """The groups, and how many records at their end stand for themselves."""
        if not self.keep_safe:
            return Groups.cut(by_distance_to_zero(axes), self.k), 0
        labels = group(axis.codes.astype(np.int64) for axis in axes)
        small = np.bincount(labels)[labels] < self.k
        rest = np.flatnonzero(small).astype(np.int32)
        if 0 < len(rest) < self.k:
            rest = np.union1d(rest, borrowed(axes, labels, rest, self.k)).astype(np.int32)
        alone = np.ones(len(labels), bool)
        alone[rest] = False
        safe = np.flatnonzero(alone).astype(np.int32)
        starts = Groups.cut(rest, self.k).starts if len(rest) else np.empty(0, np.int64)
        order = by_distance_to_zero(axes, rest)
        return Groups(np.append(order, safe), np.append(starts, len(rest) + np.arange(len(safe)))), len(safe)


def borrowed(axes: Sequence[Axis], labels: NDArray[np.int32], rest: NDArray[np.int32], k: int) -> NDArray[np.int64]:
    """Records that join fewer than k left ones: of the class nearest to their mean, as many as are wanted.

    If that would leave the class with fewer than k, the whole class joins.
    """
    centre = [float(np.mean(axis.spread(axis.positions, axis.mean)[rest])) for axis in axes]
    squares = squares_to(axes, centre)
    squares[rest] = np.inf
    members = np.flatnonzero(labels == labels[int(np.argmin(squares))])
    wanted = k - len(rest)
    return members[:wanted] if len(members) - wanted >= k else members


def unordered(axes: Sequence[Axis]) -> tuple[str, ...]:
    """A caveat on columns whose order has no meaning."""
    names = [axis.name for axis in axes if not axis.metric and len(axis.values) > 2]
    if not names:
        return ()
    return (
        f"{', '.join(names)}: a range stands for the values between its ends in the order of their levels or texts.",
    )
