"""A confidential variable in its order, and how far groups of records are from all of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.coded import Axis
from lookalike.anonymize.columns.distance import in_order
from lookalike.anonymize.columns.groups import Groups
from lookalike.anonymize.grouping.t_bound import Stretches, paper_bound, t_bound
from lookalike.classes import Spread
from lookalike.risk import earth_mover_closeness, total_variation_closeness


@dataclass(frozen=True)
class Ranked:
    """The records by a variable: ties in the order of the file, missing values last, so that groups share them."""

    axis: Axis
    order: NDArray[np.int32]
    known: int
    """The records that have a value."""

    @classmethod
    def of(cls, axis: Axis) -> Ranked:
        """Sort them."""
        codes = np.where(axis.codes < 0, len(axis.values), axis.codes).astype(np.int32) if axis.gaps else axis.codes
        return cls(axis, in_order(codes), int(axis.counts.sum()))

    def t(self, groups: Groups) -> float:
        """The largest ordered earth mover's distance of a group, every value that occurs one step from the next."""
        return earth_mover_closeness(spread_of(self.axis, groups)).t if self.known else 0.0

    def t_of_ranks(self, groups: Groups) -> float:
        """The same with every record a value of its own, as equation 6 counts."""
        if not self.known:
            return 0.0
        ranks = np.full(len(self.order), -1, np.int32)
        ranks[self.order[: self.known]] = np.arange(self.known, dtype=np.int32)
        values = pl.Series(np.arange(self.known, dtype=np.int32))
        return earth_mover_closeness(
            spread_of(Axis(self.axis.name, values, ranks, np.empty(0), metric=False), groups)
        ).t

    def total_variation(self, groups: Groups) -> float:
        """The largest total variation of a group."""
        return total_variation_closeness(spread_of(self.axis, groups)).t if self.known else 0.0

    def figures(self, groups: Groups, cut: Stretches) -> dict[str, float]:
        """The t that is measured, and what is known of it beforehand."""
        places = self.axis.codes[self.order[: self.known]].astype(np.int64)
        return {
            "t": self.t(groups),
            "t bound": t_bound(places, cut),
            "t of ranks": self.t_of_ranks(groups),
            "t bound of ranks": t_bound(np.arange(self.known), cut),
            "t of equation 6": paper_bound(cut.n, cut.k),
        }


def spread_of(value: Axis, groups: Groups) -> Spread:
    """How a variable is spread over groups of records; missing values are left out.

    >>> import lookalike as la
    >>> from lookalike.anonymize.columns.coded import axis_of
    >>> file = la.read(pl.DataFrame({"pay": [3, 4, 4, None]}))
    >>> spread_of(axis_of(file, "pay"), Groups.of(np.array([0, 0, 1, 1]))).distinct.tolist()
    [2, 1]
    """
    m = max(len(value.values), 1)
    codes = value.codes[groups.order]
    pairs = np.repeat(np.arange(len(groups.starts)), groups.sizes) * m + codes
    pairs = pairs[codes >= 0] if value.gaps else pairs
    pairs.sort()
    at = np.flatnonzero(np.diff(pairs, prepend=-1))
    label = pairs[at] // m
    starts = np.flatnonzero(np.diff(label, prepend=-1))
    counts = np.diff(np.append(at, len(pairs)))
    return Spread(value.name, np.append(starts, len(at)), pairs[at] - label * m, counts, value.values)
