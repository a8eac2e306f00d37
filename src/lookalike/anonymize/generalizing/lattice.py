"""Search the lattice of levels for the version of a file that keeps the limits and loses least."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, prod
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymize.generalizing.judged import Judged
from lookalike.anonymize.generalizing.judging import Judge

MOST_NODES = 8_000_000
"""Nodes up to which every one is looked at or ruled out; beyond, the best are tried till time runs out."""
FEW_NODES = 20_000
"""Nodes up to which a whole search is so fast that no good version is needed before."""
_BLOCK = 4096

Levels = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a search found: the best version, every version it judged, and how sure it is."""

    best: Judged
    visited: tuple[Judged, ...]
    nodes: int
    """Versions in the lattice."""
    complete: bool
    """Whether every version was judged or ruled out, so that none is better."""
    seconds: float

    @property
    def reached(self) -> bool:
        """Whether the limits hold."""
        return self.best.holds


class Search:
    """A search with its clock and what it has seen."""

    def __init__(self, judge: Judge, time_limit: float = inf) -> None:
        self.judge = judge
        self.depths = judge.finest.depths
        self.visited: dict[Levels, Judged] = {}
        self.best: Judged | None = None
        self._start, self._limit = perf_counter(), time_limit

    def run(self) -> Found:
        """The best version; if none keeps the limits, the one with the fewest records that fail."""
        top = self._look(tuple(depth - 1 for depth in self.depths))
        if top.final and not top.holds and self.judge.goals.suppressible:
            return self._relaxed(top)
        if prod(self.depths) > FEW_NODES:
            self._descend(top)
        complete = self._exact() if prod(self.depths) <= MOST_NODES else self._best_first(top)
        return self._found(self._lowered(self.best) if self.best else self._least_bad(), complete=complete)

    def _lowered(self, best: Judged) -> Judged:
        """The same version by lower levels, where a level groups no more than the one below it."""
        finest = self.judge.finest
        levels = list(best.levels)
        for j in range(len(levels)):
            while levels[j] and finest.map(j, levels[j]).max() == finest.map(j, levels[j] - 1).max():
                levels[j] -= 1
        again = self._look(tuple(levels))
        return again if again.holds and again.loss <= best.loss else best

    def _relaxed(self, top: Judged) -> Found:
        """Nothing can hold. The version of the least loss at which no more records fail than at the coarsest."""
        free = replace(self.judge, allowed=self.judge.finest.records, drop=True).judge(top.levels)
        if not free.holds:
            return self._found(top, complete=True)
        easier = Search(replace(self.judge, allowed=free.suppressed, drop=True), self._limit)
        easier._start = self._start
        found = easier.run()
        again = replace(self._look(found.best.levels), suppressed=found.best.suppressed)
        seen = [self._look(node.levels) for node in found.visited if node.levels != again.levels]
        return self._found(again, complete=found.complete, visited=(*seen, again))

    def _descend(self, node: Judged) -> None:
        """A good version soon: down from the coarsest, each time to the child of the least loss that holds."""
        while node.holds:
            for child in sorted(_children(node.levels), key=self.judge.loss.least):
                if self._late():
                    return
                if self._look(child).holds:
                    break
            else:
                return
            node = self.visited[child]

    def _exact(self) -> bool:
        """Look at every node that bounds do not rule out, coarse ones first; False if time ran out.

        Only versions found here prune. One found before would spare coarse nodes a look, and with it the many finer
        nodes that such a look rules out.
        """
        bounds = _Bounds(self.judge.loss.floor(self.depths), self.depths)
        for node in self.visited.values():
            bounds.learn(node)
        for levels in bounds.candidates():
            if self._late():
                return False
            node = self._look(levels)
            bounds.learn(node)
            if node.holds:
                bounds.least = min(bounds.least, node.loss)
        return True

    def _best_first(self, top: Judged) -> bool:
        """From the coarsest version down, the best so far first; False if time ran out."""
        waiting, dead = [(top.loss, top.levels)], list[NDArray[np.int64]]()
        while waiting:
            _, levels = heapq.heappop(waiting)
            for child in sorted(_children(levels), key=self.judge.loss.least):
                if child in self.visited or any((np.array(child) <= limit).all() for limit in dead):
                    continue
                if self._late():
                    return False
                node = self._look(child)
                if node.final:
                    dead.append(np.array(child))
                else:
                    heapq.heappush(waiting, (node.loss if node.holds else 1 + node.risk, child))
        return True

    def _look(self, levels: Levels) -> Judged:
        if levels not in self.visited:
            node = self.judge.judge(levels)
            if node.holds and (self.best is None or (node.loss, node.levels) < (self.best.loss, self.best.levels)):
                self.best = node
            self.visited[levels] = node
        return self.visited[levels]

    def _late(self) -> bool:
        return perf_counter() - self._start > self._limit

    def _least_bad(self) -> Judged:
        if self.judge.goals.suppressible:
            return min(self.visited.values(), key=lambda node: (node.certain, node.suppressed, node.loss, node.levels))
        return min(self.visited.values(), key=lambda node: (node.risk, node.loss, node.levels))

    def _found(self, best: Judged, *, complete: bool, visited: tuple[Judged, ...] | None = None) -> Found:
        return Found(
            best=best,
            visited=visited or tuple(self.visited.values()),
            nodes=prod(self.depths),
            complete=complete,
            seconds=perf_counter() - self._start,
        )


