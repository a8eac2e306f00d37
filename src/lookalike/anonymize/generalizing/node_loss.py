"""What a version of a file loses: the share of the domain its cells cover, or the size of its classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymize.generalizing.class_table import FinestTable
from lookalike.anonymize.generalizing.merging import PAYS, cell_sums
from lookalike.anonymize.generalizing.roll_up import Rolled

Floats = NDArray[np.float64]


class NodeLoss(Protocol):
    """A loss from 0 to 1, with bounds that spare the search most nodes. Suppressed records lose all."""

    def floor(self, depths: Sequence[int]) -> Floats:
        """What each node loses at least, before any is looked at: an axis a variable; or one number for all."""
        ...

    def least(self, levels: Sequence[int]) -> float:
        """The same of one node."""
        ...

    def of(self, node: Rolled, gone: NDArray[np.bool_], lonely: int) -> float:
        """The loss of a node whose marked classes, and this many records set aside, are suppressed."""
        ...

    def beyond(self, node: Rolled, gone: Floats, lonely: int) -> float:
        """What every finer node loses more than its `least` if these records of each class fail there too."""
        ...

    def above(self, node: Rolled) -> float:
        """What every coarser node loses at least."""
        ...


class DomainLoss:
    """The mean over cells of (leaves covered − 1)/(leaves − 1); a cell of a suppressed record counts 1.

    The loss of levels alone is a sum over variables, so it is known for every node of the lattice beforehand. ARX's
    metric Loss with the arithmetic mean is the same.
    """

    def __init__(self, finest: FinestTable, weights: Mapping[str, float] | None = None) -> None:
        self.finest = finest
        given = np.array([float((weights or {}).get(name, 1.0)) for name in finest.names])
        self.weights = given / given.sum()
        self._means: dict[tuple[int, int], float] = {}
        self._last: tuple[Rolled, Floats, float] | None = None

    def mean(self, variable: int, level: int) -> float:
        """What one variable at a level adds to the loss."""
        if (variable, level) not in self._means:
            column = self.finest.columns[variable]
            covered = float((column.counts * self.finest.shares(variable, level)[:-1]).sum())
            self._means[variable, level] = float(self.weights[variable]) * covered / self.finest.records
        return self._means[variable, level]

    def floor(self, depths: Sequence[int]) -> Floats:
        """See `NodeLoss`."""
        found = np.zeros((1,) * len(depths))
        for j, depth in enumerate(depths):
            shape = [1] * len(depths)
            shape[j] = depth
            found = found + np.array([self.mean(j, level) for level in range(depth)]).reshape(shape)
        return found

    def least(self, levels: Sequence[int]) -> float:
        """See `NodeLoss`."""
        return sum(self.mean(j, level) for j, level in enumerate(levels))

    def of(self, node: Rolled, gone: NDArray[np.bool_], lonely: int) -> float:
        """See `NodeLoss`."""
        return self.least(node.levels) + self.beyond(node, np.where(gone, node.sizes, 0).astype(float), lonely)

    def beyond(self, node: Rolled, gone: Floats, lonely: int) -> float:
        """See `NodeLoss`: what a cell does not lose already, which is no less at a finer node."""
        if self._last is None or self._last[0] is not node or not np.array_equal(self._last[1], gone):
            some = np.flatnonzero(gone)
            # Not by `@`: for a product this short BLAS wakes threads that cost more than they do.
            left = float((gone[some] * (1 - self.cells(node, some))).sum()) if len(some) else 0.0
            self._last = (node, gone, left)
        return (self._last[2] + (self._aside(node.levels) if lonely else 0.0)) / self.finest.records

    def above(self, node: Rolled) -> float:
        """See `NodeLoss`: known from the levels alone."""
        return 0.0

    def _aside(self, levels: Sequence[int]) -> float:
        """What the records set aside have left to lose."""
        parts = [(c.aside * self.finest.shares(j, levels[j])[:-1]).sum() for j, c in enumerate(self.finest.columns)]
        return self.finest.lonely - float((self.weights * np.array(parts)).sum())

    def cells(self, node: Rolled, some: NDArray[np.int64]) -> Floats:
        """The mean loss of the cells of some classes."""
        terms = np.concatenate([self.weights[j] * self.finest.shares(j, level) for j, level in enumerate(node.levels)])
        return cell_sums(self.finest.offset_codes, node.places[some], terms, large=len(some) > PAYS)


class Discernibility:
    """Σ over kept classes of s² / n², with n for each suppressed record (Bayardo and Agrawal 2005)."""

    def __init__(self, finest: FinestTable, weights: Mapping[str, float] | None = None) -> None:
        self.records = finest.records
        self._finest = float((finest.sizes.astype(float) ** 2).sum()) / self.records**2

    def floor(self, depths: Sequence[int]) -> Floats:
        """See `NodeLoss`."""
        return np.full((1,) * len(depths), self._finest)

    def least(self, levels: Sequence[int]) -> float:
        """See `NodeLoss`."""
        return self._finest

    def of(self, node: Rolled, gone: NDArray[np.bool_], lonely: int) -> float:
        """See `NodeLoss`."""
        sizes = node.sizes.astype(float)
        cost = np.where(gone, sizes * self.records, sizes**2).sum() + lonely * self.records
        return float(cost) / self.records**2

    def beyond(self, node: Rolled, gone: Floats, lonely: int) -> float:
        """See `NodeLoss`."""
        return float((gone * (self.records - node.sizes)).sum() + lonely * self.records) / self.records**2

    def above(self, node: Rolled) -> float:
        """See `NodeLoss`: merged classes cost more than their parts."""
        return float((node.sizes.astype(float) ** 2).sum()) / self.records**2


class ClassSize:
    """All records by the number of kept classes, as a share of the file: 1 / classes (LeFevre et al. 2006)."""

    def __init__(self, finest: FinestTable, weights: Mapping[str, float] | None = None) -> None:
        self._finest = 1 / max(len(finest.sizes), 1)

    def floor(self, depths: Sequence[int]) -> Floats:
        """See `NodeLoss`."""
        return np.full((1,) * len(depths), self._finest)

    def least(self, levels: Sequence[int]) -> float:
        """See `NodeLoss`."""
        return self._finest

    def of(self, node: Rolled, gone: NDArray[np.bool_], lonely: int) -> float:
        """See `NodeLoss`."""
        return 1 / max(int((~gone).sum()), 1)

    def beyond(self, node: Rolled, gone: Floats, lonely: int) -> float:
        """See `NodeLoss`."""
        return 0.0

    def above(self, node: Rolled) -> float:
        """See `NodeLoss`."""
        return 1 / max(len(node), 1)


LOSSES: dict[str, Any] = {"domain": DomainLoss, "discernibility": Discernibility, "class_size": ClassSize}
"""Each loss by its name."""
