"""Where the cells of a release lie on the axis of the original column: a value, a range, or all of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.classes.axis import Axis
from lookalike.data.cells import WILDCARD, ends_of

SUPPRESSED = -1
_INTERVAL = r"^\[\s*([^;\[\]]+?)\s*;\s*([^;\[\]]+?)\s*\]$"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Covers:
    """The released cells of one column beside the original ones, record beside record.

    `low` and `high` are the ends of each distinct cell on the original's axis. `codes` says which cell each record of
    the original has; -1: it is suppressed, or the record or the column is not released.

    >>> import lookalike as la
    >>> from lookalike.classes.axis import axis_of
    >>> ages = axis_of(la.read(pl.DataFrame({"age": [20, 25, 40, 60]})), "age")
    >>> found = Covers.of(ages, pl.Series(["[20;25]", "[20;25]", "40+", None]))
    >>> found.low.tolist(), found.high.tolist(), found.codes.tolist()
    ([20.0, 40.0], [25.0, 60.0], [0, 0, 1, -1])
    >>> [end.tolist() for end in found.ends()], found.suppressed.tolist(), found.distinct().tolist()
    ([[20.0, 20.0, 40.0, 20.0], [25.0, 25.0, 60.0, 60.0]], [False, False, False, True], [2, 2])
    """

    axis: Axis
    codes: NDArray[np.int32]
    low: Floats
    high: Floats
    named: NDArray[np.bool_]
    """Which distinct cells are nowhere on the axis: names of groups, that reach over the values released as them."""

    @classmethod
    def of(cls, axis: Axis, released: pl.Series | None, rows: NDArray[np.int64] | None = None) -> Covers:
        """Read the cells of a release; `rows` says which record of the original each of its records is."""
        codes = np.full(len(axis.codes), SUPPRESSED, np.int32)
        if released is None or not len(axis.values):
            return cls(axis, codes, np.empty(0), np.empty(0), np.empty(0, bool))
        texts, found = _coded(released)
        if rows is None:
            codes = found
        else:
            codes[rows] = found
        low, high = _placed(axis, texts)
        named = np.isnan(low)
        _fill(axis, codes, low, high)
        return cls(axis, codes, low, high, named)

    @property
    def suppressed(self) -> NDArray[np.bool_]:
        """Which records had a value and have none now."""
        found: NDArray[np.bool_] = (self.codes == SUPPRESSED) & (self.axis.codes >= 0)
        return found

    def ends(self) -> tuple[Floats, Floats]:
        """The range of each record's cell; a suppressed one is the whole domain."""
        first, last = float(self.axis.positions.min()), float(self.axis.positions.max())
        # A code of -1 finds the last entry.
        return np.append(self.low, first)[self.codes], np.append(self.high, last)[self.codes]

    def distinct(self) -> NDArray[np.int64]:
        """How many values of the original each distinct cell stands for: those released as it, those in its range."""
        both = (self.codes >= 0) & (self.axis.codes >= 0)
        pairs = self.codes[both].astype(np.int64) * len(self.axis.values) + self.axis.codes[both]
        pairs.sort()
        new = pairs[np.flatnonzero(np.diff(pairs, prepend=-1))]
        seen = np.bincount(new // len(self.axis.values), minlength=len(self.low))
        places = np.sort(self.axis.positions)
        inside = np.searchsorted(places, self.high, side="right") - np.searchsorted(places, self.low)
        return np.maximum(seen, np.where(self.named, 0, inside))


def _coded(released: pl.Series) -> tuple[pl.Series, NDArray[np.int32]]:
    """The distinct cells that are not suppressed, as texts, and the place of each record's cell among them."""
    cells = released.cast(pl.String)
    texts = cells.unique(maintain_order=True).drop_nulls()
    texts = texts.filter(texts.str.strip_chars() != WILDCARD)
    codes = cells.cast(pl.Enum(texts), strict=False).to_physical().cast(pl.Int32)
    return texts, codes.fill_null(SUPPRESSED).to_numpy()


def _placed(axis: Axis, texts: pl.Series) -> tuple[Floats, Floats]:
    """The ends of texts on an axis, not-a-number where they are none of it."""
    frame = (
        texts.alias("text")
        .to_frame()
        .select(
            pl.col("text").str.extract(_INTERVAL, 1).fill_null(pl.col("text").str.strip_chars()).alias("low"),
            pl.col("text").str.extract(_INTERVAL, 2).fill_null(pl.col("text").str.strip_chars()).alias("high"),
        )
    )
    low, high = (_position(axis, frame[end]) for end in ("low", "high"))
    if axis.metric and not axis.values.dtype.is_temporal():
        for i in np.flatnonzero(np.isnan(low) | np.isnan(high)):
            low[i], high[i] = _open_ended(axis, texts[int(i)])
    return np.fmin(low, high), np.fmax(low, high)


def _position(axis: Axis, texts: pl.Series) -> Floats:
    dtype = axis.values.dtype
    if not axis.metric:
        place = pl.DataFrame({"text": axis.texts, "at": axis.positions})
        found = texts.alias("text").to_frame().join(place, on="text", how="left", maintain_order="left")["at"]
    elif dtype == pl.Date:
        found = texts.str.to_date(strict=False).to_physical()
    elif dtype == pl.Datetime:
        found = texts.str.to_datetime(strict=False, time_unit="us").to_physical() / 86_400_000_000
    elif dtype.is_temporal():
        found = texts.str.to_time(strict=False).to_physical()
    else:
        found = texts.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    return found.cast(pl.Float64).fill_null(np.nan).to_numpy().copy()


def _open_ended(axis: Axis, text: str) -> tuple[float, float]:
    """85+, <5 or 937** as numbers."""
    ends = ends_of(text.strip())
    if ends is None:
        return np.nan, np.nan
    low, high = ends
    return (
        float(axis.positions.min()) if low is None else low,
        float(axis.positions.max()) if high is None else high,
    )


def _fill(axis: Axis, codes: NDArray[np.int32], low: Floats, high: Floats) -> None:
    """A cell that is nowhere on the axis (a group's name) reaches over the values that were released as it."""
    lost = np.isnan(low)
    if not lost.any():
        return
    rows = np.flatnonzero((codes >= 0) & (axis.codes >= 0) & np.append(lost, False)[codes])
    low[lost], high[lost] = np.inf, -np.inf
    at = axis.positions[axis.codes[rows]]
    np.minimum.at(low, codes[rows], at)
    np.maximum.at(high, codes[rows], at)
