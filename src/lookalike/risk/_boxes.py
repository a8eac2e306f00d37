"""Whether boxes on an integer grid cover another one.

Take a point of the box. If no other box holds it, the box is not covered. Else cut that
other box away and go on with the pieces left, until there is none: then the box is covered. This asks
for the boxes at single points only, and never lists all that meet the box.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.risk._boxtree import Ints, Tree, jit

COVERED, OPEN, UNDECIDED = 0, 1, 2
ROOM = 8192

_HITS = 16  # boxes at a point, of which the one that covers most is cut away


@jit
def _holds(low: Ints, high: Ints, inner_low: Ints, inner_high: Ints) -> bool:
    for axis in range(low.size):  # noqa: SIM110 (numba has no all() over a generator)
        if inner_low[axis] < low[axis] or inner_high[axis] > high[axis]:
            return False
    return True


@jit
def _overlap(low: Ints, high: Ints, piece_low: Ints, piece_high: Ints) -> float:
    """Share of the piece that a box covers."""
    share = 1.0
    for axis in range(low.size):
        top = float(min(high[axis], piece_high[axis]))
        share *= (top - max(low[axis], piece_low[axis]) + 1) / (float(piece_high[axis]) - piece_low[axis] + 1)
    return share


@jit
def _find(tree: Tree, me: int, target: tuple[Ints, Ints], piece: tuple[Ints, Ints]) -> tuple[int, int]:
    """Another box that holds the target, one that covers much of the piece, or -1; and the work done."""
    best, share, hits, work, node = -1, -1.0, 0, 0, 0
    while node < tree.skip.size:
        work += 1
        if not _holds(tree.floor[node], tree.ceiling[node], target[0], target[1]):
            node = tree.skip[node]
            continue
        if tree.skip[node] == node + 1:
            for box in range(tree.first[node], tree.last[node]):
                work += 1
                if box != me and _holds(tree.low[box], tree.high[box], target[0], target[1]):
                    hits += 1
                    covers = _overlap(tree.low[box], tree.high[box], piece[0], piece[1])
                    if covers > share:
                        best, share = box, covers
                    if share >= 1 or hits >= _HITS:
                        return best, work
        node += 1
    return best, work


@jit
def _cut_away(tree: Tree, box: int, piece: tuple[Ints, Ints], pieces: Ints, top: int) -> int:
    """Put what is left of the piece outside the box on the pile; its new height. Uses up the piece."""
    low, high = piece
    for axis in range(low.size):
        if low[axis] < tree.low[box, axis]:
            pieces[top, 0], pieces[top, 1] = low, high
            pieces[top, 1, axis] = tree.low[box, axis] - 1
            low[axis] = tree.low[box, axis]
            top += 1
        if high[axis] > tree.high[box, axis]:
            pieces[top, 0], pieces[top, 1] = low, high
            pieces[top, 0, axis] = tree.high[box, axis] + 1
            high[axis] = tree.high[box, axis]
            top += 1
    return top


@jit
def _corner(piece: tuple[Ints, Ints], state: int, point: Ints) -> int:
    """Write a corner of the piece, drawn by a small congruential generator; its next state."""
    for axis in range(point.size):
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        point[axis] = piece[(state >> 16) & 1][axis]
    return state


@jit
def _judge(tree: Tree, me: int, pieces: Ints, budget: int) -> tuple[int, int]:
    """Whether the other boxes cover this one, and the work done."""
    whole = (tree.low[me], tree.high[me])
    box, work = _find(tree, me, whole, whole)
    if box >= 0:
        return COVERED, work
    pieces[0, 0], pieces[0, 1] = whole
    top, state, point = 1, me, np.empty_like(whole[0])
    while top > 0:
        top -= 1
        piece = (pieces[top, 0].copy(), pieces[top, 1].copy())
        state = _corner(piece, state, point)
        box, spent = _find(tree, me, (point, point), piece)
        work += spent
        if box < 0:
            return OPEN, work
        top = _cut_away(tree, box, piece, pieces, top)
        if top > 0 and (work >= budget or top + 2 * point.size > pieces.shape[0]):
            return UNDECIDED, work
    return COVERED, work


@jit
def judge(tree: Tree, asked: NDArray[np.bool_], budget: int, room: int = ROOM) -> tuple[NDArray[np.int8], int]:
    """For each box asked for: COVERED by the others, OPEN or UNDECIDED; and the work in all.

    Work is nodes and boxes looked at. The budget is work for each box, the room is pieces that may wait.
    Boxes not asked for say COVERED.
    """
    verdicts = np.zeros(asked.size, np.int8)
    pieces = np.empty((room + 2 * tree.low.shape[1], 2, tree.low.shape[1]), np.int64)
    total = 0
    for me in range(asked.size):
        if asked[tree.order[me]]:
            verdict, work = _judge(tree, me, pieces, budget)
            verdicts[tree.order[me]] = verdict
            total += work
    return verdicts, total
