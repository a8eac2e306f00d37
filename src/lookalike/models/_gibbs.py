"""Kernels of the latent-class model: one pass of the Gibbs sampler over distinct rows, and records drawn from a law.

Levels of all variables stand one after another (`first[j]` is where variable j begins), latent classes side by side,
so that the inner loop runs over classes in one piece of memory.
"""

from __future__ import annotations

from math import lgamma, log

import numpy as np
from numba import njit

from lookalike.models._drawing import _start, _uniform

_TINY = 1e-280
_FEW = 16


@njit(cache=True, nogil=True)
def _place(cumulated, low, high, u):  # type: ignore[no-untyped-def]
    """The first place from low to high whose cumulated share exceeds u."""
    high -= 1
    while low < high:
        middle = (low + high) >> 1
        if cumulated[middle] > u:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def allocate(  # type: ignore[no-untyped-def]
    codes, draws, weight, first, levels, shares, seed, chunk, class_sums, level_sums, probability
):
    """Draw the latent class of every record of some rows; `probability` gets Σ_h π_h Π_j θ_hj(x_j) of each row.

    A row stands for `draws` records of the given weight each. The sums per latent class, and per level and class,
    are added to.
    """
    rows, variables = codes.shape
    classes = shares.size
    state, part = np.empty(4, np.uint64), np.empty(classes)
    _start(seed, chunk, state)
    for r in range(rows):
        for h in range(classes):
            part[h] = shares[h]
        for j in range(variables):
            at = first[j] + codes[r, j]
            for h in range(classes):
                part[h] *= levels[at, h]
        total = 0.0
        for h in range(classes):
            total += part[h]
            part[h] = total
        probability[r] = total
        if not total > _TINY:
            total = _by_logarithms(codes, r, first, levels, shares, part)
        w = weight[r]
        for _ in range(draws[r]):
            h = _place(part, 0, classes, _uniform(state) * total)
            class_sums[h] += w
            for j in range(variables):
                level_sums[first[j] + codes[r, j], h] += w


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def probabilities(codes, first, levels, shares, out):  # type: ignore[no-untyped-def]
    """Σ_h π_h Π_j θ_hj(x_j) of each row."""
    rows, variables = codes.shape
    part = np.empty(shares.size)
    for r in range(rows):
        for h in range(shares.size):
            part[h] = shares[h]
        for j in range(variables):
            at = first[j] + codes[r, j]
            for h in range(shares.size):
                part[h] *= levels[at, h]
        total = 0.0
        for h in range(shares.size):
            total += part[h]
        out[r] = total


@njit(cache=True, nogil=True)
def _by_logarithms(codes, r, first, levels, shares, part):  # type: ignore[no-untyped-def]
    """The cumulated weights of the classes relative to the largest, for rows too improbable for a product."""
    largest = -np.inf
    for h in range(shares.size):
        part[h] = log(shares[h] + 1e-300)
        for j in range(first.size):
            part[h] += log(levels[first[j] + codes[r, j], h] + 1e-300)
        largest = max(largest, part[h])
    total = 0.0
    for h in range(shares.size):
        total += np.exp(part[h] - largest)
        part[h] = total
    return total


@njit(cache=True, nogil=True)
def concentration_likelihood(level_sums, class_sums, base, grid):  # type: ignore[no-untyped-def]
    """The log-likelihood of each concentration s: Dirichlet(s·base) integrated out, one variable, all classes.

    Γ(a + n) / Γ(a) is a(a + 1)⋯(a + n − 1) for a whole n: cells of few records share these factors.
    """
    out = np.zeros(grid.size)
    above, large = np.zeros((base.size, _FEW), np.int64), np.zeros((base.size, class_sums.size), np.bool_)
    for x in range(base.size):
        for h in range(class_sums.size):
            n = level_sums[x, h]
            large[x, h] = n > _FEW or n != int(n)
            if not large[x, h]:
                for i in range(int(n)):
                    above[x, i] += 1
    for g in range(grid.size):
        s, total = grid[g], 0.0
        start = lgamma(s)
        for h in range(class_sums.size):
            if class_sums[h] > 0:
                total += start - lgamma(s + class_sums[h])
        for x in range(base.size):
            a = s * base[x]
            for i in range(_FEW):
                if above[x, i] > 0:
                    total += above[x, i] * log(a + i)
            begin = lgamma(a)
            for h in range(class_sums.size):
                if large[x, h]:
                    total += lgamma(a + level_sums[x, h]) - begin
        out[g] = total
    return out


@njit(cache=True, nogil=True)
def draw_codes(seed, chunk, shares, levels, first, out):  # type: ignore[no-untyped-def]
    """Records: a latent class, then each variable by it. `shares` and each class's `levels` are cumulated."""
    n, q = out.shape
    state = np.empty(4, np.uint64)
    _start(seed, chunk, state)
    for i in range(n):
        h = _place(shares, 0, shares.size, _uniform(state))
        for j in range(q):
            out[i, j] = _place(levels[h], first[j], first[j + 1], _uniform(state)) - first[j]


@njit(cache=True, nogil=True)
def draw_keys(seed, chunk, shares, levels, first, radix, closes, out):  # type: ignore[no-untyped-def]
    """The same records as keys: digits of mixed radix, as many words as hold them; `closes` ends a word."""
    n, q = out.shape[0], radix.size
    state = np.empty(4, np.uint64)
    _start(seed, chunk, state)
    for i in range(n):
        h = _place(shares, 0, shares.size, _uniform(state))
        key, word = np.int64(0), 0
        for j in range(q):
            key = key * radix[j] + _place(levels[h], first[j], first[j + 1], _uniform(state)) - first[j]
            if closes[j]:
                out[i, word] = key
                key, word = np.int64(0), word + 1
