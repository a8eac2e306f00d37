"""Numbers in intervals of growing width, and numbers with their ends cut off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data.hierarchy.numeric import Floats, Numeric, Stretches, said
from lookalike.data.variable import Variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals(Numeric):
    """Intervals of one width a level, each a multiple of the one before; below `bottom` and from `top` on, one cell.

    `[20;29]` holds the whole numbers 20 to 29. Of other numbers `[1.5;2]` holds 1.5 and not 2: a number on a bound
    belongs to the interval above it.

    >>> ages = pl.Series([3, 21, 29, 91])
    >>> [level.to_list() for level in Intervals(widths=(5, 10), top=85).cells(ages)]
    [['[0;4]', '[20;24]', '[25;29]', '85+'], ['[0;9]', '[20;29]', '[20;29]', '85+'], ['*', '*', '*', '*']]
    """

    kind: ClassVar[str] = "intervals"
    widths: tuple[float, ...]
    origin: float = 0.0
    """Where an interval begins."""
    bottom: float | None = None
    top: float | None = None
    whole: bool | None = None
    """Whether the values are whole numbers; told by the column if it is not said."""
    everything: bool = True
    """Whether a last level `*` stands above."""

    @property
    def levels(self) -> int:
        """See `Hierarchy`."""
        return 1 + len(self.widths) + self.everything

    def fitted(self, variable: Variable, values: pl.Series, counts: NDArray[np.int64]) -> Intervals:
        """Whether the values are whole is taken from the column."""
        return self if self.whole is not None else replace(self, whole=self.is_whole(values))

    def is_whole(self, values: pl.Series) -> bool:
        """Whether the values are whole numbers, and the intervals too."""
        if self.whole is not None:
            return self.whole
        ends = [*self.widths, self.origin, self.bottom or 0.0, self.top or 0.0]
        # Not `super()`: a dataclass with slots is another class than the one it was written as.
        return all(end == int(end) for end in ends) and Numeric.is_whole(self, values)

    def stretches(self, numbers: Floats, *, whole: bool) -> list[Stretches]:
        """See `Numeric`."""
        if not self.widths:
            return []
        # A small shift: 0.3 / 0.1 is 2.9999999999999996 and belongs to the interval from 0.3 on.
        first = np.floor((numbers - self.origin) / self.widths[0] + 1e-9)
        return [self._at(numbers, np.floor(first / round(w / self.widths[0])), w) for w in self.widths]

    def _at(self, numbers: Floats, place: Floats, width: float) -> Stretches:
        low = self.origin + place * width
        return cut(numbers, low, low + width, self.bottom, self.top)

    def faults(self) -> list[str]:
        """See `Hierarchy`."""
        if not all(isfinite(w) and w > 0 for w in self.widths) or not isfinite(self.origin):
            return ["The widths of intervals must be numbers above 0."]
        steps = [b / a for a, b in zip(self.widths, self.widths[1:], strict=False)]
        faults = [] if self.widths or self.everything else ["Intervals need at least one width."]
        if any(step < 1.5 or abs(step - round(step)) > 1e-9 for step in steps):
            faults.append("Each width of intervals must be a multiple of the one before.")
        if self.bottom is not None and self.top is not None and self.bottom > self.top:
            faults.append("The bottom of intervals lies above their top.")
        return faults


@dataclass(frozen=True, slots=True, kw_only=True)
class TopBottom(Numeric):
    """Top and bottom coding: `<5` below a bottom, `85+` from a top on, all between as it is; one pair of ends a level.

    >>> [level.to_list() for level in TopBottom(bottom=(5,), top=(85,)).cells(pl.Series([3, 30, 91]))]
    [['<5', '30', '85+'], ['*', '*', '*']]
    """

    kind: ClassVar[str] = "top and bottom"
    bottom: tuple[float, ...] = ()
    """Growing from level to level; of a level beyond the last, the last."""
    top: tuple[float, ...] = ()
    """Falling from level to level."""
    everything: bool = True

    @property
    def levels(self) -> int:
        """See `Hierarchy`."""
        return 1 + max(len(self.bottom), len(self.top)) + self.everything

    def stretches(self, numbers: Floats, *, whole: bool) -> list[Stretches]:
        """See `Numeric`."""
        ends = [(_at(self.bottom, i), _at(self.top, i)) for i in range(max(len(self.bottom), len(self.top)))]
        return [cut(numbers, numbers, numbers, low, high) for low, high in ends]

    def faults(self) -> list[str]:
        """See `Hierarchy`."""
        if not self.bottom and not self.top:
            return ["Top and bottom coding needs a top or a bottom."]
        faults = []
        if any(np.diff(self.bottom) < 0) or any(np.diff(self.top) > 0):
            faults.append("A bottom must grow from level to level, and a top fall.")
        if self.bottom and self.top and self.bottom[-1] > self.top[-1]:
            faults.append(f"The bottom {said(self.bottom[-1])} lies above the top {said(self.top[-1])}.")
        return faults


def cut(numbers: Floats, low: Floats, high: Floats, bottom: float | None, top: float | None) -> Stretches:
    """Stretches that end at a bottom and a top; beyond, all is one."""
    one = low == high
    if bottom is not None:
        below = numbers < bottom
        low, high = np.where(below, -np.inf, np.maximum(low, bottom)), np.where(below, bottom, high)
        one = one & ~below
    if top is not None:
        above = numbers >= top
        low, high = np.where(above, top, low), np.where(above, np.inf, np.minimum(high, top))
        one = one & ~above
    return Stretches(low, high, one)


def _at(ends: Sequence[float], place: int) -> float | None:
    return ends[min(place, len(ends) - 1)] if ends else None
