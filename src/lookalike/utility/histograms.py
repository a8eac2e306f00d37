"""Histograms of a number in two files, over the same bins."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import BadPlan, NotAssessable

Floats = NDArray[np.float64]

MOST_BINS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramPair:
    """Records in each bin; a bin has its lower edge, the last one both."""

    edges: Floats
    """Values of the files: for the custodian alone."""
    original: NDArray[np.int64]
    release: NDArray[np.int64]
    missing: tuple[int, int]
    """Records without a value in the original and in the release."""

    @property
    def shares(self) -> tuple[Floats, Floats]:
        """Of the records with a value."""
        return self.original / self.original.sum(), self.release / self.release.sum()


def histogram_pair(original: Floats, release: Floats, *, bins: int | None = None) -> HistogramPair:
    """Count both columns in bins of equal width over the range of both; missing cells (NaN) apart.

    Without `bins`: Freedman and Diaconis' width 2 IQR n^(−1/3) of the pooled values, at most 60 bins; of whole numbers
    a whole width, with edges between the numbers.

    >>> found = histogram_pair(np.array([0.0, 1, 2, 3]), np.array([1.0, 1, 4, np.nan]), bins=2)
    >>> found.edges.tolist(), found.original.tolist(), found.release.tolist(), found.missing
    ([0.0, 2.0, 4.0], [2, 2], [2, 1], (0, 1))
    """
    if bins is not None and bins < 1:
        raise BadPlan("A histogram needs 1 bin at least.")
    one, other = (column[np.isfinite(column)] for column in (original, release))
    if not len(one) or not len(other):
        raise NotAssessable("A column without any value has no histogram.")
    both = np.concatenate([one, other])
    edges = np.histogram_bin_edges(both, bins) if bins is not None else _edges(both)
    counts = [np.histogram(column, edges)[0].astype(np.int64) for column in (one, other)]
    missing = len(original) - len(one), len(release) - len(other)
    return HistogramPair(edges=edges, original=counts[0], release=counts[1], missing=missing)


def _edges(values: Floats) -> Floats:
    bins, low, high = _bins(values), float(values.min()), float(values.max())
    if low == high or not (values == np.floor(values)).all():
        return np.asarray(np.histogram_bin_edges(values, bins), np.float64)
    width = ceil((high - low + 1) / bins)
    return np.asarray(low - 0.5 + width * np.arange(ceil((high - low + 1) / width) + 1), np.float64)


def _bins(values: Floats) -> int:
    low, high = np.quantile(values, [0.25, 0.75])
    width = 2 * float(high - low) * len(values) ** (-1 / 3)
    span = float(values.max() - values.min())
    return min(max(ceil(span / width), 1), MOST_BINS) if width > 0 and span / width < MOST_BINS else MOST_BINS
