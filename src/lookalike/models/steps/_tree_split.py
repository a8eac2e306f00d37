"""Kernels for one node: read its cells, promise of each column, best cut of a column."""

from __future__ import annotations

import math

from numba import njit

from lookalike.models.steps._tree_levels import means, principal
from lookalike.models.steps._tree_order import number_anew, put_in_order, sort_places, span
from lookalike.models.steps._tree_shapes import NONE
from lookalike.models.steps._tree_sweep import cut_classes, cut_numbers
from lookalike.models.steps._tree_test import between, log_tail, pearson, together


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def read(answer, rows, begin, n, room):  # type: ignore[no-untyped-def]
    """Copy the response of a node: its weight, the number of its classes and its impurity.

    Numbers lose their mean; classes are numbered anew, so that those that do not occur cost nothing.
    """
    total, classes, impurity = 0.0, 0, 0.0
    for i in range(n):
        room.w[i] = answer.weights[rows[begin + i]]
        total += room.w[i]
    if answer.classes == 0:
        # Less the first one, so that numbers that are all the same have no impurity by rounding.
        mean, base = 0.0, answer.numbers[rows[begin]]
        for i in range(n):
            room.y[i] = answer.numbers[rows[begin + i]] - base
            mean += room.w[i] * room.y[i] / total
        for i in range(n):
            room.y[i] -= mean
            impurity += room.w[i] * room.y[i] * room.y[i]
        return total, classes, impurity
    for i in range(n):
        room.code[i] = answer.codes[rows[begin + i]]
    classes = number_anew(room.code, n, room.class_number, room.class_seen, room.kind)
    for k in range(classes):
        room.totals[k] = 0.0
    for i in range(n):
        room.totals[room.kind[i]] += room.w[i]
    impurity = total
    for k in range(classes):
        impurity -= room.totals[k] * room.totals[k] / total
    return total, classes, impurity


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _read_column(table, j, rows, begin, n, room):  # type: ignore[no-untyped-def]
    """Copy the codes of a column: their smallest and largest."""
    cells = table.codes[j]
    for i in range(n):
        room.code[i] = cells[rows[begin + i]]
    return span(room.code, n)


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _rank_levels(n, classes, room):  # type: ignore[no-untyped-def]
    """Put the ranks of the levels by score in place of the codes; how many levels there are."""
    levels = number_anew(room.code, n, room.number, room.seen, room.level)
    if classes == 0:
        means(room.level, room.y, room.w, n, levels, room.score, room.mass)
    elif classes == 2:
        means(room.level, room.kind, room.w, n, levels, room.score, room.mass)
    else:
        principal(
            room.level,
            room.kind,
            room.w,
            n,
            levels,
            classes,
            room.totals,
            room.score,
            room.mass,
            room.at_level,
            room.at_class,
            room.count,
        )
    sort_places(room.score, levels, room.order, room.keys)
    for r in range(levels):
        room.rank[room.order[r]] = r
    for i in range(n):
        room.code[i] = room.rank[room.level[i]]
    return levels


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def best_cut(table, j, rows, begin, n, total, classes, rules, room):  # type: ignore[no-untyped-def]
    """By how much the best cut of a column lowers the impurity, its last place in `room.order`, the levels ranked."""
    low, high = _read_column(table, j, rows, begin, n, room)
    levels = 0
    if low == high:
        return 0.0, NONE, levels
    if table.nominal[j]:
        levels = _rank_levels(n, classes, room)
        low, high = 0, levels - 1
    put_in_order(room.code, n, low, high, room.order, room.bucket, room.keys)
    if classes == 0:
        gain, cut = cut_numbers(room.code, room.y, room.w, n, room.order, total, rules.leaf)
    else:
        gain, cut = cut_classes(
            room.code,
            room.kind,
            room.w,
            n,
            room.order,
            total,
            rules.leaf,
            room.totals,
            room.scale,
            classes,
            rules.floor,
            room.left,
            room.none,
        )
    return gain, cut, levels


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def log_p(table, j, rows, begin, n, total, classes, room):  # type: ignore[no-untyped-def]
    """The logarithm of the p-value of independence of the response and a column; +∞ if the column does not vary."""
    low, high = _read_column(table, j, rows, begin, n, room)
    if low == high:
        return math.inf
    if table.nominal[j]:
        levels = number_anew(room.code, n, room.number, room.seen, room.level)
        if classes == 0:
            return log_tail(between(room.level, levels, room.y, room.w, n, total), levels - 1)
        c = pearson(room.level, levels, room.kind, classes, room.w, n, total, room.totals)
        return log_tail(c, (levels - 1) * (classes - 1))
    for i in range(n):
        room.x[i] = table.values[table.first[j] + room.code[i]]
    if classes == 0:
        return log_tail(together(room.x, room.y, room.w, n, total), 1)
    return log_tail(between(room.kind, classes, room.x, room.w, n, total), classes - 1)
