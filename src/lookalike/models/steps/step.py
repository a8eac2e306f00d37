"""A step of a sequence: one column drawn given others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from numpy.random import Generator

from lookalike.models.mixed import Column, Mixed


@runtime_checkable
class FittedStep(Protocol):
    """The law of one column given others."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the user must know of cells drawn from it; no value of the file."""
        ...

    @property
    def figures(self) -> Mapping[str, float]:
        """What is told of the fit, by name."""
        ...

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Column:
        """One cell a row, all known. The same rng gives the same cells, whatever the number of threads."""
        ...


@runtime_checkable
class Step(Protocol):
    """A choice of the law of one column given others."""

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedStep:
        """Learn the response given the predictors: at least one row, every cell of both known.

        There may be no predictor. `proper` draws the parameters too: from their posterior, or from a fit to a bootstrap
        sample of the rows. Raises BadPlan if the response is not of a kind that the step can draw.
        """
        ...