class _Bounds:
    """What is known of every node of a lattice: a lower bound of its loss, infinite if it cannot hold.

    Predictive tagging: where a node fails for sure, so do all finer ones; what must be suppressed there must be
    suppressed at every finer node too (compare Kohlmayer et al. 2012, Flash).
    """

    def __init__(self, floor: NDArray[np.float64], depths: Levels) -> None:
        self.depths = depths
        self.floor = floor
        self.bound = np.ascontiguousarray(np.broadcast_to(floor, depths)).copy()
        self.least = inf
        """The loss of the best version found: nodes that lose as much are of no use."""

    def learn(self, node: Judged) -> None:
        """Take in what a node tells of itself and of the others."""
        finer = tuple(slice(0, level + 1) for level in node.levels)
        coarser = tuple(slice(level, None) for level in node.levels)
        if node.final:
            self.bound[finer] = inf
        elif node.beyond > 0:
            part = self.bound[finer]
            floor = self.floor[finer] if self.floor.shape == self.bound.shape else self.floor
            np.maximum(part, floor + node.beyond, out=part)
        if node.above > 0:
            part = self.bound[coarser]
            np.maximum(part, node.above, out=part)
        self.bound[node.levels] = inf

    def candidates(self) -> Iterator[Levels]:
        """Nodes that may still be better, coarse ones first: one that fails rules out most others."""
        order, flat = self._order(), self.bound.reshape(-1)
        for start in range(0, len(order), _BLOCK):
            block = order[start : start + _BLOCK]
            for place in block[flat[block] < self.least]:
                if flat[place] < self.least:
                    yield tuple(int(level) for level in np.unravel_index(place, self.depths))

    def _order(self) -> NDArray[np.int64]:
        """By the sum of heights, each as a part of its hierarchy's."""
        height: NDArray[Any] = np.zeros((1,) * len(self.depths), np.float32)
        for j, depth in enumerate(self.depths):
            shape = [1] * len(self.depths)
            shape[j] = depth
            height = height + (np.arange(depth, dtype=np.float32) / max(depth - 1, 1)).reshape(shape)
        order: NDArray[np.int64] = np.argsort(-height.reshape(-1), kind="stable")
        return order


def _children(levels: Levels) -> list[Levels]:
    """The nodes one level finer in one variable."""
    return [(*levels[:j], level - 1, *levels[j + 1 :]) for j, level in enumerate(levels) if level > 0]
