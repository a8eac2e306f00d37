"""How a class grows from the sample to the population when its share is a Beta variable: the mean of 1/F."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SHARES = np.polynomial.legendre.leggauss(96)
_STEP = 0.4
_TAIL = 1e-12
_AT_ONCE = 64


def expected_inverse(
    sizes: NDArray[np.int64], alpha: NDArray[np.float64], beta: NDArray[np.float64], people: int
) -> NDArray[np.float64]:
    """E[1/(f + X)] with X ~ beta-binomial(M; α, β), for each class size f; the cost does not depend on M.

    With the class's share p ~ Beta(α, β) and s = e^{−x}, 1/(f + X) = ∫ s^{f+X−1} ds gives

        E[1/(f + X)] = E_p ∫₀^∞ e^{−fx} (1 − p(1 − e^{−x}))^M dx.

    Inner integral: the trapezoidal rule in ln x (both ends vanish, so it converges exponentially). Outer: Gauss
    and Legendre in logit p between quantiles; below 10⁻¹²/M nobody joins the class and the value is 1/f.

    >>> one = np.array([1]), np.array([1.0]), np.array([1.0])           # X uniform on 0 and 1: (1 + 1/2) / 2
    >>> float(expected_inverse(*one, people=1)[0].round(9))
    0.75
    """
    found = 1 / sizes
    if people > 0:
        for start in range(0, len(sizes), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            found[part] = _expected_inverse(sizes[part].astype(np.float64), alpha[part], beta[part], people)
    return found


def _expected_inverse(
    f: NDArray[np.float64], alpha: NDArray[np.float64], beta: NDArray[np.float64], people: int
) -> NDArray[np.float64]:
    from scipy.special import betainc, betaincinv, expit, log_expit, logit

    quantile, nobody = betaincinv(alpha, beta, _TAIL), _TAIL / people
    joins_nobody = np.where(quantile < nobody, betainc(alpha, beta, nobody), 0.0)
    low = logit(np.maximum(quantile, nobody))
    high = np.maximum(-logit(betaincinv(beta, alpha, _TAIL)), low + 1e-9)
    nodes, weights = _SHARES
    y = low[:, None] + ((high - low) / 2)[:, None] * (1 + nodes)
    p = expit(y)
    log_density = alpha[:, None] * log_expit(y) + beta[:, None] * log_expit(-y)
    density = weights * np.exp(log_density - log_density.max(axis=1, keepdims=True))
    density *= ((1 - joins_nobody) / density.sum(axis=1))[:, None]
    inner = _binomial_inverse(f[:, None], p, people)
    return np.asarray(joins_nobody / f + (density * inner).sum(axis=1))


def _binomial_inverse(f: NDArray[np.float64], p: NDArray[np.float64], people: int) -> NDArray[np.float64]:
    """E[1/(f + Y)] with Y ~ binomial(M, p)."""
    left = np.log(_TAIL / (f + people * p).max())
    right = np.log(40 / f.min())
    total = np.zeros(np.broadcast_shapes(f.shape, p.shape))
    for w in np.arange(left, right + _STEP, _STEP):
        x = float(np.exp(w))
        total += x * np.exp(people * np.log1p(p * np.expm1(-x)) - f * x)
    return total * _STEP


def poisson_inverse(sizes: NDArray[np.int64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """E[1/(f + Y)] with Y ~ Poisson(a): (1/f)·₁F₁(1; f + 1; −a), for any f ≥ 1 and a ≥ 0.

    f = 1: (1 − e^{−a})/a. Else ∫₀^∞ e^{−fx − a(1 − e^{−x})} dx by the trapezoidal rule in ln x, as above.

    >>> poisson_inverse(np.array([1, 2]), np.array([0.0, 1e-9])).round(6).tolist()
    [1.0, 0.5]
    """
    found = np.empty(len(sizes))
    single = sizes == 1
    a = np.maximum(mean[single], 1e-300)
    found[single] = -np.expm1(-a) / a
    for rows in np.array_split(np.flatnonzero(~single), max(1, len(sizes) // 50_000)):
        if len(rows):
            found[rows] = _poisson_inverse(sizes[rows].astype(np.float64), mean[rows])
    return np.minimum(found, 1 / sizes)


def _poisson_inverse(f: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    total = np.zeros(len(f))
    scale = 1 / (f + mean)
    for w in np.arange(np.log(_TAIL), np.log(40 * float((1 / (f * scale)).max())) + _STEP, _STEP):
        x = float(np.exp(w)) * scale
        total += x * np.exp(mean * np.expm1(-x) - f * x)
    return total * _STEP
