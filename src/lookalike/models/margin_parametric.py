"""A number by a law with a name: the family of the smallest AIC, and how far it is from the file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.models.margin import Floats, StepMargin
from lookalike.models.margin_families import FAMILIES, Family, Values

_POINTS = 4097
_RARE = 1e-13
_LONGEST = 2**20


@dataclass(frozen=True)
class ParametricMargin:
    """A fitted family of laws, told with its distance from the file.

    >>> from scipy.stats import gamma
    >>> x = gamma.ppf(np.arange(0.5, 1000) / 1000, 3, scale=2)
    >>> found = parametric(x, np.ones(1000, int))
    >>> found.family, round(found.parameters[0], 1), round(found.parameters[2] * found.unit, 1), found.distance < 0.002
    ('gamma', 3.0, 2.0, True)
    """

    family: str
    parameters: tuple[float, ...]
    """As scipy.stats takes them, for the values divided by `unit`."""
    unit: float
    whole: bool
    distance: float
    """Kolmogorov and Smirnov's: the largest gap between the two distribution functions."""
    aic: float
    _law: Any
    _steps: StepMargin | None

    @property
    def largest_atom(self) -> float:
        """Of a law of counts or of a rounded one; 0 if continuous."""
        if self._steps is not None:
            return self._steps.largest_atom
        if not self.whole:
            return 0.0
        low, high = self.stretch(np.unique(np.rint(self._curve)))
        return float((high - low).max())

    def draw(self, z: Floats, out: NDArray[Any]) -> None:
        """By the curve, linear between 4,097 points: the error is some 10⁻⁶ deviations."""
        from lookalike.models._quantiles import curve

        if self._steps is not None:
            self._steps.draw(z, out)
        else:
            curve(z, self._curve, self.whole, out)

    def stretch(self, cells: NDArray[Any]) -> tuple[Floats, Floats]:
        """The law's own distribution function, half a unit to each side if the draws are rounded."""
        if self._steps is not None:
            return self._steps.stretch(cells)
        half = 0.5 if self.whole else 0.0
        low, high = ((cells + side) / self.unit for side in (-half, half))
        return np.asarray(self._law.cdf(low), np.float64), np.asarray(self._law.cdf(high), np.float64)

    @cached_property
    def _curve(self) -> Floats:
        from scipy.special import ndtr

        from lookalike.models._quantiles import REACH

        z = np.linspace(-REACH, REACH, _POINTS)
        with np.errstate(all="ignore"):
            # From each end, so that no digit of a tail is lost.
            found = np.where(z < 0, self._law.ppf(ndtr(z)), self._law.isf(ndtr(-z)))
            return np.asarray(np.clip(np.nan_to_num(found * self.unit), -1e308, 1e308), np.float64)


def parametric(x: Floats, counts: NDArray[np.integer]) -> ParametricMargin | StepMargin:
    """The family of the smallest AIC = 2 · parameters − 2 ln L; a constant is a step.

    The values are distinct and rise. Whole numbers are drawn whole: a continuous law is rounded, and its likelihood is
    that of the rounded law, so that it can be compared with laws of counts.
    """
    if len(x) == 1:
        return StepMargin(x, np.ones(1))
    values, unit = _ready(x, counts)
    with np.errstate(all="ignore"):
        found = [_fitted(family, values) for family in FAMILIES if family.fits(values)]
        aic, family, parameters = min(found, key=lambda f: f[0])
        law = family.law(parameters)
        distance = _distance(law, values)
    steps = _count_steps(law) if family.discrete else None
    return ParametricMargin(family.name, parameters, unit, values.whole, distance, aic, law, steps)


def _ready(x: Floats, counts: NDArray[np.integer]) -> tuple[Values, float]:
    """Whole numbers as they are; others divided by a power of two, so that no square overflows."""
    largest = float(np.abs(x).max())
    whole = largest < 2**50 and bool((np.rint(x) == x).all())
    unit = 1.0 if whole else float(2.0 ** np.clip(np.floor(np.log2(largest)), -1000, 1000))
    return Values(x / unit, counts.astype(np.float64), whole), unit


def _fitted(family: Family, values: Values) -> tuple[float, Family, tuple[float, ...]]:
    try:
        parameters = family.fit(values)
    except (ValueError, RuntimeError):
        # The search of one family found no bracket: it is no candidate. The normal law always is one.
        return np.inf, family, ()
    law = family.law(parameters)
    if family.discrete:
        chance = law.logpmf(values.x)
    elif values.whole:
        chance = np.log(np.maximum(law.cdf(values.x + 0.5) - law.cdf(values.x - 0.5), 1e-300))
    else:
        chance = law.logpdf(values.x)
    aic = 2 * family.parameters - 2 * float(values.counts @ chance)
    return aic if np.isfinite(aic) else np.inf, family, parameters


def _distance(law: Any, values: Values) -> float:
    after = np.cumsum(values.counts) / values.n
    half = 0.0 if not values.whole else 0.5
    upper, lower = law.cdf(values.x + half), law.cdf(values.x - half)
    before = np.concatenate([[0.0], after[:-1]])
    return float(max(np.abs(upper - after).max(), np.abs(lower - before).max()))


def _count_steps(law: Any) -> StepMargin:
    first = max(0.0, float(law.ppf(_RARE)))
    support = np.arange(first, min(float(law.isf(_RARE)), first + _LONGEST) + 1)
    return StepMargin(support, law.pmf(support))
