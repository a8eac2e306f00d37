"""Logistic regression: the law of a category of two levels given others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Mixed
from lookalike.models.steps.augmented import Augmented, Pseudo, categories_of, check_pseudo
from lookalike.models.steps.design import Design, Floats
from lookalike.models.steps.levels import FittedLevels
from lookalike.models.steps.one_thread import one_thread

_RIDGE = 1e-6
"""On the scaled coefficients, in records: too little to be seen, enough that there is always an answer."""

_STEPS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic:
    """P(second level | x) = 1/(1 + e^{−xb}) ("logreg"), fitted by Newton's method with pseudo-records.

    Proper: b* = b + V^½ z, V the inverse of the information with the pseudo-records.

    >>> x = Mixed((Categories(np.array([0] * 4 + [1] * 4, np.int32), levels=2),))
    >>> y = Categories(np.array([0, 0, 0, 1, 0, 1, 1, 1], np.int32), levels=2)
    >>> step = Logistic(pseudo="none").fit(y, x, rng=np.random.default_rng(1))
    >>> step.coefficients.round(4).tolist()                       # log(1/3), log(3) − log(1/3)
    [-1.0986, 2.1972]
    """

    pseudo: Pseudo = "shares"

    def __post_init__(self) -> None:
        check_pseudo(self.pseudo, "Logistic")

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedLogistic:
        """A response with more than two levels is refused; one level is drawn always."""
        y = categories_of(response, "Logistic")
        design = Design.of(predictors)
        rows = Augmented.of(y, design, predictors, self.pseudo)
        if len(rows.seen) > 2:
            raise BadPlan(
                f"Logistic draws two levels; the column has {len(rows.seen)}, missing values counted as one."
                " Take Multinomial or Ordinal."
            )
        if len(rows.seen) == 1:
            return FittedLogistic(design, np.zeros(design.width), rows.seen, y.levels, y.ordered, len(y), True)
        with one_thread():
            found, information, converged = newton(rows.matrix, rows.classes.astype(np.float64), rows.weights)
        if proper:
            found = found + _posterior_noise(information, rng)
        return FittedLogistic(design, found, rows.seen, y.levels, y.ordered, len(y), converged)


@dataclass(frozen=True, slots=True)
class FittedLogistic(FittedLevels):
    """The chance of the second level given the others."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """A word where Newton's method did not end."""
        return () if self.converged else ("The logistic regression did not converge; its last step was taken.",)

    @property
    def figures(self) -> Mapping[str, float]:
        """Rows and coefficients."""
        return {"rows": self.rows, "coefficients": self.design.width}

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Categories:
        """The second level with its chance."""
        if len(self.seen) == 1:
            codes = np.full(predictors.records, self.seen[0], np.int32)
        else:
            chance = logistic(self.design.times(predictors, self.scaled))
            codes = self.seen[(rng.random(predictors.records) < chance).astype(np.int64)]
        return Categories(codes, self.levels, self.ordered)


def logistic(x: Floats) -> Floats:
    """1/(1 + e^{−x})."""
    from scipy.special import expit

    return np.asarray(expit(x), np.float64)


def newton(x: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats, bool]:
    """The weighted maximum of likelihood less a tiny ridge: coefficients, information, whether it was reached.

    A step that does not gain is halved; the target is concave, so this ends at its one maximum.
    """
    found, information = np.zeros(x.shape[1]), np.eye(x.shape[1])
    found[0] = _log_odds(np.average(y, weights=weights))
    value = _gain(x, y, weights, found)
    for _ in range(_STEPS):
        p = logistic(x @ found)
        gradient = x.T @ (weights * (y - p)) - _RIDGE * found
        information = (x * (weights * p * (1 - p))[:, None]).T @ x + _RIDGE * np.eye(len(found))
        step = np.asarray(np.linalg.solve(information, gradient), np.float64)
        if step @ gradient < 1e-12 * max(1.0, abs(value)):
            return found + step, information, True
        found, value = _halved(x, y, weights, found, step, value)
    return found, information, False


def _halved(x: Floats, y: Floats, weights: Floats, found: Floats, step: Floats, value: float) -> tuple[Floats, float]:
    for _ in range(30):
        after = _gain(x, y, weights, found + step)
        if after >= value:
            return found + step, after
        step = step / 2
    return found, value


def _gain(x: Floats, y: Floats, weights: Floats, b: Floats) -> float:
    eta = x @ b
    return float(weights @ (y * eta - np.logaddexp(0.0, eta)) - _RIDGE / 2 * (b @ b))


def _log_odds(p: float) -> float:
    return float(np.log(p) - np.log1p(-p))


def _posterior_noise(information: Floats, rng: Generator) -> Floats:
    """Normal with the inverse of the information; nothing along directions of which the rows tell nothing."""
    values, vectors = np.linalg.eigh(information)
    told = values > 1e-7 * values[-1]
    spread = np.where(told, 1 / np.sqrt(np.where(told, values, 1.0)), 0.0)
    return np.asarray(vectors @ (spread * rng.standard_normal(len(values))), np.float64)
