"""The density of a release with columns of all kinds, by kernels around its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.distance_space import some
from lookalike.attacks.gower import Points

Floats = NDArray[np.float64]

RATES = (4.0, 8.0, 16.0)
"""λ: a column that differs costs a factor of exp(−λ)."""
ZOOMS = (1.0, 2.0, 5.0, 15.0, 50.0, 150.0)
"""ρ: numbers that differ by 1/ρ of their range differ as much as categories do."""
MOST_ROWS = 500
"""Rows whose density given the others chooses λ and ρ."""
_ALL = -(2**62)


@dataclass(frozen=True, slots=True, eq=False)
class KernelDensity:
    """p(x) = (1/k) Σ_r Π_j K_j(x_j; s_rj), K_j(x; s) = exp(−λ min(1, ρ_j |x − s|))/Σ_v exp(−λ min(1, ρ_j |v − s|)).

    A mixture of a kernel around every row. v runs over the values of the column in all files, so K_j is a law on them:
    that of Aitchison and Aitken (1976) for categories, for numbers a discrete Laplace law that falls no further than to
    that of a category that differs. λ and ρ (1 for categories) are those under which the rows are likeliest given the
    other rows. Points are those of `Gower`.

    >>> rng = np.random.default_rng(1)
    >>> rows = np.array([[0.0], [0.0], [0.0], [1.0]] * 20, np.float32)
    >>> law = KernelDensity.fit(rows, [rows], [False], rng=rng)
    >>> np.exp(law.log_density(np.array([[0.0], [1.0]], np.float32), rows)).round(2).tolist()
    [0.74, 0.26]
    """

    rate: float
    zoom: float
    zooms: NDArray[np.float32]
    """ρ of every column."""
    log_weight: Floats
    """Minus the logarithm of what the kernel around each row sums to, and of the number of rows."""

    @classmethod
    def fit(
        cls,
        rows: Points,
        every: Sequence[Points],
        numbers: Sequence[bool],
        *,
        rng: Generator,
        sharper: float = 1.0,
    ) -> KernelDensity:
        """The law of the rows, on the values of `every` file; `numbers` says which columns are numbers.

        The chosen λ is multiplied by `sharper`: kernels so many times as narrow as the best estimate of the law has."""
        asked = some(len(rows), MOST_ROWS, rng)
        # Rows in front, so that row i of those asked is row i of all and can be left out.
        turned = np.concatenate([rows[asked], np.delete(rows, asked, axis=0)])
        levels = [np.unique(np.concatenate([p[:, j] for p in every])).astype(np.float64) for j in range(rows.shape[1])]
        choices = [(rate, zoom) for rate in RATES for zoom in (ZOOMS if any(numbers) else ZOOMS[:1])]
        if len(rows) < 2:
            return cls._of(rows, levels, numbers, sharper * choices[-1][0], choices[-1][1])
        fits = []
        for rate, zoom in choices:
            law = cls._of(turned, levels, numbers, rate, zoom)
            fits.append(law.log_density(turned[: len(asked)], turned, itself=True).mean())
        rate, zoom = choices[int(np.argmax(fits))]
        return cls._of(rows, levels, numbers, sharper * rate, zoom)

    @classmethod
    def _of(
        cls, rows: Points, levels: Sequence[Floats], numbers: Sequence[bool], rate: float, zoom: float
    ) -> KernelDensity:
        zooms = np.where(numbers, zoom, 1.0).astype(np.float32)
        weight = np.full(len(rows), -np.log(len(rows)))
        for j, values in enumerate(levels):
            weight -= _log_sums(rows[:, j], values, rate, float(zooms[j]))
        return cls(rate, zoom, zooms, weight)

    def log_density(self, targets: Points, rows: Points, *, itself: bool = False) -> Floats:
        """log p of each target by the rows that were fitted; with `itself` row i is target i and is left out."""
        from lookalike.attacks import _gower as kernel

        found = np.empty(len(targets))
        kernel.log_density(
            np.ascontiguousarray(targets * self.zooms),
            np.ascontiguousarray((rows * self.zooms).T),
            self.rate,
            self.log_weight,
            0 if itself else _ALL,
            found,
        )
        return found


def _log_sums(column: NDArray[np.float32], values: NDArray[np.float64], rate: float, zoom: float) -> Floats:
    """log Σ_v exp(−λ min(1, ρ|v − s|)) for every row's s."""
    from lookalike.attacks import _gower as kernel

    found: Floats = np.log(kernel.kernel_sums(values, rate, zoom))[np.searchsorted(values, column)]
    return found
