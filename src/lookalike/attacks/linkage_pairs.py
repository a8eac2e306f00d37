"""The pairs of records and rows inside blocks of equal known values, never written out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.columns import numbered
from lookalike.attacks.ranges import Radius, boxes, is_coarse, is_missing
from lookalike.errors import BadPlan

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Fields = tuple[Floats, Floats, Floats, Floats]

MOST_PAIRS = 100_000_000
"""Pairs of one block that may be sorted in memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Records and rows with their blocks and the ranges of the fields compared; row i was made from record i."""

    block: Ints
    row_block: Ints
    blocks: int
    low: Floats
    high: Floats
    row_low: Floats
    row_high: Floats

    @classmethod
    def of(
        cls,
        original: pl.DataFrame,
        release: pl.DataFrame,
        known: Sequence[str],
        compared: Sequence[str],
        within: Mapping[str, Radius],
    ) -> Pairs:
        """Code two files.

        >>> file = pl.DataFrame({"sex": ["F", "F", "M"], "age": [30, 31, 30]})
        >>> pairs = Pairs.of(file, file, ["sex"], ["age"], {})
        >>> pairs.total, pairs.true_pairs, pairs.patterns().tolist()
        (5, 3, [2, 3])
        """
        blocks = numbered([original, release], known)
        found = cls(blocks.files[0], blocks.files[1], blocks.room, *fields_of(original, release, compared, within))
        largest = int((found._sizes(found.block) * found._sizes(found.row_block)).max())
        if largest > MOST_PAIRS:
            raise BadPlan(f"One block has {largest:,} pairs, more than {MOST_PAIRS:,}. Let more columns be known.")
        return found

    @property
    def fields(self) -> int:
        """The fields compared."""
        return int(self.low.shape[1])

    @property
    def total(self) -> int:
        """The pairs of all blocks."""
        return int((self._sizes(self.block) * self._sizes(self.row_block)).sum())

    @property
    def true_pairs(self) -> int:
        """The records whose own row lies in their block."""
        return int(np.count_nonzero(self.block == self.row_block))

    def chance(self, *, optimal: bool = False, rng: Generator | None = None) -> float:
        """Σ 1/(rows of the block) over the records whose own row lies in their block: true links by a random choice."""
        del optimal, rng  # in a block every pair may be linked: there is a formula, the same for both
        rows = self._sizes(self.row_block)[self.block]
        own = self.block == self.row_block
        return float((1 / rows[own]).sum())

    def own_agreement(self) -> Floats:
        """For each field, the share of records that agree with their own row, where it lies in their block."""
        return own_agreement((self.low, self.high, self.row_low, self.row_high), self.block == self.row_block)

    def patterns(self) -> Ints:
        """How many pairs show each pattern of agreement."""
        from lookalike.attacks import _linkage as kernel

        order, rows = np.argsort(self.block, kind="stable"), np.argsort(self.row_block, kind="stable")
        found: Ints = kernel.count_patterns(*self._laid(order, rows))
        return found

    def greedy(self, weight: Floats, *, above: float | None, rng: Generator) -> Ints:
        """The row linked to each record, the best pairs first; −1 where none is."""
        from lookalike.attacks import _linkage as kernel

        order, rows = self._shuffled(rng)
        values, rank = np.unique(-weight, return_inverse=True)
        levels = len(values) if above is None else int(np.count_nonzero(values < -above))
        linked = kernel.greedy(*self._laid(order, rows), rank.astype(np.int64), levels)
        return self._links(linked, order, rows)

    def optimal(self, weight: Floats, *, above: float | None, rng: Generator) -> Ints:
        """The same with the largest sum of weights; pairs at or below `above` are worth nothing and left out."""
        from scipy.optimize import linear_sum_assignment

        from lookalike.attacks import _linkage as kernel

        order, rows = self._shuffled(rng)
        low, high, first, row_low, row_high, row_first = self._laid(order, rows)
        worth = weight if above is None else np.maximum(weight - above, 0)
        linked = np.full(len(order), -1, np.int64)
        for b in range(self.blocks):
            begin, end, row_begin, row_end = first[b], first[b + 1], row_first[b], row_first[b + 1]
            if begin == end or row_begin == row_end:
                continue
            scores = kernel.scores(low, high, begin, end, row_low, row_high, row_begin, row_end, worth)
            i, j = linear_sum_assignment(scores, maximize=True)
            kept = np.ones(len(i), bool) if above is None else scores[i, j] > 0
            linked[begin + i[kept]] = row_begin + j[kept]
        return self._links(linked, order, rows)

    def _laid(self, order: Ints, rows: Ints) -> tuple[Floats, Floats, Ints, Floats, Floats, Ints]:
        """Records and rows in an order that keeps blocks together, and where the blocks begin."""
        edges = np.arange(self.blocks + 1)
        first = np.searchsorted(self.block[order], edges).astype(np.int64)
        row_first = np.searchsorted(self.row_block[rows], edges).astype(np.int64)
        return self.low[order], self.high[order], first, self.row_low[rows], self.row_high[rows], row_first

    def _shuffled(self, rng: Generator) -> tuple[Ints, Ints]:
        """Blocks together, random inside: rows in the order of the records would make ties true links."""
        order, rows = rng.permutation(len(self.block)), rng.permutation(len(self.row_block))
        return order[np.argsort(self.block[order], kind="stable")], rows[
            np.argsort(self.row_block[rows], kind="stable")
        ]

    def _links(self, linked: Ints, order: Ints, rows: Ints) -> Ints:
        found = np.full(len(self.block), -1, np.int64)
        some = linked >= 0
        found[order[some]] = rows[linked[some]]
        return found

    def _sizes(self, blocks: Ints) -> Ints:
        return np.bincount(blocks, minlength=self.blocks)


def fields_of(
    original: pl.DataFrame, release: pl.DataFrame, compared: Sequence[str], within: Mapping[str, Radius]
) -> Fields:
    """The fields compared as ranges that meet where they agree: of the records low and high, of the rows low and high.

    >>> file = pl.DataFrame({"age": [30, 31]})
    >>> fields_of(file, pl.DataFrame({"age": ["[30;39]", "*"]}), ["age"], {})[3].tolist()
    [[39.0], [39.0]]
    """
    fields = [_field(original, release, name, within.get(name)) for name in compared]
    low, high, row_low, row_high = (np.ascontiguousarray(np.column_stack([f[i] for f in fields])) for i in range(4))
    return low, high, row_low, row_high


def own_agreement(fields: Fields, own: NDArray[np.bool_]) -> Floats:
    """For each field, the share of the records `own` that agree with their own row."""
    low, high, row_low, row_high = (end[own] for end in fields)
    agrees = (row_low <= high) & (row_high >= low)
    return agrees.mean(axis=0) if own.any() else np.zeros(agrees.shape[1])


def _field(
    original: pl.DataFrame, release: pl.DataFrame, name: str, radius: Radius | None
) -> tuple[Floats, Floats, Floats, Floats]:
    """One field as ranges that meet where it agrees."""
    if radius is None and not is_coarse(release[name], original[name]):
        one, other = (codes.astype(np.float64) for codes in numbered([original, release], [name]).files)
        return one, one, other, other
    (target, row), _ = boxes([original], [release], [], {name: radius})
    ends = target.low[:, 0], target.high[:, 0], row.low[:, 0], row.high[:, 0]
    if radius is not None:  # a missing number agrees with a missing number
        for end, column in zip(ends, (original, original, release, release), strict=True):
            end[is_missing(column[name]).to_numpy()] = np.inf
    return ends
