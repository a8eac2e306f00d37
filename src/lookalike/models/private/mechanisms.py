"""Noise drawn by OpenDP, each draw entered in a ledger first.

The noise is discrete and comes from the system's entropy: nothing here can be seeded, because a seed that somebody
keeps is a way to take the noise off again. OpenDP also tells what each draw costs, rounded upwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import BadPlan, MissingExtra
from lookalike.models.private.accounting import discrete_sigma
from lookalike.models.private.ledger import Adjacency, Ledger, Spend

_UP = 1 + 1e-12
"""Scales are rounded up by this, so that OpenDP's conservative arithmetic never finds more spent than was meant."""

Counts = NDArray[np.integer]


def opendp() -> Any:
    """OpenDP, loaded when the first noise is drawn."""
    try:
        from opendp import prelude
    except ModuleNotFoundError:
        raise MissingExtra("dp", "Differential privacy") from None
    prelude.enable_features("contrib")
    return prelude


def laplace(counts: Counts, *, epsilon: float, ledger: Ledger, what: str) -> NDArray[np.int64]:
    """A table of counts with discrete Laplace noise, P(z) ∝ exp(−|z| ε/Δ₁): ε-private.

    Δ₁ is 1 if neighbouring files differ by one record more, 2 if one record is replaced.
    """
    dp, sensitivity = opendp(), float(ledger.adjacency.moved)
    noise = dp.m.make_laplace(*_whole(dp, dp.l1_distance(T="f64")), scale=sensitivity / epsilon * _UP)
    cost = noise.map(sensitivity)
    ledger.spend(Spend(what=what, mechanism="discrete Laplace noise", epsilon=cost))
    return _noisy(noise, counts)


def gaussian(tables: Sequence[Counts], *, rho: float, ledger: Ledger, what: str) -> list[NDArray[np.int64]]:
    """Tables of counts with discrete normal noise of σ = Δ₂/√(2ρ) (Canonne, Kamath and Steinke 2020).

    A record stands once in each of t tables: Δ₂ = √(t Δ₁) for all together, and each costs ρ/t.
    """
    dp, sensitivity = opendp(), math.sqrt(len(tables) * ledger.adjacency.moved)
    noise = dp.m.make_gaussian(*_whole(dp, dp.l2_distance(T="f64")), scale=sensitivity / math.sqrt(2 * rho) * _UP)
    ledger.spend(Spend(what=what, mechanism="discrete normal noise", rho=noise.map(sensitivity)))
    noisy = _noisy(noise, np.concatenate([np.ravel(table) for table in tables]))
    parts = np.split(noisy, np.cumsum([np.size(table) for table in tables])[:-1])
    return [part.reshape(np.shape(table)) for part, table in zip(parts, tables, strict=True)]


def gaussian_once(counts: Counts, *, epsilon: float, delta: float, ledger: Ledger, what: str) -> NDArray[np.int64]:
    """One table at (ε, δ) with the least discrete normal noise there is; see `discrete_sigma`."""
    dp, moved = opendp(), ledger.adjacency.moved
    noise = dp.m.make_gaussian(
        *_whole(dp, dp.l2_distance(T="f64")), scale=discrete_sigma(epsilon, delta, moved=moved) * _UP
    )
    rho = noise.map(math.sqrt(moved))
    ledger.spend(Spend(what=what, mechanism="discrete normal noise", epsilon=epsilon, delta=delta, rho=rho))
    return _noisy(noise, counts)


def choose(scores: NDArray[np.float64], *, epsilon: float, sensitivity: float, ledger: Ledger, what: str) -> int:
    """The place of a high score by the exponential mechanism, P(r) ∝ exp(ε q_r / 2Δ): the largest of q + Gumbel noise.

    ε-private and ρ = ε²/8 (Cesar and Rogers 2021); both are entered, the ledger uses what is better.
    """
    noise = _noisy_max(2 * sensitivity / epsilon * _UP)
    rho = noise.map(sensitivity)
    ledger.spend(Spend(what=what, mechanism="the exponential mechanism", epsilon=math.sqrt(8 * rho), rho=rho))
    return int(noise(np.asarray(scores, np.float64)))


def randomize(codes: Counts, *, levels: int, epsilon: float, ledger: Ledger, what: str) -> NDArray[np.int32]:
    """Randomized response: a code stays with chance e^ε/(e^ε + k − 1), else it becomes one of the k − 1 others.

    Every record by itself, so that the one who collects need not be trusted; ε-private for replacing a record, as the
    number of records is not hidden. About 0.4 ms a record.
    """
    if ledger.adjacency is not Adjacency.REPLACE:
        raise BadPlan("Randomized response shows how many records there are: the ledger must be for replacing one.")
    if levels < 2:
        raise BadPlan(f"Randomized response needs at least 2 levels; got {levels}.")
    dp = opendp()
    noise = dp.m.make_randomized_response(list(range(levels)), math.exp(epsilon) / (math.exp(epsilon) + levels - 1))
    ledger.spend(Spend(what=what, mechanism="randomized response", epsilon=max(epsilon, noise.map(1))))
    return np.array([noise(int(code)) for code in codes], np.int32)


def unrandomized(codes: Counts, *, levels: int, epsilon: float) -> NDArray[np.float64]:
    """Unbiased shares before randomized response: (share seen − q)/(p − q), p the chance to stay, q to any one other.

    >>> unrandomized(np.array([0] * 70 + [1] * 30), levels=2, epsilon=np.log(3)).round(3).tolist()
    [0.9, 0.1]
    """
    stay, go = math.exp(epsilon) / (math.exp(epsilon) + levels - 1), 1 / (math.exp(epsilon) + levels - 1)
    seen = np.bincount(codes, minlength=levels) / len(codes)
    return np.asarray((seen - go) / (stay - go), np.float64)


@lru_cache(maxsize=4)
def _noisy_max(scale: float) -> Any:
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T="f64", nan=False)), dp.linf_distance(T="f64")
    return dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=scale)


def _whole(dp: Any, metric: Any) -> tuple[Any, Any]:
    return dp.vector_domain(dp.atom_domain(T="i64")), metric


def _noisy(noise: Any, counts: Counts) -> NDArray[np.int64]:
    flat = np.ascontiguousarray(counts, np.int64).ravel()
    return np.asarray(noise(flat), np.int64).reshape(np.shape(counts))
