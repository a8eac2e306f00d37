"""A tree of boxes on an integer grid, to find those that hold a point.

A cut of one axis at a value parts the boxes into three: those that straddle it, those below
and those above. A point meets the straddling ones and one of the two sides. Wildcards straddle each
cut of their axis and so gather among themselves, where they do not blur the bounds of the others.
Nodes are kept in preorder with a skip pointer; a node is passed over when its bounds miss the point.
Bounds alone decide, so a poor cut costs time and never a wrong answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., object])

_LEAF = 8  # boxes in a leaf at most
_SAMPLE = 32  # boxes on which a cut is judged
_PICKS = 4  # boxes whose ends are tried as cuts, on each axis


def jit(function: F) -> F:
    """Compile a function, once a machine; it runs without holding the interpreter."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))


class Tree(NamedTuple):
    """Boxes in tree order (`order` gives their old places), and nodes with bounds in preorder."""

    order: Ints
    low: Ints
    high: Ints
    floor: Ints
    ceiling: Ints
    first: Ints
    last: Ints
    skip: Ints


@jit
def _cost(low: Ints, high: Ints, boxes: Ints, axis: int, at: int) -> float:
    """Share of the boxes a point meets after a cut: all that straddle, and its own side."""
    below = above = 0
    step = max(1, boxes.size // _SAMPLE)
    seen = 0
    for i in range(0, boxes.size, step):
        seen += 1
        below += high[boxes[i], axis] <= at
        above += low[boxes[i], axis] > at
    return (seen - below - above + (below * below + above * above) / seen) / seen


@jit
def _best_cut(low: Ints, high: Ints, boxes: Ints) -> tuple[int, int]:
    """The axis and value of the cheapest cut among the ends of a few boxes."""
    best, cut = 2.0, (0, 0)
    for axis in range(low.shape[1]):
        for pick in range(_PICKS):
            box = boxes[(2 * pick + 1) * boxes.size // (2 * _PICKS)]
            for at in (high[box, axis], low[box, axis] - 1):
                cost = _cost(low, high, boxes, axis, at)
                if cost < best:
                    best, cut = cost, (axis, at)
    return cut


@jit
def _part(low: Ints, high: Ints, boxes: Ints, axis: int, at: int) -> tuple[int, int]:
    """Reorder the boxes in place: straddling, below, above; the two places where the next begin."""
    straddling, i, above = 0, 0, boxes.size
    while i < above:
        box = boxes[i]
        if low[box, axis] > at:
            above -= 1
            boxes[i], boxes[above] = boxes[above], box
        else:
            if high[box, axis] > at:
                boxes[i], boxes[straddling] = boxes[straddling], box
                straddling += 1
            i += 1
    return straddling, above


@jit
def _split(low: Ints, high: Ints, boxes: Ints) -> tuple[int, int]:
    """Where the second and third child begin; halves where no cut parts the boxes."""
    axis, at = _best_cut(low, high, boxes)
    one, two = _part(low, high, boxes, axis, at)
    largest = max(one, two - one, boxes.size - two)
    if largest > boxes.size - boxes.size // 32 - 1:
        return 0, boxes.size // 2
    return one, two


@jit
def _bound(low: Ints, high: Ints, boxes: Ints, floor: Ints, ceiling: Ints) -> None:
    """Write the smallest box around these boxes."""
    for axis in range(floor.size):
        floor[axis], ceiling[axis] = low[boxes[0], axis], high[boxes[0], axis]
    for box in boxes[1:]:
        for axis in range(floor.size):
            floor[axis] = min(floor[axis], low[box, axis])
            ceiling[axis] = max(ceiling[axis], high[box, axis])


@jit
def _skips(first: Ints, last: Ints) -> Ints:
    """For each node the next one in preorder that is not below it."""
    skip = np.empty_like(first)
    for node in range(first.size - 1, -1, -1):
        after = node + 1
        while after < first.size and first[after] < last[node]:
            after = skip[after]
        skip[node] = after
    return skip


@jit
def grow(low: Ints, high: Ints) -> Tree:
    """The tree of these boxes."""
    count, axes = low.shape
    order = np.arange(count)
    floor = np.empty((2 * count, axes), np.int64)
    ceiling = np.empty((2 * count, axes), np.int64)
    spans = np.empty((2 * count, 2), np.int64)
    waiting = [(0, count)]
    nodes = 0
    while waiting:
        first, last = waiting.pop()
        boxes = order[first:last]
        _bound(low, high, boxes, floor[nodes], ceiling[nodes])
        spans[nodes, 0], spans[nodes, 1] = first, last
        nodes += 1
        if boxes.size > _LEAF:
            one, two = _split(low, high, boxes)
            # Last in, first out: the straddling boxes come first, they are the large ones.
            for start, stop in ((first + two, last), (first + one, first + two), (first, first + one)):
                if start < stop:
                    waiting.append((start, stop))
    starts, stops = spans[:nodes, 0].copy(), spans[:nodes, 1].copy()
    skip = _skips(starts, stops)
    return Tree(order, low[order], high[order], floor[:nodes].copy(), ceiling[:nodes].copy(), starts, stops, skip)
