"""The domain of a column as steps of equal size, and its division into intervals (seed 004, Algorithm S3).

Whole numbers, decimals, dates and ranks lie on a grid: domain, step and interval are exact, and intervals do not touch.
Numbers with more decimals than can be counted do not; their intervals touch, and a value that is a cut belongs to the
upper one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import floor, log10

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.coded import Axis

End = float | str | date
"""An end of a domain: a number, a date, or a date as text."""
LARGEST = 2**52
"""Steps that a grid may have; above, numbers are not exact."""
UNITS = {"Date": (1,), "Datetime": (86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000, 1_000, 1)}
"""Steps of dates and points in time (in days, in microseconds), the coarsest first that all values keep."""
LEAST = 1e-290
"""A width below which numbers cannot be divided; they are ranked."""
FINE = 3
"""Digits to which cuts of numbers off any grid are rounded, counted from the width of an interval."""


@dataclass(frozen=True)
class Cut:
    """The intervals of a column: the interval of each of its values, and their texts."""

    of: NDArray[np.int64]
    texts: pl.Series


def interval(step: int, steps: int, resolution: int) -> tuple[int, int]:
    """First and last step of the interval that a step lies in, if `steps` are divided into r intervals.

    Interval i begins at ⌊i · steps / r⌋. This rule gives the intervals of seed 004: resolution 4 of ages 0 to 85 (86
    steps), and tables S7 and S8. There are never more intervals than steps.

    >>> [interval(age, 86, 4) for age in (0, 21, 43, 85)]
    [(0, 20), (21, 42), (43, 63), (64, 85)]
    >>> interval(1, 2, 8)
    (1, 1)
    """
    r = min(resolution, steps)
    i = ((step + 1) * r - 1) // steps
    return i * steps // r, (i + 1) * steps // r - 1


def cut(axis: Axis, resolution: int, domain: tuple[End, End] | None = None) -> Cut:
    """The intervals of a column at a resolution; raises ValueError, with the reason, if the domain does not fit.

    >>> import lookalike as la
    >>> from lookalike.anonymize.columns.coded import axis_of
    >>> found = cut(axis_of(la.read(pl.DataFrame({"age": [0, 20, 21, 85]})), "age"), 4)
    >>> found.texts.gather(found.of).to_list()
    ['[0;20]', '[0;20]', '[21;42]', '[64;85]']
    """
    if not len(axis.values):
        return Cut(np.empty(0, np.int64), axis.texts)
    if not axis.metric:
        if domain is not None:
            raise ValueError("has no sizes, so it has no domain; its values are divided by their ranks")
        return _divided(np.arange(len(axis.values)), len(axis.values), resolution, axis.texts.to_list().__getitem__)
    if axis.values.dtype.is_temporal():
        return _times(axis, resolution, domain)
    return _numbers(axis, resolution, domain)


def _divided(at: NDArray[np.int64], steps: int, resolution: int, text: Callable[[int], str]) -> Cut:
    """Values at steps of a grid; an interval of one step is written as its value."""
    # Python's whole numbers: the product of steps and resolution may not fit in 64 bits.
    found = [interval(step, steps, resolution) for step in at.tolist()]
    number: dict[tuple[int, int], int] = {}
    of = np.array([number.setdefault(pair, len(number)) for pair in found])
    texts = [text(a) if a == b else f"[{text(a)};{text(b)}]" for a, b in number]
    return Cut(of, pl.Series(texts, dtype=pl.String))


def _times(axis: Axis, resolution: int, domain: tuple[End, End] | None) -> Cut:
    dtype = axis.values.dtype
    wide = pl.Datetime("us", getattr(dtype, "time_zone", None)) if dtype == pl.Datetime else dtype
    numbers = axis.values.cast(wide).to_physical().cast(pl.Int64).to_numpy()
    low, high = (numbers[0], numbers[-1]) if domain is None else _physical(domain, wide)
    _within(numbers, low, high)
    seen = np.append(numbers, [low, high])
    unit = next((u for u in UNITS.get(str(dtype.base_type()), ()) if not (seen % u).any()), 1)

    def text(step: int) -> str:
        return str(pl.Series([int(low) + step * unit]).cast(wide).cast(dtype).cast(pl.String)[0])

    return _divided((numbers - low) // unit, int((high - low) // unit) + 1, resolution, text)


def _physical(domain: tuple[End, End], dtype: pl.DataType) -> tuple[int, int]:
    """The ends of a domain of dates as numbers."""
    try:
        ends = [datetime.fromisoformat(end) if isinstance(end, str) else end for end in domain]
    except ValueError:
        ends = [0]
    if not all(isinstance(end, date) for end in ends):
        raise ValueError("has dates, so the ends of its domain must be dates")
    moments = [end if isinstance(end, datetime) else datetime(end.year, end.month, end.day) for end in ends]  # type: ignore[union-attr]
    zone = getattr(dtype, "time_zone", None)
    series = pl.Series(moments, dtype=pl.Datetime("us"))
    series = series.dt.replace_time_zone(zone) if zone else series
    low, high = series.cast(dtype).to_physical().cast(pl.Int64).to_list()
    return low, high


def _numbers(axis: Axis, resolution: int, domain: tuple[End, End] | None) -> Cut:
    values = axis.positions
    if domain is not None and not all(isinstance(end, (int, float)) for end in domain):
        raise ValueError("has numbers, so the ends of its domain must be numbers")
    low, high = (values[0], values[-1]) if domain is None else (float(domain[0]), float(domain[1]))  # type: ignore[arg-type]
    _within(values, low, high)
    decimals = _decimals(np.append(values, [low, high]))
    if decimals is None or (high - low) * 10.0**decimals > LARGEST:
        if high - low < LEAST:
            return _divided(np.arange(len(values)), len(values), resolution, axis.texts.to_list().__getitem__)
        return _reals(values, low, high, resolution)
    first = round(low * 10**decimals)
    at = np.rint(values * 10.0**decimals).astype(np.int64) - first
    width = _width(axis)

    def text(step: int) -> str:
        number = (first + step) / 10**decimals if decimals else first + step
        return f"{number:.{decimals}f}".zfill(width)

    return _as_written(_divided(at, round(high * 10**decimals) - first + 1, resolution, text), axis)


def _as_written(found: Cut, axis: Axis) -> Cut:
    """An interval of one value is written as the file writes it (30.0, not 30)."""
    single = {i for i, text in enumerate(found.texts.to_list()) if ";" not in text}
    written = dict(zip(found.of.tolist(), axis.texts.to_list(), strict=True))
    texts = [written[i] if i in single else text for i, text in enumerate(found.texts.to_list())]
    return Cut(found.of, pl.Series(texts, dtype=pl.String))


def _reals(values: NDArray[np.float64], low: float, high: float, resolution: int) -> Cut:
    """Touching intervals; cuts are rounded, and the outer ends outwards."""
    digits = FINE - floor(log10((high - low) / resolution))
    unit = 10.0**-digits
    inner = np.round(np.linspace(low, high, resolution + 1)[1:-1], digits)
    first, last = floor(low / unit) * unit, -floor(-high / unit) * unit
    # Rounding may have left a value outside.
    cuts = [first - unit * (first > low), *inner, last + unit * (last < high)]
    of, shown = np.searchsorted(inner, values, side="right"), max(digits, 0)
    used, of = np.unique(of, return_inverse=True)
    return Cut(of, pl.Series([f"[{cuts[i]:.{shown}f};{cuts[i + 1]:.{shown}f}]" for i in used]))


def _within(values: NDArray[np.float64] | NDArray[np.int64], low: float, high: float) -> None:
    if low > high:
        raise ValueError("has a domain that ends before it starts")
    outside = int(np.count_nonzero((values < low) | (values > high)))
    if outside:
        raise ValueError(f"has values outside its domain ({outside:,} distinct ones)")


def _decimals(seen: NDArray[np.float64]) -> int | None:
    """The decimals that all numbers are written with, at most six; None if some have more."""
    error = 4 * np.finfo(float).eps * np.abs(seen)
    return next((d for d in range(7) if (np.abs(seen - np.round(seen, d)) <= error).all()), None)


def _width(axis: Axis) -> int:
    """The digits of codes that all have as many (00501); 0 for others."""
    widths: Sequence[int] = axis.texts.str.len_chars().unique().to_list() if axis.values.dtype == pl.String else ()
    return widths[0] if len(widths) == 1 else 0
