"""Thresholds: what must hold before a file may leave the house."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """The limits a plan decides on; None means it does not decide on that measure.

    >>> list(Threshold(k_anonymity=5))
    [('sample_to_population', 0.09), ('k_anonymity', 5)]
    >>> Threshold(sample_to_population=1.5).faults()
    ['Threshold sample_to_population must lie in (0, 1], not 1.5.']
    """

    sample_to_population: float | None = 0.09
    """On the value of B."""
    sample_to_population_upper: float | None = None
    """On the upper end of B's interval: not only the best guess must be low, but all that is still plausible."""
    prosecutor_maximum: float | None = None
    unique_records: float | None = None
    attribute_disclosure: float | None = None
    t_closeness: float | None = None
    k_anonymity: int | None = None
    l_diversity: float | None = None

    def __iter__(self) -> Iterator[tuple[str, float]]:
        for field in fields(self):
            limit = getattr(self, field.name)
            if limit is not None:
                yield field.name, limit

    def faults(self) -> list[str]:
        """What is wrong with the limits."""
        return [
            f"Threshold {name} must {_rule(name)}, not {limit:g}." for name, limit in self if not _allowed(name, limit)
        ]


AT_LEAST = ("k_anonymity", "l_diversity")
"""Measures that must reach their limit; all others must not exceed it."""


def holds(name: str, value: float, limit: float) -> bool:
    """Does a measured value keep its limit?

    >>> holds("k_anonymity", 4, 5), holds("sample_to_population", 0.08, 0.09)
    (False, True)
    """
    return value >= limit if name in AT_LEAST else value <= limit


def _allowed(name: str, limit: float) -> bool:
    return limit >= 1 if name in AT_LEAST else 0 < limit <= 1


def _rule(name: str) -> str:
    return "be at least 1" if name in AT_LEAST else "lie in (0, 1]"
