"""Noisy margins: each column counted once with noise, and its cells put together where the noise drowns them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from lookalike.models.private.cells import Cells
from lookalike.models.private.ledger import Adjacency, Ledger
from lookalike.models.private.mechanisms import gaussian

Vector = NDArray[np.float64]
Codes = NDArray[np.int64]

SEEN = 3.0
"""A cell stands by itself if its noisy count is at least so many σ (McKenna, Miklau and Sheldon 2021)."""
MOST = 100
"""Groups of a column at most."""


@dataclass(frozen=True, slots=True)
class Margin:
    """What is known, privately, of one column; all of it follows from noisy counts."""

    shares: Vector
    """Of each cell; they add up to 1."""
    group: Codes
    """Of each cell."""
    noisy: Vector
    """Count of each group, as measured."""
    width: Vector
    """Cells of each group: its variance is width · σ²."""

    @property
    def groups(self) -> int:
        """How many there are."""
        return len(self.noisy)

    @property
    def group_shares(self) -> Vector:
        """Of each group; they add up to 1."""
        return _sums(self.group, self.shares)


def noisy_counts(codes: list[Codes], cells: tuple[Cells, ...], rho: float, ledger: Ledger) -> list[Vector]:
    """Every column counted with normal noise, each for an equal part of ρ."""
    counts = [np.bincount(code, minlength=cell.size) for code, cell in zip(codes, cells, strict=True)]
    what = f"the counts of {len(counts)} columns, one by one"
    return [noisy.astype(np.float64) for noisy in gaussian(counts, rho=rho, ledger=ledger, what=what)]


def records_of(noisy: list[Vector], records: int, adjacency: Adjacency) -> float:
    """The number of records: known if one is replaced, else the mean of the noisy sums, those of few cells first."""
    if adjacency is Adjacency.REPLACE:
        return float(records)
    weights = np.array([1 / len(counts) for counts in noisy])
    return max(1.0, float(weights @ [counts.sum() for counts in noisy] / weights.sum()))


def margin_of(noisy: Vector, cells: Cells, *, records: float, sigma: float, bins: int) -> Margin:
    """Shares, and groups of cells: rare levels together, numbers next to each other so that bins weigh the same."""
    shares = on_simplex(noisy, records) / records
    known = noisy[: cells.known]
    if cells.edges is None:
        group = _rare_together(known, max(SEEN * sigma, float(np.sort(known)[-MOST]) if len(known) > MOST else 0.0))
    else:
        group = _neighbours(shares[: cells.known], max(1 / bins, SEEN * sigma / records))
    if cells.unknown:
        group = np.append(group, group.max() + 1)
    return Margin(shares, group, _sums(group, noisy), _sums(group, np.ones_like(noisy)))


def _sums(group: Codes, of: Vector) -> Vector:
    return np.asarray(np.bincount(group, of), np.float64)


def _rare_together(noisy: Vector, least: float) -> Codes:
    """Levels with at least so many records stand alone; the others share the last group."""
    alone = noisy >= least
    group = np.where(alone, np.cumsum(alone) - 1, alone.sum())
    return np.asarray(group, np.int64)


def _neighbours(shares: Vector, least: float) -> Codes:
    """Cells in a row cut so that groups weigh about `least`; a heavy cell is a group of its own."""
    ends = np.fromiter(accumulate(shares), np.float64, len(shares))
    places = np.floor((ends - shares / 2) / least)
    return np.asarray(np.unique(places, return_inverse=True)[1].ravel(), np.int64)


def on_simplex(values: Vector, total: float) -> Vector:
    """The nearest point with no entry below 0 and this sum: max(v − t, 0) for the t that gives it.

    >>> on_simplex(np.array([6.0, 3.0, -2.0]), 8.0).tolist()
    [5.5, 2.5, 0.0]
    """
    flat = np.sort(values.ravel())[::-1]
    excess = (np.cumsum(flat) - total) / np.arange(1, flat.size + 1)
    cut = excess[np.flatnonzero(flat > excess)[-1]]
    return np.asarray(np.maximum(values - cut, 0.0), np.float64)
