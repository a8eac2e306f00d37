"""Kernels of the Dirichlet tree: counts summed to groups, and how likely each concentration is."""

from __future__ import annotations

from math import lgamma, log

import numpy as np
from numba import njit

FEW = 16  # records of a cell up to which its terms are shared with other cells


@njit(cache=True, nogil=True)
def summed(counts, group, groups):  # type: ignore[no-untyped-def]
    """The sums of rows by their group."""
    out = np.zeros((groups, counts.shape[1]))
    for v in range(len(counts)):
        row = out[group[v]]
        for h in range(row.size):
            row[h] += counts[v, h]
    return out


@njit(cache=True, nogil=True)
def multiply(theta, gamma, totals, group, node):  # type: ignore[no-untyped-def]
    """Multiply θ of every level by the share of its node inside the group of that."""
    for v in range(len(theta)):
        at = node[v]
        own, whole = gamma[at], totals[group[at]]
        for h in range(own.size):
            theta[v, h] *= own[h] / whole[h]


@njit(cache=True, nogil=True)
def concentration_likelihood(counts, group_counts, base, group_base, grid):  # type: ignore[no-untyped-def]
    """The log-likelihood of each s: inside a group of a latent class Dirichlet(s·m_v), v in the group, integrated out.

    Σ ln Γ(s m_g) − ln Γ(s m_g + n_g) over groups, + Σ ln Γ(s m_v + n_v) − ln Γ(s m_v) over nodes, all latent classes.
    """
    out = np.zeros(grid.size)
    _rising(counts, base, grid, 1.0, out)
    _rising(group_counts, group_base, grid, -1.0, out)
    return out


@njit(cache=True, nogil=True)
def _rising(counts, base, grid, sign, out):  # type: ignore[no-untyped-def]
    """Add Σ ln Γ(s m + n) − ln Γ(s m) at each s, times the sign.

    For a whole n it is Σ_{i < n} ln(s m + i): cells share these terms, so it is enough to know how many exceed each i.
    """
    above, large = np.zeros((len(counts), FEW), np.int64), np.zeros(counts.shape, np.bool_)
    deepest = np.zeros(len(counts), np.int64)
    for v in range(len(counts)):
        for h in range(counts.shape[1]):
            n = counts[v, h]
            if n <= 0:
                continue
            if n > FEW or n != int(n):
                large[v, h] = True
                continue
            deepest[v] = max(deepest[v], int(n))
            for i in range(int(n)):
                above[v, i] += 1
    for g in range(grid.size):
        total = 0.0
        for v in range(len(counts)):
            a = grid[g] * base[v]
            for i in range(deepest[v]):
                total += above[v, i] * log(a + i)
            begin = 0.0
            for h in range(counts.shape[1]):
                if large[v, h]:
                    if begin == 0.0:
                        begin = lgamma(a)
                    total += lgamma(a + counts[v, h]) - begin
        out[g] += sign * total
