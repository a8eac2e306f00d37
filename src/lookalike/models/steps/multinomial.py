"""Multinomial regression: the law of a category of any number of levels given others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.mixed import Categories, Column, Mixed
from lookalike.models.steps.augmented import Augmented, Pseudo, categories_of, check_pseudo
from lookalike.models.steps.design import Design, Floats
from lookalike.models.steps.levels import FittedLevels
from lookalike.models.steps.one_thread import one_thread

_RIDGE = 1e-6
_STEPS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Multinomial:
    """P(level k | x) ∝ e^{x b_k}, b = 0 for the first level seen ("polyreg"), fitted with pseudo-records.

    Proper: fitted to a bootstrap sample of the rows.

    >>> y = Categories(np.array([0, 0, 1, 2, 2, 2], np.int32), levels=3)
    >>> step = Multinomial().fit(y, Mixed(()), rng=np.random.default_rng(1))
    >>> np.exp(step.coefficients).round(3).tolist()                # 1/2, 3/2
    [[0.5, 1.5]]
    """

    pseudo: Pseudo = "shares"
    tolerance: float = 1e-3
    """The search ends when a step gains less log-likelihood than this."""

    def __post_init__(self) -> None:
        check_pseudo(self.pseudo, "Multinomial")

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedMultinomial:
        """By L-BFGS on uncorrelated columns, on which it needs few steps."""
        y = categories_of(response, "Multinomial")
        if proper:
            rows = rng.integers(0, len(y), len(y))
            y, predictors = y.take(rows), predictors.take(rows)
        design = Design.of(predictors)
        data = Augmented.of(y, design, predictors, self.pseudo)
        with one_thread():
            found, converged = _maximum(data, self.tolerance)
        return FittedMultinomial(design, found, data.seen, y.levels, y.ordered, len(y), converged)


@dataclass(frozen=True, slots=True)
class FittedMultinomial(FittedLevels):
    """The chances of the levels given the others."""

    told: tuple[str, ...] = ()
    """Why this regression was taken in place of another."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """A word where the search did not end, and on few rows."""
        free, words = self.scaled.size, list(self.told)
        if not self.converged:
            words.append("The multinomial regression did not converge; its last step was taken.")
        if self.rows < 2 * free and self.design.width > 1:
            words.append(f"{free} coefficients were learned from {self.rows} rows: take fewer predictors, or a tree.")
        return tuple(words)

    @property
    def figures(self) -> Mapping[str, float]:
        """Rows, coefficients, levels seen."""
        return {"rows": self.rows, "coefficients": self.scaled.size, "levels": len(self.seen)}

    def chances(self, predictors: Mixed) -> Floats:
        """Of the levels seen, one row a record."""
        return softmax(self.design.times(predictors, self.scaled))

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Categories:
        """By the cumulated chances."""
        codes = np.empty(predictors.records, np.int32)
        u = rng.random(predictors.records)
        with one_thread():
            for rows, part in self.design.blocks(predictors):
                codes[rows] = self.seen[drawn_class(softmax(part @ self.scaled), u[rows])]
        return Categories(codes, self.levels, self.ordered)


def softmax(eta: Floats) -> Floats:
    """Chances from the log-odds against the first class, which is put before them."""
    every = np.hstack([np.zeros((len(eta), 1)), eta])
    every -= every.max(axis=1, keepdims=True)
    np.exp(every, out=every)
    every /= every.sum(axis=1, keepdims=True)
    return every


def drawn_class(chances: Floats, u: Floats) -> NDArray[np.int64]:
    """The class whose stretch of cumulated chances holds u."""
    below = np.cumsum(chances, axis=1)[:, :-1] <= u[:, None]
    return np.asarray(below.sum(axis=1))


def _maximum(rows: Augmented, tolerance: float) -> tuple[Floats, bool]:
    """Coefficients of the weighted maximum of likelihood less a tiny ridge, and whether it was reached."""
    from scipy.optimize import minimize

    k = len(rows.seen)
    if k == 1:
        return np.zeros((rows.matrix.shape[1], 0)), True
    white = _whitening(rows.matrix, rows.weights)
    loss = _Loss.of(rows, white)
    share = np.bincount(rows.classes, rows.weights) / rows.weights.sum()
    start = np.linalg.lstsq(white, np.eye(len(white), 1)[:, 0], rcond=None)[0]
    first = np.log(share[1:] / share[0])[:, None] * start
    options = {"maxiter": _STEPS, "gtol": 0.0, "ftol": tolerance / rows.weights.sum(), "maxcor": 20}
    found = minimize(loss, first.ravel(), jac=True, method="L-BFGS-B", options=options)
    return white @ found.x.reshape(k - 1, -1).T, bool(found.nit < _STEPS)


@dataclass(frozen=True, slots=True)
class _Loss:
    """Minus the mean log-likelihood and its slope; classes are rows, which keeps sums over classes fast."""

    x: Floats
    """Columns of the design are rows."""
    target: Floats
    """Weighted sums of x in each class but the first."""
    weights: Floats

    @classmethod
    def of(cls, rows: Augmented, white: Floats) -> _Loss:
        x = np.ascontiguousarray((rows.matrix @ white).T)
        weighted = x * rows.weights
        sums = [np.bincount(rows.classes, line, minlength=len(rows.seen))[1:] for line in weighted]
        return cls(x, np.column_stack(sums), rows.weights)

    def __call__(self, flat: Floats) -> tuple[float, Floats]:
        b = flat.reshape(self.target.shape)
        eta = b @ self.x
        top = np.maximum(eta.max(axis=0), 0.0)
        eta -= top
        np.exp(eta, out=eta)
        mass = eta.sum(axis=0) + np.exp(-top)
        eta *= self.weights / mass
        total = self.weights.sum()
        value = self.weights @ (top + np.log(mass)) - np.sum(self.target * b) + _RIDGE / 2 * (flat @ flat)
        slope = eta @ self.x.T - self.target + _RIDGE * b
        return float(value) / total, slope.ravel() / total


def _whitening(x: Floats, weights: Floats) -> Floats:
    """A matrix that makes the columns uncorrelated and of mean square 1; directions that are rounding are left out."""
    values, vectors = np.linalg.eigh((x * weights[:, None]).T @ x / weights.sum())
    told = values > 1e-10 * values[-1]
    return np.asarray(vectors[:, told] / np.sqrt(values[told]), np.float64)
