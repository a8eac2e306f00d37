"""Top and bottom coding: the highest and the lowest values of a column share a code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, inf, isnan
from typing import Any, ClassVar, Literal, get_args

import polars as pl

from lookalike.anonymize.columns.kept_form import EXACT, too_large
from lookalike.anonymize.columns.suited import is_number_column, not_there
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing.tails import Limits, at_limits, at_means, coded, limits_by_count
from lookalike.engine import records
from lookalike.errors import BadPlan

Form = Literal["code", "limit", "mean"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopBottom:
    """Values below a lower limit, and values from an upper limit on, are no longer told apart.

    Limits are given (`columns`), or found so that a share or a number of records lies beyond them (`shares`,
    `counts`); each as (lowest, highest). No limit: None, ±infinity or 0. `release`: the text `<5` or `85+`, the limit
    itself, or the mean of what is cut, which keeps the total.

    >>> import lookalike as la, numpy as np
    >>> file = la.read(pl.DataFrame({"age": [4, 30, 41, 85, 88, 93]}))
    >>> coding = TopBottom(columns={"age": (None, 85)}, at_least=3)
    >>> coding.change(Asked(file=file, rng=np.random.default_rng(1))).columns["age"].to_list()
    ['4', '30', '41', '85+', '85+', '85+']
    """

    name: ClassVar[str] = "top-bottom"
    columns: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    shares: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    at_least: int = 5
    """The fewest records that may share a code."""
    release: Form = "code"

    def faults(self) -> list[str]:
        """What is wrong with the settings by themselves."""
        named = [*self.columns, *self.shares, *self.counts]
        faults = [] if named else ["top-bottom: name the columns with their limits (columns), shares or counts."]
        if self.at_least < 1:
            faults.append(f"top-bottom: at_least must be at least 1, not {self.at_least}.")
        if self.release not in get_args(Form):
            faults.append(f"top-bottom: release must be one of {', '.join(get_args(Form))}.")
        faults += [
            f"top-bottom: '{name}' is named twice. Give limits, a share or a count."
            for name in dict.fromkeys(named)
            if named.count(name) > 1
        ]
        faults += [f"top-bottom: '{name}' {fault}" for name, fault in self._bad_pairs() if fault]
        return faults

    def change(self, asked: Asked) -> Changed:
        """See `Method`."""
        names = list(dict.fromkeys([*self.columns, *self.shares, *self.counts]))
        faults = [*self.faults(), *not_there(asked.file, names)]
        numbers = [name for name in names if name in asked.file.columns and is_number_column(asked.file, name)]
        faults += [
            f"Column '{name}' does not hold numbers. Round or shift dates; generalize other values."
            for name in names
            if name in asked.file.columns and name not in numbers
        ]
        if faults:
            raise BadPlan(faults)
        frame = records(asked.file.table, numbers)
        faults = too_large(frame)
        if faults:
            raise BadPlan(faults)
        limits = {name: self._limits(frame[name]) for name in numbers}
        beyond = {name: _beyond(frame[name], found) for name, found in limits.items()}
        faults = [fault for name in numbers for fault in self._wrong(frame[name], limits[name], beyond[name])]
        if faults:
            raise BadPlan(faults)
        return Changed(
            columns={name: self._released(frame[name], limits[name], asked) for name in numbers},
            perturbed=frozenset(numbers if self.release != "code" else ()),
            caveats=self._caveats(limits, beyond),
            figures={
                "cells_coded": sum(map(sum, beyond.values())),
                "fewest_in_a_code": min((n for pair in beyond.values() for n in pair if n), default=0),
            },
            details={"columns": {name: {"below": low, "above": high} for name, (low, high) in beyond.items()}},
        )

    def _bad_pairs(self) -> list[tuple[str, str]]:
        return [
            *((name, _bad_limits(pair)) for name, pair in self.columns.items()),
            *((name, _bad_shares(pair)) for name, pair in self.shares.items()),
            *((name, _bad_counts(pair)) for name, pair in self.counts.items()),
        ]

    def _limits(self, cells: pl.Series) -> Limits:
        if cells.name in self.columns:
            low, high = (None if end is None or abs(end) == inf else end for end in self.columns[cells.name])
            return Limits(low, high)
        known = len(cells) - cells.null_count()
        pair = self.counts.get(cells.name) or [ceil(share * known) for share in self.shares[cells.name]]
        low, high = (max(number, self.at_least) if number else 0 for number in pair)
        return limits_by_count(cells, low, high)

    def _wrong(self, cells: pl.Series, limits: Limits, beyond: tuple[int, int]) -> list[str]:
        ends = [end for end in (limits.low, limits.high) if end is not None]
        if len(ends) == 2 and ends[0] > ends[1]:
            return [f"Column '{cells.name}': the lowest and the highest values meet. Ask for smaller shares or counts."]
        if cells.dtype.is_integer() and any(end != int(end) or abs(end) > EXACT for end in ends):
            return [f"Column '{cells.name}' holds whole numbers: its limits must be whole."]
        few = [number for number in beyond if 0 < number < self.at_least]
        return [
            f"Column '{cells.name}': only {number} record{'s' if number > 1 else ''} would share a code, fewer than "
            f"{self.at_least}. Move the limit inward."
            for number in few
        ]

    def _released(self, cells: pl.Series, limits: Limits, asked: Asked) -> pl.Series:
        if self.release == "mean":
            return at_means(cells, limits, rng=asked.rng)
        return coded(cells, limits) if self.release == "code" else at_limits(cells, limits)

    def _caveats(self, limits: Mapping[str, Limits], beyond: Mapping[str, tuple[int, int]]) -> tuple[str, ...]:
        said = [
            f"'{name}': {low:,} records share the lowest code and {high:,} the highest. By this column alone a person "
            "beyond a limit is one of these; values between the limits are as they were."
            for name, (low, high) in beyond.items()
            if low or high
        ]
        idle = [f"'{name}'" for name, pair in beyond.items() if not any(pair)]
        said += [f"{', '.join(idle)}: no value lies beyond a limit; nothing was changed."] if idle else []
        read = [f"'{name}'" for name, found in limits.items() if found.read and any(beyond[name])]
        if read:
            said.append(f"{', '.join(read)}: the limits were read from the file: each tells a value of a record.")
        if self.release == "mean":
            fewest = min((n for pair in beyond.values() for n in pair if n), default=0)
            said.append(
                "Totals without weights are kept. Who knows all but one of the values behind a mean (at least "
                f"{fewest:,}) can compute the last."
            )
        return tuple(said)


def _beyond(cells: pl.Series, limits: Limits) -> tuple[int, int]:
    return int(limits.below(cells).sum()), int(limits.above(cells).sum())


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2


def _numbers(pair: Any) -> bool:
    return _is_pair(pair) and all(isinstance(end, (int, float)) and not isinstance(end, bool) for end in pair)


def _bad_limits(pair: Any) -> str:
    if not _is_pair(pair) or not _numbers([0 if end is None else end for end in pair]):
        return "needs two limits, the lower and the upper one."
    low, high = (default if end is None else end for end, default in zip(pair, (-inf, inf), strict=True))
    if isnan(low) or isnan(high) or low > high:
        return "has a lower limit above the upper one."
    return ""


def _bad_shares(pair: Any) -> str:
    good = _numbers(pair) and all(0 <= share < 1 for share in pair) and sum(pair) < 1
    return "" if good else "needs two shares from 0 to below 1, together below 1: of the lowest, of the highest."


def _bad_counts(pair: Any) -> str:
    good = _numbers(pair) and all(number == int(number) and number >= 0 for number in pair)
    return "" if good else "needs two numbers of records: of the lowest, of the highest."
