"""A release made by drawing: the copies, what they were drawn from, and how like the file they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import polars as pl

from lookalike.classes import EquivalenceClasses
from lookalike.data import Microdata
from lookalike.engine import column, stage
from lookalike.estimate import Rate
from lookalike.models.mixed import Law


class Combining(StrEnum):
    """How estimates from m copies are combined (docs/concepts/synthesis.md)."""

    COMPLETE_IMPROPER = "complete, improper: v(k/n + 1/m)"
    COMPLETE_PROPER = "complete, proper: v(k/n + (1 + k/n)/m)"
    PARTIAL = "partial: v + b/m"


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How far a copy repeats the file."""

    equal_cells: Mapping[str, Rate]
    """By drawn column, cells equal to the cell they replace; empty if records are not linked."""
    most_frequent: Mapping[str, float]
    """By the same columns, the share of the most frequent value: what guessing it would give."""
    single_values: Mapping[str, Rate]
    """By drawn column, values that one record of the file alone has, and how many of them stand in the copy."""
    repeated: Rate
    """Records of the copy that equal a record of the file in all columns."""
    repeated_uniques: Rate | None
    """Records unique in the file that stand in the copy again, unique there too; None if none is unique."""
    known_uniques: Rate | None
    """The same by the quasi-identifiers alone; None without them, or if none is unique."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """Copies drawn from a model of a file.

    `linked`: row i of each copy stands for row i of the file. `combining` is the rule for estimates from the copies.
    """

    copies: tuple[Microdata, ...]
    model: str
    drawn: tuple[str, ...]
    kept: tuple[str, ...]
    left_out: tuple[str, ...]
    linked: bool
    combining: Combining
    redrawn: int
    """Records drawn again because they broke a rule."""
    caveats: tuple[str, ...]
    figures: Mapping[str, float] = field(default_factory=dict)
    """What the model tells of its fit, by name."""
    likeness: tuple[Likeness, ...] = ()
    """One a copy."""
    laws: tuple[Law, ...] = field(default=(), repr=False)
    """The fitted models, for a look at them."""

    @property
    def data(self) -> Microdata:
        """The first copy."""
        return self.copies[0]


def likeness(file: Microdata, copy: Microdata, drawn: tuple[str, ...], *, linked: bool) -> Likeness:
    """Compare a copy with the file, column by column and record by record."""
    shared = tuple(name for name in copy.columns if name in file.columns)
    with stage("comparing with the file"):
        known = tuple(name for name in file.quasi_identifiers if name in shared)
        repeated, uniques = _repeats(file, copy, shared)
        return Likeness(
            equal_cells={name: _equal(file, copy, name) for name in drawn} if linked else {},
            most_frequent={name: _most_frequent(column(file.table, name)) for name in drawn} if linked else {},
            single_values={name: rate for name in drawn if (rate := _single(file, copy, name)) is not None},
            repeated=repeated,
            repeated_uniques=uniques,
            known_uniques=_repeats(file, copy, known)[1] if known else None,
        )


def _equal(file: Microdata, copy: Microdata, name: str) -> Rate:
    same = column(file.table, name).eq_missing(column(copy.table, name))
    return Rate(count=int(same.sum()), of=len(same), what="cells")


def _most_frequent(cells: pl.Series) -> float:
    counts = cells.value_counts()["count"]
    return float(counts.max()) / len(cells)  # type: ignore[arg-type]


def _single(file: Microdata, copy: Microdata, name: str) -> Rate | None:
    """Values of one record alone that stand in the copy; None if there is no such value."""
    counts = column(file.table, name).drop_nulls().value_counts()
    single = counts.filter(pl.col("count") == 1)[name]
    if not len(single):
        return None
    there = single.is_in(column(copy.table, name).unique().implode())
    return Rate(count=int(there.sum()), of=len(single), what="values of one record alone")


def _repeats(file: Microdata, copy: Microdata, names: tuple[str, ...]) -> tuple[Rate, Rate | None]:
    ours, theirs = EquivalenceClasses.of(file, names), EquivalenceClasses.of(copy, names)
    found = ours.sizes_in(theirs)
    single = ours.sizes == 1
    again = int(np.count_nonzero(single & (found == 1)))
    uniques = Rate(count=again, of=int(single.sum()), what="unique records") if single.any() else None
    return Rate(count=int(found.sum()), of=copy.records, what="records"), uniques


def all_different(cells: pl.Series) -> bool:
    """Whether a column of text has a value of its own in each of many records."""
    return cells.dtype == pl.String and len(cells) > 1 and cells.n_unique() == len(cells)
