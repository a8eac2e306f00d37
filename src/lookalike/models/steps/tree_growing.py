"""Grow a tree on coded columns: the doorway to the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.mixed import Categories, Column
from lookalike.models.steps.tree_coding import Coded

if TYPE_CHECKING:
    from lookalike.models.steps._tree_shapes import Answer, Nodes, Rules

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Tree:
    """A grown tree: its nodes, the levels each has seen, and the fitted rows in the order of the leaves."""

    nodes: Nodes
    sets: Rows
    rows: Rows
    weights: Floats
    """Of the rows, in their order: how often the bootstrap drew each."""


def once(records: int) -> Floats:
    """Every record once."""
    return np.ones(records)


def bootstrapped(weights: Floats, *, rng: Generator) -> Floats:
    """How often each record is drawn when as many as there are come from these, with replacement.

    Rows are counted, not copied: a leaf's donors are different records.

    >>> bootstrapped(once(4), rng=np.random.default_rng(1)).sum()
    np.float64(4.0)
    """
    copies = np.repeat(np.arange(len(weights)), weights.astype(np.int64))
    drawn = copies[rng.integers(0, len(copies), len(copies))]
    return np.bincount(drawn, minlength=len(weights)).astype(np.float64)


def answer_of(response: Column, weights: Floats, *, scores: bool = False) -> Answer:
    """The response for the kernels: numbers, or classes; ordered ones as numbers if `scores` are asked for."""
    from lookalike.models.steps._tree_shapes import Answer

    nothing = np.empty(0, np.int32)
    if isinstance(response, Categories) and not (scores and response.ordered):
        return Answer(np.empty(0), np.asarray(response.codes, np.int32), response.levels, weights)
    cells = response.codes if isinstance(response, Categories) else response.values
    return Answer(np.asarray(cells, np.float64), nothing, 0, weights)


def rules_of(leaf: int, split: int, depth: int, **others: float) -> Rules:
    """Rules of growth: by the fall of the impurity, unless alpha is given; all columns, unless some are tried."""
    from lookalike.models.steps._tree_shapes import Rules

    given: dict[str, Any] = {"gain": 1e-12, "floor": 0.0, "alpha": 2.0, "tried": 2**62, **others}
    whole = (int(leaf), int(split), int(depth))
    return Rules(*whole, float(given["gain"]), float(given["floor"]), float(given["alpha"]), int(given["tried"]))


def grow_tree(coded: Coded, answer: Answer, rules: Rules, *, seed: NDArray[np.uint64], stream: int = 0) -> Tree:
    """One tree; `seed` and `stream` choose the columns that are tried, where not all are."""
    from lookalike.models.steps._tree_grow import grow
    from lookalike.models.steps._tree_shapes import Table, new_nodes, new_room

    sizes = np.array([len(v) for v in coded.values], np.int64)
    first = np.cumsum(sizes) - sizes
    values = np.concatenate(coded.values) if coded.values else np.empty(0)
    table = Table(coded.codes, values, first, coded.nominal)
    rows = np.flatnonzero(answer.weights).astype(np.int64)
    nodes = new_nodes(2 * max(1, len(rows) // rules.leaf) + 1)
    room = new_room(len(rows), len(sizes), int(sizes.max(initial=1)), answer.classes)
    count, sets = grow(table, answer, rules, rows, nodes, room, seed, stream)
    kept = nodes._replace(**{name: array[:count].copy() for name, array in nodes._asdict().items()})
    return Tree(_with_thresholds(kept, values, first), sets.copy(), rows, answer.weights[rows])


def _with_thresholds(nodes: Nodes, values: Floats, first: Rows) -> Nodes:
    """Midway between the neighbouring values; on the left one if there is no number between them."""
    asked = np.flatnonzero((nodes.column >= 0) & (nodes.set_from < 0))
    begins = first[nodes.column[asked]]
    below, above = (values[begins + side[asked].astype(np.int64)] for side in (nodes.low, nodes.high))
    middle = below / 2 + above / 2
    low = nodes.low.copy()
    low[asked] = np.where((below <= middle) & (middle < above), middle, below)
    return nodes._replace(low=low)
