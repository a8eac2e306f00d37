"""Text codes by their beginning: postal codes, diagnosis codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from lookalike.data.cells import WILDCARD
from lookalike.data.hierarchy.hierarchy import Hierarchy, everywhere, texts_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix(Hierarchy):
    """The first characters of a code, the others masked; fewer are kept from level to level.

    A code no longer than what is kept stays as it is. Codes of different length stay apart until `*`.

    >>> [level.to_list() for level in Prefix(keep=(3, 1)).cells(pl.Series(["93721", "9"]))]
    [['937**', '9'], ['9****', '9'], ['*', '*']]
    """

    kind: ClassVar[str] = "prefix"
    keep: tuple[int, ...]
    """The characters kept at level 1, 2, …"""
    everything: bool = True

    @property
    def levels(self) -> int:
        """See `Hierarchy`."""
        return 1 + len(self.keep) + self.everything

    def cells(self, values: pl.Series) -> list[pl.Series]:
        """See `Hierarchy`."""
        texts = texts_of(values)
        return [*(_masked(texts, kept) for kept in self.keep), *([everywhere(values)] if self.everything else [])]

    def faults(self) -> list[str]:
        """See `Hierarchy`."""
        faults = [] if self.keep or self.everything else ["A prefix needs the number of characters to keep."]
        if any(kept < 1 for kept in self.keep):
            faults.append("A prefix must keep at least one character; the last level `*` keeps none.")
        if any(later >= earlier for earlier, later in zip(self.keep, self.keep[1:], strict=False)):
            faults.append("A prefix must keep fewer characters from level to level.")
        return faults


def _masked(texts: pl.Series, kept: int) -> pl.Series:
    """Only as many masks as there are characters hidden."""
    hidden = (texts.str.len_chars().cast(pl.Int64) - kept).clip(0)
    masks = pl.Series([WILDCARD * i for i in range(int(hidden.to_numpy().max(initial=0)) + 1)])
    return texts.str.slice(0, kept) + masks.gather(hidden)
