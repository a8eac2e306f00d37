"""A version of a file whose cells are ranges: groups with common intervals, suppressed cells."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.population.recoded import Codes, grouped

BUDGET = 20_000
"""Nodes of the tree looked at for one box, at most: a tenth of a millisecond or two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes:
    """Classes as boxes: of each variable the lowest and the highest code, both included, and the records.

    Codes are those of the finest file, or of the levels of `maps` (see `Version`) where a file was recoded first. A
    suppressed cell goes from 0 to the last code, and so covers missing values too.

    >>> boxes = Boxes.of_records(np.array([[0, 1], [2, 0], [0, 1]]), np.array([[1, 1], [2, 3], [1, 1]]))
    >>> boxes.low.tolist(), boxes.high.tolist(), boxes.sizes.tolist()
    ([[0, 1], [2, 0]], [[1, 1], [2, 3]], [2, 1])
    """

    low: Codes
    high: Codes
    sizes: NDArray[np.int64]
    maps: tuple[Codes, ...] | None = None
    levels: tuple[Hashable, ...] | None = None

    @classmethod
    def of_records(
        cls,
        low: NDArray[np.integer],
        high: NDArray[np.integer],
        sizes: NDArray[np.integer] | None = None,
        *,
        maps: Sequence[NDArray[np.integer]] | None = None,
        levels: Sequence[Hashable] | None = None,
    ) -> Boxes:
        """From the box of every record, or of classes with these sizes; equal boxes are one."""
        first, labels = grouped(np.column_stack([low, high]))
        return cls(
            low=np.asarray(low[first], np.int32),
            high=np.asarray(high[first], np.int32),
            sizes=np.bincount(labels, weights=sizes).astype(np.int64),
            maps=None if maps is None else tuple(np.asarray(m, np.int32) for m in maps),
            levels=None if levels is None else tuple(levels),
        )

    @classmethod
    def of_suppressed(
        cls,
        codes: NDArray[np.integer],
        hidden: NDArray[np.bool_],
        sizes: NDArray[np.integer],
        *,
        maps: Sequence[NDArray[np.integer]],
        levels: Sequence[Hashable] | None = None,
    ) -> Boxes:
        """From the classes of a recoded file of which some cells were suppressed.

        >>> maps = [np.arange(2), np.arange(5)]
        >>> cut = Boxes.of_suppressed(np.array([[0, 3]]), np.array([[False, True]]), np.array([7]), maps=maps)
        >>> cut.low.tolist(), cut.high.tolist()
        ([[0, 0]], [[0, 4]])
        """
        last = np.array([int(m.max(initial=0)) for m in maps])
        low, high = np.where(hidden, 0, codes), np.where(hidden, last, codes)
        return cls.of_records(low, high, sizes, maps=maps, levels=levels)


def records_inside(
    codes: NDArray[np.integer], sizes: NDArray[np.integer], boxes: Boxes, *, budget: int = BUDGET
) -> NDArray[np.int64]:
    """The records of a file, given by its classes, whose values lie inside each box.

    A count that takes more than the budget stops where it is: fewer records are found than there are, which overstates
    the risk.

    >>> boxes = Boxes.of_records(np.array([[0, 1]]), np.array([[1, 3]]))
    >>> records_inside(np.array([[0, 0], [0, 1], [1, 3], [2, 3]]), np.array([1, 2, 4, 8]), boxes).tolist()
    [6]
    """
    from lookalike.population import _box_counts as kernel

    tree = kernel.grow(np.ascontiguousarray(codes, np.int32), np.asarray(sizes, np.int64))
    return np.asarray(kernel.counts(tree, boxes.low, boxes.high, budget)[0])
