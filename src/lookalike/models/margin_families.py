"""Families of laws for a number, each fitted by maximum likelihood from distinct values with counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_MANY = 2**16
"""Distinct values beyond which the search for Student's t looks at some of them, evenly spaced in rank."""


@dataclass(frozen=True, slots=True)
class Values:
    """Distinct values that rise, with counts; whole if all are whole numbers of a size that keeps them exact."""

    x: Floats
    counts: Floats
    whole: bool

    @property
    def n(self) -> float:
        """How many."""
        return float(self.counts.sum())

    def mean(self, of: Floats) -> float:
        """The mean over records of a function of the value."""
        return float(self.counts @ of) / self.n


@dataclass(frozen=True, slots=True)
class Family:
    """A name of scipy.stats, who may have it, and its parameters in scipy's order."""

    name: str
    scipy: str
    fits: Callable[[Values], bool]
    fit: Callable[[Values], tuple[float, ...]]
    parameters: int
    discrete: bool = False

    def law(self, parameters: tuple[float, ...]) -> Any:
        """The frozen law."""
        from scipy import stats

        return getattr(stats, self.scipy)(*parameters)


def _normal(v: Values) -> tuple[float, ...]:
    mean = v.mean(v.x)
    return mean, float(np.sqrt(v.mean((v.x - mean) ** 2)))


def _lognormal(v: Values) -> tuple[float, ...]:
    mean, deviation = _normal(Values(np.log(v.x), v.counts, False))
    return deviation, 0.0, float(np.exp(mean))


def _exponential(v: Values) -> tuple[float, ...]:
    return 0.0, v.mean(v.x)


def _uniform(v: Values) -> tuple[float, ...]:
    half = 0.5 if v.whole else 0.0
    return float(v.x[0] - half), float(v.x[-1] - v.x[0] + 2 * half)


def _gamma(v: Values) -> tuple[float, ...]:
    """ln k − ψ(k) = ln mean − mean of ln, by Newton's steps from Minka's (2002) start."""
    from scipy.special import digamma, polygamma

    mean = v.mean(v.x)
    s = max(np.log(mean) - v.mean(np.log(v.x)), 1e-12)
    k = (3 - s + np.sqrt((s - 3) ** 2 + 24 * s)) / (12 * s)
    for _ in range(20):
        k = 1 / (1 / k + (np.log(k) - digamma(k) - s) / (k**2 * (1 / k - polygamma(1, k))))
    return float(k), 0.0, float(mean / k)


def _weibull(v: Values) -> tuple[float, ...]:
    """1/k = Σ xᵏ ln x / Σ xᵏ − mean of ln x; then the scale is (mean of xᵏ)^(1/k)."""
    from scipy.optimize import brentq

    top = v.x[-1]
    logs = np.log(v.x / top)
    middle = v.mean(logs)

    def slope(log_k: float) -> float:
        power = v.counts * np.exp(np.exp(log_k) * logs)
        return float(power @ logs / power.sum() - middle - np.exp(-log_k))

    k = float(np.exp(brentq(slope, np.log(1e-3), np.log(1e5), xtol=1e-7)))
    return k, 0.0, float(top * v.mean(np.exp(k * logs)) ** (1 / k))


def _beta(v: Values) -> tuple[float, ...]:
    """On the range of the values, half a record's worth wider at each end, so that the ends have a density."""
    from scipy.optimize import minimize
    from scipy.special import betaln, digamma

    width = v.x[-1] - v.x[0]
    low, wide = v.x[0] - width / (2 * v.n), width * (1 + 1 / v.n)
    y = (v.x - low) / wide
    left, right, mean = v.mean(np.log(y)), v.mean(np.log1p(-y)), v.mean(y)
    spread = max(mean * (1 - mean) / v.mean((y - mean) ** 2) - 1, 0.1)

    def loss(logs: Floats) -> tuple[float, Floats]:
        a, b = np.exp(logs)
        both = digamma(a + b)
        value = betaln(a, b) - (a - 1) * left - (b - 1) * right
        return float(value), np.array([a * (digamma(a) - both - left), b * (digamma(b) - both - right)])

    start = np.log([mean * spread, (1 - mean) * spread])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(-8, 12)] * 2).x
    return float(np.exp(found[0])), float(np.exp(found[1])), float(low), float(wide)


