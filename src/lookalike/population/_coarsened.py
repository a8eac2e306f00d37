"""Kernels: probabilities of classes of a coarser file under kept draws of a latent-class model, and what follows.

Levels of all variables stand one after another, latent classes side by side, so that the inner loop runs over latent
classes in one piece of memory. Rows are copied number by number: whole ones would compile a message of shapes.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_U, _W = (_NODES + 1) / 2, _WEIGHTS / 2
_MANY = 64
_LARGE = 60.0
_DECAY = 30.0


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def class_probabilities(codes, levels, shares, out):  # type: ignore[no-untyped-def]
    """Σ_h π_h Π_j θ_hj of each row at each draw; `codes` are places among all levels, its rows sorted.

    A row takes over the product of the variables in which it equals the row before: with the variables of few levels
    first, most of the work falls away.
    """
    rows, variables = codes.shape
    part = np.empty((variables, shares.shape[1]))
    for d in range(len(shares)):
        for h in range(shares.shape[1]):
            part[0, h] = shares[d, h]
        for r in range(rows):
            j = 0
            if r > 0:
                while j < variables - 1 and codes[r, j] == codes[r - 1, j]:
                    j += 1
            while j < variables - 1:
                level, before, after = levels[d, codes[r, j]], part[j], part[j + 1]
                for h in range(level.size):
                    after[h] = before[h] * level[h]
                j += 1
            level, before, total = levels[d, codes[r, j]], part[j], 0.0
            for h in range(level.size):
                total += before[h] * level[h]
            out[d, r] = total


@njit(cache=True, nogil=True)
def gamma_inverse_sum(sizes, weights, probability, factor, repeat, records, people):  # type: ignore[no-untyped-def]
    """Σ w E[1/(f + X)] when the share of a class is Gamma(s + f) / (s/p + n) and X given it Poisson(M · share).

    X is negative binomial with a = s + f and c = M / (s/p + n):  ∫₀¹ u^{f−1} (1 + c(1 − u))^{−a} du. With
    1/s = 1/κ + 1/(θ p), s/p = κ θ / (θ p + κ).
    """
    total = 0.0
    for i in range(sizes.size):
        rate = factor * repeat / (repeat * probability[i] + factor)
        shape = max(rate * probability[i], 1e-300)
        c = people / (rate + records)
        total += weights[i] * (mixed_inverse(sizes[i], shape + sizes[i], c) if c > 0 else 1 / sizes[i])
    return total


@njit(cache=True, nogil=True)
def mixed_inverse(f, a, c):  # type: ignore[no-untyped-def]
    """The integral above: closed for f = 1, then by parts from f to f + 1; by moments; else by Gauss and Legendre."""
    z, mean = a - f, c * a
    if z > 0 and (f == 1 or (c >= 1 and f <= _MANY)):
        value = -math.expm1(-z * math.log1p(c)) / (z * c)
        for k in range(1, int(f)):
            value = (1 - k * value) / ((z + k) * c)
        return value
    m, v = f + mean, mean * (1 + c)
    if m > _LARGE and v < 0.04 * m * m:
        third = v * (1 + 2 * c)
        fourth = v * (1 + 6 * c * (1 + c)) + 3 * v * v
        return (1 + v / m**2 - third / m**3 + fourth / m**4 - 10 * v * third / m**5 + 15 * v**3 / m**6) / m
    return _by_quadrature(f, a, c)


@njit(cache=True, nogil=True)
def _by_quadrature(f, a, c):  # type: ignore[no-untyped-def]
    """With t = ln(1 + c(1 − u)): (1/c) ∫ (1 − (eᵗ − 1)/c)^{f−1} e^{−(a−1)t} dt from 0 to ln(1 + c)."""
    end = math.log1p(c)
    if (a - 1) * end > _DECAY:
        end = _DECAY / (a - 1)
    total = 0.0
    for k in range(_W.size):
        t = end * _U[k]
        total += _W[k] * math.exp((f - 1) * math.log1p(-math.expm1(t) / c) - (a - 1) * t)
    return total * end / c
