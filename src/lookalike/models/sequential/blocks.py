"""Categories drawn together from one table, before all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from lookalike.errors import BadPlan
from lookalike.models.mixed import Mixed
from lookalike.models.sequential.unit import Inner, Unit
from lookalike.models.steps import CellLaw, FittedStep, ProportionalFit, SaturatedTable

if TYPE_CHECKING:
    from lookalike.models.sequential.fitter import Fitter

_TABLES = {"catall": SaturatedTable, "ipf": ProportionalFit}


@dataclass(frozen=True, slots=True, eq=False)
class BlockVisit:
    """The columns of a table."""

    names: tuple[str, ...]
    law: CellLaw

    @property
    def predictors(self) -> tuple[str, ...]:
        """They come first."""
        return ()

    @property
    def fitted(self) -> tuple[FittedStep, ...]:
        """Not a step of one column."""
        return ()

    def draw(
        self, before: Mapping[str, Inner], units: Mapping[str, Unit], rows: int, rng: Generator
    ) -> Mapping[str, Inner]:
        """A cell of the table for each row."""
        return dict(zip(self.names, map(Inner, self.law.sample(rows, rng=rng).columns), strict=True))


def fit_block(fitter: Fitter, names: tuple[str, ...], rng: Generator) -> BlockVisit:
    """The table of the columns; records with a cell that is not known are left out."""
    methods = {str(fitter.choice.methods[name]) for name in names}
    if len(methods) > 1:
        raise BadPlan("catall and ipf each draw a table, and one table can come first. Choose one of them.")
    (method,) = methods
    columns = [fitter.cells[name].what for name in names]
    known = np.flatnonzero(np.all([column.known for column in columns], axis=0))
    table = Mixed(tuple(column.take(known) for column in columns))
    law = _TABLES[method](**fitter.choice.settings.get(method, {})).fit(table, rng=rng, proper=fitter.asked.proper)
    return BlockVisit(names, law)
