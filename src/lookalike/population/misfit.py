"""How far a log-linear model's risk is off: Skinner and Shlomo's test statistic."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def misfit(
    sizes: NDArray[np.int64],
    lam: NDArray[np.float64],
    drawn: NDArray[np.float64],
    fraction: float,
    population: int,
) -> float:
    """B̂₂/√v: the estimated bias of τ₂ over its standard error; above 0 the model is too simple and τ₂ too high.

    With μ = πλ, a = (1−π)λ, r = (1−e^{−a})/a, sums over *all* cells of the table:

        B̂₂ = Σ A(f − μ) + C((f − μ)² − f),   A = e^{−μ}r − e^{−λ},   C = [e^{−μ}r − e^{−λ}(1 + a/2)]/μ
        v  = Σ A²μ + 2C²μ²

    Skinner and Shlomo (2008), section 3.2. Empty cells add a function h(λ) of λ alone. Cells drawn from the model
    have chance λ/N, so Σ h(λ) = N·E[h(λ)/λ]: `drawn` holds the λ of such draws. The table is not expanded, and 40
    variables cost what 4 do.

    Independent variables that are not: the same two classes, none of the two others.

    >>> two = np.array([20, 20]), np.full(2, 200.0), np.full(100, 200.0)
    >>> misfit(*two, fraction=0.05, population=800) > 0
    True
    """
    linear, square = _weights(lam, fraction)
    mean = fraction * lam
    off = (sizes - mean) ** 2 - sizes - mean**2
    seen = linear * sizes + square * off
    linear, square = _weights(drawn, fraction)
    mean = fraction * drawn
    empty = fraction * (square * mean - linear)
    variance = fraction * (linear**2 + 2 * square**2 * mean)
    bias = float(seen.sum()) + population * float(empty.mean())
    return bias / float(np.sqrt(max(population * float(variance.mean()), 1e-300)))


def _weights(lam: NDArray[np.float64], fraction: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A and C of each cell; for small a from the series of (e^a − 1)/a − 1 = a/2 + a²/6 + …, which keeps digits."""
    a = (1 - fraction) * np.maximum(lam, 1e-300)
    small = a < 0.05
    little = np.where(small, a, 0.0)
    series = little**2 / 6 * (1 + little / 4 * (1 + little / 5 * (1 + little / 6 * (1 + little / 7))))
    sample_none, none = np.exp(-fraction * lam), np.exp(-lam)
    big = np.where(small, 1.0, a)
    ratio = sample_none * -np.expm1(-big) / big
    linear = np.where(small, none * (little / 2 + series), ratio - none)
    rest = np.where(small, none * series, ratio - none * (1 + big / 2))
    return linear, rest / np.maximum(fraction * lam, 1e-300)
