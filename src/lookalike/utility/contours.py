"""Contour lines of a surface on a grid, by marching squares."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Line = NDArray[np.float64]
"""Points (x, y), one a row; a closed line ends where it begins."""
Edge = tuple[int, int, int]
"""An edge of the grid: its lower corner, and 0 if it runs along x, 1 if along y."""

_ACROSS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((3, 0),), 2: ((0, 1),), 3: ((3, 1),), 4: ((1, 2),), 6: ((0, 2),), 7: ((3, 2),),
    8: ((2, 3),), 9: ((2, 0),), 11: ((2, 1),), 12: ((1, 3),), 13: ((1, 0),), 14: ((0, 3),),
}  # fmt: skip
"""Which sides of a square the line crosses, by the corners above the level (1, 2, 4, 8 around)."""


def contour_lines(x: Floats, y: Floats, surface: Floats, level: float) -> tuple[Line, ...]:
    """The lines where a surface (rows with x, columns with y) is at a level, linear between the points of the grid.

    >>> grid = np.linspace(-1, 1, 101)
    >>> (circle,) = contour_lines(grid, grid, grid[:, None] ** 2 + grid[None, :] ** 2, 0.25)
    >>> bool(np.abs(np.hypot(circle[:, 0], circle[:, 1]) - 0.5).max() < 1e-3)
    True
    """
    above = surface > level
    square = above[:-1, :-1] + 2 * above[1:, :-1] + 4 * above[1:, 1:] + 8 * above[:-1, 1:]
    links: dict[Edge, list[Edge]] = defaultdict(list)
    for i, j in zip(*np.nonzero((square > 0) & (square < 15)), strict=True):
        for one, other in _crossed(int(square[i, j]), surface[i : i + 2, j : j + 2], level):
            a, b = _edge(int(i), int(j), one), _edge(int(i), int(j), other)
            links[a].append(b)
            links[b].append(a)
    return tuple(np.array([_point(x, y, surface, level, edge) for edge in chain]) for chain in _chains(links))


def _crossed(case: int, corners: Floats, level: float) -> tuple[tuple[int, int], ...]:
    """Sides 0 (low y), 1 (high x), 2 (high y), 3 (low x). A saddle goes by the height of its middle."""
    if case in (5, 10):
        joined = (corners.mean() > level) == (case == 5)
        return ((3, 2), (1, 0)) if joined else ((3, 0), (1, 2))
    return _ACROSS[case]


def _edge(i: int, j: int, side: int) -> Edge:
    return ((i, j, 0), (i + 1, j, 1), (i, j + 1, 0), (i, j, 1))[side]


def _chains(links: dict[Edge, list[Edge]]) -> list[list[Edge]]:
    """Links joined end to end: open lines from their ends first, then closed ones."""
    chains, seen = [], set[Edge]()
    for start in sorted(links, key=lambda edge: (len(links[edge]) > 1, edge)):
        if start in seen:
            continue
        chain = [start]
        seen.add(start)
        while (onward := next((e for e in links[chain[-1]] if e not in seen), None)) is not None:
            chain.append(onward)
            seen.add(onward)
        if len(links[start]) > 1:
            chain.append(start)
        chains.append(chain)
    return chains


def _point(x: Floats, y: Floats, surface: Floats, level: float, edge: Edge) -> tuple[float, float]:
    i, j, along = edge
    u, v = (i + 1, j) if along == 0 else (i, j + 1)
    share = (level - surface[i, j]) / (surface[u, v] - surface[i, j])
    return float(x[i] + share * (x[u] - x[i])), float(y[j] + share * (y[v] - y[j]))
