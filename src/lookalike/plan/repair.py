"""The choices of a repair: what is too much, and what is done to the rows behind it."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.errors import unknown

WAYS = ("coarsen", "redraw", "drop")
"""What may be done to a row at risk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """How a release is repaired.

    >>> Repair(by="blank", least=1).faults()[1]
    'A row needs at least 2 that look alike, itself included.'
    """

    by: str = "coarsen"
    threshold: float = 0.09
    """The risk of an attack above which the rows behind it are changed."""
    least: int = 2
    """Rows that must fit a record, where its own row is one of them."""
    rounds: int = 3
    """How often rows are searched and changed at most."""

    def faults(self) -> list[str]:
        """What is wrong with the choices by themselves."""
        faults = []
        if self.by not in WAYS:
            faults.append(unknown("Way of repair", self.by, WAYS, where="known", listed="Ways"))
        if self.least < 2:
            faults.append("A row needs at least 2 that look alike, itself included.")
        if not 0 <= self.threshold < 1:
            faults.append("The threshold of a repair must be at least 0 and below 1.")
        if self.rounds < 1:
            faults.append("At least 1 round is needed to repair anything.")
        return faults
