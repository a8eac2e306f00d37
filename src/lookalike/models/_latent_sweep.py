"""Kernels of the Gibbs sampler for synthesis: classes of rows drawn, then α, π and θ; many sweeps in one call.

Levels of all columns stand one after another (`first[j]` is where column j begins), latent classes side by side. Rows
are distinct and sorted, columns with few levels first, so that a row shares the products of its first columns with the
row before. Sums are whole numbers: the order in which rows are added changes nothing.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from lookalike.models._drawing import _start, _uniform
from lookalike.models._gibbs import concentration_likelihood
from lookalike.models._latent_order import bubble, draw_alpha
from lookalike.models._latent_zeros import _draw_possible, _open, _possible_weights
from lookalike.models._variates import _binomial, _gamma, _log_gamma, _log_rest, _poisson, _share_out

DEPTH = 8
"""Columns whose products are kept for the next row; so few factors cannot underflow."""
FLOOR = 1e-30
"""The least θ: a product of eight stays a number."""
LEARN = 10
"""Each how many-th sweep learns the concentrations."""


@njit(cache=True, nogil=True)
def _rescale(part):  # type: ignore[no-untyped-def]
    """Weights relative to the largest where that is small; the logarithm taken out."""
    largest = 0.0
    for h in range(part.size):
        largest = max(largest, part[h])
    scale = 1.0 if largest > 1e-60 or largest == 0 else 1 / largest
    for h in range(part.size):
        # What is 200 digits below the largest is never drawn; numbers near the least there are would be slow.
        part[h] = part[h] * scale if part[h] > 1e-200 * largest else 0.0
    return -math.log(scale)


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _further(row, low, first, levels, part):  # type: ignore[no-untyped-def]
    """Weights of classes times θ of the known cells from column `low` on; the logarithm taken out."""
    scale = _rescale(part)
    for j in range(low, row.size):
        if row[j] >= 0:
            at = first[j] + row[j]
            for h in range(part.size):
                part[h] *= levels[at, h]
        if j & 7 == 7:
            scale += _rescale(part)
    return scale


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _total(part):  # type: ignore[no-untyped-def]
    total = 0.0
    for h in range(part.size):
        total += part[h]
    return total


@njit(cache=True, nogil=True)
def _shared(row, low, depth, first, levels, products):  # type: ignore[no-untyped-def]
    """products[j + 1] = products[j] times θ of cell j, from the first column that differs from the row before."""
    for j in range(low, depth):
        code = row[j]
        if code < 0:
            products[j + 1, :] = products[j, :]
        else:
            at = first[j] + code
            for h in range(products.shape[1]):
                products[j + 1, h] = products[j, h] * levels[at, h]


@njit(cache=True, nogil=True)
def allocate(rows, begin, end, zeros, first, levels, shares, seed, stream, class_sums, level_sums):  # type: ignore[no-untyped-def]
    """Draw the classes of all records of some rows and add them up; the log-likelihood, nan if a row is impossible."""
    classes, columns = shares.size, rows.codes.shape[1]
    depth = min(columns, DEPTH)
    state, products = np.empty(4, np.uint64), np.empty((depth + 1, classes))
    part, mass = np.empty(classes), np.empty(classes)
    taken, touched = np.zeros(classes, np.int64), np.empty(classes, np.int64)
    _start(seed, stream, state)
    products[0, :] = shares
    fit = 0.0
    for r in range(begin, end):
        row = rows.codes[r]
        _shared(row, 0 if r == begin else min(rows.fresh[r], depth), depth, first, levels, products)
        part[:] = products[depth]
        scale = _further(row, depth, first, levels, part) if columns > depth else 0.0
        total, live = _total(part), rows.live[rows.live_from[r] : rows.live_from[r + 1]]
        if live.size > 0:
            total = _possible_weights(row, live, live.size, zeros, levels, part, mass)
        if not total > 0:
            return np.nan
        fit += rows.counts[r] * (math.log(total) + scale)
        found = _share_out(state, rows.counts[r], part, total, taken, touched)
        for k in range(found):
            h = touched[k]
            many, taken[h] = taken[h], 0
            class_sums[h] += many
            for j in range(columns):
                if row[j] >= 0:
                    level_sums[first[j] + row[j], h] += many
            if live.size > 0 and not _impute(state, row, live, zeros, first, levels, h, many, level_sums):
                return np.nan
    return fit


@njit(cache=True, nogil=True)
def _impute(state, row, live, zeros, first, levels, h, many, level_sums):  # type: ignore[no-untyped-def]
    """Draw the unknown cells that a slice could catch, record by record, and count them."""
    columns, rest, drawn = np.empty(row.size, np.int64), np.empty(live.size), row.copy()
    opened = _open(row, live, live.size, zeros, columns)
    for _ in range(many):
        drawn[:] = row
        if not _draw_possible(state, drawn, live, live.size, zeros, first, levels, h, columns, opened, rest):
            return False
        for i in range(opened):
            level_sums[first[columns[i]] + drawn[columns[i]], h] += 1
    return True


@njit(cache=True, nogil=True)
def _augment(state, zeros, records, most, levels, shares, class_sums, level_sums):  # type: ignore[no-untyped-def]
    """Add impossible records, as many as the mixture makes beside the possible ones; their mass, and if too many."""
    slices, classes = zeros.start.size - 1, shares.size
    weights, sums = np.empty((slices, classes)), np.zeros(slices)
    for c in range(slices):
        weights[c, :] = shares
        for f in range(zeros.start[c], zeros.start[c + 1]):
            weights[c, :] *= levels[zeros.at[f]]
        sums[c] = weights[c].sum()
    mass = min(sums.sum(), 1 - 1e-12)
    expected = _gamma(state, float(records)) * mass / (1 - mass)
    added = most if expected > 2.0 * most else min(most, _poisson(state, expected))
    taken, touched, left, rest = np.zeros(classes, np.int64), np.empty(classes, np.int64), added, sums.sum()
    for c in range(slices):
        many = left if c == slices - 1 else _binomial(state, left, sums[c] / rest)
        left, rest = left - many, rest - sums[c]
        found = _share_out(state, many, weights[c], sums[c], taken, touched)
        for k in range(found):
            h = touched[k]
            class_sums[h] += taken[h]
            for f in range(zeros.start[c], zeros.start[c + 1]):
                level_sums[zeros.at[f], h] += taken[h]
            taken[h] = 0
    return mass, added == most


@njit(cache=True, nogil=True)
def _sticks(state, class_sums, alpha, shares):  # type: ignore[no-untyped-def]
    """π by stick breaking given the sizes of the classes, in logarithms."""
    after, rest, last = class_sums.sum(), 0.0, shares.size - 1
    for h in range(last):
        after -= class_sums[h]
        left = _log_rest(state, 1.0 + class_sums[h], alpha + after)
        shares[h] = -math.expm1(left) * math.exp(rest)
        rest += left
    shares[last] = math.exp(rest)
    for h in range(shares.size):
        if shares[h] < 1e-200:
            shares[h] = 0.0


@njit(cache=True, nogil=True)
def _learn(state, first, base, level_sums, grid, prior):  # type: ignore[no-untyped-def]
    """s of every column from its grid given the classes; `prior` becomes s times the margin."""
    for j in range(first.size - 1):
        low, high = first[j], first[j + 1]
        sums = level_sums[low:high]
        fit = concentration_likelihood(sums, sums.sum(axis=0), base[low:high], grid)
        odds = np.exp(fit - fit.max())
        u, g = _uniform(state) * odds.sum(), 0
        while g < grid.size - 1 and u >= odds[g]:
            u -= odds[g]
            g += 1
        prior[low:high] = np.maximum(grid[g] * base[low:high], 1e-9)


@njit(cache=True, nogil=True)
def draw_levels(low, high, prior, level_sums, seed, stream, levels):  # type: ignore[no-untyped-def]
    """θ of one column, all classes: gamma numbers over their sum, in logarithms where a number could be 0."""
    classes = levels.shape[1]
    state, totals = np.empty(4, np.uint64), np.zeros(classes)
    _start(seed, stream, state)
    if prior[low:high].min() >= 1:
        for at in range(low, high):
            for h in range(classes):
                levels[at, h] = _gamma(state, prior[at] + level_sums[at, h])
                totals[h] += levels[at, h]
    else:
        largest = np.full(classes, -np.inf)
        for at in range(low, high):
            for h in range(classes):
                levels[at, h] = _log_gamma(state, prior[at] + level_sums[at, h])
                largest[h] = max(largest[h], levels[at, h])
        for at in range(low, high):
            for h in range(classes):
                levels[at, h] = math.exp(levels[at, h] - largest[h])
                totals[h] += levels[at, h]
    for at in range(low, high):
        for h in range(classes):
            levels[at, h] = max(levels[at, h] / totals[h], FLOOR)


@njit(cache=True, nogil=True)
def finish(sweep, fit, records, zeros, first, choice, base, grid, chain, class_sums, level_sums, seed, stream, trace):  # type: ignore[no-untyped-def]
    """The rest of a sweep, given the sums of the records: zeros, π, α and θ; what is traced."""
    state, mass, full = np.empty(4, np.uint64), 0.0, False
    _start(seed, stream, state)
    trace.alpha[sweep], trace.occupied[sweep] = chain.alpha[0], (class_sums > 0).sum()
    if zeros.start.size > 1:
        most = choice.most_added * records
        mass, full = _augment(state, zeros, records, most, chain.levels, chain.shares, class_sums, level_sums)
    trace.fit[sweep], trace.full[sweep] = fit - records * math.log(1 - mass), full
    bubble(state, chain.alpha[0], class_sums, level_sums)
    chain.alpha[0] = draw_alpha(state, chain.alpha[0], class_sums, choice.alpha_shape, choice.alpha_rate)
    _sticks(state, class_sums, chain.alpha[0], chain.shares)
    if grid.size > 0 and sweep % LEARN == 0:
        _learn(state, first, base, level_sums, grid, chain.prior)
    for j in range(first.size - 1):
        draw_levels(first[j], first[j + 1], chain.prior, level_sums, seed, stream + 1 + j, chain.levels)


@njit(cache=True, nogil=True)
def run(begin, end, chunk, rows, zeros, first, choice, base, grid, chain, seed, trace):  # type: ignore[no-untyped-def]
    """Sweeps from `begin` to `end`, all in one thread; False if a row turned out impossible."""
    class_sums = np.empty(chain.shares.size, np.int64)
    level_sums = np.empty(chain.levels.shape, np.int64)
    distinct, records = rows.counts.size, rows.counts.sum()
    chunks = (distinct + chunk - 1) // chunk
    for sweep in range(begin, end):
        class_sums[:] = 0
        level_sums[:] = 0
        stream, fit = sweep * (chunks + first.size), 0.0
        for c in range(chunks):
            low, high = c * chunk, min((c + 1) * chunk, distinct)
            fit += allocate(
                rows, low, high, zeros, first, chain.levels, chain.shares, seed, stream + c, class_sums, level_sums
            )
        if np.isnan(fit):
            return False
        finish(
            sweep,
            fit,
            records,
            zeros,
            first,
            choice,
            base,
            grid,
            chain,
            class_sums,
            level_sums,
            seed,
            stream + chunks,
            trace,
        )
    return True
