"""Linear regression with normal errors: the law of a number given others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from lookalike.errors import BadPlan
from lookalike.models.mixed import Column, Mixed, Numbers
from lookalike.models.steps.decimals import decimals_of, rounded
from lookalike.models.steps.design import Design, Floats
from lookalike.models.steps.one_thread import one_thread

RIDGE = 1e-5

_NO_DIRECTION = 1e-9
"""An eigenvalue of the correlation matrix that is rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Normal:
    """y = Xb + s e, e standard normal ("norm").

    X has an intercept and centred columns; A = X'X + λ diag(X'X) (the intercept is not penalised), b = A⁻¹ X'y and
    s² = RSS/(n − q), q the rank of X. Proper: s*² = RSS/χ²_{n−q}, b* = b + s* L z with LL' = A⁻¹. Drawn values are
    rounded to the decimals of the file.

    >>> age = Mixed((Numbers(np.array([20.0, 30.0, 40.0, 50.0])),))
    >>> step = Normal().fit(Numbers(np.array([10.0, 22.0, 28.0, 40.0])), age, rng=np.random.default_rng(1))
    >>> step.coefficients.round(2).tolist()
    [-8.6, 0.96]
    """

    ridge: float = RIDGE
    rounding: bool = True

    def __post_init__(self) -> None:
        if not self.ridge >= 0:
            raise BadPlan(f"Normal: 'ridge' must be at least 0, not {self.ridge}.")

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedNormal:
        """By least squares with a slight ridge; a response of categories is refused."""
        y = numbers_of(response, "Normal")
        line = Line.fit(y, predictors, ridge=self.ridge, rng=rng, proper=proper)
        return FittedNormal(line, decimals_of(y) if self.rounding else None)


@dataclass(frozen=True, slots=True)
class FittedNormal:
    """A line, or a plane, with normal errors around it."""

    line: Line
    decimals: int | None

    @property
    def coefficients(self) -> Floats:
        """The intercept and one slope a column of the design, in the units of the columns."""
        return self.line.design.in_units(self.line.coefficients)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a normal law cannot keep, and a fit with too few rows."""
        return (
            "A normal law was drawn from: skewness, spikes and limits (no negative incomes) are not kept.",
            *self.line.caveats,
        )

    @property
    def figures(self) -> Mapping[str, float]:
        """Of the line."""
        return self.line.figures

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Numbers:
        """Normal around the line."""
        return Numbers(rounded(self.line.draw(predictors, rng=rng), self.decimals))


@dataclass(frozen=True, slots=True)
class Line:
    """A fitted linear regression: what Normal and its kin share."""

    design: Design
    coefficients: Floats
    """For the centred and scaled columns."""
    deviation: float
    rows: int
    rank: int
    explained: float
    """1 − RSS / the sum of squares around the mean; 0 for a constant."""

    @classmethod
    def fit(cls, y: Floats, predictors: Mixed, *, ridge: float, rng: Generator, proper: bool) -> Line:
        """With columns of deviation 1 the ridge is λn on the diagonal; the intercept stands apart."""
        design = Design.of(predictors)
        n, mean = len(y), y.mean()
        values, vectors, cross = _moments(design, predictors, y - mean, n)
        # Directions that the rows do not have: nothing is known of them, and nothing is drawn.
        weights = np.where(values > _NO_DIRECTION, 1 / np.maximum(values + ridge, _NO_DIRECTION), 0.0)
        coefficients = np.concatenate([[mean], vectors @ (weights * (vectors.T @ cross))])
        rest, total = _left(design, predictors, y, coefficients), float(np.sum((y - mean) ** 2))
        rank = 1 + int((weights > 0).sum())
        deviation = np.sqrt(rest / max(1, n - rank))
        if proper:
            deviation = np.sqrt(rest / rng.chisquare(max(1, n - rank)))
            noise = rng.standard_normal(design.width) / np.sqrt(n)
            slopes = vectors @ (np.sqrt(weights) * noise[1:])
            coefficients = coefficients + deviation * np.concatenate([noise[:1], slopes])
        return cls(design, coefficients, float(deviation), n, rank, 1 - rest / total if total > 0 else 0.0)

    @property
    def caveats(self) -> tuple[str, ...]:
        """A word where there are fewer than twice as many rows as coefficients."""
        if self.rows >= 2 * self.rank or self.rank == 1:
            return ()
        return (
            f"{self.rank} coefficients were learned from {self.rows} rows: the fit nearly repeats the rows, and what "
            "is drawn varies too little. Take fewer predictors.",
        )

    @property
    def figures(self) -> Mapping[str, float]:
        """Rows, coefficients, the deviation around the line and the share of variance explained."""
        return {
            "rows": self.rows,
            "coefficients": self.rank,
            "deviation": self.deviation,
            "explained": self.explained,
        }

    def draw(self, predictors: Mixed, *, rng: Generator) -> Floats:
        """The line at these rows, with errors."""
        return self.at(predictors) + self.deviation * rng.standard_normal(predictors.records)

    def at(self, predictors: Mixed) -> Floats:
        """The line at these rows."""
        return self.design.times(predictors, self.coefficients)


def numbers_of(response: Column, what: str) -> Floats:
    """The values of a response that must be numbers."""
    if not isinstance(response, Numbers):
        raise BadPlan(f"{what} draws numbers; the column holds categories. Take Logistic, Multinomial or a tree.")
    return response.values


def _moments(design: Design, predictors: Mixed, y: Floats, n: int) -> tuple[Floats, Floats, Floats]:
    """Eigenvalues and vectors of the correlation matrix of the design, and its cross products with y, over n."""
    gram, cross = np.zeros((design.width - 1,) * 2), np.zeros(design.width - 1)
    with one_thread():
        for rows, part in design.blocks(predictors):
            gram += part[:, 1:].T @ part[:, 1:]
            cross += part[:, 1:].T @ y[rows]
        if not len(cross):
            return np.zeros(0), np.zeros((0, 0)), cross
        values, vectors = np.linalg.eigh(gram / n)
    return values, vectors, cross / n


def _left(design: Design, predictors: Mixed, y: Floats, coefficients: Floats) -> float:
    """The residual sum of squares."""
    if not predictors.columns:
        return float(np.sum((y - coefficients[0]) ** 2))
    return float(np.sum((y - design.times(predictors, coefficients)) ** 2))
