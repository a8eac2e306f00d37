"""What the kernels of the trees pass to each other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

NONE = -1
"""No column, no child, no cut."""


class Table(NamedTuple):
    """The predictors."""

    codes: Any
    """One row a column."""
    values: Any
    """What codes stand for, one column after another."""
    first: Any
    """Where each column begins among the values."""
    nominal: Any


class Answer(NamedTuple):
    """The response: numbers, or classes if there are any; and the weight of each record."""

    numbers: Any
    codes: Any
    classes: int
    weights: Any


class Rules(NamedTuple):
    """When a node is split."""

    leaf: int
    split: int
    depth: int
    gain: float
    """The smallest fall of the impurity, relative to the root's."""
    floor: float
    """The smallest entropy of the classes of a leaf."""
    alpha: float
    """Up to which adjusted p-value the test of independence lets a node be split; above 1 there is no test."""
    tried: int
    """Columns looked at in a node, drawn at random."""


class Room(NamedTuple):
    """Memory for one node at a time."""

    y: Any
    kind: Any
    w: Any
    x: Any
    code: Any
    order: Any
    bucket: Any
    keys: Any
    number: Any
    seen: Any
    level: Any
    score: Any
    mass: Any
    rank: Any
    at_level: Any
    at_class: Any
    count: Any
    class_number: Any
    class_seen: Any
    totals: Any
    scale: Any
    left: Any
    none: Any
    columns: Any
    promise: Any


class Nodes(NamedTuple):
    """A tree, or several one after another: one place a node. The right child stands behind the left one."""

    column: Any
    """What is asked at the node; NONE at a leaf."""
    low: Any
    """The largest code on the left, at the end the threshold; not for levels without an order."""
    high: Any
    """The smallest code on the right."""
    child: Any
    """The left child."""
    set_from: Any
    """Where the levels seen at the node begin among the sets; NONE if they have an order."""
    set_to: Any
    share: Any
    """Of the weight, on the left."""
    begin: Any
    """Where the node's rows begin."""
    end: Any
    depth: Any


def new_room(records: int, columns: int, levels: int, classes: int) -> Room:
    """Memory for nodes of so many records; `levels`: the most codes of a column."""

    def whole(size: int) -> Any:
        return np.empty(size, np.int64)

    def real(size: int) -> Any:
        return np.empty(size)

    n, k = records, max(classes, 1)
    return Room(
        y=real(n),
        kind=whole(n),
        w=real(n),
        x=real(n),
        code=whole(n),
        order=whole(n),
        bucket=whole(max(4 * n, 1) + 2),
        keys=whole(n),
        number=np.full(levels, NONE, np.int64),
        seen=whole(n),
        level=whole(n),
        score=real(n),
        mass=real(n),
        rank=whole(n),
        at_level=whole(n),
        at_class=whole(n),
        count=real(n),
        class_number=np.full(k, NONE, np.int64),
        class_seen=whole(k),
        totals=real(k),
        scale=real(k),
        left=real(k),
        none=np.zeros(k),
        columns=np.arange(columns),
        promise=real(columns),
    )


def new_nodes(size: int) -> Nodes:
    """Room for a tree of so many nodes."""
    whole = [np.full(size, NONE, np.int64) for _ in range(7)]
    column, child, set_from, set_to, begin, end, depth = whole
    return Nodes(column, np.zeros(size), np.zeros(size), child, set_from, set_to, np.zeros(size), begin, end, depth)
