"""Kernels: the rows of a release that are nearest to a target, in a distance that is a sum over columns.

Rows lie in groups of equal categories. A category differs by 1 or not at all, so a group stands at a whole number from
a target, its level, and a group whose level is above the nearest row found is not looked into. Inside it, a number's
distance is what lies between the target's value and the row's range, times `inverse`, at most 1; a missing value is
−∞, and −∞ − −∞ is not greater than anything, so that two missing values are at 0. A release is laid out as (categories
from, to, a column a row; where groups start; numbers from, to; inverse; which row of the release each is)."""

from __future__ import annotations

from math import exp, inf, lgamma

import numpy as np
from numba import njit

TIE = 1e-9
"""Distances this close are equal."""


@njit(cache=True, nogil=True)
def _levels(target, first, last, found):  # type: ignore[no-untyped-def]
    """In how many categories each group differs from the target; the least."""
    found[:] = 0
    for c in range(first.shape[0]):
        value = target[c]
        for group in range(found.size):
            found[group] += not (first[c, group] <= value <= last[c, group])
    return found.min()


@njit(cache=True, nogil=True)
def _distance(target, low, high, inverse, found, enough):  # type: ignore[no-untyped-def]
    """What the numbers add to the level; infinite if it is more than enough."""
    for c in range(inverse.size):
        between = 0.0
        if low[c] - target[c] > between:
            between = low[c] - target[c]
        if target[c] - high[c] > between:
            between = target[c] - high[c]
        found += min(1.0, between * inverse[c])
        if found > enough:
            return inf
    return found


@njit(cache=True, nogil=True)
def _near(categories, numbers, laid, levels, distances, best):  # type: ignore[no-untyped-def]
    """Fill in the distances of the rows that are near, others as infinite; the k-th smallest."""
    first, last, starts, low, high, inverse, order = laid
    distances[:], best[:] = inf, inf
    end = best.size - 1
    level = _levels(categories, first, last, levels)
    while level <= first.shape[0] and level <= best[end] + TIE:
        for group in range(levels.size):
            if levels[group] != level:
                continue
            for row in range(starts[group], starts[group + 1]):
                found = _distance(numbers, low[row], high[row], inverse, float(level), best[end] + TIE)
                distances[order[row]] = found
                if found < best[end]:
                    place = end
                    while place > 0 and best[place - 1] > found:
                        best[place] = best[place - 1]
                        place -= 1
                    best[place] = found
        level += 1
    return best[end]


@njit(cache=True, nogil=True)
def _log_choose(n, k):  # type: ignore[no-untyped-def]
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)


@njit(cache=True, nogil=True)
def in_both(k, sure, tied, only_first, only_second, tied_both):  # type: ignore[no-untyped-def]
    """The chance that two choices of k rows share one.

    Each side takes its `sure` rows, and as many of its `tied` ones at random as are left to take. `only_first` rows are
    sure on the first side and tied on the second, `only_second` the other way round, `tied_both` tied on both."""
    first, second = k - sure[0], k - sure[1]
    apart = 0.0
    for j in range(min(first, tied_both) + 1):
        rest = tied[0] - only_second - tied_both
        left = tied[1] - only_first - j
        if first - j > rest or left < second:
            continue
        log = _log_choose(tied_both, j) + _log_choose(rest, first - j) - _log_choose(tied[0], first)
        apart += exp(log + _log_choose(left, second) - _log_choose(tied[1], second))
    return max(0.0, 1.0 - apart)


@njit(cache=True, nogil=True)
def link(categories, numbers, laid, other_categories, other_numbers, other_laid, k):  # type: ignore[no-untyped-def]
    """For each target, the chance that a row is among the k nearest on both sets of columns; ties at random."""
    rows = laid[6].size
    here, there, best = np.empty(rows), np.empty(rows), np.empty(k)
    levels, other_levels = np.empty(laid[2].size - 1, np.int32), np.empty(other_laid[2].size - 1, np.int32)
    found = np.zeros(categories.shape[0])
    sure, tied = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for i in range(categories.shape[0]):
        a = _near(categories[i], numbers[i], laid, levels, here, best)
        b = _near(other_categories[i], other_numbers[i], other_laid, other_levels, there, best)
        sure[:], tied[:] = 0, 0
        both = only_first = only_second = tied_both = 0
        for row in range(rows):
            if here[row] > a + TIE and there[row] > b + TIE:
                continue
            in_a, in_b = here[row] < a - TIE, there[row] < b - TIE
            tied_a, tied_b = not in_a and here[row] <= a + TIE, not in_b and there[row] <= b + TIE
            sure[0] += in_a
            sure[1] += in_b
            tied[0] += tied_a
            tied[1] += tied_b
            both += in_a and in_b
            only_first += in_a and tied_b
            only_second += tied_a and in_b
            tied_both += tied_a and tied_b
        found[i] = 1.0 if both else in_both(k, sure, tied, only_first, only_second, tied_both)
    return found


@njit(cache=True, nogil=True)
def guess(categories, numbers, laid, secrets, radius, guesses):  # type: ignore[no-untyped-def]
    """For each target, the share of the nearest rows whose guess lies within the radius of the target's secret."""
    first, last, starts, low, high, inverse, order = laid
    levels = np.empty(starts.size - 1, np.int32)
    found = np.zeros(categories.shape[0])
    for i in range(categories.shape[0]):
        nearest, rows, right = inf, 0, 0
        level = _levels(categories[i], first, last, levels)
        while level <= first.shape[0] and level <= nearest + TIE:
            for group in range(levels.size):
                if levels[group] != level:
                    continue
                for row in range(starts[group], starts[group + 1]):
                    distance = _distance(numbers[i], low[row], high[row], inverse, float(level), nearest + TIE)
                    if distance == inf:
                        continue
                    if distance < nearest - TIE:
                        nearest, rows, right = distance, 0, 0
                    told = guesses[order[row]]
                    rows += 1
                    right += told == secrets[i] or abs(told - secrets[i]) <= radius[i]
            level += 1
        found[i] = right / rows
    return found
