"""Decomposable log-linear models: laws of a table with a closed form, so that no empty cell is ever written down.

A log-linear model whose terms are the cliques of a chordal graph is a product of clique margins over separator
margins (Lauritzen 1996, "Graphical Models", section 4.4). Its probability at a cell needs the margins at that
cell only. Variables without an edge are independent: the model of main effects.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from math import prod

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.counts import Counts

_NOTHING = 1e-300


@dataclass(frozen=True)
class Decomposable:
    """The model of maximum likelihood with a chordal graph of two-way terms; starts from main effects.

    >>> table = Counts.of(np.array([[0, 0], [1, 1]]), np.array([3, 1]))
    >>> model = Decomposable.main_effects(table)
    >>> np.exp(model.log_p).round(4).tolist()                   # (3/4)², (1/4)²
    [0.5625, 0.0625]
    >>> np.exp(model.joined(0, 1).log_p).round(4).tolist()      # the pair's own margin: 3/4, 1/4
    [0.75, 0.25]
    """

    table: Counts
    log_p: NDArray[np.float64]
    """The log-probability of every row of the table."""
    neighbours: tuple[frozenset[int], ...]
    _entropies: dict[frozenset[int], float] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def main_effects(cls, table: Counts) -> Decomposable:
        """All variables independent."""
        columns = range(table.variables)
        log_p = np.sum([_log_share(table, frozenset({j})) for j in columns], axis=0, initial=0.0)
        return cls(table, np.broadcast_to(log_p, table.counts.shape), tuple(frozenset[int]() for _ in columns))

    @property
    def edges(self) -> list[tuple[int, int]]:
        """The two-way terms."""
        return [(a, b) for a, near in enumerate(self.neighbours) for b in sorted(near) if a < b]

    def addable(self, largest: int) -> list[tuple[int, int]]:
        """The pairs that may be joined: the graph stays chordal and no clique grows beyond `largest` variables.

        Joining a and b keeps a chordal graph chordal if and only if their common neighbours part them.
        """
        pairs = combinations(range(self.table.variables), 2)
        return [pair for pair in pairs if pair[1] not in self.neighbours[pair[0]] and self._fits(*pair, largest)]

    def gain(self, a: int, b: int) -> tuple[float, int]:
        """Twice the gain in log-likelihood of joining a and b, and how many free parameters it costs.

        2n·I(a; b | S), S the common neighbours. All cells of the margin count as parameters, those too that do not
        occur: a term with more cells than the sample can fill learns the sample by heart.
        """
        s, levels = self.neighbours[a] & self.neighbours[b], self.table.levels
        both, with_a, with_b, none = (self._entropy(s | more) for more in ({a, b}, {a}, {b}, set()))
        information = max(0.0, with_a + with_b - both - none)
        return 2 * self.table.total * information, (levels[a] - 1) * (levels[b] - 1) * prod(levels[j] for j in s)

    def joined(self, a: int, b: int) -> Decomposable:
        """The model with one more term: p becomes p·n(Sab)·n(S) / (n(Sa)·n(Sb))."""
        s = self.neighbours[a] & self.neighbours[b]
        log_p = self.log_p + _log_share(self.table, s | {a, b}) + _log_share(self.table, s)
        log_p = log_p - _log_share(self.table, s | {a}) - _log_share(self.table, s | {b})
        near = list(self.neighbours)
        near[a], near[b] = near[a] | {b}, near[b] | {a}
        return Decomposable(self.table, log_p, tuple(near), self._entropies)

    def on(self, table: Counts) -> Decomposable:
        """The same terms fitted to other counts of the same rows: p = Π p(v | its earlier neighbours)."""
        log_p = np.zeros(len(table.counts))
        for v, parents in self._perfect_order():
            log_p += _log_share(table, frozenset({*parents, v})) - _log_share(table, frozenset(parents))
        return Decomposable(table, log_p, self.neighbours)

    def drawn_log_p(self, draws: int, *, rng: Generator) -> NDArray[np.float64]:
        """The log-probabilities of cells drawn from the model, observed or not."""
        table = self.table
        drawn = np.empty((draws, table.variables), np.int32)
        log_p = np.zeros(draws)
        for v, parents in self._perfect_order():
            rows = _conditional_rows(table, drawn, parents, rng.random(draws))
            drawn[:, v] = table.codes[rows, v]
            log_p += _log_share(table, frozenset({*parents, v}))[rows] - _log_share(table, frozenset(parents))[rows]
        return log_p

    def _fits(self, a: int, b: int, largest: int) -> bool:
        common = self.neighbours[a] & self.neighbours[b]
        if len(common) + 2 > largest:
            return False
        seen, waiting = {a, *common}, [a]
        while waiting:
            fresh = self.neighbours[waiting.pop()] - seen
            if b in fresh:
                return False
            seen |= fresh
            waiting.extend(fresh)
        return True

    def _entropy(self, columns: frozenset[int]) -> float:
        """−Σ p ln p of a margin."""
        if columns not in self._entropies:
            counts = np.bincount(_groups(self.table, sorted(columns)), weights=self.table.counts)
            p = counts[counts > 0] / self.table.total
            self._entropies[columns] = -float(p @ np.log(p))
        return self._entropies[columns]

    def _perfect_order(self) -> list[tuple[int, tuple[int, ...]]]:
        """Variables with their earlier neighbours, which are a clique (maximum cardinality search)."""
        left, order = set(range(self.table.variables)), list[int]()
        while left:
            v = min(left, key=lambda v: (-len(self.neighbours[v] & set(order)), v))
            left.remove(v)
            order.append(v)
        return [(v, tuple(u for u in order[:i] if u in self.neighbours[v])) for i, v in enumerate(order)]


def _groups(table: Counts, columns: Iterable[int]) -> NDArray[np.int64]:
    """A number for each row's values of some columns, without gaps that matter."""
    ids = np.zeros(len(table.counts), np.int64)
    width = 1
    for j in columns:
        if width * table.levels[j] > 4 * len(ids) + 1024 and width > 1:
            _, ids = np.unique(ids, return_inverse=True)
            width = int(ids.max()) + 1
        ids = ids * table.levels[j] + table.codes[:, j]
        width *= table.levels[j]
    if width > 4 * len(ids) + 1024:
        _, ids = np.unique(ids, return_inverse=True)
    return ids


