"""Fit a sequence: the order, the predictors of each column, and its step."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from lookalike.engine import stage
from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.models.sequential.asked import Asked, Fixed
from lookalike.models.sequential.blocks import fit_block
from lookalike.models.sequential.chained import filled
from lookalike.models.sequential.fitting import fit_visit
from lookalike.models.sequential.law import Drawer, SequentialLaw
from lookalike.models.sequential.methods import (
    BLOCKS,
    PAIRS,
    REGRESSIONS,
    gap_method,
    in_plan_words,
    parametric,
    step_of,
)
from lookalike.models.sequential.ordered import Found, order_of
from lookalike.models.sequential.pairs import fit_pair
from lookalike.models.sequential.predicting import Predicting
from lookalike.models.sequential.unit import Inner, spikes_of, units_of
from lookalike.models.sequential.visits import Visits, matrix
from lookalike.models.steps import Copied, Step
from lookalike.models.steps.one_to_one import twins

if TYPE_CHECKING:
    from lookalike.models.sequential.choice import Sequential

FEW_LEVELS = 10
"""Levels that a regression takes however few the records are."""
MOST_SHOWN = 100
"""Columns up to which the predictor matrices are shown whole."""


class Fitter:
    """One fit."""

    def __init__(self, choice: Sequential, table: Mixed, asked: Asked, rng: Generator, threads: int | None) -> None:
        self.choice, self.table, self.asked = choice, table, asked
        self.threads = threads or os.cpu_count() or 1
        spikes = {name: tuple(map(float, values)) for name, values in choice.spikes.items()}
        self.found_spikes = self._spikes() if choice.find_spikes else {}
        self.units = units_of(table, asked.names, spikes={**self.found_spikes, **spikes}, few=choice.few_values)
        self.fill_rng, self.fit_rng = rng.spawn(2)
        self.used: dict[str, str | Step] = {}
        self._check_columns()

    def _spikes(self) -> dict[str, tuple[float, ...]]:
        """Numbers that so many records hold that a line cannot draw them, of columns that a regression draws."""
        found = {}
        for name, column in zip(self.asked.names, self.table.columns, strict=True):
            if isinstance(column, Numbers) and name not in self.asked.given and self._regressed(name):
                spikes = spikes_of(column)
                if spikes and name not in self.choice.spikes:
                    found[name] = spikes
        return found

    @cached_property
    def cells(self) -> Mapping[str, Inner]:
        """The cells taken apart."""
        columns = self.table.columns
        return {n: unit.inner(tuple(columns[j] for j in unit.places)) for n, unit in self.units.items()}

    @cached_property
    def inner(self) -> Mapping[str, Inner]:
        """The same with unknown cells filled, for the sake of predicting others."""
        return filled(self.cells, self.units, rng=self.fill_rng)

    def method(self, name: str) -> str | Step:
        """The method asked for."""
        found: str | Step = self.choice.methods.get(name, self.choice.method)
        return found

    def method_used(self, name: str) -> str | Step:
        """The method taken: a sample where nothing predicts, a look-up where another column decides."""
        if name in self.twins:
            return Copied()
        method = self.method(name)
        alone = not self.predicting.used[name] and not isinstance(method, Step)
        return "sample" if alone and method not in ("constant", *BLOCKS, *PAIRS) else method

    @cached_property
    def block(self) -> tuple[str, ...]:
        """Columns that a table draws together, first of all."""
        return tuple(n for n in self.units if self.choice.methods.get(n) in BLOCKS and n not in self.asked.given)

    @cached_property
    def ordering(self) -> Found:
        """The order that was found, with the figures behind it."""
        if self.choice.order or self.choice.predictors or self.choice.ordering == "file":
            return Found()
        return order_of(self.choice.ordering, self.inner, self.units)

    @cached_property
    def visits(self) -> Visits:
        """The order and who may predict whom."""
        asked = self.choice.order or self.ordering.order
        order = tuple(dict.fromkeys([*self.block, *asked])) if asked or self.block else ()
        names, predictors = tuple(self.units), {n: tuple(p) for n, p in self.choice.predictors.items()}
        given = self.asked.given
        return Visits.of(names, order=order, predictors=predictors, given=given, drop_later=self.choice.drop_later)

    @cached_property
    def predicting(self) -> Predicting:
        """Which predictors are used, and why others are not."""
        most = self.choice.most_predictors
        return Predicting.of(self.visits.usable, self.inner, self.units, most=most, regressed=self._regressed)

    def _regressed(self, name: str) -> bool:
        return self.method(name) in REGRESSIONS

    @cached_property
    def twins(self) -> Mapping[str, str]:
        """Columns that say the same as an earlier one, and which."""
        order = [n for n in self.visits.order if self.cells[n].which is None and self.cells[n].known.all()]
        found = twins(Mixed(tuple(self.cells[name].what for name in order)))
        pairs = {order[twin.second]: order[twin.first] for twin in found}
        free = [name for name in pairs if name not in (*self.choice.methods, *self.asked.given)]
        return {name: pairs[name] for name in free if pairs[name] in self.visits.usable[name]}

    def law(self) -> SequentialLaw:
        """Everything fitted."""
        fits = list(self._fits())
        # Found before threads share them: they draw from a stream, and must do it once.
        names = [name for name in self.visits.order if name not in self.asked.given]
        self.used = {name: self.method_used(name) for name in names}
        streams = self.fit_rng.spawn(len(fits))
        with stage("fitting columns", total=len(fits)) as running, ThreadPoolExecutor(self.threads) as pool:

            def work(i: int) -> Drawer:
                names, fit = fits[i]
                try:
                    found: Drawer = fit(streams[i])
                except BadPlan as error:
                    raise BadPlan([f"{', '.join(names)}: {in_plan_words(fault)}" for fault in error.faults]) from None
                running.advance()
                return found

            visits = list(pool.map(work, range(len(fits))))
        return SequentialLaw(
            self.table,
            self.units,
            visits,
            details=self._details(visits),
            caveats=tuple(self._caveats(visits)),
            figures=self._figures(visits),
        )

    def _fits(self) -> Iterator[tuple[tuple[str, ...], Any]]:
        """The columns in their order, each with what fits it."""
        order = [name for name in self.visits.order if name not in self.asked.given]
        events = {self.choice.events[n]: n for n in order if self.method(n) in PAIRS}
        if self.block:
            yield self.block, lambda rng: fit_block(self, self.block, rng)
        for name in order:
            if name in self.block or name in events:
                continue
            if self.method(name) in PAIRS:
                yield (name, self.choice.events[name]), lambda rng, name=name: fit_pair(self, name, rng)
            else:
                yield (name,), lambda rng, name=name: self._fit(name, rng)

    def _fit(self, name: str, rng: Generator) -> Drawer:
        method, own = self.used[name], self.cells[name]
        used = (self.twins[name],) if name in self.twins else self.predicting.used[name]
        settings = self.choice.settings
        response = own.what.take(np.flatnonzero(own.there))
        # Which cells are missing is learned with the usual leaves: larger ones would lose patterns.
        gaps = step_of(gap_method(method), own.which, {}) if own.which is not None else None
        steps = (step_of(method, response, settings), gaps)
        return fit_visit(
            self.units[name],
            own,
            self.inner,
            self.units,
            used,
            steps,
            fixed=self._fixed(name),
            proper=self.asked.proper,
            rng=rng,
            smoothing=self.choice.smoothing.get(name),
        )

    def _fixed(self, name: str) -> tuple[Fixed, ...]:
        """Rules that decide a column by columns drawn before it."""
        before = self.visits.order[: self.visits.order.index(name)]
        return tuple(f for f in self.asked.fixed if f.name == name and set(f.needs) <= set(before))

    def _check_columns(self) -> None:
        """Raise where a method cannot draw a column at all."""
        faults = []
        for name in self.block:
            if self.units[name].numeric:
                faults.append(f"'{name}' holds numbers: {self.choice.methods[name]} draws categories alone.")
        most = max(FEW_LEVELS, self.table.records / 2)
        levels = {n: self._levels(n) for n in self.units if self._regressed(n) and n not in self.asked.given}
        faults += [
            f"'{name}' has {count:,} levels in {self.table.records:,} records: too many for a regression. Take cart, "
            "or leave the column out."
            for name, count in levels.items()
            if count > most
        ]
        for time, event in self.choice.events.items():
            if self.asked.given and (time in self.asked.given) != (event in self.asked.given):
                faults.append(f"'{time}' and '{event}' are drawn together: draw both, or keep both.")
        if faults:
            raise BadPlan(faults)

    def _levels(self, name: str) -> int:
        """Levels that a category has in the file; 1 of a number."""
        column = self.table.columns[self.units[name].places[0]]
        return len(np.unique(column.codes[column.known])) if isinstance(column, Categories) else 1

    def _details(self, visits: Sequence[Drawer]) -> dict[str, Any]:
        """Order, methods and both predictor matrices, as plain data."""
        names = list(self.units)
        return {
            "order": list(self.visits.order),
            "order_found_by": dict(self.ordering.figures),
            "methods": {name: self._said(name) for name in self.visits.order},
            "columns": names,
            "spikes_found": {name: len(spikes) for name, spikes in self.found_spikes.items()},
            "predictors_asked": _shown(names, self.visits.asked),
            "predictors_used": _shown(names, self._used(visits)),
            "not_used": {name: list(reasons) for name, reasons in self.predicting.why.items()},
        }

    def _used(self, visits: Sequence[Drawer]) -> Mapping[str, Sequence[str]]:
        found = {name: tuple[str, ...]() for name in self.units}
        return {**found, **{name: visit.predictors for visit in visits for name in visit.names}}

    def _said(self, name: str) -> str:
        if name in self.asked.given:
            return "given"
        method = self.used[name]
        if isinstance(method, Step):
            return "copied" if name in self.twins else type(method).__name__
        return parametric(self.inner[name].what) if method == "parametric" else method

    def _caveats(self, visits: Sequence[Drawer]) -> Iterator[str]:
        """What the steps say, each sentence once with its columns."""
        said: dict[str, list[str]] = {}
        for visit in visits:
            for step in visit.fitted:
                for caveat in step.caveats:
                    said.setdefault(caveat, []).extend(n for n in visit.names if n not in said.get(caveat, []))
        for caveat, names in said.items():
            yield f"{', '.join(names[:8])}{' …' if len(names) > 8 else ''}: {caveat}"
        if self.ordering.said:
            yield self.ordering.said

    def _figures(self, visits: Sequence[Drawer]) -> dict[str, float]:
        used = [len(visit.predictors) for visit in visits]
        return {
            "columns drawn": float(sum(len(v.names) for v in visits)),
            "predictors of a column, most": max(used, default=0.0),
        }


def _shown(names: Sequence[str], predictors: Mapping[str, Sequence[str]]) -> Any:
    """The predictor matrix; of very many columns, the numbers of predictors."""
    if len(names) > MOST_SHOWN:
        return {name: len(predictors[name]) for name in names}
    return matrix(names, predictors).tolist()
