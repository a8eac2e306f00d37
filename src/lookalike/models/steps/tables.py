"""Joint laws of a few columns of categories: a chance for every cell of their table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Mixed

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]

MOST = 20_000_000
"""Cells of a table at most."""

FEW = 5.0
"""Below so many records in cells that are empty in the file a unique combination is almost surely a real one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaturatedTable:
    """The table as it is, with a little added to every cell ("catall").

    p_i = (n_i + a)/(n + aC), a = prior/C: the prior is spread over the C cells that are not structural zeros.

    >>> table = Mixed((Categories(np.array([0, 0, 0, 1], np.int32), levels=2),))
    >>> SaturatedTable(prior=1.0).fit(table, rng=np.random.default_rng(1)).chances.tolist()     # 3.5/5, 1.5/5
    [0.7, 0.3]
    """

    prior: float = 1.0

    def __post_init__(self) -> None:
        check_prior(self.prior, "SaturatedTable")

    def fit(self, table: Mixed, *, rng: Generator, proper: bool = False, zeros: Truths | None = None) -> CellLaw:
        """Count the cells; proper: of a bootstrap sample of the records. `zeros` says which cells cannot be."""
        counts, possible = counted(table, zeros, "SaturatedTable")
        chances = (resampled(counts, rng) if proper else counts) + np.where(possible, self.prior / possible.sum(), 0.0)
        return CellLaw.of(table, chances / chances.sum(), counts, possible)


@dataclass(frozen=True, slots=True)
class CellLaw:
    """A chance for every cell."""

    chances: Floats
    """One side a column."""
    ordered: tuple[bool, ...]
    records: int
    empty: int
    """Cells that can be and are empty in the file, and together have this chance."""
    chance_of_empty: float
    more: Mapping[str, float]
    told: tuple[str, ...]

    @classmethod
    def of(
        cls,
        table: Mixed,
        chances: Floats,
        counts: Floats,
        possible: Truths,
        more: Mapping[str, float] | None = None,
        told: tuple[str, ...] = (),
    ) -> CellLaw:
        """With what is known of the file's empty cells."""
        empty = possible & (counts == 0)
        ordered = tuple(column.ordered for column in table.columns if isinstance(column, Categories))
        chance = float(chances[empty].sum())
        return cls(chances, ordered, table.records, int(empty.sum()), chance, dict(more or {}), told)

    @property
    def caveats(self) -> tuple[str, ...]:
        """A warning where next to nothing is drawn into empty cells."""
        expected = self.in_empty(self.records)
        if expected >= FEW:
            return self.told
        return (
            f"Of {self.records} records about {expected:.2g} are expected in cells that are empty in the file: "
            "a unique combination drawn is almost surely a real one. A larger prior draws more of the others.",
            *self.told,
        )

    @property
    def figures(self) -> Mapping[str, float]:
        """Cells, empty ones, and how many of as many records as the file has are expected there."""
        own = {"cells": self.chances.size, "empty cells": self.empty, "in empty cells": self.in_empty(self.records)}
        return {**own, **self.more}

    def in_empty(self, records: int) -> float:
        """How many of so many records are expected in cells that are empty in the file."""
        return records * self.chance_of_empty

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records, each of the cell whose stretch of cumulated chances its number lies in."""
        heights = np.cumsum(self.chances.ravel())
        cells = np.searchsorted(heights, rng.random(n) * heights[-1], side="right")
        # The last cell with a chance, not one of none after it.
        cells = np.minimum(cells, np.searchsorted(heights, heights[-1]))
        sides = np.unravel_index(cells, self.chances.shape)
        kinds = zip(sides, self.chances.shape, self.ordered, strict=True)
        return Mixed(tuple(Categories(side.astype(np.int32), levels, ordered) for side, levels, ordered in kinds))


def counted(table: Mixed, zeros: Truths | None, what: str) -> tuple[Floats, Truths]:
    """The counts of all cells and which of them can be."""
    shape = _shape(table, what)
    possible = np.ones(shape, np.bool_) if zeros is None else ~np.asarray(zeros, np.bool_)
    if possible.shape != shape:
        raise BadPlan(f"{what}: the table of structural zeros has sides {possible.shape}, the columns {shape} levels.")
    codes = tuple(column.codes for column in table.columns if isinstance(column, Categories))
    cells = np.ravel_multi_index(codes, shape)
    if wrong := int((~possible.ravel()[cells]).sum()):
        raise BadPlan(f"{what}: {wrong} of {len(cells)} records lie in cells that are said to be structural zeros.")
    return np.bincount(cells, minlength=prod(shape)).reshape(shape).astype(np.float64), possible


def resampled(counts: Floats, rng: Generator) -> Floats:
    """The counts of a bootstrap sample of the records."""
    held = np.flatnonzero(counts)
    drawn = np.zeros(counts.size)
    drawn[held] = rng.multinomial(int(counts.sum()), counts.ravel()[held] / counts.sum())
    return drawn.reshape(counts.shape)


def check_prior(prior: float, what: str) -> None:
    """Refuse a negative one."""
    if not 0 <= prior < np.inf:
        raise BadPlan(f"{what}: 'prior' must be a number of records, at least 0, not {prior}.")


def _shape(table: Mixed, what: str) -> tuple[int, ...]:
    if not table.records:
        raise BadPlan(f"{what} needs at least one record.")
    wrong = [str(j + 1) for j, c in enumerate(table.columns) if not isinstance(c, Categories) or not c.known.all()]
    if wrong:
        raise BadPlan(f"{what} needs categories, all known; column {', '.join(wrong)} holds something else.")
    shape = tuple(column.levels for column in table.columns if isinstance(column, Categories))
    if prod(shape) > MOST:
        raise BadPlan(f"{what}: the table has {prod(shape):,} cells, at most {MOST:,} can be held. Take fewer columns.")
    return shape
