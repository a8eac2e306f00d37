"""The limits on one sensitive variable, class by class: diversity, closeness and disclosure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymize.generalizing.roll_up import Counted
from lookalike.anonymize.generalizing.watched import Watched
from lookalike.classes import Spread
from lookalike.threshold import AT_LEAST, Threshold

Marks = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SensitiveClasses:
    """One sensitive variable over the classes of a node. Classes without a value fail nothing."""

    watched: Watched
    counted: Counted
    diverse: float | None
    close: float | None
    disclosed: float | None
    any_value: bool
    """Whether the disclosure of any value is limited, for no target is named."""

    @classmethod
    def of(cls, watched: Watched, counted: Counted, limits: Threshold, *, any_value: bool) -> SensitiveClasses:
        """By the limits of a plan: ℓ and t are of sensitive variables; disclosure is of targets, or of any value."""
        sensitive = watched.sensitive
        return cls(
            watched,
            counted,
            limits.l_diversity if sensitive else None,
            limits.t_closeness if sensitive else None,
            limits.attribute_disclosure,
            any_value and sensitive,
        )

    @cached_property
    def distinct(self) -> NDArray[np.int64]:
        """The number of values in each class."""
        return np.diff(self.counted.starts)

    @cached_property
    def having(self) -> NDArray[np.int64]:
        """The records of each class that have a value."""
        return self._summed(self.counted.counts)

    @cached_property
    def distance(self) -> Floats:
        """How far each class is from the file; 0 without a value."""
        return self._distances(np.zeros(len(self.distinct), bool))

    @cached_property
    def fails(self) -> Marks:
        """The classes that ℓ or t rules out."""
        failing = np.zeros(len(self.distinct), bool)
        if self.diverse is not None:
            failing |= (self.distinct > 0) & (self.distinct < self.diverse)
        if self.close is not None:
            failing |= self.distance > self.close
        return failing

    @cached_property
    def sure(self) -> Floats:
        """The records of each class that fail at every finer version too, at least.

        ℓ: all that have a value, for each part has no more values than the class. t: with distance D above t, parts
        that keep t bring down the mean distance only so far: D·n ≤ t·(n − x) + x, so x ≥ n (D − t)/(1 − t).
        """
        found = np.zeros(len(self.distinct))
        if self.close is not None and self.close < 1:
            part = np.maximum(self.distance - self.close - 1e-9, 0) / (1 - self.close)
            found = np.maximum(found, self.having * part)
        if self.diverse is not None:
            found = np.maximum(found, np.where(self.distinct < self.diverse, self.having, 0))
        return found

    @cached_property
    def told(self) -> list[tuple[NDArray[np.int64], int]]:
        """For each target, or for any value: the records that each class discloses, and of how many in the file."""
        if self.disclosed is None:
            return []
        if self.watched.targets:
            return [self._target(wanted) for wanted in self.watched.targets]
        if not self.any_value:
            return []
        return [(np.where(self.distinct == 1, self.having, 0), int(self.having.sum()))]

    def over(self) -> list[int]:
        """Records disclosed above the limit, nothing suppressed."""
        limit = self.disclosed or 0.0
        return [int(np.ceil(int(told.sum()) - limit * of - 1e-9)) for told, of in self.told]

    def mended(self, gone: Marks, sizes: NDArray[np.int64], *, drop: bool) -> Marks:
        """The classes to suppress, with those that disclose too much."""
        for i, (told, of) in enumerate(self.told):
            left = of - int(self._with(i)[gone].sum()) if drop else of
            gone = flagged(gone, told, sizes, self.disclosed or 0.0, left, drop=drop)
        return gone

    def figures(self, gone: Marks, *, drop: bool = False) -> dict[str, float]:
        """The figures with the marked classes taken as one, or out of the file."""
        kept, found = ~gone & (self.distinct > 0), {}
        rest = self._together(gone) if gone.any() and not drop else None
        rest = rest if rest is not None and rest.sum() else None
        if self.diverse is not None:
            least = [int((rest > 0).sum())] if rest is not None else []
            found["l_diversity"] = float(min([*self.distinct[kept].tolist(), *least], default=len(self.watched.values)))
        if self.close is not None:
            far = self._distances(gone)[kept] if drop and gone.any() else self.distance[kept]
            found["t_closeness"] = max(float(far.max(initial=0)), 0.0 if rest is None else self._far(rest))
        if self.told:
            found["attribute_disclosure"] = max(self._rates(gone, rest, drop=drop))
        return found

    def holds_together(self, gone: Marks) -> bool:
        """Whether the marked classes taken as one keep ℓ and t, and disclose nothing."""
        rest = self._together(gone)
        if not rest.sum():
            return True
        if self.diverse is not None and (rest > 0).sum() < self.diverse:
            return False
        if self.close is not None and self._far(rest) > self.close:
            return False
        return not any(self._discloses(rest, i) for i in range(len(self.told)))

    def far_from_kept(self, gone: Marks) -> Marks:
        """Kept classes that are too far from the kept ones together."""
        if self.close is None:
            return np.zeros(len(gone), bool)
        return ~gone & (self._distances(gone) > self.close)

    def _distances(self, gone: Marks) -> Floats:
        """How far each class is from the file without the marked ones."""
        kept = ~gone & (self.distinct > 0)
        found = np.zeros(len(gone))
        if kept.any():
            entries = np.repeat(kept, self.distinct)
            starts = np.append(0, np.cumsum(self.distinct[kept]))
            found[kept] = self._measured(starts, self.counted.codes[entries], self.counted.counts[entries])
        return found

    def _measured(self, starts: NDArray[np.int64], codes: NDArray[np.integer], counts: NDArray[np.int64]) -> Floats:
        """As the risk of the release will be measured: on the values that are left."""
        from lookalike.risk.closeness import (
            earth_mover_closeness,
            total_variation_closeness,
        )  # late: few limits need it

        left, places = np.unique(codes, return_inverse=True)
        spread = Spread(self.watched.name, starts, places.astype(np.int64), counts, self.watched.values.gather(left))
        measure = earth_mover_closeness if self.watched.ordered else total_variation_closeness
        return measure(spread).per_class

    def _together(self, gone: Marks) -> NDArray[np.int64]:
        """The counts of the values in the marked classes."""
        entries = np.repeat(gone, self.distinct)
        codes, counts = self.counted.codes[entries], self.counted.counts[entries]
        return np.bincount(codes, weights=counts, minlength=len(self.watched.values)).astype(np.int64)

    def _far(self, counts: NDArray[np.int64]) -> float:
        """How far these counts are from those of the file."""
        others = self._together(np.ones(len(self.distinct), bool)) - counts
        pair = [np.flatnonzero(some) for some in (counts, others)]
        codes = np.concatenate(pair)
        starts = np.cumsum([0, *(len(some) for some in pair if len(some))])
        return float(self._measured(starts, codes, np.concatenate([counts[pair[0]], others[pair[1]]]))[0])

    def _target(self, wanted: Marks) -> tuple[NDArray[np.int64], int]:
        """The records with the value in classes where all have it, and in the file."""
        having = self._summed(np.where(wanted[self.counted.codes], self.counted.counts, 0))
        return np.where(having == self.having, having, 0), int(having.sum())

    def _discloses(self, rest: NDArray[np.int64], target: int) -> bool:
        if not self.watched.targets:
            return int((rest > 0).sum()) == 1
        return bool(rest[self.watched.targets[target]].sum() == rest.sum())

    def _rates(self, gone: Marks, rest: NDArray[np.int64] | None, *, drop: bool) -> Iterable[float]:
        for i, (told, of) in enumerate(self.told):
            total = of - (int(self._with(i)[gone].sum()) if drop else 0)
            more = int(rest.sum()) if rest is not None and self._discloses(rest, i) else 0
            yield (int(told[~gone].sum()) + more) / max(total, 1)

    def _with(self, target: int) -> NDArray[np.int64]:
        """The records of each class with the value of a target; without targets, with any."""
        if not self.watched.targets:
            return self.having
        wanted = self.watched.targets[target]
        return self._summed(np.where(wanted[self.counted.codes], self.counted.counts, 0))

    def _summed(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sum of a term a value over each class."""
        running = np.append(0, np.cumsum(terms))
        found: NDArray[np.int64] = running[self.counted.starts[1:]] - running[self.counted.starts[:-1]]
        return found


def flagged(
    gone: Marks, told: NDArray[np.int64], sizes: NDArray[np.int64], limit: float, of: int, *, drop: bool
) -> Marks:
    """Classes to suppress, with those that hold `told` records more than a share of all, the smallest first.

    >>> flagged(np.zeros(3, bool), np.array([1, 1, 0]), np.array([1, 1, 8]), 0.1, 10, drop=False).tolist()
    [True, False, False]
    """
    order = np.flatnonzero((told > 0) & ~gone)
    order = order[np.argsort(sizes[order], kind="stable")]
    left = int(told[order].sum()) - np.append(0, np.cumsum(told[order]))
    total = of - (np.append(0, np.cumsum(told[order])) if drop else 0)
    enough = int(np.argmax(left <= limit * total + 1e-9))
    found = gone.copy()
    found[order[:enough]] = True
    return found


def merged(figures: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The worst of each figure.

    >>> merged([{"l_diversity": 3.0}, {"l_diversity": 2.0, "t_closeness": 0.1}])
    {'l_diversity': 2.0, 't_closeness': 0.1}
    """
    found: dict[str, float] = {}
    for some in figures:
        for name, value in some.items():
            worse = min if name in AT_LEAST else max
            found[name] = worse(found.get(name, value), value)
    return found
