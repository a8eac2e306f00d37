"""Naive coarsening: each column by itself into intervals of one width (seed 004, Algorithm S3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.chosen import chosen
from lookalike.anonymize.columns.coded import Axis, axis_of
from lookalike.anonymize.columns.grid import Cut, End, cut
from lookalike.anonymize.method import Asked, Changed
from lookalike.data import Microdata
from lookalike.errors import BadPlan

MOST = 1_000_000
ENDS = (
    "The outer ends of the ranges are the smallest and the largest value of the file, which may be one person's. "
    "Give a domain to choose them."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coarsening:
    """Each column cut into `resolution` intervals of about the same width, whatever the other columns hold.

    The domain, from its smallest to its largest value, has so many steps: whole numbers, decimals, days; values
    without sizes are steps by their rank. Interval i begins at step ⌊i · steps / r⌋. It promises no k. `resolution` is
    one number for all columns or one for each; `domain` gives the ends of a column that the file should not give.
    Source: seed 004, Algorithm S3, tables S7 and S8.

    >>> import lookalike as la
    >>> file = la.read(pl.DataFrame({"age": [0, 4, 5, 47, 85]}), quasi_identifiers=["age"])
    >>> made = Coarsening(resolution=16).change(Asked(file=file, rng=np.random.default_rng(1)))
    >>> made.columns["age"].to_list()
    ['[0;4]', '[0;4]', '[5;9]', '[43;47]', '[80;85]']
    """

    name: ClassVar[str] = "coarsen"
    resolution: int | Mapping[str, int] = field(hash=False)
    domain: Mapping[str, tuple[End, End]] = field(default_factory=dict, hash=False)
    columns: tuple[str, ...] = ()

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        given = {"": self.resolution} if isinstance(self.resolution, int) else self.resolution
        faults = [
            f"The resolution{f' of {name}' if name else ''} must lie between 1 and {MOST:,}, not {r:,}."
            for name, r in given.items()
            if not 1 <= r <= MOST
        ]
        faults += [
            f"The domain of '{name}' must have two ends." for name, ends in self.domain.items() if len(ends) != 2
        ]
        if not given:
            faults.append("No column has a resolution. Give one for each column, or one number for all.")
        if isinstance(self.resolution, Mapping) and self.columns:
            faults.append("Resolutions by column name the columns already: leave `columns` out.")
        return faults

    def change(self, asked: Asked) -> Changed:
        """The columns as intervals; `details` tell how many intervals are used in each."""
        names = chosen(asked.file, self._named(), [*self.faults(), *self._strays(asked.file)])
        axes = [axis_of(asked.file, name) for name in names]
        cuts = self._cuts(axes)
        open_ended = [axis.name for axis in axes if axis.metric and axis.name not in self.domain]
        return Changed(
            columns={axis.name: _cells(axis, cuts[axis.name]) for axis in axes},
            suppressed={axis.name: axis.codes >= 0 for axis in axes if _all(axis, cuts[axis.name])},
            caveats=(ENDS,) if open_ended else (),
            details={"intervals": {name: len(found.texts) for name, found in cuts.items()}},
        )

    def _named(self) -> tuple[str, ...]:
        return tuple(self.resolution) if isinstance(self.resolution, Mapping) else self.columns

    def _strays(self, file: Microdata) -> list[str]:
        names = self._named() or file.quasi_identifiers
        strays = [name for name in self.domain if name not in names]
        return [
            f"Column '{name}' has a domain, but it is not one of the columns that are coarsened." for name in strays
        ]

    def _of(self, name: str) -> int:
        return self.resolution if isinstance(self.resolution, int) else self.resolution[name]

    def _cuts(self, axes: list[Axis]) -> dict[str, Cut]:
        cuts, faults = {}, []
        for axis in axes:
            try:
                cuts[axis.name] = cut(axis, self._of(axis.name), self.domain.get(axis.name))
            except ValueError as fault:
                faults.append(f"Column '{axis.name}' {fault}.")
        if faults:
            raise BadPlan(faults)
        return cuts


def _cells(axis: Axis, found: Cut) -> pl.Series:
    """The text of each record's interval; missing stays missing."""
    of: NDArray[np.int64] = np.append(found.of, len(found.texts))[axis.codes]
    return pl.concat([found.texts, pl.Series([None], dtype=pl.String)]).gather(of).alias(axis.name)


def _all(axis: Axis, found: Cut) -> bool:
    """Whether one interval holds all of several values: nothing is left of the column."""
    return len(axis.values) > 1 and len(found.texts) == 1
