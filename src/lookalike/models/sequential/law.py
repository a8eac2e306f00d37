"""A fitted sequence: records drawn column by column."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.mixed import Column, Mixed
from lookalike.models.sequential.fitting import Visit
from lookalike.models.sequential.pairs import PairVisit
from lookalike.models.sequential.tally import few_donors
from lookalike.models.sequential.unit import Inner, Unit
from lookalike.models.steps import FittedStep

CHUNK = 2**14
"""Records of one random stream; fixed, so that the number of threads changes nothing."""


class Drawer(Protocol):
    """One or more columns that are drawn together, given those before."""

    @property
    def names(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def predictors(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def fitted(self) -> tuple[FittedStep, ...]: ...  # noqa: D102

    def draw(  # noqa: D102
        self, before: Mapping[str, Inner], units: Mapping[str, Unit], rows: int, rng: Generator
    ) -> Mapping[str, Inner]: ...


class SequentialLaw:
    """Columns in an order, each with its law given those before it.

    `visits` are the fitted steps, for a look at them; `details` says order, methods and predictors as plain data.

    >>> from lookalike.models import Sequential
    >>> from lookalike.models.mixed import Categories
    >>> x = np.tile(np.array([0, 1], np.int32), 200)
    >>> law = Sequential().fit_mixed(Mixed((Categories(x, 2), Categories(x, 2))), rng=np.random.default_rng(1))
    >>> law.details["order"], law.details["methods"], law.sample(10, rng=np.random.default_rng(2)).records
    (['1', '2'], {'1': 'sample', '2': 'copied'}, 10)
    """

    def __init__(
        self,
        table: Mixed,
        units: Mapping[str, Unit],
        visits: Sequence[Drawer],
        *,
        details: Mapping[str, Any],
        caveats: Sequence[str],
        figures: Mapping[str, float],
    ) -> None:
        self.units, self.visits, self.details = dict(units), tuple(visits), dict(details)
        self._caveats, self._figures = tuple(caveats), dict(figures)
        self._kinds = table.empty(0)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the user must know of records drawn from it."""
        return self._caveats

    @property
    def figures(self) -> Mapping[str, float]:
        """What is told of the fit, by name; of trees, how many cells drawn so far come from few donors."""
        return {**self._figures, **few_donors(v.tally for v in self.visits if isinstance(v, Visit | PairVisit))}

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records."""
        return self.complete(self._kinds.empty(n), rng=rng, threads=threads)

    def complete(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Mixed:
        """The table with its unknown cells drawn, column by column; known cells stay.

        A cell is drawn given those of columns before it in the order. So what is given must stand first: the model is
        told when it is fitted.
        """
        starts = range(0, table.records, CHUNK)
        streams = rng.spawn(len(starts))

        def part(i: int) -> Mixed:
            return self._part(table.take(np.arange(starts[i], min(starts[i] + CHUNK, table.records))), streams[i])

        with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
            parts = list(pool.map(part, range(len(starts))))
        return together(parts) if parts else table

    def _part(self, table: Mixed, rng: Generator) -> Mixed:
        cells = list(table.columns)
        inner = {name: unit.inner(tuple(cells[j] for j in unit.places)) for name, unit in self.units.items()}
        for visit, stream in zip(self.visits, rng.spawn(len(self.visits)), strict=True):
            open_ = np.zeros(table.records, bool)
            for name in visit.names:
                open_ |= ~inner[name].known
            rows = np.flatnonzero(open_)
            if not len(rows):
                continue
            before = {name: inner[name].take(rows) for name in self._needed(visit)}
            for name, drawn in visit.draw(before, self.units, len(rows), stream).items():
                inner[name] = _filled(inner[name], drawn, rows)
        for name, unit in self.units.items():
            for place, column in zip(unit.places, unit.cells(inner[name]), strict=True):
                cells[place] = column
        return Mixed(tuple(cells))

    def _needed(self, visit: Drawer) -> tuple[str, ...]:
        rules = (name for fixed in getattr(visit, "fixed", ()) for name in fixed.needs)
        return tuple(dict.fromkeys([*visit.predictors, *rules]))


def _filled(old: Inner, drawn: Inner, rows: NDArray[np.int64]) -> Inner:
    """The drawn cells in their rows where nothing was known."""
    back = np.zeros(len(old.what), np.int64)
    back[rows] = np.arange(len(rows))
    return old.where(old.known, drawn.take(back))


def together(parts: Sequence[Mixed]) -> Mixed:
    """Tables of the same columns, one below the other."""
    if len(parts) == 1:
        return parts[0]
    return Mixed(tuple(_joined([part.columns[j] for part in parts]) for j in range(len(parts[0].columns))))


def _joined(columns: Sequence[Column]) -> Column:
    from lookalike.models.mixed import Categories, Numbers

    first = columns[0]
    if isinstance(first, Numbers):
        return Numbers(np.concatenate([c.values for c in columns if isinstance(c, Numbers)]))
    codes = np.concatenate([c.codes for c in columns if isinstance(c, Categories)])
    return Categories(codes, first.levels, first.ordered)
