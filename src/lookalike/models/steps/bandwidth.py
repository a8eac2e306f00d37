"""The bandwidth of a normal kernel by Sheather and Jones: how far a value may be moved without changing the density."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BINS = 2_000
_ROOT_TWO_PI = np.sqrt(2 * np.pi)


def sheather_jones(values: Floats) -> float:
    """The h that solves its own equation (Sheather and Jones 1991, section 3); 0 if all values are the same.

    h = (1/(2√π n S(α h^{5/7})))^{1/5}, where S(a) estimates ∫ f''² by a normal kernel of width a, and α takes S at a
    width that a normal law would need: α = 1.357 (S(0.920 λ'n^{−1/7}) / T(0.912 λ'n^{−1/9}))^{1/7}, with T for ∫ f'''²
    and λ' the interquartile range. Here λ'/1.349 is the smaller of that and the standard deviation. Distances are
    counted in bins, so that the cost does not grow with n².

    >>> h = sheather_jones(np.random.default_rng(1).normal(size=10_000))
    >>> round(h / (4 / 3 / 10_000) ** 0.2, 1)                      # of the best width for a normal law
    1.0
    """
    n, scale = len(values), _scale(values)
    if n < 2 or scale == 0:
        return 0.0
    distances, pairs = _pairs(values)
    second = _functional(distances, pairs, n, 2)
    third = _functional(distances, pairs, n, 3)
    a, b = 1.241 * scale * n ** (-1 / 7), 1.230 * scale * n ** (-1 / 9)
    alpha = 1.357 * (abs(second(a)) / max(abs(third(b)), 1e-300)) ** (1 / 7)

    def excess(h: float) -> float:
        s = max(second(alpha * h ** (5 / 7)), 1e-300)
        return float((1 / (2 * np.sqrt(np.pi) * n * s)) ** 0.2 - h)

    return _root(excess, 1.144 * scale * n**-0.2)


def _scale(values: Floats) -> float:
    low, high = np.quantile(values, [0.25, 0.75])
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return min(spread, float(high - low) / 1.349) or spread


def _pairs(values: Floats) -> tuple[Floats, Floats]:
    """Distances by bins and how many pairs of different records are so far apart, each counted once."""
    low, width = values.min(), np.ptp(values) * 1.01 / BINS
    counts = np.bincount(((values - low) / width).astype(np.int64), minlength=BINS).astype(np.float64)
    spectrum = np.fft.rfft(counts, 2 * BINS)
    pairs = np.rint(np.fft.irfft(spectrum * spectrum.conj(), 2 * BINS)[:BINS])
    pairs[0] = (counts * (counts - 1)).sum() / 2
    return np.arange(BINS) * width, pairs


def _functional(distances: Floats, pairs: Floats, n: int, order: int) -> Callable[[float], float]:
    """±∫ f^(order)² by a normal kernel: a mean of its derivative of twice the order over pairs, a record's own too."""
    hermite = [3.0, -6.0, 1.0, 0.0] if order == 2 else [-15.0, 45.0, -15.0, 1.0]
    power = 2 * order + 1

    def at(width: float) -> float:
        d = np.minimum((distances / width) ** 2, 1_000.0)
        terms = np.exp(-d / 2) * (hermite[0] + d * (hermite[1] + d * (hermite[2] + d * hermite[3])))
        total = 2 * float(terms @ pairs) + n * hermite[0]
        return float(total / (n * (n - 1) * width**power * _ROOT_TWO_PI))

    return at


def _root(excess: Callable[[float], float], top: float) -> float:
    """Between a hundredth of the widest sensible width and ten times it; the widest where nothing changes sign."""
    from scipy.optimize import brentq

    low, high = top / 100, top
    while excess(low) < 0 and low > top * 1e-6:
        low /= 10
    while excess(high) > 0 and high < 10 * top:
        high *= 1.5
    if excess(low) * excess(high) > 0:
        return top
    return float(brentq(excess, low, high, xtol=1e-6 * top))
