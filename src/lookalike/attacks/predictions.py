"""What a model says of people, beside the truth: errors, losses and how often it is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.columns import ordered
from lookalike.attacks.learners import Learner, Points
from lookalike.attacks.outcome import Share
from lookalike.attacks.ranges import Radius
from lookalike.errors import NotAssessable

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_LEAST = 1e-6
"""A chance of 0 that comes true would cost an infinite loss; it is taken for this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """How far predictions are off; the last two are proper losses, for categories alone.

    >>> Errors(squared=0.25).brier is None
    True
    """

    squared: float
    """(1/n) Σ (y − ŷ)²; categories are coded 1, 2, … in the order of their values, as seed 002 codes them."""
    log_loss: float | None = None
    """−(1/n) Σ log p(y)."""
    brier: float | None = None
    """(1/n) Σ_i Σ_t (p_it − [y_i = t])²."""


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """The predictions for one group of people: numbers, and for categories the chance of each."""

    truth: Floats
    number: Floats
    chances: Floats | None
    guessed: Floats
    """What the file trained on says without a model: the mean, or the share of each category."""

    @property
    def loss(self) -> Floats:
        """The error of each record: the distance of a number, minus the logarithm of the chance of a category."""
        if self.chances is None:
            return np.abs(self.truth - self.number)
        return -np.log(np.maximum(self._chance_of_truth(self.chances), _LEAST))

    def right(self, within: Radius) -> Share:
        """How often the likeliest category is the truth, or the number lies within the radius of it."""
        if self.chances is not None:
            hits = self.chances.argmax(axis=1) + 1 == self.truth
        else:
            hits = np.abs(self.truth - self.number) <= within.around(self.truth) * (1 + 1e-9)
        return Share(successes=int(np.count_nonzero(hits)), of=len(hits), what="records")

    def errors(self) -> Errors:
        """The figures of the file."""
        squared = float(np.mean((self.truth - self.number) ** 2))
        if self.chances is None:
            return Errors(squared=squared)
        truth = np.zeros(self.chances.shape)
        truth[np.arange(len(truth)), self.truth.astype(np.int64) - 1] = 1
        return Errors(
            squared=squared,
            log_loss=float(self.loss.mean()),
            brier=float(((self.chances - truth) ** 2).sum(axis=1).mean()),
        )

    def guess(self) -> Prediction:
        """The same people predicted without a model."""
        n = len(self.truth)
        if self.chances is None:
            return Prediction(self.truth, np.full(n, self.guessed[0]), None, self.guessed)
        mean = float(self.guessed @ np.arange(1, len(self.guessed) + 1))
        return Prediction(self.truth, np.full(n, mean), np.tile(self.guessed, (n, 1)), self.guessed)

    def _chance_of_truth(self, chances: Floats) -> Floats:
        found: Floats = chances[np.arange(len(chances)), self.truth.astype(np.int64) - 1]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """A target in one file: numbers as they are, categories coded from 1 over all files."""

    values: Floats
    levels: int
    """The categories; 0 for numbers."""

    @classmethod
    def of(cls, columns: Sequence[pl.Series]) -> list[Truth]:
        """The target in every file. A missing category is a category; a missing number has no truth.

        >>> [t.values.tolist() for t in Truth.of([pl.Series(["b", "a"]), pl.Series(["c"])])]
        [[2.0, 1.0], [3.0]]
        """
        if all(column.dtype.is_numeric() for column in columns):
            return [cls(c.cast(pl.Float64).fill_null(float("nan")).to_numpy(), 0) for c in columns]
        codes = ordered(columns)
        levels = 1 + max(int(c.max(initial=0)) for c in codes)
        return [cls((c + 1).astype(np.float64), levels) for c in codes]

    def predict(
        self, learner: Learner, tables: Sequence[Points], people: Sequence[Truth], *, rng: Generator
    ) -> list[Prediction]:
        """Train on this target and the first table; predict the others. People without a truth are left out."""
        known = ~np.isnan(self.values)
        if not known.any():
            raise NotAssessable("The target has only missing values in the file to train on.")
        x, y = tables[0].take(known), self.values[known]
        numbers = learner.on_numbers(x, y, rng=rng)
        model = learner.on_categories(x, y.astype(np.int64) - 1, self.levels, rng=rng) if self.levels else None
        guessed = self._guessed(y)
        found = []
        for table, truth in zip(tables[1:], people, strict=True):
            there = ~np.isnan(truth.values)
            if not there.any():
                raise NotAssessable("The target has only missing values in a file to predict.")
            asked = table.take(there)
            chances = None if model is None else model.chances(asked)
            found.append(Prediction(truth.values[there], numbers.number(asked), chances, guessed))
        return found

    def _guessed(self, y: Floats) -> Floats:
        if not self.levels:
            return np.array([y.mean()])
        return np.asarray(np.bincount(y.astype(np.int64) - 1, minlength=self.levels) / len(y), np.float64)


def mean_errors(each: Sequence[Errors]) -> Errors:
    """The mean over releases."""

    def mean(values: Sequence[float | None]) -> float | None:
        told = [v for v in values if v is not None]
        return float(np.mean(told)) if told else None

    return Errors(
        squared=float(np.mean([e.squared for e in each])),
        log_loss=mean([e.log_loss for e in each]),
        brier=mean([e.brier for e in each]),
    )
