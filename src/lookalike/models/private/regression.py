"""Experimental: the thesis's regression with noise (section 4.6). It has no differential-privacy guarantee."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.filled import Filled
from lookalike.models.mixed import Mixed, Numbers
from lookalike.models.private.accounting import check_budget
from lookalike.models.steps.selection import ByLasso

NO_GUARANTEE = (
    "Experimental, no differential-privacy guarantee: the thesis leaves the proof open, and there is none. "
    "Coefficients, spread and range are taken from the file without noise, and whether noise is added depends on the "
    "value it hides."
)

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyRegression:
    """Each column by a regression on columns that a lasso picks; where that comes close, the value with Laplace noise.

    With E ~ N(0, s²) of the residuals, L ~ Laplace(Δ/ε), Δ the range of the column (thesis, section 4.6):

        x_syn = x̂ + E     if |x̂ + E − x| ≥ L,     else x + L

    >>> NoisyRegression()
    Traceback (most recent call last):
    ...
    lookalike.errors.BadPlan: The noisy regression is experimental and has no differential-privacy guarantee: set
    experimental = true to use it all the same.
    """

    epsilon: float = 10.0
    penalty: float = 0.01
    """Of the lasso that picks columns (example 4.5.4)."""
    experimental: bool = False
    """Must be set, to say that one knows."""

    def __post_init__(self) -> None:
        if self.experimental is not True:
            raise BadPlan(
                "The noisy regression is experimental and has no differential-privacy guarantee: set experimental = "
                "true to use it all the same."
            )
        check_budget(self.epsilon, 0.0, pure=True)
        if not self.penalty > 0:
            raise BadPlan(f"penalty must be above 0; got {self.penalty:g}.")

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> NoisyRegressionLaw:
        """Regress every column; unknown cells are filled from other records of the column."""
        texts = [str(j) for j, column in enumerate(table.columns, 1) if not isinstance(column, Numbers)]
        if texts:
            raise BadPlan(
                f"The noisy regression takes numbers alone; column{'s' * (len(texts) > 1)} "
                f"{', '.join(texts)} hold{'s' * (len(texts) == 1)} categories."
            )
        filled = Filled.of(table, rng=rng, what="The noisy regression")
        values = np.column_stack([c.values for c in filled.table.columns if isinstance(c, Numbers)])
        return NoisyRegressionLaw(values, self.epsilon, self.penalty, filled.caveats)


class NoisyRegressionLaw:
    """The records, their predictions, and the noise that is added."""

    def __init__(self, values: Matrix, epsilon: float, penalty: float, caveats: tuple[str, ...]) -> None:
        self._values, self._epsilon, self._caveats = values, epsilon, caveats
        self.picked = tuple(_picked(values, j, penalty) for j in range(values.shape[1]))
        self.predicted = np.column_stack([_predicted(values, j, picked) for j, picked in enumerate(self.picked)])
        self.scale = np.ptp(values, axis=0) / epsilon
        """Δ/ε of each column."""
        self.spread = np.std(values - self.predicted, axis=0, ddof=1) if len(values) > 1 else np.zeros(values.shape[1])

    @property
    def caveats(self) -> tuple[str, ...]:
        """First that nothing is guaranteed."""
        shift = "Where noise is added to a value it is positive, so that columns are shifted upwards."
        return (NO_GUARANTEE, shift, *self._caveats)

    @property
    def figures(self) -> dict[str, float]:
        """The ε asked for, which is no guarantee."""
        return {"differential_privacy_guarantee": 0.0, "epsilon_of_the_noise_alone": self._epsilon}

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records made from records of the file at random."""
        return self.release(rng.integers(0, len(self._values), n), rng=rng)

    def release(self, rows: NDArray[np.integer], *, rng: Generator) -> Mixed:
        """These records, made anew: row i of what comes stands for rows[i], as in the thesis."""
        real = self._values[rows]
        drawn = self.predicted[rows] + self.spread * rng.standard_normal(real.shape)
        noise = rng.laplace(0.0, 1.0, real.shape) * self.scale
        kept = np.abs(drawn - real) >= noise
        return Mixed(tuple(Numbers(column) for column in np.where(kept, drawn, real + noise).T))


def _picked(values: Matrix, j: int, penalty: float) -> tuple[int, ...]:
    """The other columns that a lasso on standardized numbers keeps for column j."""
    others = [k for k in range(values.shape[1]) if k != j and np.ptp(values[:, k]) > 0]
    if not others or not np.ptp(values[:, j]) > 0:
        return ()
    predictors = Mixed(tuple(Numbers(values[:, k]) for k in others))
    return tuple(others[k] for k in ByLasso(penalty=penalty).select(Numbers(values[:, j]), predictors).kept)


def _predicted(values: Matrix, j: int, picked: tuple[int, ...]) -> NDArray[np.float64]:
    """Least squares on the columns picked."""
    design = np.column_stack([np.ones(len(values)), values[:, list(picked)]])
    return np.asarray(design @ np.linalg.lstsq(design, values[:, j], rcond=None)[0], np.float64)