def _log_share(table: Counts, columns: frozenset[int]) -> NDArray[np.float64]:
    """ln of the share of each row's margin cell; a cell whose weights are all 0 counts as next to nothing."""
    ids = _groups(table, sorted(columns))
    return np.asarray(np.log(np.maximum(np.bincount(ids, weights=table.counts)[ids] / table.total, _NOTHING)))


def _conditional_rows(
    table: Counts, drawn: NDArray[np.int32], parents: tuple[int, ...], chance: NDArray[np.float64]
) -> NDArray[np.int64]:
    """For each draw a row of the table with the same values of the parents, drawn by count."""
    if not parents:
        cumulative = np.cumsum(table.counts)
        found = np.searchsorted(cumulative, chance * cumulative[-1], side="right")
        return np.asarray(np.minimum(found, len(cumulative) - 1))
    part = table.only(parents)
    both = np.vstack([part.codes, drawn[:, list(parents)]])
    ids = _groups(Counts(both, np.ones(len(both)), part.levels), range(len(parents)))
    rows, wanted = ids[: len(table.counts)], ids[len(table.counts) :]
    order = np.argsort(rows, kind="stable")
    cumulative = np.concatenate([[0.0], np.cumsum(table.counts[order])])
    ends = np.cumsum(np.bincount(rows))
    last = ends[wanted]
    first = last - np.bincount(rows)[wanted]
    target = cumulative[first] + chance * (cumulative[last] - cumulative[first])
    return np.asarray(order[np.clip(np.searchsorted(cumulative, target, side="right") - 1, first, last - 1)])
