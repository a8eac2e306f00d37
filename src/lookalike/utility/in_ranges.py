"""The original in the words of the release: its numbers and days in the ranges, its codes under the masks released."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data.cells import WILDCARD, ends_of
from lookalike.data.periods import days_of
from lookalike.utility.numbers import TIMES, Floats, as_numbers

_MASK = re.compile(r"^([^*]+)\*+$")


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """What the cells of a released column stand for: ends and middles, in order."""

    low: Floats
    high: Floats
    middle: Floats

    @classmethod
    def of(cls, texts: Sequence[str], *, days: bool) -> Ranges:
        """Of the distinct cells of a column that can be read; `*` says nothing."""
        ends = [_days(text) if days else _numbers(text) for text in texts if text.strip() not in ("", WILDCARD)]
        rows = sorted({end for end in ends if end is not None})
        table = np.array(rows, np.float64).reshape(-1, 3)
        return cls(table[:, 0], table[:, 1], table[:, 2])

    @property
    def some(self) -> bool:
        """Whether a cell stands for more than one value."""
        return bool((self.high > self.low).any())

    @property
    def apart(self) -> bool:
        """Whether no two overlap; two ranges may share an end, which belongs to the upper one."""
        wide = self.high > self.low
        reached = np.maximum.accumulate(self.high)[:-1]
        shares_an_end = (self.low[1:] == reached) & wide[1:] & wide[:-1] & (self.low[1:] > self.low[:-1])
        return bool(((self.low[1:] > reached) | shares_an_end).all())

    def place(self, values: Floats) -> Floats:
        """The middle of the range that holds each value; a value that none holds stays."""
        found = np.searchsorted(self.low, values, side="right") - 1
        inside = (found >= 0) & (values <= self.high[found])
        return np.where(inside, self.middle[found], values)


def in_ranges(original: pl.Series, release: pl.Series, keep: Sequence[float] = ()) -> pl.Series | None:
    """Each number or day of the original as the middle of the released range that holds it; `keep` are codes that stay.

    None where the ranges overlap, so that a value may be released as several; and where there is no range.

    >>> in_ranges(pl.Series([31, 39, 52, None]), pl.Series(["[30;39]", "[50;59]", "*"])).to_list()
    [34.5, 34.5, 54.5, None]
    >>> in_ranges(pl.Series([31, 90]), pl.Series(["31", "85+"])).to_list()
    [31.0, 85.0]
    >>> in_ranges(pl.Series([31, 39]), pl.Series(["[30;39]", "[35;44]"])) is None
    True
    """
    if release.dtype != pl.String:
        return None
    days = isinstance(original.dtype, TIMES)
    ranges = Ranges.of(release.drop_nulls().unique().to_list(), days=days)
    values = as_numbers(original)
    if values is None or not ranges.some or not ranges.apart:
        return None
    stays: NDArray[np.bool_] = np.isnan(values) | np.isin(values, list(keep))
    placed = np.where(stays, values, ranges.place(np.floor(values) if days else values))
    numbers = pl.Series(original.name, placed).fill_nan(None)
    return numbers.cast(pl.Int32).cast(pl.Date) if days else numbers


def has_ranges(release: pl.Series, *, days: bool) -> bool:
    """Whether some cell of a column of texts stands for several numbers or days; `*` stands for nothing.

    >>> has_ranges(pl.Series(["85+", "3"]), days=False), has_ranges(pl.Series(["3", "*"]), days=False)
    (True, False)
    """
    return Ranges.of(release.drop_nulls().unique().to_list(), days=days).some


def under_masks(original: pl.Series, release: pl.Series) -> dict[str, str] | None:
    """By value of a category the mask it was released under (`01107` as `011**`); None if a value fits several.

    Values and masks may stand beside each other; a value that none fits keeps its name.

    >>> under_masks(pl.Series(["01107", "01250", "B"]), pl.Series(["011**", "012**", "B"]))
    {'01107': '011**', '01250': '012**', 'B': 'B'}
    >>> under_masks(pl.Series(["01107"]), pl.Series(["011**", "01107"])) is None
    True
    """
    released = set(release.drop_nulls().unique().to_list()) - {WILDCARD}
    masks = {match[1]: text for text in released if (match := _MASK.match(text))}
    if not masks:
        return None
    lengths, found = sorted({len(start) for start in masks}), {}
    for value in original.drop_nulls().unique().sort().to_list():
        fits = [masks[value[:n]] for n in lengths if value[:n] in masks and value not in masks.values()]
        if len(fits) > 1 or (fits and value in released):
            return None
        found[value] = fits[0] if fits else value
    return found


def middle_of(text: str) -> int | None:
    """The day in the middle of a day, month, quarter, year or range of them, from 1970-01-01; None if it is none."""
    days = days_of(text.strip())
    return None if days is None else days[0] + (days[1] - days[0]) // 2


def _days(text: str) -> tuple[float, float, float] | None:
    days, middle = days_of(text.strip()), middle_of(text)
    return None if days is None or middle is None else (float(days[0]), float(days[1]), float(middle))


def _numbers(text: str) -> tuple[float, float, float] | None:
    """Both ends and what an analyst makes of the cell: its middle, of an open end the number it names."""
    ends = ends_of(text.strip())
    known = [end for end in ends or () if end is not None]
    if ends is None or not known:
        return None
    low, high = ends
    return -inf if low is None else low, inf if high is None else high, sum(known) / len(known)
