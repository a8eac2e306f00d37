"""What an estimator sees of a file: its classes as codes with sizes, and weights if there are any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.classes import EquivalenceClasses
from lookalike.models import Counts
from lookalike.models.domain import Domain
from lookalike.population.domains import domains_of
from lookalike.population.margins import Margin

if TYPE_CHECKING:
    from lookalike.population.clusters import Clusters


@dataclass(frozen=True)
class Sample:
    """The classes of a sample on its quasi-identifiers.

    >>> sample = Sample.from_codes(np.array([[0], [1]]), np.array([2, 1]))
    >>> sample.records, len(sample), sample.frequencies.tolist()
    (3, 2, [0, 1, 1])
    >>> sample.sizes.tolist(), sample.mean(np.array([0.5, 1.0]))
    ([2, 1], 0.6666666666666666)
    >>> weighted = Sample.from_codes(np.array([[0], [1]]), np.array([2, 1]), np.array([10.0, 20.0]))
    >>> weighted.population_shares.counts.round(3).tolist(), weighted.intensity.tolist()
    ([0.667, 1.333], [2.0, 0.5])
    """

    table: Counts
    """One row a class, with its size f as count."""
    weights: NDArray[np.float64] | None = None
    """The sum of the survey weights of each class."""
    margins: tuple[Margin, ...] = ()
    """What is known of the population: people by some of the variables."""
    domains: tuple[Domain, ...] = ()
    """Where the levels of each variable lie among the values it could have; none: values have no neighbours."""
    represents: NDArray[np.float64] | None = None
    """How many records of a file the records of each class stand for, where they are a part of it."""
    clusters: Clusters | None = None
    """The clusters (households) that were sampled whole; None: records were sampled one by one."""

    @classmethod
    def of(cls, classes: EquivalenceClasses, *, weight: str | None = None) -> Sample:
        """The sample of a file's classes; `weight` names a column summed when the classes were formed."""
        weights = None if weight is None else classes.sums(weight)
        return cls(Counts.of(classes.codes, classes.sizes), weights, domains=domains_of(classes))

    @classmethod
    def from_codes(
        cls,
        codes: NDArray[np.integer],
        sizes: NDArray[np.integer],
        weights: NDArray[np.float64] | None = None,
        domains: Sequence[Domain] = (),
    ) -> Sample:
        """From a class table of codes; domains have a place for each code, those that do not occur too."""
        own = tuple(domain.take(np.unique(codes[:, j])) for j, domain in enumerate(domains))
        return cls(Counts.of(codes, sizes), weights, domains=own)

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
        clusters = None if self.clusters is None else self.clusters.moved(np.argsort(places))
        return replace(self, table=table, weights=weights, margins=margins, clusters=clusters), places

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
        """The table with counts in the proportions of the population, as many as the records are worth.

        Weighted records are worth n / (1 + v), v the squared coefficient of variation of the weights (Kish 1965).
        """
        if self.weights is None:
            return self.table
        worth = self.weights.sum() ** 2 / float(self.sizes @ (self.weights / self.sizes) ** 2)
        return replace(self.table, counts=self.weights * (worth / self.weights.sum()))

    @cached_property
    def intensity(self) -> NDArray[np.float64]:
        """How often the people of a class were sampled, relative to all people; 1 without weights."""
        if self.weights is None:
            return np.ones(len(self))
        return np.asarray(self.sizes / self.records / (self.weights / self.weights.sum()))

    def left_outside(self, population: int) -> NDArray[np.float64]:
        """The share of a class's people outside the sample, relative to that of all people."""
        fraction = self.records / population
        return np.asarray(np.clip(1 - fraction * self.intensity, 0, 1) / max(1 - fraction, 1e-12))

    def domain(self, j: int) -> Domain:
        """The domain of one variable."""
        return self.domains[j] if self.domains else Domain()

    def mean(self, risk: NDArray[np.float64]) -> float:
        """A risk per class, averaged over records."""
        return float(self.stands_for @ risk)

    @cached_property
    def stands_for(self) -> NDArray[np.float64]:
        """The share of each class in what is averaged over: its records, or the records they stand for."""
        total = self.table.counts if self.represents is None else self.represents
        return np.asarray(total / total.sum())


def part_of(sample: Sample, records: int, *, rng: Generator) -> tuple[Sample, float]:
    """A simple random sample of a sample's records, and its B in the sample it was drawn from."""
    sizes = rng.multivariate_hypergeometric(sample.sizes, records, method="marginals")
    kept = np.flatnonzero(sizes)
    weights = None if sample.weights is None else sample.weights[kept] * sizes[kept] / sample.sizes[kept]
    drawn = Sample.from_codes(sample.table.codes[kept], sizes[kept], weights, sample.domains)
    return drawn, float((sizes[kept] / sample.sizes[kept]).sum()) / records
