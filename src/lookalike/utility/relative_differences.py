"""How much more or less frequent each cell is in the release, relative to the original (Drechsler and Hu 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lookalike.errors import BadPlan, NotAssessable
from lookalike.estimate import Rate
from lookalike.utility.pair import CodedPair
from lookalike.utility.tables import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class RelativeDifferences:
    """The differences D of all cells of some tables; no value of the file."""

    ways: int
    tables: int
    differences: NDArray[np.float64]
    """D of each cell that the original has, all tables together."""
    new: Rate
    """Cells that only the release has: D is not defined there."""

    @property
    def utility_loss(self) -> float:
        """UL = mean |D| (seed 002, equation 9)."""
        return float(np.abs(self.differences).mean())

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the figure does not mean."""
        told = ["A cell of one record counts as much as one of thousands, so rare cells decide."]
        if self.new.count:
            told.append(f"{self.new} are new in the release and not in the mean.")
        return tuple(told)


def relative_differences_of(original: ArrayLike, release: ArrayLike) -> NDArray[np.float64]:
    """D = (q − p)/p of the cells with p > 0; p and q are shares of records (seed 002, equation 8).

    >>> relative_differences_of([50, 40, 10, 0], [45, 44, 10, 1]).round(3).tolist()
    [-0.1, 0.1, 0.0]
    """
    o, s = np.asarray(original, float), np.asarray(release, float)
    some = o > 0
    return np.asarray(s[some] / s.sum() / (o[some] / o.sum()) - 1)


def relative_differences(
    pair: CodedPair, ways: int = 1, *, columns: Sequence[str] | None = None
) -> RelativeDifferences:
    """D of all cells of all tables of so many columns.

    >>> import polars as pl
    >>> pair = CodedPair.of(pl.DataFrame({"sex": ["F", "M"] * 5}), pl.DataFrame({"sex": ["F"] * 6 + ["M"] * 4}))
    >>> round(relative_differences(pair).utility_loss, 6)
    0.2
    """
    names = list(pair.names if columns is None else columns)
    if ways < 1:
        raise BadPlan("Ways must be 1 at least.")
    asked = list(combinations(names, ways))
    if not asked:
        raise NotAssessable(f"{len(names):,} columns have no table of {ways}.")
    tables = [Table.of(pair, chosen) for chosen in asked]
    found = [relative_differences_of(table.original, table.release) for table in tables]
    new = sum(int((table.original == 0).sum()) for table in tables)
    return RelativeDifferences(
        ways=ways,
        tables=len(tables),
        differences=np.concatenate(found),
        new=Rate(count=new, of=sum(len(table) for table in tables), what="cells"),
    )
