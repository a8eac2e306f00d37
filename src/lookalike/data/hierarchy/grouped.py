"""Values in groups: neighbours in an order, or groups that are named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data.hierarchy.hierarchy import Hierarchy, everywhere, texts_of
from lookalike.data.variable import Variable, in_order, is_number, is_range

_RANGE = re.compile(r"\[?\s*(\d+(?:\.\d+)?)\s*(?:-|–|_|;|to)\s*(\d+(?:\.\d+)?)\s*\]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedGroups(Hierarchy):
    """Neighbours in a stated order share a cell `[first;last]`; one size a level, each a multiple of the one before.

    Without an `order` it is that of the column: its levels, numbers by size, ranges from low to high, else by text.

    >>> grades = OrderedGroups(sizes=(2,), order=("low", "medium", "high"))
    >>> [level.to_list() for level in grades.cells(pl.Series(["low", "high"]))]
    [['[low;medium]', 'high'], ['*', '*']]
    """

    kind: ClassVar[str] = "ordered groups"
    sizes: tuple[int, ...]
    order: tuple[str, ...] = ()
    everything: bool = True

    @property
    def levels(self) -> int:
        """See `Hierarchy`."""
        return 1 + len(self.sizes) + self.everything

    def fitted(self, variable: Variable, values: pl.Series, counts: NDArray[np.int64]) -> OrderedGroups:
        """The order is taken from the column."""
        return self if self.order else replace(self, order=order_of(variable, values))

    def cells(self, values: pl.Series) -> list[pl.Series]:
        """See `Hierarchy`."""
        found = [_looked_up(values, dict(zip(self.order, self._names(size), strict=True))) for size in self.sizes]
        return [*found, *([everywhere(values)] if self.everything else [])]

    def leaves(self, values: pl.Series) -> pl.Series:
        """The values of the order."""
        return pl.Series(values.name, self.order, dtype=pl.String)

    def faults(self) -> list[str]:
        """See `Hierarchy`."""
        faults = [] if self.sizes or self.everything else ["Ordered groups need at least one size."]
        if any(size < 1 for size in self.sizes):
            return [*faults, "The sizes of ordered groups must be at least 1."]
        if any(b % a or a == b for a, b in zip(self.sizes, self.sizes[1:], strict=False)):
            faults.append("Each size of ordered groups must be a multiple of the one before.")
        if len(set(self.order)) < len(self.order):
            faults.append("The order of ordered groups names a value twice.")
        return faults

    def _names(self, size: int) -> list[str]:
        ends = [(i - i % size, min(i - i % size + size, len(self.order)) - 1) for i in range(len(self.order))]
        return [_joined(self.order[first], self.order[last]) for first, last in ends]


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups(Hierarchy):
    """Groups by name: at each level, which values, or groups of the level below, belong to which group.

    A value that no group of level 1 names goes to `rest`; without a `rest` the hierarchy lacks it. A group that a later
    level does not name stays as it is.

    >>> continents = Groups(steps=({"Nordic": ("SE", "NO")}, {"Europe": ("Nordic", "other")}), rest="other")
    >>> [level.to_list() for level in continents.cells(pl.Series(["SE", "FR"]))]
    [['Nordic', 'other'], ['Europe', 'Europe'], ['*', '*']]
    """

    kind: ClassVar[str] = "groups"
    steps: tuple[Mapping[str, tuple[str, ...]], ...]
    rest: str | None = None
    everything: bool = True

    @property
    def levels(self) -> int:
        """See `Hierarchy`."""
        return 1 + len(self.steps) + self.everything

    def cells(self, values: pl.Series) -> list[pl.Series]:
        """See `Hierarchy`."""
        found: list[pl.Series] = []
        below = values
        for level, step in enumerate(self.steps):
            named = _looked_up(below, {member: group for group, members in step.items() for member in members})
            if self.rest is not None and level == 0:
                named = named.fill_null(self.rest)
            below = named if level == 0 else named.zip_with(named.is_not_null(), below)
            found.append(below.alias(values.name))
        return [*found, *([everywhere(values)] if self.everything else [])]

    def leaves(self, values: pl.Series) -> pl.Series:
        """The values that level 1 names, and those of the column if others have a place."""
        named = [member for members in self.steps[0].values() for member in members] if self.steps else []
        others = [] if self.rest is None else [t for t in texts_of(values).to_list() if t not in set(named)]
        return pl.Series(values.name, [*named, *others], dtype=pl.String)

    def faults(self) -> list[str]:
        """See `Hierarchy`."""
        faults = [] if self.steps or self.everything else ["Groups need at least one level."]
        for level, step in enumerate(self.steps, start=1):
            members = [member for members in step.values() for member in members]
            twice = len(members) - len(set(members))
            if twice:
                faults.append(f"Groups: at level {level} {twice:,} members are in more than one group.")
        return faults


def order_of(variable: Variable, values: pl.Series) -> tuple[str, ...]:
    """The order of a column's values as texts.

    >>> from lookalike.data import Kind
    >>> order_of(Variable(name="age", kind=Kind.ORDINAL), pl.Series(["5-9", "10+", "<5"]))
    ('<5', '5-9', '10+')
    """
    if values.dtype != pl.String:
        return tuple(texts_of(values.sort()).to_list())
    texts = sorted(texts_of(values).to_list())
    if variable.levels:
        place = {level.strip(): i for i, level in enumerate(variable.levels)}
        return tuple(sorted(texts, key=lambda text: (place.get(text, len(place)), text)))
    ranked = all(is_range(text) or is_number(text) for text in texts)
    return in_order(texts) if ranked else tuple(texts)


def _joined(first: str, last: str) -> str:
    """Two ranges as the range over both, other values as the ends of one."""
    low, high = _RANGE.fullmatch(first), _RANGE.fullmatch(last)
    if first == last:
        return first
    return f"[{low[1]};{high[2]}]" if low and high else f"[{first};{last}]"


def _looked_up(values: pl.Series, cells: Mapping[str, str]) -> pl.Series:
    """Each value's cell; null where there is none."""
    texts = texts_of(values).to_frame("text")
    book = pl.DataFrame(
        {"text": list(cells), "cell": list(cells.values())}, schema={"text": pl.String, "cell": pl.String}
    )
    return texts.join(book, on="text", how="left", maintain_order="left")["cell"].alias(values.name)
