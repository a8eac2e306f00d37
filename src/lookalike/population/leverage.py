"""Which variable buys most: what B would be if one variable alone were raised a level, or taken out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.population.coarsened import CoarsenedRisk

Ladder = Sequence[NDArray[np.integer]]
"""The levels of one variable, from the finest up: at the place of a fine code the code at the level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leverage:
    """One variable: B as it stands, with the variable one level up (None: it is at its last), and without it."""

    variable: int
    now: float
    raised: float | None
    removed: float

    @property
    def gain(self) -> float:
        """How far B falls without the variable: what it adds to the risk."""
        return self.now - self.removed


def leverage(risk: CoarsenedRisk, ladders: Sequence[Ladder], at: Sequence[int] | None = None) -> list[Leverage]:
    """Every variable, from the one that adds most to the risk on; `at` are the levels they stand at, else the finest.

    >>> rng = np.random.default_rng(1)
    >>> people = np.column_stack([rng.integers(0, 60, 5000), rng.integers(0, 3, 5000)])
    >>> risk = CoarsenedRisk.of_codes(*np.unique(people[:500], axis=0, return_counts=True), 5000, rng=rng)
    >>> found = leverage(risk, [[np.arange(60), np.arange(60) // 10], [np.arange(3)]])
    >>> [one.variable for one in found], [one.raised is None for one in found]
    ([0, 1], [False, True])
    """
    levels = [0] * len(ladders) if at is None else list(at)
    now = _rate(risk, ladders, levels)
    found = [
        Leverage(
            variable=j,
            now=now,
            raised=_rate(risk, ladders, _moved(levels, j, levels[j] + 1)) if levels[j] + 1 < len(ladder) else None,
            removed=_rate(risk, ladders, _moved(levels, j, len(ladder))),
        )
        for j, ladder in enumerate(ladders)
    ]
    return sorted(found, key=lambda one: (one.removed, one.variable))


def _moved(levels: Sequence[int], j: int, level: int) -> list[int]:
    return [*levels[:j], level, *levels[j + 1 :]]


def _rate(risk: CoarsenedRisk, ladders: Sequence[Ladder], levels: Sequence[int]) -> float:
    """B at these levels; one beyond the last is: taken out."""
    pairs = zip(ladders, levels, strict=True)
    maps = [ladder[level] if level < len(ladder) else np.zeros_like(ladder[0]) for ladder, level in pairs]
    return risk.rate(risk.version(maps))
