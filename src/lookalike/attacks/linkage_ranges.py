"""The pairs of records and rows whose ranges hold what is known of the record; a row may be in reach of many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.fitted import Fitted, Keys
from lookalike.attacks.linkage_pairs import MOST_PAIRS, fields_of, own_agreement
from lookalike.attacks.ranges import Radius
from lookalike.errors import BadPlan

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_Laid = tuple[Floats, Floats, Ints, Ints, NDArray[np.int32], Floats, Floats, Ints]

DRAWS, OPTIMAL_DRAWS = 20, 10
"""Links at random that the chance level is the mean of."""
MOST_OPTIMAL = 25_000_000
"""Pairs of records and rows that hang together, of which the best links are sought at once."""


@dataclass(frozen=True, slots=True, eq=False)
class RangedPairs:
    """As `Pairs`, where a pair is a record and a row that holds what is known of it. Row i was made from record i."""

    fitted: Fitted
    ends: Ints
    boxes: NDArray[np.int32]
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
    ) -> RangedPairs:
        """Code two files.

        >>> original = pl.DataFrame({"age": [30, 35, 41], "job": ["a", "b", "a"]})
        >>> release = pl.DataFrame({"age": ["[30;39]", "[30;39]", "[35;49]"], "job": ["a", "b", "a"]})
        >>> pairs = RangedPairs.of(original, release, ["age"], ["job"], {})
        >>> pairs.total, pairs.true_pairs, pairs.patterns().tolist()
        (6, 3, [3, 3])
        """
        fitted = Keys.of([original], release, known).fitted()
        pairs = pairs_held(fitted)
        if pairs > MOST_PAIRS:
            raise BadPlan(
                f"The ranges of the release hold {pairs:,} pairs of a record and a row, more than {MOST_PAIRS:,}. "
                "Let more columns be known, or link fewer records."
            )
        return cls(fitted, *fitted.pairs(), *fields_of(original, release, compared, within))

    @property
    def fields(self) -> int:
        """The fields compared."""
        return int(self.low.shape[1])

    @property
    def total(self) -> int:
        """The pairs."""
        return int(self._rows().sum())

    @property
    def true_pairs(self) -> int:
        """The records whose own row holds what is known of them."""
        return int(np.count_nonzero(self._owned()))

    def chance(self, *, optimal: bool, rng: Generator) -> float:
        """True links if nothing is compared, the mean of some draws: one to one among the rows that fit.

        Where ranges overlap this is no formula: who takes a row leaves the others to those who fit fewer.
        """
        draw = partial(self.optimal, np.zeros(2**self.fields), above=None) if optimal else self._at_random
        draws = OPTIMAL_DRAWS if optimal else DRAWS
        own = np.arange(len(self.fitted.people[0]))
        return float(np.mean([np.count_nonzero(draw(rng=rng) == own) for _ in range(draws)]))

    def _at_random(self, *, rng: Generator) -> Ints:
        from lookalike.attacks import _linkage as kernel

        order, rows = rng.permutation(len(self.fitted.people[0])), np.argsort(self.fitted.rows, kind="stable")
        keys, ends, boxes, *_, first = self._laid(order, rows)[2:]
        return self._links(kernel.at_random(keys, ends, boxes, first, rng.random(len(order))), order, rows)

    def own_agreement(self) -> Floats:
        """For each field, the share of records that agree with their own row, where it fits."""
        return own_agreement((self.low, self.high, self.row_low, self.row_high), self._owned())

    def patterns(self) -> Ints:
        """How many pairs show each pattern of agreement."""
        from lookalike.attacks import _linkage as kernel

        records = np.arange(len(self.fitted.people[0]))
        found: Ints = kernel.count_listed(*self._laid(records, np.argsort(self.fitted.rows, kind="stable")))
        return found

    def greedy(self, weight: Floats, *, above: float | None, rng: Generator) -> Ints:
        """The row linked to each record, the best pairs first; −1 where none is."""
        from lookalike.attacks import _linkage as kernel

        order, rows = rng.permutation(len(self.fitted.people[0])), np.argsort(self.fitted.rows, kind="stable")
        values, rank = np.unique(-weight, return_inverse=True)
        levels = len(values) if above is None else int(np.count_nonzero(values < -above))
        seed = int(rng.integers(2**62))
        linked = kernel.greedy_listed(*self._laid(order, rows), rank.astype(np.int64), levels, seed, self.total)
        return self._links(linked, order, rows)

    def optimal(self, weight: Floats, *, above: float | None, rng: Generator) -> Ints:
        """The most links, and of these the largest sum of weights; pairs at or below `above` are left out."""
        from scipy.optimize import linear_sum_assignment

        from lookalike.attacks import _linkage as kernel

        found = np.full(len(self.fitted.people[0]), -1, np.int64)
        worth = weight if above is None else np.maximum(weight - above, 0)
        for records, rows in self._islands(rng):
            # A link that is none must never be worth another link.
            apart = float(worth.min() - (1 + np.ptp(worth)) * (1 + min(len(records), len(rows))))
            scores = kernel.scores_listed(*self._laid(records, rows), worth, apart if above is None else 0.0)
            lucky = rng.permutation(len(rows))  # what is tied goes by the order of columns
            scores = scores[:, lucky]
            i, j = linear_sum_assignment(scores, maximize=True)
            kept = scores[i, j] > (apart if above is None else 0)
            found[records[i[kept]]] = rows[lucky[j[kept]]]
        return found

    def _islands(self, rng: Generator) -> list[tuple[Ints, Ints]]:
        """Records in random order and rows by box that hang together by their ranges."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        keys, boxes = len(self.fitted.keys), len(self.fitted.boxes)
        room = keys + boxes
        ends = np.concatenate([self.ends, np.full(boxes, self.ends[-1])])
        graph = csr_array((np.ones(len(self.boxes)), self.boxes + keys, ends), shape=(room, room))
        number, island = connected_components(graph, directed=False)
        people, rows = island[:keys][self.fitted.people[0]], island[keys:][self.fitted.rows]
        order, by_box = rng.permutation(len(people)), np.argsort(self.fitted.rows, kind="stable")
        found = []
        for pair in zip(_split(order, people, number), _split(by_box, rows, number), strict=True):
            if len(pair[0]) * len(pair[1]) > MOST_OPTIMAL:
                raise BadPlan(
                    f"{len(pair[0]):,} records and {len(pair[1]):,} rows hang together by their ranges, too many for "
                    "optimal links. Link greedily, or let more columns be known."
                )
            if len(pair[0]) and len(pair[1]):
                found.append(pair)
        return found

    def _laid(self, records: Ints, rows: Ints) -> _Laid:
        """Some records, and some rows in an order that keeps boxes together, as the kernels want them."""
        first = np.searchsorted(self.fitted.rows[rows], np.arange(len(self.fitted.boxes) + 1)).astype(np.int64)
        people = self.low[records], self.high[records], self.fitted.people[0][records]
        return *people, self.ends, self.boxes, self.row_low[rows], self.row_high[rows], first

    def _links(self, linked: Ints, order: Ints, rows: Ints) -> Ints:
        found = np.full(len(order), -1, np.int64)
        some = linked >= 0
        found[order[some]] = rows[linked[some]]
        return found

    def _owned(self) -> NDArray[np.bool_]:
        return self.fitted.owned()

    def _rows(self) -> Ints:
        """How many rows fit each record."""
        held = np.concatenate([[0], np.cumsum(self.fitted.sizes[self.boxes])])
        by_key = held[self.ends[1:]] - held[self.ends[:-1]]
        return np.asarray(by_key[self.fitted.people[0]], np.int64)


def pairs_held(fitted: Fitted) -> int:
    """The pairs of a record and a row that holds it."""
    people = np.bincount(fitted.people[0], minlength=len(fitted.keys))
    return int(sum(people[some] @ (fits @ fitted.sizes) for some, fits in fitted.parts()))


def linkable(original: pl.DataFrame, release: pl.DataFrame, known: Sequence[str], most: int = MOST_PAIRS) -> int:
    """How many records of a release with ranges can be linked at once: pairs grow with the square of the records.

    >>> file, release = pl.DataFrame({"age": range(10)}), pl.DataFrame({"age": ["*"] * 10})
    >>> linkable(file, release, ["age"]), linkable(file, release, ["age"], most=25)
    (10, 5)
    """
    pairs = pairs_held(Keys.of([original], release, known).fitted())
    return int(original.height * min(1.0, (most / max(pairs, 1)) ** 0.5))


def _split(which: Ints, island: Ints, number: int) -> list[Ints]:
    """Some indices by island, in their order."""
    by_island = which[np.argsort(island[which], kind="stable")]
    return np.split(by_island, np.cumsum(np.bincount(island, minlength=number))[:-1])
