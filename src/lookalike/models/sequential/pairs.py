"""A time and whether it ended in an event, drawn together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from numpy.random import Generator

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Numbers
from lookalike.models.sequential.fitting import predictors_of, with_rows
from lookalike.models.sequential.tally import Tally
from lookalike.models.sequential.unit import Inner, Unit
from lookalike.models.steps import FittedPair, FittedStep, SurvivalTree

if TYPE_CHECKING:
    from lookalike.models.sequential.fitter import Fitter


@dataclass(frozen=True, slots=True, eq=False)
class PairVisit:
    """Two columns, both from one donor."""

    time: str
    event: str
    predictors: tuple[str, ...]
    pair: FittedPair
    tally: Tally = field(default_factory=Tally)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are drawn."""
        return (self.time, self.event)

    @property
    def fitted(self) -> tuple[FittedStep, ...]:
        """Not steps of one column."""
        return ()

    def draw(
        self, before: Mapping[str, Inner], units: Mapping[str, Unit], rows: int, rng: Generator
    ) -> Mapping[str, Inner]:
        """Time and event of a donor for each row."""
        table = with_rows(predictors_of(self.predictors, before, units), rows)
        time, event, donors = self.pair.draw_pair_traced(table, rng=rng, threads=1)
        self.tally.add(donors.donors)
        return {self.time: Inner(time), self.event: Inner(event)}


def fit_pair(fitter: Fitter, time: str, rng: Generator) -> PairVisit:
    """A survival tree of the two columns."""
    event = fitter.choice.events[time]
    own, other = fitter.cells[time], fitter.cells[event]
    for name, inner in ((time, own), (event, other)):
        if inner.which is not None or not inner.known.all():
            raise BadPlan(f"'{name}' has missing values or spikes: survctree draws a time and its event whole.")
    assert isinstance(own.what, Numbers | Categories)
    used = tuple(n for n in fitter.predicting.used[time] if n != event)
    table = with_rows(predictors_of(used, fitter.inner, fitter.units), len(own.what))
    tree = SurvivalTree(**fitter.choice.settings.get("survctree", {}))
    pair = tree.fit_pair(own.what, other.what, table, rng=rng, proper=fitter.asked.proper, threads=1)
    return PairVisit(time, event, used, pair)
