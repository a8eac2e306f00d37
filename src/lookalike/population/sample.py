"""What an estimator sees of a file: its classes as codes with sizes, and weights if there are any."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.classes import EquivalenceClasses
from lookalike.models import Counts
from lookalike.population.margins import Margin


@dataclass(frozen=True)
class Sample:
    """The classes of a sample on its quasi-identifiers.

    >>> sample = Sample.from_codes(np.array([[0], [1]]), np.array([2, 1]))
    >>> sample.records, len(sample), sample.frequencies.tolist()
    (3, 2, [0, 1, 1])
    >>> sample.sizes.tolist(), sample.mean(np.array([0.5, 1.0]))
    ([2, 1], 0.6666666666666666)
    >>> weighted = Sample.from_codes(np.array([[0], [1]]), np.array([2, 1]), np.array([10.0, 20.0]))
    >>> weighted.population_shares.counts.tolist()
    [1.0, 2.0]
    """

    table: Counts
    """One row a class, with its size f as count."""
    weights: NDArray[np.float64] | None = None
    """The sum of the survey weights of each class."""
    margins: tuple[Margin, ...] = ()
    """What is known of the population: people by some of the variables."""

    @classmethod
    def of(cls, classes: EquivalenceClasses, *, weight: str | None = None) -> Sample:
        """The sample of a file's classes; `weight` names a column summed when the classes were formed."""
        return cls(Counts.of(classes.codes, classes.sizes), None if weight is None else classes.sums(weight))

    @classmethod
    def from_codes(
        cls, codes: NDArray[np.integer], sizes: NDArray[np.integer], weights: NDArray[np.float64] | None = None
    ) -> Sample:
        """From a class table of codes."""
        return cls(Counts.of(codes, sizes), weights)

    def in_order(self) -> tuple[Sample, NDArray[np.int64]]:
        """The classes sorted by their codes, and the place each had: engines give them in no order, draws need one.

        >>> sample, places = Sample.from_codes(np.array([[1], [0]]), np.array([2, 5])).in_order()
        >>> sample.sizes.tolist(), places.tolist()
        ([5, 2], [1, 0])
        """
        places = np.lexsort(self.table.codes.T[::-1]).astype(np.int64)
        table = replace(self.table, codes=self.table.codes[places], counts=self.table.counts[places])
        weights = None if self.weights is None else self.weights[places]
        margins = tuple(replace(m, of_class=m.of_class[places]) for m in self.margins)
        return Sample(table, weights, margins), places

    def __len__(self) -> int:
        return len(self.table.counts)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """f, the records of each class."""
        return self.table.counts.astype(np.int64)

    @cached_property
    def records(self) -> int:
        """n."""
        return int(self.sizes.sum())

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        """c: at place i the number of classes with f = i; c[0] is 0."""
        return np.bincount(self.sizes)

    @cached_property
    def population_shares(self) -> Counts:
        """The table with counts in the proportions of the population: weights scaled to n, or the sizes."""
        if self.weights is None:
            return self.table
        return replace(self.table, counts=self.weights * (self.records / self.weights.sum()))

    def mean(self, risk: NDArray[np.float64]) -> float:
        """A risk per class, averaged over records."""
        return float(self.table.counts @ risk) / self.records


def part_of(sample: Sample, records: int, *, rng: Generator) -> tuple[Sample, float]:
    """A simple random sample of a sample's records, and its B in the sample it was drawn from."""
    sizes = rng.multivariate_hypergeometric(sample.sizes, records, method="marginals")
    kept = np.flatnonzero(sizes)
    weights = None if sample.weights is None else sample.weights[kept] * sizes[kept] / sample.sizes[kept]
    drawn = Sample.from_codes(sample.table.codes[kept], sizes[kept], weights)
    return drawn, float((sizes[kept] / sample.sizes[kept]).sum()) / records
