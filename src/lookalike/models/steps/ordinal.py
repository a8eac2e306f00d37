"""Proportional odds: the law of an ordered category given others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Mixed
from lookalike.models.steps.augmented import Augmented, Pseudo, categories_of, check_pseudo
from lookalike.models.steps.design import Design, Floats
from lookalike.models.steps.logistic import logistic
from lookalike.models.steps.multinomial import FittedMultinomial, Multinomial
from lookalike.models.steps.one_thread import one_thread
from lookalike.models.steps.proportional_odds import maximum


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordinal:
    """P(level ≤ k | x) = 1/(1 + e^{−(θ_k − xb)}) ("polr"): one set of slopes, one threshold between two levels.

    Proper: fitted to a bootstrap sample of the rows. Where the fit does not converge a multinomial regression is taken.

    >>> y = Categories(np.array([0, 0, 1, 2, 2, 2], np.int32), levels=3, ordered=True)
    >>> step = Ordinal().fit(y, Mixed(()), rng=np.random.default_rng(1))
    >>> step.thresholds.round(4).tolist()                          # the log-odds of 2/6 and of 3/6
    [-0.6931, 0.0]
    """

    pseudo: Pseudo = "shares"
    steps: int = 100

    def __post_init__(self) -> None:
        check_pseudo(self.pseudo, "Ordinal")

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedOrdinal | FittedMultinomial:
        """By Newton's method; a response whose levels have no order is refused."""
        y = categories_of(response, "Ordinal")
        if not y.ordered and y.levels > 2:
            raise BadPlan("Ordinal needs levels with an order; those of the column have none. Take Multinomial.")
        if proper:
            rows = rng.integers(0, len(y), len(y))
            y, predictors = y.take(rows), predictors.take(rows)
        design = Design.of(predictors)
        data = Augmented.of(y, design, predictors, self.pseudo)
        with one_thread():
            found = maximum(data.matrix[:, 1:], data.classes, data.weights, steps=self.steps)
        if found is None:
            instead = Multinomial(pseudo=self.pseudo).fit(y, predictors, rng=rng)
            return _told(instead)
        thresholds, slopes = found
        return FittedOrdinal(design, thresholds, slopes, data.seen, y.levels, y.ordered, len(y))


@dataclass(frozen=True, slots=True)
class FittedOrdinal:
    """Thresholds and slopes."""

    design: Design
    scaled_thresholds: Floats
    scaled_slopes: Floats
    """For the centred and scaled columns."""
    seen: NDArray[np.int32]
    levels: int
    ordered: bool
    rows: int

    @property
    def slopes(self) -> Floats:
        """One a column of the design, in the units of the columns."""
        return self.scaled_slopes / self.design.scale

    @property
    def thresholds(self) -> Floats:
        """With the columns in their units."""
        return self.scaled_thresholds + float(self.design.centre @ self.slopes)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What proportional odds suppose."""
        return ("Predictors shift all levels alike (proportional odds); other effects on single levels are lost.",)

    @property
    def figures(self) -> Mapping[str, float]:
        """Rows, coefficients, levels seen."""
        coefficients = len(self.scaled_thresholds) + len(self.scaled_slopes)
        return {"rows": self.rows, "coefficients": coefficients, "levels": len(self.seen)}

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Categories:
        """A level is below as many thresholds as its logistic variable: k such that θ_{k−1} ≤ xb + e < θ_k."""
        shift = self.design.times(predictors, np.concatenate([[0.0], self.scaled_slopes]))
        u = rng.random(predictors.records)
        place = np.zeros(predictors.records, np.int64)
        for threshold in self.scaled_thresholds:
            place += u >= logistic(threshold - shift)
        return Categories(self.seen[place], self.levels, self.ordered)


def _told(step: FittedMultinomial) -> FittedMultinomial:
    from dataclasses import replace

    words = "Proportional odds did not converge: a multinomial regression was taken instead."
    return replace(step, told=(words,))
