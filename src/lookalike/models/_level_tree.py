"""Kernels of the Dirichlet tree: counts summed to groups, and how likely each concentration is."""

from __future__ import annotations

from math import lgamma, log

import numpy as np
from numba import njit


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
    for i in range(grid.size):
        out[i] = _rising(counts, base, grid[i]) - _rising(group_counts, group_base, grid[i])
    return out


@njit(cache=True, nogil=True)
def _rising(counts, base, s):  # type: ignore[no-untyped-def]
    """Σ ln Γ(s m + n) − ln Γ(s m); of small whole counts as a product."""
    total = 0.0
    for v in range(len(counts)):
        a = s * base[v]
        begin = lgamma(a)
        product = 1.0
        for h in range(counts.shape[1]):
            n = counts[v, h]
            if n <= 0:
                continue
            if n == 1.0:
                product *= a
            elif n == 2.0:
                product *= a * (a + 1)
            elif n == 3.0:
                product *= a * (a + 1) * (a + 2)
            else:
                total += lgamma(a + n) - begin
            if not 1e-100 < product < 1e100:
                total += log(product)
                product = 1.0
        total += log(product)
    return total
