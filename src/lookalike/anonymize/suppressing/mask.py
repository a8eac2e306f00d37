"""One step of a masking order: what is done to the cells of one column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import polars as pl

from lookalike.anonymize.columns.coded import Axis
from lookalike.errors import BadPlan, unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """What remains of a cell: its range, its first characters, or nothing.

    >>> Mask(column="sex").how, Mask(column="zip", keep=3).how, Mask(column="age", ranges=(0, 18, 65)).how
    ('suppressed', '3 characters kept', '3 ranges')
    """

    column: str
    ranges: tuple[float, ...] = ()
    """Where ranges begin; the last is open, what lies below the first is one more."""
    keep: int | None = None
    """How many characters stay; the others become `*`."""

    @classmethod
    def of(cls, given: Mask | Mapping[str, Any]) -> Mask:
        """The same from a table of a plan."""
        if isinstance(given, Mask):
            return given
        faults = list(_misread(given, [f.name for f in fields(cls)]))
        if faults:
            raise BadPlan(faults)
        return cls(column=given["column"], ranges=tuple(given.get("ranges", ())), keep=given.get("keep"))

    @property
    def how(self) -> str:
        """In words."""
        if self.ranges:
            return f"{len(self.ranges)} ranges"
        return "suppressed" if self.keep is None else f"{self.keep} characters kept"

    def faults(self) -> list[str]:
        """What is wrong with it alone."""
        faults = []
        if self.ranges and self.keep is not None:
            faults.append(f"Step on '{self.column}': give ranges or characters to keep, not both.")
        if any(b <= a for a, b in zip(self.ranges, self.ranges[1:], strict=False)):
            faults.append(f"Step on '{self.column}': the beginnings of ranges must grow.")
        if self.keep is not None and self.keep < 1:
            faults.append(f"Step on '{self.column}': at least one character must be kept; leave keep out to suppress.")
        return faults

    def misfit(self, axis: Axis) -> str | None:
        """Why the step does not fit the column."""
        if self.ranges and len(axis.values) and (not axis.metric or axis.values.dtype.is_temporal()):
            return f"Step on '{self.column}': ranges are for numbers, and the column has none."
        return None

    def texts(self, axis: Axis) -> pl.Series:
        """What each value of the column becomes; null is nothing."""
        if self.ranges:
            return self._in_ranges(axis)
        if self.keep is None:
            return pl.Series([None] * len(axis.values), dtype=pl.String)
        shown, whole = axis.texts.str.head(self.keep), axis.texts.str.len_chars()
        return pl.Series([s.ljust(w, "*") for s, w in zip(shown, whole, strict=True)], dtype=pl.String)

    def _in_ranges(self, axis: Axis) -> pl.Series:
        whole = bool((axis.positions == np.rint(axis.positions)).all()) and all(s == int(s) for s in self.ranges)
        names = [f"<{self.ranges[0]:g}"]
        for start, after in zip(self.ranges, self.ranges[1:], strict=False):
            last = after - 1 if whole else after
            names.append(f"{start:g}" if start == last else f"[{start:g};{last:g}]")
        names.append(f"{self.ranges[-1]:g}+")
        at = np.searchsorted(np.array(self.ranges), axis.positions, side="right")
        return pl.Series(names, dtype=pl.String).gather(at)


def _misread(given: Mapping[str, Any], known: list[str]) -> Iterator[str]:
    """What is wrong with a step as a plan writes it."""
    for name in given:
        if name not in known:
            yield unknown("Setting", name, known, where="in a step of the order", listed="Settings")
    if not isinstance(given.get("column"), str):
        yield "A step of the order names no column."
    ranges = given.get("ranges", ())
    if not isinstance(ranges, list | tuple) or not all(isinstance(r, int | float) for r in ranges):
        yield "The ranges of a step must be a list of numbers: where each begins."
    if not isinstance(given.get("keep", 1), int | None):
        yield "A step must keep a whole number of characters."
