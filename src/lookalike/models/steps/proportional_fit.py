"""Iterative proportional fitting: the joint law with given margins and no more ties than these need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.random import Generator

from lookalike.errors import BadPlan
from lookalike.models.mixed import Mixed
from lookalike.models.steps.one_thread import one_thread
from lookalike.models.steps.tables import CellLaw, Floats, Truths, check_prior, counted, resampled

Margin = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProportionalFit:
    """The log-linear model of given margins, fitted by proportions ("ipf"; Deming and Stephan 1940).

    Every cell that can be gets prior/C records more; the targets are the margins of that table, so that they agree with
    each other, structural zeros or not. The fit starts at 1 in each cell that can be and 0 in the others, where it
    stays 0, and multiplies by target/current margin in turn until no margin is off by more than `tolerance`.
    Margins are all of `ways` columns, or those listed (places of columns, from 0).

    >>> rows = np.array([[0, 0], [0, 1], [1, 0], [0, 0]], np.int32)
    >>> from lookalike.models.mixed import Categories
    >>> table = Mixed((Categories(rows[:, 0], levels=2), Categories(rows[:, 1], levels=2)))
    >>> law = ProportionalFit(ways=1, prior=0.0).fit(table, rng=np.random.default_rng(1))
    >>> law.chances.tolist()                                        # (3/4, 1/4) × (3/4, 1/4)
    [[0.5625, 0.1875], [0.1875, 0.0625]]
    """

    ways: int = 2
    margins: tuple[Margin, ...] | None = None
    prior: float = 1.0
    tolerance: float = 1e-9
    """In shares of the file."""
    steps: int = 5_000

    def __post_init__(self) -> None:
        check_prior(self.prior, "ProportionalFit")
        if self.ways < 1 or not self.tolerance > 0:
            raise BadPlan("ProportionalFit: 'ways' is at least 1, 'tolerance' above 0.")

    def fit(self, table: Mixed, *, rng: Generator, proper: bool = False, zeros: Truths | None = None) -> CellLaw:
        """Proper: to the margins of a bootstrap sample of the records."""
        counts, possible = counted(table, zeros, "ProportionalFit")
        smooth = (resampled(counts, rng) if proper else counts) + np.where(possible, self.prior / possible.sum(), 0.0)
        margins = self._margins(counts.ndim)
        chances, cycles, off = fitted(smooth / smooth.sum(), possible, margins, self.tolerance, self.steps)
        words = f"The margins were not reached in {cycles} cycles: one is off by {off:.1g} of the file."
        told = (words,) if off > self.tolerance else ()
        return CellLaw.of(table, chances, counts, possible, {"cycles": cycles, "off": off}, told)

    def _margins(self, columns: int) -> tuple[Margin, ...]:
        if self.margins is None:
            return tuple(combinations(range(columns), min(self.ways, columns)))
        margins = tuple(tuple(sorted({int(j) for j in margin})) for margin in self.margins)
        if not margins or not all(m and m[0] >= 0 and m[-1] < columns for m in margins):
            raise BadPlan(f"ProportionalFit: 'margins' are places of columns, from 0 to {columns - 1}.")
        if left := set(range(columns)) - {j for m in margins for j in m}:
            names = ", ".join(f"column {j + 1}" for j in sorted(left))
            raise BadPlan(f"ProportionalFit: no margin holds {names}: its levels would be drawn with equal chances.")
        return margins


def fitted(
    target: Floats, possible: Truths, margins: Iterable[Margin], tolerance: float, steps: int
) -> tuple[Floats, int, float]:
    """The cells, the cycles taken, and by how much the worst margin is off at the end."""
    wanted = [(_others(m, target.ndim), target.sum(axis=_others(m, target.ndim), keepdims=True)) for m in margins]
    cells, off, cycle = possible / possible.sum(), np.inf, 0
    with one_thread():
        while off > tolerance and cycle < steps:
            off, cycle = 0.0, cycle + 1
            for over, aim in wanted:
                now = cells.sum(axis=over, keepdims=True)
                off = max(off, float(np.abs(now - aim).max()))
                cells *= np.divide(aim, now, out=np.zeros_like(now), where=now > 0)
    return cells / cells.sum(), cycle, off


def _others(margin: Margin, columns: int) -> tuple[int, ...]:
    return tuple(j for j in range(columns) if j not in margin)
