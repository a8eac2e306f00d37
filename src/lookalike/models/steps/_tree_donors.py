"""Kernels that send records down the trees and draw a donor for each from the leaves they end in."""

from __future__ import annotations

import numpy as np
from numba import njit

from lookalike.models._drawing import _start, _uniform
from lookalike.models._gibbs import _place
from lookalike.models._variates import _gamma
from lookalike.models.steps._tree_shapes import NONE


@njit(cache=True, nogil=True)
def _side(sets, low, high, level):  # type: ignore[no-untyped-def]
    """0 if the level goes left, 1 if it goes right, NONE if the node has not seen it."""
    high -= 1
    while low <= high:
        middle = (low + high) >> 1
        found = sets[middle] >> 1
        if found == level:
            return sets[middle] & 1
        if found < level:
            low = middle + 1
        else:
            high = middle - 1
    return NONE


@njit(cache=True, nogil=True)
def _leaf(nodes, sets, node, cells, i, state):  # type: ignore[no-untyped-def]
    """The leaf of a record. A level that a node has not seen goes to a child by the children's share of the rows."""
    while nodes.column[node] != NONE:
        cell = cells[i, nodes.column[node]]
        if nodes.set_from[node] == NONE:
            side = NONE if np.isnan(cell) else int(cell > nodes.low[node])
        else:
            side = _side(sets, nodes.set_from[node], nodes.set_to[node], int(cell))
        if side == NONE:
            side = int(_uniform(state) >= nodes.share[node])
        node = nodes.child[node] + side
    return node


@njit(cache=True, nogil=True)
def find_leaves(nodes, sets, root, cells, seed, stream, out):  # type: ignore[no-untyped-def]
    """The leaf of each record in one tree."""
    state = np.empty(4, np.uint64)
    _start(seed, stream, state)
    for i in range(out.size):
        out[i] = _leaf(nodes, sets, root, cells, i, state)


@njit(cache=True, nogil=True)
def draw_donors(nodes, sets, roots, rows, cumulated, cells, seed, stream, donor, donors):  # type: ignore[no-untyped-def]
    """One donor a record: a tree at random, then by weight in the leaf; `donors`: how many there were in it.

    `cumulated[r]` is the weight of the rows before place r.
    """
    state = np.empty(4, np.uint64)
    _start(seed, stream, state)
    for i in range(donor.size):
        tree = int(_uniform(state) * roots.size) if roots.size > 1 else 0
        leaf = _leaf(nodes, sets, roots[tree], cells, i, state)
        begin, end = nodes.begin[leaf], nodes.end[leaf]
        u = cumulated[begin] + _uniform(state) * (cumulated[end] - cumulated[begin])
        donor[i] = rows[_place(cumulated, begin + 1, end + 1, u) - 1]
        donors[i] = end - begin


@njit(cache=True, nogil=True)
def bayes_weights(weights, seed, out):  # type: ignore[no-untyped-def]
    """Gamma numbers whose shares in a leaf are a Dirichlet draw: one part a donor, or as many as it stands for."""
    state = np.empty(4, np.uint64)
    _start(seed, 0, state)
    for i in range(weights.size):
        out[i] = _gamma(state, weights[i])
