"""Kernels over rows of a design of which a row has one entry a term: sums of products, without its zeros.

`index[i, a]` is the column of the matrix where term a of row i has an entry, −1 if it has none; `value[i, a]` the
entry. Columns of a term stand after those of the terms before it, so only the upper half of a matrix of products is
filled.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def products(index, value, weights, out):  # type: ignore[no-untyped-def]
    """Add Σ w x xᵀ."""
    rows, terms = index.shape
    for i in range(rows):
        w = weights[i]
        if w == 0.0:
            continue
        for a in range(terms):
            j = index[i, a]
            if j < 0:
                continue
            v = w * value[i, a]
            for b in range(a, terms):
                k = index[i, b]
                if k >= 0:
                    out[j, k] += v * value[i, b]


@njit(cache=True, nogil=True)
def sums(index, value, weights, out):  # type: ignore[no-untyped-def]
    """Add Σ w x."""
    rows, terms = index.shape
    for i in range(rows):
        for a in range(terms):
            if index[i, a] >= 0:
                out[index[i, a]] += weights[i] * value[i, a]


@njit(cache=True, nogil=True)
def times(index, value, coefficients, out):  # type: ignore[no-untyped-def]
    """x b of each row."""
    rows, terms = index.shape
    for i in range(rows):
        eta = 0.0
        for a in range(terms):
            if index[i, a] >= 0:
                eta += value[i, a] * coefficients[index[i, a]]
        out[i] = eta


@njit(cache=True, nogil=True)
def _chance(eta):  # type: ignore[no-untyped-def]
    if eta >= 0:
        return 1.0 / (1.0 + math.exp(-eta))
    e = math.exp(eta)
    return e / (1.0 + e)


@njit(cache=True, nogil=True)
def logistic(index, value, answer, weights, coefficients, slope, curve):  # type: ignore[no-untyped-def]
    """Add Σ w (t − p) x to the slope and Σ w p (1 − p) x xᵀ to the curve; returns Σ w ln P(t)."""
    rows, terms = index.shape
    gain = 0.0
    for i in range(rows):
        w = weights[i]
        if w == 0.0:
            continue
        eta = 0.0
        for a in range(terms):
            if index[i, a] >= 0:
                eta += value[i, a] * coefficients[index[i, a]]
        p = _chance(eta)
        gain += w * (answer[i] * eta - max(eta, 0.0) - math.log1p(math.exp(-abs(eta))))
        rest, weight = w * (answer[i] - p), w * p * _chance(-eta)
        for a in range(terms):
            j = index[i, a]
            if j < 0:
                continue
            slope[j] += rest * value[i, a]
            v = weight * value[i, a]
            for b in range(a, terms):
                k = index[i, b]
                if k >= 0:
                    curve[j, k] += v * value[i, b]
    return gain


@njit(cache=True, nogil=True)
def multinomial(index, value, classes, coefficients, slope, curve):  # type: ignore[no-untyped-def]
    """The same for several classes: `coefficients` has a row a class but the first, 0.

    slope[c, j] += (1{y = c} − p_c) x_j, curve[c, d, j, k] += p_c (1{c = d} − p_d) x_j x_k for c ≤ d, j ≤ k by term.
    """
    rows, terms = index.shape
    some = coefficients.shape[0]
    eta, p = np.empty(some), np.empty(some)
    gain = 0.0
    for i in range(rows):
        top = 0.0
        for c in range(some):
            eta[c] = 0.0
            for a in range(terms):
                if index[i, a] >= 0:
                    eta[c] += value[i, a] * coefficients[c, index[i, a]]
            top = max(top, eta[c])
        mass = math.exp(-top)
        for c in range(some):
            p[c] = math.exp(eta[c] - top)
            mass += p[c]
        for c in range(some):
            p[c] /= mass
        gain += (eta[classes[i] - 1] if classes[i] > 0 else 0.0) - top - math.log(mass)
        for c in range(some):
            rest = (1.0 if classes[i] == c + 1 else 0.0) - p[c]
            for a in range(terms):
                if index[i, a] >= 0:
                    slope[c, index[i, a]] += rest * value[i, a]
            for d in range(c, some):
                weight = p[c] * (1.0 - p[c]) if c == d else -p[c] * p[d]
                for a in range(terms):
                    j = index[i, a]
                    if j < 0:
                        continue
                    v = weight * value[i, a]
                    for b in range(a, terms):
                        k = index[i, b]
                        if k >= 0:
                            curve[c, d, j, k] += v * value[i, b]
    return gain


@njit(cache=True, nogil=True)
def independent(gram, tolerance, out):  # type: ignore[no-untyped-def]
    """Which columns are not combinations of those before them, from a matrix of products with 1 on its diagonal.

    A Cholesky factorization that leaves a column out when less than `tolerance` of its square is left; how many remain.
    """
    width = gram.shape[0]
    root = np.zeros((width, width))
    found = 0
    for j in range(width):
        left = gram[j, j]
        for r in range(found):
            i = out[r]
            total = gram[i, j]
            for s in range(r):
                total -= root[r, s] * root[found, s]
            root[found, r] = total / root[r, r]
            left -= root[found, r] * root[found, r]
        if left > tolerance and gram[j, j] > 0:
            root[found, found] = math.sqrt(left)
            out[found] = j
            found += 1
    return found
