"""Kernels of the correlation by likelihood: two-way tables of codes, the score of a cut normal pair, its root.

With p_ij(ρ) the cells of a bivariate normal cut at thresholds, the likelihood of a table n_ij is Σ n_ij ln p_ij(ρ). Its
slope needs no difference: ∂Φ₂(a, b; ρ)/∂ρ is the density φ₂(a, b; ρ) (Plackett 1954), so p'_ij is a second difference
of densities, and the expected information of ρ is n Σ p'²/p (Olsson 1979).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from lookalike.models._normal import MOST, _next_row

UNSEEN = 255
"""The code of an unknown cell; levels are fewer."""

_NOTHING = 1e-15
_ROOT_TWO_PI = math.sqrt(2 * math.pi)


@njit(cache=True, nogil=True)
def two_way(left, right, table):  # type: ignore[no-untyped-def]
    """The counts of a pair of columns, added to the table; how many records had both."""
    seen = 0
    for r in range(left.size):
        a, b = left[r], right[r]
        if a != UNSEEN and b != UNSEEN:
            table[a, b] += 1
            seen += 1
    return seen


@njit(cache=True, nogil=True)
def stripe(own, unseen, codes, skip, starts, table):  # type: ignore[no-untyped-def]
    """One column against all others side by side: the table of column k stands from column starts[k] on."""
    for k in range(codes.shape[0]):
        if k == skip:
            continue
        there, first = codes[k], starts[k]
        for r in range(own.size):
            if own[r] != unseen and there[r] != UNSEEN:
                table[own[r], first + there[r]] += 1


@njit(cache=True, nogil=True)
def fit_pairs(codes, levels, cuts, cumulated, starts, left, right, found):  # type: ignore[no-untyped-def]
    """ρ of each pair (left, right) of columns; thresholds and cumulated shares of column j stand from starts[j] on."""
    widest = 1
    for j in range(levels.size):
        widest = max(widest, levels[j])
    for e in range(left.size):
        i, j = left[e], right[e]
        rows, columns = levels[i], levels[j]
        if rows < 2 or columns < 2:
            found[e] = 0.0
            continue
        table = np.zeros((rows, columns))
        seen = two_way(codes[i], codes[j], table)
        a, c = cuts[starts[i] : starts[i] + rows - 1], cumulated[starts[i] : starts[i] + rows]
        b, d = cuts[starts[j] : starts[j] + columns - 1], cumulated[starts[j] : starts[j] + columns]
        found[e] = correlation(table, seen, a, c, b, d)


@njit(cache=True, nogil=True)
def correlation(table, seen, a, rows, b, columns):  # type: ignore[no-untyped-def]
    """The ρ of largest likelihood, times a prior 1 − ρ²; the side is that of the slope at 0."""
    if seen == 0:
        return 0.0
    slope, information = _at_zero(table, a, rows, b, columns)
    start = abs(slope) / max(information * seen, 1e-300)
    if slope < 0:
        # A negative ρ is a positive one with one column turned around.
        turned = np.ascontiguousarray(table[:, ::-1])
        return -_search(turned, seen, a, rows, -b[::-1], _from_above(columns), start)
    return _search(table, seen, a, rows, b, columns, start)


@njit(cache=True, nogil=True)
def _from_above(cumulated):  # type: ignore[no-untyped-def]
    found = np.ones(cumulated.size)
    for k in range(cumulated.size - 1):
        found[k] = 1 - cumulated[cumulated.size - 2 - k]
    return found


@njit(cache=True, nogil=True)
def _mean_scores(cuts, cumulated):  # type: ignore[no-untyped-def]
    """E[z | level] of every level, and the share of the variance of z these means hold."""
    found, held, before, low = np.zeros(cumulated.size), 0.0, 0.0, 0.0
    for k in range(cumulated.size):
        density = math.exp(-cuts[k] * cuts[k] / 2) / _ROOT_TWO_PI if k < cuts.size else 0.0
        share = cumulated[k] - low
        if share > _NOTHING:
            found[k] = (before - density) / share
            held += (before - density) ** 2 / share
        before, low = density, cumulated[k]
    return found, held


@njit(cache=True, nogil=True)
def _at_zero(table, a, rows, b, columns):  # type: ignore[no-untyped-def]
    """The slope of the log likelihood at ρ = 0 and the expected information of one record there."""
    left, held_left = _mean_scores(a, rows)
    right, held_right = _mean_scores(b, columns)
    slope = 0.0
    for i in range(rows.size):
        for j in range(columns.size):
            slope += table[i, j] * left[i] * right[j]
    return slope, held_left * held_right


@njit(cache=True, nogil=True)
def _score(table, seen, a, rows, b, columns, rho):  # type: ignore[no-untyped-def]
    """The slope of the log likelihood with the prior at ρ ≥ 0, and its expected information."""
    before, here = np.zeros(columns.size), np.empty(columns.size)
    flat_before, flat = np.zeros(columns.size), np.zeros(columns.size)
    square = (1 - rho) * (1 + rho)
    scale = 1 / (2 * math.pi * math.sqrt(square))
    slope, information = -2 * rho / square, 2 / square
    for i in range(rows.size):
        _next_row(a, rows, b, columns, rho, i, here)
        if i < a.size:
            for j in range(b.size):
                d = a[i] - rho * b[j]
                flat[j] = scale * math.exp(-d * d / (2 * square) - b[j] * b[j] / 2)
        else:
            flat[:] = 0.0
        left, flat_left = 0.0, 0.0
        for j in range(columns.size):
            up, rise = here[j] - before[j], flat[j] - flat_before[j]
            p, change = up - left, rise - flat_left
            if p > _NOTHING:
                slope += table[i, j] * change / p
                information += seen * change * change / p
            elif table[i, j] > 0 and rho > 0.3:
                # A record where this ρ leaves no chance: far too strong.
                return -1e300, 1.0
            left, flat_left = up, rise
        before, here = here, before
        flat_before, flat = flat, flat_before
    return slope, information


@njit(cache=True, nogil=True)
def _search(table, seen, a, rows, b, columns, start):  # type: ignore[no-untyped-def]
    """The root of the slope from 0 to MOST: steps of Fisher's scoring, then secants, kept inside a bracket."""
    low, high = 0.0, MOST
    rho = min(max(start, 1e-3), 0.9)
    last, last_slope = 0.0, 0.0
    for step in range(60):
        slope, information = _score(table, seen, a, rows, b, columns, rho)
        if slope > 0:
            low = rho
        else:
            high = rho
        after = rho + slope / information
        if step > 0 and abs(slope) < abs(last_slope) < 1e299 and slope != last_slope:
            after = rho - slope * (rho - last) / (slope - last_slope)
        if not low < after < high:
            after = (low + high) / 2 if high < MOST or rho > 0.9 else (rho + MOST) / 2
        last, last_slope = rho, slope
        if abs(after - rho) < 1e-6 or high - low < 1e-6:
            return min(max(after, low), high)
        rho = after
    return rho
