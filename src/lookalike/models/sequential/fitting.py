"""The steps of a sequence: each column of the file given those drawn before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.models.sequential.asked import Fixed
from lookalike.models.sequential.tally import Tally
from lookalike.models.sequential.unit import Inner, Unit
from lookalike.models.steps import FittedStep, FittedTree, Smoothing, Step

Smoother = Callable[[Numbers, Generator], Numbers]

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Visit:
    """One column in a sequence, fitted: first what stands where there is no number, then the numbers."""

    unit: Unit
    predictors: tuple[str, ...]
    what: FittedStep | None
    """None if no record holds a number."""
    which: FittedStep | None = None
    fixed: tuple[Fixed, ...] = ()
    gaps: int = 0
    """Levels of what stands where there is no number, a number among them."""
    smooth: Smoother | None = None
    tally: Tally = field(default_factory=Tally)

    @property
    def names(self) -> tuple[str, ...]:
        """The column that is drawn."""
        return (self.unit.name,)

    @property
    def fitted(self) -> tuple[FittedStep, ...]:
        """The steps."""
        return tuple(step for step in (self.which, self.what) if step is not None)

    def draw(
        self, before: Mapping[str, Inner], units: Mapping[str, Unit], rows: int, rng: Generator
    ) -> Mapping[str, Inner]:
        """One cell a row, given the cells drawn before."""
        predictors = predictors_of(self.predictors, before, units)
        first, second = rng.spawn(2)
        which = None
        there = np.arange(rows)
        if self.gaps:
            which = self._which(predictors, rows, first)
            there = np.flatnonzero(which.codes == 0)
        drawn = Inner(self._what(predictors, there, rows, second), which)
        return {self.unit.name: self._with_rules(drawn, before, units)}

    def _which(self, predictors: Mixed, rows: int, rng: Generator) -> Categories:
        if self.which is None:
            return Categories(np.zeros(rows, np.int32), self.gaps)
        found = self._traced(self.which, with_rows(predictors, rows), rng)
        assert isinstance(found, Categories)
        return found

    def _what(self, predictors: Mixed, there: NDArray[np.int64], rows: int, rng: Generator) -> Numbers | Categories:
        if self.what is None:
            return Numbers(np.full(rows, np.nan))
        drawn = self._traced(self.what, with_rows(predictors.take(there), len(there)), rng)
        if self.smooth is not None and isinstance(drawn, Numbers):
            drawn = self.smooth(drawn, rng)
        if len(there) == rows:
            return drawn
        if isinstance(drawn, Numbers):
            values = np.full(rows, np.nan)
            values[there] = drawn.values
            return Numbers(values)
        codes = np.full(rows, -1, np.int32)
        codes[there] = drawn.codes
        return Categories(codes, drawn.levels, drawn.ordered)

    def _traced(self, step: FittedStep, predictors: Mixed, rng: Generator) -> Numbers | Categories:
        """Cells of a step; those of donors are counted by how many donors there were."""
        if not isinstance(step, FittedTree):
            return step.draw(predictors, rng=rng, threads=1)
        found, donors = step.draw_traced(predictors, rng=rng, threads=1)
        self.tally.add(donors.donors)
        return found

    def _with_rules(self, drawn: Inner, before: Mapping[str, Inner], units: Mapping[str, Unit]) -> Inner:
        for fixed in self.fixed:
            holds = held(fixed, before, units)
            value = self.unit.inner(fixed.value).take(np.zeros(len(holds), np.int64))
            drawn = value.where(holds, drawn)
        return drawn


def held(fixed: Fixed, before: Mapping[str, Inner], units: Mapping[str, Unit]) -> Bools:
    """Where the condition of a rule holds."""
    return fixed.holds({name: units[name].cells(before[name]) for name in fixed.needs})


def fit_visit(
    unit: Unit,
    own: Inner,
    inner: Mapping[str, Inner],
    units: Mapping[str, Unit],
    predictors: Sequence[str],
    steps: tuple[Step, Step | None],
    *,
    fixed: Sequence[Fixed] = (),
    proper: bool,
    rng: Generator,
    smoothing: str | None = None,
) -> Visit:
    """Fit a column on the records that no rule decides: `steps` are for what it holds, and for its gaps.

    `own` are its cells as they are, `inner` those of all columns with unknown ones filled.
    """
    table = predictors_of(predictors, inner, units)
    free = own.known.copy()
    for rule in fixed:
        free &= ~held(rule, inner, units)
    first, second = rng.spawn(2)
    which = None
    if own.which is not None and steps[1] is not None and free.any():
        which = _fit(steps[1], own.which, table, free, proper, first)
    there = free & own.there
    what = _fit(steps[0], own.what, table, there if there.any() else own.there, proper, second)
    gaps = 0 if own.which is None else own.which.levels
    smooth = _smoother(smoothing, own) if smoothing else None
    return Visit(unit, tuple(predictors), what, which, tuple(fixed), gaps, smooth)


def _smoother(how: str, own: Inner) -> Smoother:
    choice = Smoothing(how=how)  # type: ignore[arg-type]
    if not isinstance(own.what, Numbers):
        raise BadPlan("smoothing is for numbers, and this column holds categories.")
    seen = own.what.take(np.flatnonzero(own.there))
    return lambda drawn, rng: choice.smooth(drawn, seen, rng=rng)


def _fit(
    step: Step, response: Numbers | Categories, table: Mixed, rows: Bools, proper: bool, rng: Generator
) -> FittedStep | None:
    if not rows.any():
        return None
    at = np.flatnonzero(rows)
    predictors = with_rows(table.take(at), len(at))
    return step.fit(response.take(at), predictors, rng=rng, proper=proper, threads=1)


def predictors_of(names: Sequence[str], inner: Mapping[str, Inner], units: Mapping[str, Unit]) -> Mixed:
    """Columns as predictors."""
    return Mixed(tuple(column for name in names for column in units[name].predictors(inner[name])))


def with_rows(predictors: Mixed, rows: int) -> Mixed:
    """Predictors with a constant where there are none, so that their number of rows is known."""
    return predictors if predictors.columns else Mixed((Categories(np.zeros(rows, np.int32), 1),))
