"""Class tables of coarser versions, each rolled up from the smallest finer one that is at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymize.generalizing.class_table import Codes, FinestTable
from lookalike.anonymize.generalizing.merging import PAYS, merge_classes, merge_counts

MOST_TABLES = 512
"""Tables kept at a time."""
SMALL = 500
"""Classes up to which a table is small enough to be rolled up from again and again."""
PATIENCE = 3
"""Uses of a large table before one between it and what is asked for is made."""


@dataclass(frozen=True)
class Counted:
    """The counts of a sensitive variable's values, class by class; missing values left out.

    Class i holds `codes[starts[i]:starts[i + 1]]`, ascending, with `counts` beside them.
    """

    starts: NDArray[np.int64]
    codes: Codes
    counts: NDArray[np.int64]
    values: int
    """How many values there are in the file."""


@dataclass(frozen=True)
class Rolled:
    """The classes at some levels: each by its first class in the finest table, with its size."""

    levels: tuple[int, ...]
    places: Codes
    sizes: NDArray[np.int64]
    counted: Mapping[str, Counted] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.places)


class RollUp:
    """Class tables by levels. Order and names of the classes do not depend on which table they come from."""

    def __init__(self, finest: FinestTable, counted: Mapping[str, Counted] | None = None) -> None:
        self.finest = finest
        rows = len(finest.sizes)
        whole = Rolled((0,) * len(finest.columns), np.arange(rows, dtype=np.int32), finest.sizes, counted or {})
        self._tables = [whole]
        self._levels = np.zeros((MOST_TABLES, len(finest.columns)), np.int64)
        self._rows = np.full(MOST_TABLES, np.iinfo(np.int64).max)
        self._full = np.zeros(MOST_TABLES, bool)
        self._uses = np.zeros(MOST_TABLES, np.int64)
        self._last = np.zeros(MOST_TABLES, np.int64)
        self._rows[0], self._full[0], self._clock = rows, True, 0
        self._room = max(2 * rows, 4_000_000)
        self._work = 0

    def classes(self, levels: Sequence[int]) -> Rolled:
        """The classes at these levels with their sizes."""
        return self._made(np.asarray(levels, np.int64), full=False)

    def with_counts(self, levels: Sequence[int]) -> Rolled:
        """The classes at these levels with the counts of the sensitive values in them."""
        return self._made(np.asarray(levels, np.int64), full=True)

    @property
    def large(self) -> bool:
        """Whether so much has been merged that compiled kernels pay."""
        return self._work > PAYS

    def labels(self, levels: Sequence[int]) -> Codes:
        """The class at these levels of each class of the finest table."""
        return self._roll(self._tables[0], np.asarray(levels, np.int64), full=False)[1]

    def _made(self, levels: NDArray[np.int64], *, full: bool) -> Rolled:
        source = self._source(levels, full=full)
        if (self._levels[source] == levels).all():
            return self._tables[source]
        if self._uses[source] >= PATIENCE and self._rows[source] > SMALL:
            # Many nodes near this one will be asked for: a table between, below most of them, pays for itself.
            between = self._levels[source] + (levels - self._levels[source]) // 2
            between = between if (between != self._levels[source]).any() else np.maximum(levels - 1, between)
            self._uses[source] = 0
            if (between != self._levels[source]).any() and (between != levels).any():
                self._keep(source, self._roll(self._tables[source], between, full=full)[0])
                source = self._source(levels, full=full)
        found = self._roll(self._tables[source], levels, full=full)[0]
        self._uses[source] += 1
        self._keep(source, found)
        return found

    def _source(self, levels: NDArray[np.int64], *, full: bool) -> int:
        """The smallest finer table at hand."""
        some = len(self._tables)
        fits = (self._levels[:some] <= levels).all(axis=1)
        if full:
            fits &= self._full[:some]
        found = int(np.where(fits, self._rows[:some], np.iinfo(np.int64).max).argmin())
        self._clock += 1
        self._last[found] = self._clock
        return found

    def _keep(self, source: int, table: Rolled) -> None:
        """Keep a table if it is much smaller than its source; in place of the one not used for longest."""
        if len(table) > 0.7 * self._rows[source] or len(table) > self._room:
            return
        some = len(self._tables)
        if some < MOST_TABLES and self._rows[1:some].sum() + len(table) <= self._room:
            self._tables.append(table)
            place = some
        elif some > 1:
            place = 1 + int(self._last[1:some].argmin())
            self._tables[place] = table
        else:
            return
        self._clock += 1
        self._levels[place], self._rows[place] = table.levels, len(table)
        self._full[place] = len(table.counted) == len(self._tables[0].counted)
        self._uses[place], self._last[place] = 0, self._clock

    def _roll(self, source: Rolled, levels: NDArray[np.int64], *, full: bool) -> tuple[Rolled, Codes]:
        self._work += len(source)
        parts = self.finest.parts(levels.tolist())
        merged = merge_classes(self.finest.offset_codes, source.places, source.sizes, parts, large=self.large)
        counted = {}
        for name, of in source.counted.items() if full else ():
            given = (merged.labels, len(merged.places), of.starts, of.codes, of.counts, of.values)
            counted[name] = Counted(*merge_counts(*given, large=self.large), of.values)
        return Rolled(tuple(levels.tolist()), merged.places, merged.sizes, counted), merged.labels
