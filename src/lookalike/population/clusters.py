"""A sample of whole clusters (households, practices): records of one cluster say less than as many independent ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.population.sample import Sample

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Clusters:
    """The records of a sample by cluster and class, a row for each pair.

    >>> pairs = Clusters(cluster=np.array([0, 0, 1]), of_class=np.array([0, 1, 1]), records=np.array([1, 1, 2]))
    >>> whole = Sample.from_codes(np.array([[0], [1]]), np.array([1, 3]))
    >>> thinned, classes = pairs.thin(whole, rng=np.random.default_rng(1))
    >>> thinned.records, float(thinned.represents.sum())
    (2, 4.0)
    """

    cluster: Ints
    of_class: Ints
    """The class of the sample."""
    records: Ints

    @property
    def mean_size(self) -> float:
        """Records per cluster."""
        return float(self.records.sum()) / max(len(np.unique(self.cluster)), 1)

    def moved(self, place: NDArray[np.integer]) -> Clusters:
        """The same where each class has another place among the classes of the sample; pairs in order."""
        of_class = place[self.of_class].astype(np.int64)
        order = np.lexsort((of_class, self.cluster))  # engines give pairs in no order, draws need one
        return replace(self, cluster=self.cluster[order], of_class=of_class[order], records=self.records[order])

    def thin(self, sample: Sample, *, rng: Generator) -> tuple[Sample, Ints]:
        """One record of each cluster at random, standing for all of its cluster; and the class each class was.

        The records that are left are as good as drawn one by one, with chances that fall with the size of a cluster.
        """
        sizes = np.bincount(self.cluster, weights=self.records)
        # The largest of keys log(u)/records is a draw in proportion to the records (Efraimidis and Spirakis 2006).
        key = np.log(rng.random(len(self.cluster))) / self.records
        order = np.lexsort((key, self.cluster))
        last = order[np.append(np.diff(self.cluster[order]) > 0, True)]
        picked = self.of_class[last]
        kept, of_kept = np.unique(picked, return_inverse=True)
        represents = np.bincount(of_kept, weights=sizes[self.cluster[last]])
        weights = represents
        if sample.weights is not None:
            own = (sample.weights / sample.sizes)[picked]
            weights = np.bincount(of_kept, weights=own * sizes[self.cluster[last]])
        thinned = Sample.from_codes(
            sample.table.codes[kept], np.bincount(of_kept), weights.astype(np.float64), sample.domains
        )
        margins = tuple(replace(margin, of_class=margin.of_class[kept]) for margin in sample.margins)
        return replace(thinned, represents=represents.astype(np.float64), margins=margins), kept
