"""Rare categories as one: "other" for values that too few records have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data.hierarchy.hierarchy import Hierarchy, everywhere, texts_of
from lookalike.data.variable import Variable
from lookalike.errors import BadPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Rare(Hierarchy):
    """Values of fewer than `at_least` records share the cell "other"; the limit grows from level to level.

    Which values are kept is read once from a column (`kept`, a set a level) and stays: next month the same are kept,
    and a value never seen is rare.

    >>> job = Variable(name="job", kind="nominal")
    >>> jobs = Rare(at_least=(2,)).fitted(job, pl.Series(["a", "b", "c"]), np.array([5, 1, 1]))
    >>> [level.to_list() for level in jobs.cells(pl.Series(["a", "b", "d"]))]
    [['a', 'other', 'other'], ['*', '*', '*']]
    """

    kind: ClassVar[str] = "rare"
    at_least: tuple[int, ...]
    other: str = "other"
    kept: tuple[tuple[str, ...], ...] = ()
    everything: bool = True

    @property
    def levels(self) -> int:
        """See `Hierarchy`."""
        return 1 + len(self.at_least) + self.everything

    def fitted(self, variable: Variable, values: pl.Series, counts: NDArray[np.int64]) -> Rare:
        """The values kept are read from the column."""
        if self.kept:
            return self
        texts = np.asarray(texts_of(values).to_list(), object)
        return replace(self, kept=tuple(tuple(texts[counts >= limit].tolist()) for limit in self.at_least))

    def cells(self, values: pl.Series) -> list[pl.Series]:
        """See `Hierarchy`."""
        if len(self.kept) != len(self.at_least):
            raise BadPlan("The values that a hierarchy of rare values keeps are not known: lay it over a column first.")
        texts = texts_of(values)
        other = pl.Series([self.other] * len(texts), dtype=pl.String)
        found = [texts.zip_with(texts.is_in(pl.Series(kept, dtype=pl.String).implode()), other) for kept in self.kept]
        return [*found, *([everywhere(values)] if self.everything else [])]

    def faults(self) -> list[str]:
        """See `Hierarchy`."""
        faults = []
        if not self.at_least and not self.everything:
            faults.append("A hierarchy of rare values needs the fewest records of a value that is kept.")
        if any(b <= a for a, b in zip(self.at_least, self.at_least[1:], strict=False)):
            faults.append("The fewest records of a value that is kept must grow from level to level.")
        if self.kept and len(self.kept) != len(self.at_least):
            faults.append("A hierarchy of rare values needs one list of kept values a level.")
        if any(not set(b) <= set(a) for a, b in zip(self.kept, self.kept[1:], strict=False)):
            faults.append("A value that is rare at one level must be rare at the next.")
        return faults
