"""How many cells were drawn from how few donors."""

from __future__ import annotations

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
