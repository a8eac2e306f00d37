"""Kernels for records that must stay possible: which slices could still catch a record, and cells that avoid them.

A slice is live for a record if no known cell of the record contradicts it. Slices are disjoint, so their masses add up.
`levels[at, h]` is θ of a level in class h; `zeros` is a `structural_zeros.Zeros`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lookalike.models._drawing import _uniform

TRIES = 8
"""Cells are drawn so often before they are drawn column by column, given that the end is possible."""

_NOTHING = 1e-12


@njit(cache=True, nogil=True)
def _live(row, zeros, out):  # type: ignore[no-untyped-def]
    """The slices that could still catch a record; how many is told."""
    found = 0
    for c in range(zeros.start.size - 1):
        caught = True
        for f in range(zeros.start[c], zeros.start[c + 1]):
            code = row[zeros.column[f]]
            if code >= 0 and code != zeros.code[f]:
                caught = False
                break
        if caught:
            out[found] = c
            found += 1
    return found


@njit(cache=True, nogil=True)
def live_slices(codes, zeros, counts, out):  # type: ignore[no-untyped-def]
    """The number of live slices of each row, and the first of them as far as `out` has room."""
    found = np.empty(max(zeros.start.size - 1, 1), np.int64)
    total = 0
    for r in range(codes.shape[0]):
        counts[r] = _live(codes[r], zeros, found)
        for k in range(counts[r]):
            if total + k < out.size:
                out[total + k] = found[k]
        total += counts[r]


@njit(cache=True, nogil=True)
def _possible_weights(row, live, many, zeros, levels, part, mass):  # type: ignore[no-untyped-def]
    """Weights of classes times the chance that the unknown cells of a record come out possible."""
    mass[:] = 0.0
    for k in range(many):
        c = live[k]
        for h in range(part.size):
            if part[h] > 0:
                product = 1.0
                for f in range(zeros.start[c], zeros.start[c + 1]):
                    if row[zeros.column[f]] < 0:
                        product *= levels[zeros.at[f], h]
                mass[h] += product
    total = 0.0
    for h in range(part.size):
        chance = 1.0 - mass[h]
        part[h] = part[h] * chance if chance > _NOTHING else 0.0
        total += part[h]
    return total


@njit(cache=True, nogil=True)
def _open(row, live, many, zeros, columns):  # type: ignore[no-untyped-def]
    """The unknown columns that live slices fix, each once; how many is told."""
    found = 0
    for k in range(many):
        for f in range(zeros.start[live[k]], zeros.start[live[k] + 1]):
            j = zeros.column[f]
            if row[j] < 0:
                new = True
                for i in range(found):
                    if columns[i] == j:
                        new = False
                if new:
                    columns[found] = j
                    found += 1
    return found


@njit(cache=True, nogil=True)
def _level(state, levels, low, high, h):  # type: ignore[no-untyped-def]
    """A level by θ of a class."""
    u = _uniform(state)
    for at in range(low, high - 1):
        u -= levels[at, h]
        if u < 0:
            return at - low
    return high - 1 - low


@njit(cache=True, nogil=True)
def _caught(row, live, many, zeros):  # type: ignore[no-untyped-def]
    for k in range(many):
        caught = True
        for f in range(zeros.start[live[k]], zeros.start[live[k] + 1]):
            if row[zeros.column[f]] != zeros.code[f]:
                caught = False
                break
        if caught:
            return True
    return False


@njit(cache=True, nogil=True)
def _draw_possible(state, row, live, many, zeros, first, levels, h, columns, opened, rest):  # type: ignore[no-untyped-def]
    """Draw the open columns of a record by θ of class h so that no live slice catches it; False if none is possible."""
    for _ in range(TRIES):
        for i in range(opened):
            j = columns[i]
            row[j] = _level(state, levels, first[j], first[j + 1], h)
        if not _caught(row, live, many, zeros):
            return True
    for i in range(opened):
        row[columns[i]] = -1
    for k in range(many):
        rest[k] = 1.0
        for f in range(zeros.start[live[k]], zeros.start[live[k] + 1]):
            if row[zeros.column[f]] < 0:
                rest[k] *= levels[zeros.at[f], h]
    possible = True
    for i in range(opened):
        possible = possible and _draw_next(state, row, live, many, zeros, first, levels, h, columns[i], rest)
    return possible


@njit(cache=True, nogil=True)
def _draw_next(state, row, live, many, zeros, first, levels, h, j, rest):  # type: ignore[no-untyped-def]
    """Draw one column by θ times the chance that the columns after it come out possible.

    rest[k]: the chance that the columns still unknown make slice k; −1 once a cell contradicts it.
    """
    size = first[j + 1] - first[j]
    weights, anyway = np.zeros(size), 0.0
    for k in range(many):
        if rest[k] >= 0:
            code = _code(live[k], zeros, j)
            if code < 0:
                anyway += rest[k]
            else:
                weights[code] += rest[k] / levels[first[j] + code, h]
    total = 0.0
    for v in range(size):
        chance = 1.0 - anyway - weights[v]
        weights[v] = levels[first[j] + v, h] * chance if chance > _NOTHING else 0.0
        total += weights[v]
    if total <= 0:
        return False
    u, v = _uniform(state) * total, 0
    while v < size - 1 and (u >= weights[v] or weights[v] == 0):
        u -= weights[v]
        v += 1
    while weights[v] == 0:
        v -= 1
    row[j] = v
    for k in range(many):
        code = _code(live[k], zeros, j)
        if code == v:
            rest[k] /= levels[first[j] + v, h]
        elif code >= 0:
            rest[k] = -1.0
    return True


@njit(cache=True, nogil=True)
def _code(c, zeros, j):  # type: ignore[no-untyped-def]
    """The code a slice fixes in a column; −1: any."""
    for f in range(zeros.start[c], zeros.start[c + 1]):
        if zeros.column[f] == j:
            return zeros.code[f]
    return -1
