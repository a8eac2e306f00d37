"""How many cells were drawn from how few donors."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

import numpy as np
from numpy.typing import NDArray

FEW = 5
"""Donors below which a cell counts as drawn from few."""


class Tally:
    """A count over all draws; several threads may add to it.

    >>> tally = Tally()
    >>> tally.add(np.array([3, 9, 12]))
    >>> tally.few, tally.cells
    (1, 3)
    """

    def __init__(self) -> None:
        self.few = self.cells = 0
        self._lock = Lock()

    def add(self, donors: NDArray[np.integer]) -> None:
        """Cells with so many donors each."""
        with self._lock:
            self.few += int((donors < FEW).sum())
            self.cells += len(donors)


def few_donors(tallies: Iterable[Tally]) -> dict[str, float]:
    """The share of cells that trees drew from few donors; nothing if no tree drew any."""
    some = list(tallies)
    cells = sum(tally.cells for tally in some)
    few = sum(tally.few for tally in some)
    return {f"share of cells that trees drew from fewer than {FEW} donors": few / cells} if cells else {}
