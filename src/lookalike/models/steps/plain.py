"""Steps without a predictor: a value of the file at random, or one value always."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Mixed, Numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Every value of the file with the same chance 1/n ("sample"); predictors are not used.

    Proper: the values drawn from are a bootstrap sample themselves.

    >>> step = Sample().fit(Numbers(np.array([1.0, 2.0])), Mixed(()), rng=np.random.default_rng(1))
    >>> step.draw(Mixed((Numbers(np.zeros(5)),)), rng=np.random.default_rng(1)).values.tolist()
    [1.0, 2.0, 2.0, 2.0, 1.0]
    """

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedSample:
        """Keep the values."""
        if not proper:
            return FittedSample(response)
        return FittedSample(response.take(rng.integers(0, len(response), len(response))))


@dataclass(frozen=True, slots=True)
class FittedSample:
    """The values of the file."""

    values: Column

    @property
    def caveats(self) -> tuple[str, ...]:
        """That values are copied, where that may tell something."""
        if isinstance(self.values, Categories):
            return ()
        return ("Values of the file are copied: a rare one may point to its record.",)

    @property
    def figures(self) -> Mapping[str, float]:
        """Rows."""
        return {"rows": len(self.values)}

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Column:
        """As many as the predictors have rows, whatever stands in them."""
        return self.values.take(rng.integers(0, len(self.values), predictors.records))


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """One value always: a number, or the code of a level. None takes the one value of the file ("constant").

    >>> step = Constant(value=7).fit(Numbers(np.array([1.0, 2.0])), Mixed(()), rng=np.random.default_rng(1))
    >>> step.draw(Mixed((Numbers(np.zeros(2)),)), rng=np.random.default_rng(1)).values.tolist()
    [7.0, 7.0]
    """

    value: float | None = None

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedConstant:
        """Without a value, a column of several is refused."""
        if self.value is not None:
            return FittedConstant(_of_kind(response, self.value), len(response))
        cells = response.values if isinstance(response, Numbers) else response.codes
        if (cells != cells[0]).any():
            raise BadPlan("Constant: the column holds more than one value; say which with 'value'.")
        return FittedConstant(response.take(np.zeros(1, np.int64)), len(response))


@dataclass(frozen=True, slots=True)
class FittedConstant:
    """A column of one cell."""

    cell: Column
    rows: int

    @property
    def caveats(self) -> tuple[str, ...]:
        """Nothing to tell."""
        return ()

    @property
    def figures(self) -> Mapping[str, float]:
        """Rows."""
        return {"rows": self.rows}

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Column:
        """The cell, again and again."""
        return self.cell.take(np.zeros(predictors.records, np.int64))


def _of_kind(response: Column, value: float) -> Column:
    if isinstance(response, Numbers):
        if not np.isfinite(value):
            raise BadPlan("Constant: 'value' must be a finite number.")
        return Numbers(np.array([float(value)]))
    if value != int(value) or not 0 <= value < response.levels:
        raise BadPlan(f"Constant: 'value' must be the code of a level, from 0 to {response.levels - 1}.")
    return Categories(np.array([int(value)], np.int32), response.levels, response.ordered)
