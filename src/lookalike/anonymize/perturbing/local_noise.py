"""Noise for one record at a time, drawn by OpenDP and entered in a ledger first.

Whole columns are drawn at once: a randomized answer alone takes OpenDP 0.2 ms, a bit of a long row of them 1 µs.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from lookalike.models.private.accounting import rho_of
from lookalike.models.private.ledger import Ledger, Spend
from lookalike.models.private.mechanisms import opendp

_UP = 1 + 1e-12
"""Chances to move and scales are rounded up by this, so that no more is spent than was meant."""

Codes = NDArray[np.int64]


def staying(epsilon: float, levels: int) -> float:
    """The chance that a level stays: e^ε / (e^ε + k − 1).

    >>> round(staying(math.log(3), 2), 6)
    0.75
    """
    return 1 / (1 + _odds(epsilon, levels))


def _odds(epsilon: float, levels: int) -> float:
    """How much likelier a level moves than stays."""
    return (levels - 1) * math.exp(-epsilon) * _UP


def answered(codes: Codes, *, levels: int, epsilon: float, ledger: Ledger, what: str) -> Codes:
    """Randomized response of whole columns: a code stays with chance `staying`, else becomes one of the others.

    Which codes move, and where to, is decided by OpenDP's bits alone.
    """
    ledger.spend(Spend(what=what, mechanism="randomized response", epsilon=epsilon))
    odds = _odds(epsilon, levels)
    # The smaller of both chances is computed as it is, not from 1: it may be tiny.
    moved = _flipped(len(codes), odds / (1 + odds)) if odds <= 1 else ~_flipped(len(codes), 1 / (1 + odds))
    new = codes.copy()
    drawn = _uniform(int(moved.sum()), levels - 1)
    new[moved] = drawn + (drawn >= codes[moved])
    return new


def noisy(steps: Codes, *, most: int, epsilon: float, delta: float, ledger: Ledger, what: str) -> Codes:
    """Whole numbers from 0 to `most`, each with discrete noise: Laplace of scale most/ε, or normal if δ > 0.

    One record may change by as much as `most`: that is the sensitivity. The normal noise has σ = most/√(2ρ), ρ being
    what (ε, δ) allows (Canonne, Kamath and Steinke 2020).
    """
    dp, scale = opendp(), scale_of(most, epsilon, delta)
    whole = dp.vector_domain(dp.atom_domain(T="i64"))
    if delta > 0:
        noise = dp.m.make_gaussian(whole, dp.l2_distance(T="f64"), scale=scale)
        rho = noise.map(float(most))
        ledger.spend(Spend(what=what, mechanism="discrete normal noise", epsilon=epsilon, delta=delta, rho=rho))
    else:
        noise = dp.m.make_laplace(whole, dp.l1_distance(T="f64"), scale=scale)
        ledger.spend(Spend(what=what, mechanism="discrete Laplace noise", epsilon=noise.map(float(most))))
    return np.asarray(noise(np.ascontiguousarray(steps, np.int64)), np.int64)


def scale_of(most: float, epsilon: float, delta: float) -> float:
    """The scale of the noise: b of Laplace, σ of normal noise.

    >>> round(scale_of(100, 2.0, 0.0), 6), round(scale_of(100, 2.0, 1e-6), 1)
    (50.0, 238.2)
    """
    return (most / math.sqrt(2 * rho_of(epsilon, delta)) if delta > 0 else most / epsilon) * _UP


def _uniform(count: int, below: int) -> Codes:
    """Whole numbers from 0 to below − 1, all with equal chance: fair bits, drawn again where they make too much."""
    width = max(1, (below - 1).bit_length())
    found, open_ = np.zeros(count, np.int64), np.arange(count if below > 1 else 0)
    while len(open_):
        bits = _flipped(len(open_) * width, 0.5).reshape(-1, width)
        found[open_] = bits @ (1 << np.arange(width))
        open_ = open_[found[open_] >= below]
    return found


def _flipped(count: int, chance: float) -> NDArray[np.bool_]:
    """Zeros of which each is flipped with this chance, at most one half, by OpenDP."""
    dp = opendp()
    domain = dp.bitvector_domain(max_weight=max(count, 1))
    flip = dp.m.make_randomized_response_bitvec(domain, dp.discrete_distance(), 2 * chance)
    packed = flip(bytes(-(-count // 8)))
    return np.unpackbits(np.frombuffer(packed, np.uint8), count=count).astype(bool)
