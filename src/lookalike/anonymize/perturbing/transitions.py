"""Chances to go from one level of a column to another, and drawing by them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Strata:
    """The known levels of a column, in the strata in which it is changed; one entry for each level in a stratum.

    >>> strata = Strata(np.array([0, 1, 1, 0], np.int32), np.array([0, 0, 0, 1], np.int32), 2)
    >>> strata.level.tolist(), strata.size.tolist(), strata.share.round(2).tolist()
    ([0, 1, 0], [1, 2, 1], [0.33, 0.67, 1.0])
    """

    codes: Codes
    labels: NDArray[np.int32]
    levels: int

    @cached_property
    def _counted(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        keys = self.labels.astype(np.int64) * self.levels + self.codes
        return np.unique(keys, return_inverse=True, return_counts=True)

    @cached_property
    def level(self) -> NDArray[np.int64]:
        """The level of each entry."""
        return self._counted[0] % self.levels

    @cached_property
    def stratum(self) -> NDArray[np.int64]:
        """The stratum of each entry, from 0 without gaps."""
        labels = self._counted[0] // self.levels
        return np.cumsum(np.append(False, labels[1:] != labels[:-1]))[: len(labels)]

    @property
    def entry(self) -> NDArray[np.int64]:
        """The entry of each record."""
        return self._counted[1]

    @property
    def size(self) -> NDArray[np.int64]:
        """The records of each entry."""
        return self._counted[2]

    @cached_property
    def total(self) -> NDArray[np.int64]:
        """The records of each entry's stratum."""
        return np.bincount(self.stratum, weights=self.size).astype(np.int64)[self.stratum]

    @cached_property
    def kinds(self) -> NDArray[np.int64]:
        """The levels that occur in each entry's stratum."""
        return np.bincount(self.stratum)[self.stratum]

    @cached_property
    def share(self) -> Floats:
        """The share of each entry in its stratum, t."""
        return self.size / self.total

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The first entry of each entry's stratum."""
        return np.searchsorted(self.stratum, self.stratum)

    def parts(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Stratum by stratum: its entries, and its records."""
        rows = np.argsort(self.entry, kind="stable")
        ends = np.append(0, np.cumsum(self.size))
        cuts = np.append(np.unique(self.first), len(self.size))
        for start, end in pairwise(cuts):
            yield np.arange(start, end), rows[ends[start] : ends[end]]


@dataclass(frozen=True)
class Moved:
    """New codes; for each entry of the strata the chance that it stays, and the share expected of it afterwards."""

    codes: Codes
    stays: Floats
    seen: Floats
    chances: Floats | None = None
    """The whole matrix, where it is small and the same for all records."""


def redrawn(strata: Strata, keep: float, *, rng: Generator) -> Codes:
    """Each level stays with chance `keep`, else it is drawn by the shares of its stratum: P = keep I + (1 − keep) 1 tᵀ.

    t P = t, and the diagonal is keep + (1 − keep) t_k. Drawing by the shares is taking the level of a random record.
    """
    moved = np.flatnonzero(rng.random(len(strata.codes)) >= keep)
    at = strata.entry[moved]
    ranks = (rng.random(len(moved)) * strata.total[at]).astype(np.int64)
    ends = np.cumsum(strata.size)
    drawn = np.searchsorted(ends, (ends - strata.size)[strata.first[at]] + ranks, side="right")
    codes = strata.codes.copy()
    codes[moved] = strata.level[drawn]
    return codes


def exchanged(strata: Strata, keep: float, *, rng: Generator) -> Codes:
    """Each level stays with chance `keep`, else it becomes one of the others of its stratum, all with equal chance."""
    kinds = strata.kinds[strata.entry]
    moved = np.flatnonzero((rng.random(len(strata.codes)) >= keep) & (kinds > 1))
    at = strata.entry[moved]
    drawn = strata.first[at] + (rng.random(len(moved)) * (kinds[moved] - 1)).astype(np.int64)
    codes = strata.codes.copy()
    codes[moved] = strata.level[drawn + (drawn >= at)]
    return codes


def invariant(matrix: Floats, shares: Floats) -> Floats:
    """R = P Q with Q_lk = p_kl t_k / Σ_j p_jl t_j: then t R = t (Gouweleeuw et al. 1998).

    >>> found = invariant(np.array([[0.8, 0.2], [0.5, 0.5]]), np.array([0.6, 0.4]))
    >>> found.round(4).tolist(), (np.array([0.6, 0.4]) @ found).round(12).tolist()
    ([[0.6397, 0.3603], [0.5404, 0.4596]], [0.6, 0.4])
    """
    joint = matrix.T * shares
    seen = joint.sum(axis=1)
    back = np.where(seen[:, None] > 0, joint / np.where(seen > 0, seen, 1.0)[:, None], np.eye(len(shares)))
    return np.asarray(matrix @ back, np.float64)


def drawn_by(matrix: Floats, codes: Codes, *, rng: Generator) -> Codes:
    """A level for each code by the row of the matrix."""
    levels = len(matrix)
    sums = np.cumsum(matrix, axis=1)
    sums[:, -1] = 1.0
    # All rows on one line: row k lies between k and k + 1.
    line = (np.minimum(sums, 1.0) + np.arange(levels)[:, None]).ravel()
    found = np.searchsorted(line, codes + rng.random(len(codes)), side="right") - codes.astype(np.int64) * levels
    return np.asarray(np.minimum(found, levels - 1), np.int32)
