"""Kernels of the fit: cells of a bivariate normal cut at thresholds, and the search for its correlation.

Loaded only when a copula is fitted. A cell is a second difference of the bivariate normal distribution function,
which is an integral over the angle θ = arcsin ρ of a density without singularity (Drezner and Wesolowsky 1990);
near ρ = 1 the integral runs back from the limit min(a, b), its sharp part in closed form (Genz 2004).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

FEW, FEW_WEIGHTS = np.polynomial.legendre.leggauss(6)
SOME, SOME_WEIGHTS = np.polynomial.legendre.leggauss(12)
MANY, MANY_WEIGHTS = np.polynomial.legendre.leggauss(20)

MOST = 0.9999
"""The largest correlation a pair is given: the law stays proper."""

_STEEPEST = -math.log(1 - MOST * MOST)
_ENOUGH = 1e-7
_FAR = 8.5
_TINY = 1e-14


@njit(cache=True, nogil=True)
def _nodes(rho):  # type: ignore[no-untyped-def]
    if rho < 0.3:
        return FEW, FEW_WEIGHTS
    if rho < 0.75:
        return SOME, SOME_WEIGHTS
    return MANY, MANY_WEIGHTS


@njit(cache=True, nogil=True)
def _row(a, below, b, cumulated, rho, out):  # type: ignore[no-untyped-def]
    """P(X ≤ a, Y ≤ b_j) for all j but the last, where 0 ≤ rho < 1 and `below` = Φ(a)."""
    if rho > 0.9:
        _steep_row(a, below, b, cumulated, rho, out)
        return
    nodes, weights = _nodes(rho)
    half = math.asin(rho) / 2
    for j in range(b.size):
        out[j] = below * cumulated[j]
    for k in range(nodes.size):
        s = math.sin(half * (1 + nodes[k]))
        cos2 = 1 - s * s
        weight = half * weights[k] / (2 * math.pi)
        for j in range(b.size):
            out[j] += weight * math.exp((s * a * b[j] - (a * a + b[j] * b[j]) / 2) / cos2)


@njit(cache=True, nogil=True)
def _steep_row(a, below, b, cumulated, rho, out):  # type: ignore[no-untyped-def]
    """The same near ρ = 1: min(Φ(a), Φ(b)) less the integral over t = cos θ from 0 to √(1 − ρ²).

    The integrand is e^{−d²/2t²} S(t) with d = |a − b|, S(t) = exp(−ab/(1 + √(1−t²)))/√(1−t²). The first three terms
    of S in t² integrate in closed form; the rest vanishes like t⁶ and is left to Gauss and Legendre.
    """
    c = math.sqrt((1 - rho) * (1 + rho))
    for j in range(b.size):
        d, h = abs(a - b[j]), a * b[j]
        out[j] = min(below, cumulated[j])
        if d > _FAR * c:
            continue
        one, two = (4 - h) / 8, (12 - h) * (4 - h) / 128
        lead = math.exp(-h / 2)
        edge = math.exp(-d * d / (2 * c * c))
        j0 = c * edge - d * math.sqrt(math.pi / 2) * math.erfc(d / (c * math.sqrt(2.0)))
        j2 = (c**3 * edge - d * d * j0) / 3
        j4 = (c**5 * edge - d * d * j2) / 5
        total = lead * (j0 + one * j2 + two * j4)
        for k in range(SOME.size):
            t = c * (1 + SOME[k]) / 2
            t2 = t * t
            if d > _FAR * t:
                continue
            root = math.sqrt(1 - t2)
            rest = math.exp(-h / (1 + root)) / root - lead * (1 + one * t2 + two * t2 * t2)
            total += c / 2 * SOME_WEIGHTS[k] * math.exp(-d * d / (2 * t2)) * rest
        out[j] -= total / (2 * math.pi)


@njit(cache=True, nogil=True)
def cells(a, rows, b, columns, rho):  # type: ignore[no-untyped-def]
    """The probability of every cell; `a`, `b` are inner thresholds, `rows`, `columns` the cumulated shares to 1."""
    found = np.empty((rows.size, columns.size))
    before, here = np.zeros(columns.size), np.empty(columns.size)
    for i in range(rows.size):
        _next_row(a, rows, b, columns, rho, i, here)
        for j in range(columns.size):
            left = here[j - 1] - before[j - 1] if j else 0.0
            found[i, j] = here[j] - before[j] - left
        before, here = here, before
    return found


@njit(cache=True, nogil=True)
def _next_row(a, rows, b, columns, rho, i, here):  # type: ignore[no-untyped-def]
    if i == rows.size - 1:
        here[:] = columns
    else:
        _row(a[i], rows[i], b, columns, rho, here[: b.size])
        here[b.size] = rows[i]


@njit(cache=True, nogil=True)
def look_up(p, curve, start, step):  # type: ignore[no-untyped-def]
    """p times the curve at log p: a cubic through four points of an even grid."""
    if p < _TINY:
        return 0.0
    x = (math.log(p) - start) / step
    i = min(max(int(x), 1), curve.size - 3)
    t = x - i
    w0, w1 = -t * (t - 1) * (t - 2) / 6, (t + 1) * (t - 1) * (t - 2) / 2
    w2, w3 = -(t + 1) * t * (t - 2) / 2, (t + 1) * t * (t - 1) / 6
    return p * (w0 * curve[i - 1] + w1 * curve[i] + w2 * curve[i + 1] + w3 * curve[i + 2])


@njit(cache=True, nogil=True)
def sum_of(p, curve, start, step):  # type: ignore[no-untyped-def]
    """Σ of p·curve(log p)."""
    total = 0.0
    for i in range(p.size):
        total += look_up(p[i], curve, start, step)
    return total


@njit(cache=True, nogil=True)
def total_of(a, rows, b, columns, rho, curve, start, step):  # type: ignore[no-untyped-def]
    """Σ over cells of p·curve(log p), without keeping the cells."""
    before, here = np.zeros(columns.size), np.empty(columns.size)
    total = 0.0
    for i in range(rows.size):
        _next_row(a, rows, b, columns, rho, i, here)
        left = 0.0
        for j in range(columns.size):
            up = here[j] - before[j]
            total += look_up(up - left, curve, start, step)
            left = up
        before, here = here, before
    return total


@njit(cache=True, nogil=True)
def solve(a, rows, b, columns, target, curve, start, step):  # type: ignore[no-untyped-def]
    """The correlation from 0 to MOST at which `total_of` is the target; the nearer end if there is none.

    The unknown is z = −ln(1 − ρ²), in which information is nearly a straight line; false position with the Illinois
    change keeps a bracket.
    """
    low, f_low = 0.0, total_of(a, rows, b, columns, 0.0, curve, start, step) - target
    if f_low >= 0:
        return 0.0
    high = min(_STEEPEST, -4 * f_low)
    while True:
        f_high = total_of(a, rows, b, columns, math.sqrt(-math.expm1(-high)), curve, start, step) - target
        if f_high >= 0:
            break
        if high >= _STEEPEST:
            return MOST
        low, f_low, high = high, f_high, min(_STEEPEST, 3 * high)
    z, side = high, 0
    for _ in range(60):
        if f_high - f_low <= 0 or high - low < 1e-9:
            break
        z = (low * f_high - high * f_low) / (f_high - f_low)
        f = total_of(a, rows, b, columns, math.sqrt(-math.expm1(-z)), curve, start, step) - target
        if abs(f) < _ENOUGH:
            break
        if f > 0:
            high, f_high = z, f
            if side == 1:
                f_low /= 2
            side = 1
        else:
            low, f_low = z, f
            if side == -1:
                f_high /= 2
            side = -1
    return math.sqrt(-math.expm1(-z))


@njit(cache=True, nogil=True)
def mean_x_log_x(m, p):  # type: ignore[no-untyped-def]
    """E[X ln X] for X ~ Binomial(m, p): the sum itself, or for large m p its expansion around the mean."""
    if p >= 1:
        return m * math.log(m)
    mu, q = m * p, 1 - p
    if mu > 40:
        return mu * math.log(mu) + q / 2 + (q * q / 4 - q * (1 - 2 * p) / 6) / mu
    chance = math.exp(m * math.log1p(-p))
    odds, total, last = p / q, 0.0, min(m, int(mu + 12 * math.sqrt(mu) + 16))
    for x in range(1, last + 1):
        chance *= odds * (m - x + 1) / x
        term = chance * x * math.log(x)
        total += term
        if x > mu and x > 1 and term < 1e-14 * total:
            break
    return total


@njit(cache=True, nogil=True)
def curve_of(sizes, weights, start, step, points):  # type: ignore[no-untyped-def]
    """Σ over sizes m of weight · E[X ln X | Binomial(m, p)] / (m p), on an even grid of log p."""
    curve = np.zeros(points)
    for i in range(points):
        p = min(1.0, math.exp(start + i * step))
        for k in range(sizes.size):
            curve[i] += weights[k] * mean_x_log_x(sizes[k], p) / (sizes[k] * p)
    return curve
