"""Linear regression of a number on another scale: logarithm, square root, cube root."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from lookalike.errors import BadPlan
from lookalike.models.mixed import Column, Mixed, Numbers
from lookalike.models.steps.decimals import decimals_of, rounded
from lookalike.models.steps.design import Floats
from lookalike.models.steps.normal import RIDGE, Line, numbers_of

Scale = Literal["logarithm", "square root", "cube root"]

_LARGEST = 690.0
"""e to this is near the largest number there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogNormal:
    """log(y + d) by linear regression ("lognorm"); d is half the smallest positive value if there are zeros, else 0.

    d is taken off after exponentiating and what is then negative becomes 0, so that zeros come back. Taken off on the
    log scale, as synthpop does, it divides every value by e^d.

    >>> y = Numbers(np.array([0.0, 2.0, 8.0, 4.0]))
    >>> step = LogNormal().fit(y, Mixed(()), rng=np.random.default_rng(1))
    >>> rows = Mixed((Numbers(np.zeros(4)),))
    >>> step.draw(rows, rng=np.random.default_rng(2)).values.tolist()
    [3.0, 1.0, 1.0, 0.0]
    """

    ridge: float = RIDGE

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedTransformed:
        """Negative values are refused."""
        y = _not_negative(response, "LogNormal", "logarithm")
        shift = _shift(y)
        line = Line.fit(np.log(y + shift), predictors, ridge=self.ridge, rng=rng, proper=proper)
        return FittedTransformed(line, "logarithm", decimals_of(y), {"shift": shift})


@dataclass(frozen=True, slots=True, kw_only=True)
class SqrtNormal:
    """√y by linear regression ("sqrtnorm"). A root drawn below 0 becomes 0; synthpop squares it, which folds it up.

    The figure `below zero` is the share of such draws expected at the rows of the fit.

    >>> step = SqrtNormal().fit(Numbers(np.array([1.0, 4.0, 9.0])), Mixed(()), rng=np.random.default_rng(1))
    >>> round(step.figures["below zero"], 4)                        # Φ(−2/1)
    0.0228
    """

    ridge: float = RIDGE

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedTransformed:
        """Negative values are refused."""
        y = _not_negative(response, "SqrtNormal", "square root")
        line = Line.fit(np.sqrt(y), predictors, ridge=self.ridge, rng=rng, proper=proper)
        more = {"below zero": _below_zero(line, predictors)}
        return FittedTransformed(line, "square root", decimals_of(y), more)


@dataclass(frozen=True, slots=True, kw_only=True)
class CubeRootNormal:
    """The cube root of y, sign kept, by linear regression ("cubertnorm").

    >>> step = CubeRootNormal().fit(Numbers(np.array([-8.0, 0.0, 8.0])), Mixed(()), rng=np.random.default_rng(1))
    >>> step.figures["deviation"]                                   # of −2, 0, 2
    2.0
    """

    ridge: float = RIDGE

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedTransformed:
        """Any number has a cube root."""
        y = numbers_of(response, "CubeRootNormal")
        line = Line.fit(np.cbrt(y), predictors, ridge=self.ridge, rng=rng, proper=proper)
        return FittedTransformed(line, "cube root", decimals_of(y), {})


@dataclass(frozen=True, slots=True)
class FittedTransformed:
    """A line on another scale, and the way back."""

    line: Line
    scale: Scale
    decimals: int | None
    more: Mapping[str, float]

    @property
    def caveats(self) -> tuple[str, ...]:
        """That the law is normal on the other scale only."""
        return (f"The {self.scale} was drawn from a normal law: spikes and other shapes are lost.", *self.line.caveats)

    @property
    def figures(self) -> Mapping[str, float]:
        """Of the line on its scale."""
        return {**self.line.figures, **self.more}

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Numbers:
        """Drawn on the scale of the line, brought back, rounded to the decimals of the file's own values."""
        return Numbers(rounded(self._back(self.line.draw(predictors, rng=rng)), self.decimals))

    def _back(self, z: Floats) -> Floats:
        if self.scale == "logarithm":
            return np.asarray(np.maximum(np.exp(np.minimum(z, _LARGEST)) - self.more["shift"], 0.0))
        return np.asarray(np.maximum(z, 0.0) ** 2 if self.scale == "square root" else z**3)


def _not_negative(response: Column, what: str, scale: Scale) -> Floats:
    y = numbers_of(response, what)
    if below := int((y < 0).sum()):
        raise BadPlan(
            f"{what} takes the {scale}, which negative numbers do not have; {below} of {len(y)} values are negative. "
            "Take CubeRootNormal or NormalRank."
        )
    return y


def _shift(y: Floats) -> float:
    positive = y[y > 0]
    if len(positive) == len(y):
        return 0.0
    return float(positive.min() / 2) if len(positive) else 1.0


def _below_zero(line: Line, predictors: Mixed) -> float:
    from scipy.special import ndtr

    centre = line.at(predictors) if predictors.columns else line.coefficients[:1]
    if line.deviation == 0:
        return float((centre < 0).mean())
    return float(ndtr(-centre / line.deviation).mean())
