"""Kernel: the mean of 1/F when the people outside the sample join a class with a known probability."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit
from numpy.typing import NDArray

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_S, _W = (_NODES + 1) / 2, _WEIGHTS / 2
_LOG_S, _REST = np.log(_S), 1 - _S
_LARGE = 60.0
_PART = 65_536

Floats = NDArray[np.float64]


def binomial_inverse(sizes: Floats, probability: Floats, people: int) -> Floats:
    """E[1/(f + X)], X ~ Binomial(M, p), of each class: ∫₀¹ s^{f−1}(1 − p + ps)^M ds.

    f = 1: (1 − (1 − p)^{M+1}) / ((M + 1)p). Else, with m = f + Mp: above 60 the expansion around m, below 24 points
    of Gauss and Legendre; both to 10⁻⁵ of the value or better.

    >>> binomial_inverse(np.array([1.0, 2.0]), np.array([0.5, 0.5]), 1).round(9).tolist()
    [0.75, 0.416666667]
    """
    out = np.empty(len(sizes))
    _in_parts(len(sizes), lambda at: _fill(sizes[at], probability[at], float(people), _W, _LOG_S, _REST, out[at]))
    return out


def binomial_inverse_variance(sizes: Floats, probability: Floats, people: int, mean: Floats) -> Floats:
    """Var[1/(f + X)] given its mean: E[1/(f + X)²] = ∫₀¹ −ln s · s^{f−1}(1 − p + ps)^M ds, to 1 % or better.

    >>> mean = np.array([0.75])
    >>> binomial_inverse_variance(np.array([1.0]), np.array([0.5]), 1, mean).round(3).tolist()
    [0.062]
    """
    out = np.empty(len(sizes))
    _in_parts(
        len(sizes),
        lambda at: _fill_variance(sizes[at], probability[at], float(people), mean[at], _W, _LOG_S, _REST, out[at]),
    )
    return out


def _in_parts(length: int, work: Callable[[slice], None]) -> None:
    parts = [slice(start, start + _PART) for start in range(0, length, _PART)]
    if len(parts) == 1:
        work(parts[0])
        return
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(work, parts):
            pass


@njit(cache=True, nogil=True)
def _fill(sizes, probability, people, weights, log_s, rest, out):  # type: ignore[no-untyped-def]
    for i in range(sizes.size):
        f, p = sizes[i], min(probability[i], 1.0)
        if people <= 0 or not p > 0:
            out[i] = 1 / f
        elif p == 1.0:
            out[i] = 1 / (f + people)
        elif f == 1.0:
            out[i] = -np.expm1((people + 1) * np.log1p(-p)) / ((people + 1) * p)
        else:
            out[i] = _larger(f, p, people, weights, log_s, rest)


@njit(cache=True, nogil=True)
def _larger(f, p, people, weights, log_s, rest):  # type: ignore[no-untyped-def]
    m = f + people * p
    if m > _LARGE:
        v = people * p * (1 - p)
        third = v * (1 - 2 * p)
        fourth = v * (1 - 6 * p * (1 - p)) + 3 * v * v
        fifth = third * (1 - 12 * p * (1 - p)) + 10 * v * third
        return (1 + v / m**2 - third / m**3 + fourth / m**4 - fifth / m**5 + 15 * v**3 / m**6) / m
    total = 0.0
    for k in range(weights.size):
        total += weights[k] * np.exp((f - 1) * log_s[k] + people * np.log1p(-p * rest[k]))
    return total


@njit(cache=True, nogil=True)
def _fill_variance(sizes, probability, people, mean, weights, log_s, rest, out):  # type: ignore[no-untyped-def]
    for i in range(sizes.size):
        f, p = sizes[i], min(probability[i], 1.0)
        m = f + people * p
        if people <= 0 or not p > 0 or p == 1.0:
            out[i] = 0.0
        elif m > _LARGE:
            out[i] = people * p * (1 - p) / m**4
        else:
            square = 0.0
            for k in range(weights.size):
                square -= weights[k] * log_s[k] * np.exp((f - 1) * log_s[k] + people * np.log1p(-p * rest[k]))
            out[i] = max(square - mean[i] * mean[i], 0.0)


@njit(cache=True, nogil=True)
def trust_likelihood(sizes, probability, records, factors, repeats):  # type: ignore[no-untyped-def]
    """The log-likelihood of each pair (κ, θ): f is negative binomial with mean n p and shape s, given f ≥ 1.

    1/s = 1/κ + 1/(θ p); Σ_c ln [Γ(s + f)/Γ(s) · (m/(s + m))^f · (s/(s + m))^s / (1 − (s/(s + m))^s)], m = n p; up to
    a constant.
    """
    out = np.zeros((factors.size, repeats.size))
    for i in range(sizes.size):
        p, f = max(probability[i], 1e-300), sizes[i]
        m = max(records * p, 1e-12)
        known = f * math.log(m)
        for a in range(factors.size):
            for b in range(repeats.size):
                shape = 1 / (1 / factors[a] + 1 / (repeats[b] * p))
                none = -shape * math.log1p(m / shape)
                if f > 8:
                    rising = math.lgamma(shape + f) - math.lgamma(shape) - f * math.log(shape + m)
                else:
                    product = 1.0
                    for k in range(int(f)):
                        product *= (shape + k) / (shape + m)
                    rising = math.log(product)
                out[a, b] += rising + known + none - math.log(-math.expm1(none))
    return out
