"""Which predictors a column gets: by lasso, by ridge, or by mutual information."""

from __future__ import annotations

from dataclasses import dataclass
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import Column, Mixed, Numbers
from lookalike.models.steps.design import Design, Floats
from lookalike.models.steps.information_matrix import information_on


@dataclass(frozen=True, slots=True)
class Selected:
    """The predictors that are kept, and the strength of every one."""

    kept: tuple[int, ...]
    """Places among the predictors, from 0, rising."""
    strength: Floats
    """Of each predictor: its largest coefficient, or its information in nats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByLasso:
    """Predictors with a coefficient that a lasso of this penalty leaves (thesis, section 4.5.2).

    It minimises ‖y − Xb‖²/(2n) + penalty Σ|b|, with y and the columns of X centred and divided by their standard
    deviations, so that a penalty means the same in all units; standardized=False takes them in their units. A category
    is kept if any of its 0/1 columns is; a response of categories is taken level by level.

    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(1_000, 3))
    >>> y = Numbers(2 * x[:, 1] + rng.normal(size=1_000))
    >>> ByLasso(penalty=0.1).select(y, Mixed(tuple(Numbers(column) for column in x.T))).kept
    (1,)
    """

    penalty: float = 0.01
    standardized: bool = True

    def __post_init__(self) -> None:
        if not self.penalty > 0:
            raise BadPlan(f"ByLasso: 'penalty' must be above 0, not {self.penalty}.")

    def select(self, response: Column, predictors: Mixed) -> Selected:
        """One lasso a number, or a level but one."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import Lasso

        design, x, responses = _prepared(response, predictors, self.standardized)
        sizes = np.zeros(x.shape[1])
        if x.shape[1]:
            model = Lasso(alpha=self.penalty, fit_intercept=False, max_iter=2_000, tol=1e-4, precompute=True)
            with catch_warnings():
                # More columns than records: the last digits do not settle, which predictors are kept does.
                simplefilter("ignore", ConvergenceWarning)
                sizes = np.max([np.abs(model.fit(x, y).coef_) for y in responses], axis=0)
        strength = _by_owner(sizes, design.owner, len(predictors.columns))
        return Selected(tuple(np.flatnonzero(strength > 0).tolist()), strength)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRidge:
    """Predictors whose standardized coefficient by a ridge regression is at least `least` in size.

    It minimises ‖y − Xb‖²/(2n) + penalty Σb²/2. A ridge sets no coefficient to 0: where to cut is a choice.

    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(1_000, 3))
    >>> y = Numbers(2 * x[:, 1] + rng.normal(size=1_000))
    >>> ByRidge().select(y, Mixed(tuple(Numbers(column) for column in x.T))).kept
    (1,)
    """

    penalty: float = 0.01
    least: float = 0.1

    def __post_init__(self) -> None:
        if not (self.penalty > 0 and self.least > 0):
            raise BadPlan("ByRidge: 'penalty' and 'least' must be above 0.")

    def select(self, response: Column, predictors: Mixed) -> Selected:
        """One regression a number, or a level but one."""
        design, x, responses = _prepared(response, predictors, True)
        gram = x.T @ x / len(x) + self.penalty * np.eye(x.shape[1])
        coefficients = np.linalg.solve(gram, x.T @ np.column_stack(responses) / len(x))
        strength = _by_owner(np.abs(coefficients).max(axis=1, initial=0.0), design.owner, len(predictors.columns))
        return Selected(tuple(np.flatnonzero(strength >= self.least).tolist()), strength)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByInformation:
    """The `most` predictors that tell most of the response, of any kind: mutual information, less its bias.

    >>> from lookalike.models.mixed import Categories
    >>> codes = np.arange(900, dtype=np.int32) % 9
    >>> x = Mixed((Categories(codes // 3, 3), Categories(codes % 3, 3)))
    >>> ByInformation(most=1).select(Numbers((codes % 3).astype(float)), x).kept
    (1,)
    """

    most: int = 10
    least: float = 0.0
    """Information that a predictor must have more than, in nats."""

    def __post_init__(self) -> None:
        if self.most < 1 or self.least < 0:
            raise BadPlan("ByInformation: 'most' is at least 1, 'least' at least 0.")

    def select(self, response: Column, predictors: Mixed) -> Selected:
        """The strongest first come; what has none is left out even so."""
        if not predictors.columns:
            return Selected((), np.zeros(0))
        strength = information_on(Mixed((response, *predictors.columns)), 0)[1:]
        strongest = np.argsort(-strength, kind="stable")[: self.most]
        return Selected(tuple(sorted(j for j in strongest.tolist() if strength[j] > self.least)), strength)


def _prepared(response: Column, predictors: Mixed, standardized: bool) -> tuple[Design, Floats, list[Floats]]:
    """The design, its matrix without the intercept, and the response as one or several centred columns."""
    design = Design.of(predictors)
    x = design.matrix(predictors)[:, 1:] if predictors.columns else np.zeros((len(response), 0))
    responses = [y - y.mean() for y in _as_numbers(response)]
    if not standardized:
        return design, x * design.scale, responses
    return design, x, [y / (y.std() or 1.0) for y in responses]


def _as_numbers(response: Column) -> list[Floats]:
    if isinstance(response, Numbers):
        return [response.values]
    seen = np.unique(response.codes)
    levels = seen[1:] if len(seen) <= 2 else seen
    return [(response.codes == level).astype(np.float64) for level in levels] or [np.zeros(len(response))]


def _by_owner(sizes: Floats, owner: NDArray[np.int64], columns: int) -> Floats:
    found = np.zeros(columns)
    np.maximum.at(found, owner, sizes)
    return found
