"""Groups of records and what they share: the common range of a group's values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.coded import Axis
from lookalike.engine import number

_Whole = TypeVar("_Whole", np.int32, np.int64)

FEW = 2**24
"""Pairs of ends up to which a table of all pairs is kept; beyond, the pairs that occur are numbered."""


@dataclass(frozen=True)
class Groups:
    """A partition of records: `order` lists them group by group, `starts` says where each group begins.

    >>> Groups.of(np.array([1, 0, 1])).sizes.tolist()
    [1, 2]
    """

    order: NDArray[np.int32]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, labels: NDArray[np.int64] | NDArray[np.int32]) -> Groups:
        """From a number for every record; equal numbers, one group."""
        order = np.argsort(labels, kind="stable").astype(np.int32)
        ordered = labels[order]
        return cls(order, np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])))

    @classmethod
    def cut(cls, order: NDArray[np.int32], k: int) -> Groups:
        """k records after another, the last group k to 2k − 1.

        >>> Groups.cut(np.arange(7, dtype=np.int32), 3).sizes.tolist()
        [3, 4]
        """
        return cls(order, np.arange(0, max(len(order) - k, 0) + 1, k))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The records of each group."""
        return np.diff(np.append(self.starts, len(self.order)))

    def spread(self, values: NDArray[_Whole]) -> NDArray[_Whole]:
        """A value per group at each of its records, in the order of the file."""
        found = np.empty(len(self.order), values.dtype)
        found[self.order] = np.repeat(values, self.sizes)
        return found


def common_range(axis: Axis, groups: Groups) -> pl.Series:
    """Each record's cell as the range of its group: the value where all have one, else `[lowest;highest]`.

    A group of which some miss the value gives it up: all its cells are null, so that they stay alike.

    >>> import lookalike as la
    >>> from lookalike.anonymize.columns.coded import axis_of
    >>> file = la.read(pl.DataFrame({"age": [30, 45, 50, 50, None, 7]}))
    >>> common_range(axis_of(file, "age"), Groups.of(np.array([0, 0, 1, 1, 2, 2]))).to_list()
    ['[30;45]', '[30;45]', '50', '50', None, None]
    """
    ordered = axis.codes[groups.order]
    low, high = np.minimum.reduceat(ordered, groups.starts), np.maximum.reduceat(ordered, groups.starts)
    width = len(axis.values) + 1
    # One number per pair of ends; 0 stands for null: a group whose lowest code is "missing".
    pairs = np.where(low < 0, 0, low.astype(np.int64) * width + high + 1)
    distinct, at = _numbered(pairs, width * width)
    return _texts(axis, distinct, width).gather(groups.spread(at)).alias(axis.name)


def _numbered(pairs: NDArray[np.int64], room: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The distinct numbers below `room`, and the place of each among them."""
    if room > FEW:
        found = number(pairs)
        return pairs[found.first], found.index
    present = np.zeros(room, bool)
    present[pairs] = True
    return np.flatnonzero(present), (np.cumsum(present, dtype=np.int32) - 1)[pairs]


def _texts(axis: Axis, pairs: NDArray[np.int64], width: int) -> pl.Series:
    texts = axis.texts
    low, high = np.divmod(np.maximum(pairs - 1, 0), width)
    if not len(texts):
        return pl.Series([None] * len(pairs), dtype=pl.String)
    frame = pl.DataFrame({"low": texts.gather(low), "high": texts.gather(high), "pair": pairs, "one": low == high})
    return frame.select(
        pl.when(pl.col("pair") == 0)
        .then(None)
        .when("one")
        .then("low")
        .otherwise(pl.format("[{};{}]", "low", "high"))
        .alias("text")
    )["text"]