def _student(v: Values) -> tuple[float, ...]:
    from scipy.optimize import minimize
    from scipy.special import digamma, gammaln

    every = -(-len(v.x) // _MANY)
    x, w = v.x[::every], v.counts[::every] / v.counts[::every].sum()
    middle = float(np.interp(0.5, np.cumsum(w), x))
    scale = max(float(np.interp(0.75, np.cumsum(w), x) - np.interp(0.25, np.cumsum(w), x)) / 1.35, 1e-3 * _normal(v)[1])

    def loss(at: Floats) -> tuple[float, Floats]:
        s, df = np.exp(at[1]), np.exp(at[2])
        d = (x - middle) / scale - at[0]
        square = (d / s) ** 2
        pull, log_tail = (df + 1) / (df + square), np.log1p(square / df)
        value = at[1] + (df + 1) / 2 * (w @ log_tail) + gammaln(df / 2) - gammaln((df + 1) / 2) + np.log(df) / 2
        by_df = (w @ log_tail + digamma(df / 2) - digamma((df + 1) / 2) + (1 - w @ (pull * square)) / df) / 2
        return float(value), np.array([-(w @ (pull * d)) / s**2, 1 - w @ (pull * square), df * by_df])

    bounds = [(-1e3, 1e3), (-12, 12), (np.log(0.3), np.log(200))]
    found = minimize(loss, np.array([0.0, 0.0, np.log(5)]), jac=True, method="L-BFGS-B", bounds=bounds).x
    return float(np.exp(found[2])), float(middle + scale * found[0]), float(scale * np.exp(found[1]))


def _poisson(v: Values) -> tuple[float, ...]:
    return (v.mean(v.x),)


def _negative_binomial(v: Values) -> tuple[float, ...]:
    """The mean is that of the values; the size r is the root of the slope of the likelihood."""
    from scipy.optimize import minimize_scalar
    from scipy.special import gammaln

    mean = v.mean(v.x)

    def loss(log_r: float) -> float:
        r = np.exp(log_r)
        inner = v.mean(gammaln(v.x + r)) - gammaln(r)
        return float(-(inner + r * np.log(r / (r + mean)) + mean * np.log(mean / (r + mean))))

    r = float(np.exp(minimize_scalar(loss, bounds=(-10, 15), method="bounded", options={"xatol": 1e-7}).x))
    return r, r / (r + mean)


def _any(v: Values) -> bool:
    return True


def _no_spike(v: Values) -> bool:
    """Around a value many share, the scale of Student's t would shrink to nothing and its density grow without end."""
    return v.n >= 10 and bool(v.counts.max() <= 0.05 * v.n)


def _above_zero(v: Values) -> bool:
    return bool(v.x[0] > 0)


def _counts(v: Values) -> bool:
    return v.whole and bool(v.x[0] >= 0 and v.x[-1] <= 10**5)


def _spread_counts(v: Values) -> bool:
    return _counts(v) and _normal(v)[1] ** 2 > v.mean(v.x) > 0


FAMILIES = (
    Family("normal", "norm", _any, _normal, 2),
    Family("uniform", "uniform", _any, _uniform, 2),
    Family("exponential", "expon", lambda v: bool(v.x[0] >= 0), _exponential, 1),
    Family("lognormal", "lognorm", _above_zero, _lognormal, 2),
    Family("gamma", "gamma", _above_zero, _gamma, 2),
    Family("Weibull", "weibull_min", _above_zero, _weibull, 2),
    Family("beta", "beta", lambda v: v.n >= 10, _beta, 4),
    Family("Student t", "t", _no_spike, _student, 3),
    Family("Poisson", "poisson", _counts, _poisson, 1, discrete=True),
    Family("negative binomial", "nbinom", _spread_counts, _negative_binomial, 2, discrete=True),
)
