"""The kernel that grows a tree: nodes in the order they are made, each split where the rules say."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from lookalike.models._drawing import _start, _uniform
from lookalike.models.steps._tree_order import sort_places
from lookalike.models.steps._tree_shapes import NONE
from lookalike.models.steps._tree_split import best_cut, log_p, read


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _shuffle(columns, place, state):  # type: ignore[no-untyped-def]
    """Draw the column that comes next among those not yet looked at."""
    other = place + int(_uniform(state) * (columns.size - place))
    columns[place], columns[other] = columns[other], columns[place]
    return columns[place]


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _smallest(numbers):  # type: ignore[no-untyped-def]
    place = 0
    for j in range(1, numbers.size):
        if numbers[j] < numbers[place]:
            place = j
    return place


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _test(table, rows, begin, n, total, classes, rules, room):  # type: ignore[no-untyped-def]
    """Test every column, and weigh the classes for cuts by X²: the largest ln p that is small enough for a split."""
    varying = 0
    for k in range(classes):
        room.scale[k] = total / room.totals[k]
    for j in range(room.columns.size):
        room.promise[j] = log_p(table, j, rows, begin, n, total, classes, room)
        varying += room.promise[j] < math.inf
    return math.log(rules.alpha) - math.log(max(varying, 1))


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _next(place, chosen, limit, rules, room, state):  # type: ignore[no-untyped-def]
    """The column to look at: the next one, the most promising, or one at random; at the end the chosen one again.

    Where columns are tried at random, others follow until one can be cut.
    """
    columns = room.columns.size
    if place == columns or (place >= rules.tried and chosen != NONE):
        return chosen
    if rules.alpha <= 1:
        j = _smallest(room.promise)
        if room.promise[j] > limit:
            return NONE
        room.promise[j] = math.inf
        return j
    return _shuffle(room.columns, place, state) if rules.tried < columns else place


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _choose(table, rows, begin, n, total, classes, least, rules, room, state):  # type: ignore[no-untyped-def]
    """The column to split, its cut and its levels: the largest fall of the impurity above `least`, or the best tested.

    `best_cut` is called at one place only, for the compiler copies it wherever it is called.
    """
    limit, best, chosen = 0.0, least, NONE
    if rules.alpha <= 1:
        limit = _test(table, rows, begin, n, total, classes, rules, room)
    else:
        for k in range(classes):
            room.scale[k] = 1.0
    for place in range(room.columns.size + 1):
        j = _next(place, chosen, limit, rules, room, state)
        if j == NONE:
            break
        gain, cut, levels = best_cut(table, j, rows, begin, n, total, classes, rules, room)
        if j == chosen or (rules.alpha <= 1 and cut != NONE):
            return j, cut, levels
        if cut != NONE and gain > best:
            best, chosen = gain, j
    return NONE, NONE, 0


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _keep_levels(nodes, node, levels, cut_rank, sets, used, room):  # type: ignore[no-untyped-def]
    """Add the levels of the node to the sets, 2·level + (1 if it goes right), in order; the sets may move."""
    if used + levels > sets.size:
        larger = np.empty(2 * (used + levels), np.int64)
        for a in range(used):
            larger[a] = sets[a]
        sets = larger
    sort_places(room.seen, levels, room.level, room.keys)
    for a in range(levels):
        level = room.level[a]
        sets[used + a] = 2 * room.seen[level] + (room.rank[level] > cut_rank)
    nodes.set_from[node], nodes.set_to[node] = used, used + levels
    return sets


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _part(nodes, node, count, cut, total, rows, room):  # type: ignore[no-untyped-def]
    """Put the rows on the left of the cut first and make the two children."""
    begin, n, left = nodes.begin[node], nodes.end[node] - nodes.begin[node], 0.0
    for i in range(n):
        room.keys[i] = rows[begin + room.order[i]]
        if i <= cut:
            left += room.w[room.order[i]]
    for i in range(n):
        rows[begin + i] = room.keys[i]
    nodes.child[node], nodes.share[node] = count, left / total
    for side in range(2):
        nodes.begin[count + side] = begin + (0 if side == 0 else cut + 1)
        nodes.end[count + side] = begin + (cut + 1 if side == 0 else n)
        nodes.depth[count + side] = nodes.depth[node] + 1


@njit(cache=True, nogil=True)
def grow(table, answer, rules, rows, nodes, room, seed, stream):  # type: ignore[no-untyped-def]
    """Fill the nodes and put the rows in their order; the number of nodes, and the sets of levels."""
    sets, used, count, node, root = np.empty(256, np.int64), np.int64(0), np.int64(1), np.int64(0), -1.0
    state = np.empty(4, np.uint64)
    _start(seed, stream, state)
    nodes.begin[0], nodes.end[0], nodes.depth[0] = 0, rows.size, 0
    while node < count:
        begin, n = nodes.begin[node], nodes.end[node] - nodes.begin[node]
        if n >= max(rules.split, 2 * rules.leaf, 2) and nodes.depth[node] < rules.depth:
            total, classes, impurity = read(answer, rows, begin, n, room)
            root = impurity if node == 0 else root
            j, cut, levels, least = NONE, NONE, 0, rules.gain * root
            if impurity > least:
                j, cut, levels = _choose(table, rows, begin, n, total, classes, least, rules, room, state)
            if j != NONE:
                nodes.column[node] = j
                nodes.low[node], nodes.high[node] = room.code[room.order[cut]], room.code[room.order[cut + 1]]
                if levels > 0:
                    sets = _keep_levels(nodes, node, levels, int(nodes.low[node]), sets, used, room)
                    used += levels
                _part(nodes, node, count, cut, total, rows, room)
                count += 2
        node += 1
    return count, sets[:used]
