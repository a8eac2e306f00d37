"""Hierarchies of numbers: each cell is a stretch of the line, closed below and open above."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data.hierarchy.hierarchy import Hierarchy, Shares, everywhere, numbers_of, texts_of

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Stretches:
    """From `low` on, up to but not with `high`; a stretch of one value is that value."""

    low: Floats
    high: Floats
    one: NDArray[np.bool_]


class Numeric(Hierarchy):
    """A hierarchy whose cells are stretches of the line: `[20;29]`, `<5`, `85+`.

    Among whole numbers both ends of an interval belong to it. Among others the upper end belongs to the next one,
    though the cell is written `[1.5;2]`, as files of generalized cells have it.
    """

    __slots__ = ()
    everything: bool

    @abstractmethod
    def stretches(self, numbers: Floats, *, whole: bool) -> list[Stretches]:
        """The stretch of each number at level 1, 2, …, the level `*` left out."""

    def is_whole(self, values: pl.Series) -> bool:
        """Whether the values are whole numbers."""
        numbers = numbers_of(values)
        return bool((numbers[np.isfinite(numbers)] % 1 == 0).all())

    def cells(self, values: pl.Series) -> list[pl.Series]:
        """See `Hierarchy`."""
        numbers, whole = numbers_of(values), self.is_whole(values)
        known, texts = np.isfinite(numbers), texts_of(values)
        found = [
            _written(s, texts, known, whole=whole) for s in self.stretches(np.where(known, numbers, 0), whole=whole)
        ]
        return [*found, *([everywhere(values)] if self.everything else [])]

    def shares(self, values: pl.Series, cells: Sequence[pl.Series]) -> list[Shares]:
        """The part of the line from the lowest to the highest value of the column that each cell covers."""
        numbers, whole = numbers_of(values), self.is_whole(values)
        known = np.isfinite(numbers)
        numbers = np.where(known, numbers, 0)
        ends = (numbers[known].min(), numbers[known].max()) if known.any() else (0.0, 0.0)
        found = [_part(s, ends, whole=whole) for s in self.stretches(numbers, whole=whole)]
        last = [np.full(len(values), float(len(values) > 1))] if self.everything else []
        return [*found, *last]


def _written(stretches: Stretches, texts: pl.Series, known: NDArray[np.bool_], *, whole: bool) -> pl.Series:
    """One text a stretch; only distinct ones are formatted."""
    pairs, at = np.unique(np.column_stack([stretches.low, stretches.high]), axis=0, return_inverse=True)
    words = pl.Series([_text(low, high, whole=whole) for low, high in pairs.tolist()], dtype=pl.String).gather(
        at.ravel()
    )
    frame = pl.DataFrame({"word": words, "text": texts, "one": stretches.one, "known": known})
    chosen = pl.when(~pl.col("known")).then(None).when("one").then("text").otherwise("word")
    return frame.select(chosen.alias(texts.name)).to_series()


def _text(low: float, high: float, *, whole: bool) -> str:
    if np.isinf(low):
        return f"<{said(high)}"
    if np.isinf(high):
        return f"{said(low)}+"
    last = high - 1 if whole else high
    return said(low) if whole and last == low else f"[{said(low)};{said(last)}]"


def _part(stretches: Stretches, ends: tuple[float, float], *, whole: bool) -> Shares:
    low, high = ends
    if high <= low:
        return np.zeros(len(stretches.low))
    last = np.minimum(stretches.high - 1 if whole else stretches.high, high)
    part = (last - np.maximum(stretches.low, low)) / (high - low)
    return np.where(stretches.one, 0.0, np.clip(part, 0.0, 1.0))


def said(number: float) -> str:
    """A number as it is written in a cell.

    >>> said(20.0), said(0.30000000000000004)
    ('20', '0.3')
    """
    return str(int(number)) if number == int(number) and abs(number) < 2**53 else f"{number:.12g}"
