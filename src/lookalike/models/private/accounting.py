"""How much privacy a noise costs: the Gaussian's exact δ, and zero-concentrated privacy with its way back to (ε, δ)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from lookalike.errors import BadPlan

_STEPS = 200
"""Halvings of an interval: more than a double can tell apart."""


def gaussian_delta(sigma: float, epsilon: float, *, sensitivity: float = 1.0) -> float:
    """The smallest δ of normal noise: Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ) (Balle and Wang 2018, theorem 8).

    >>> round(gaussian_delta(3.7306, 1.0), 8)
    1e-05
    """
    from scipy.special import log_ndtr

    ratio = sensitivity / sigma
    first, second = (float(log_ndtr(sign * ratio / 2 - epsilon / ratio)) for sign in (1, -1))
    return math.exp(first) - math.exp(epsilon + second)


def gaussian_sigma(epsilon: float, delta: float, *, sensitivity: float = 1.0) -> float:
    """The smallest σ of normal noise that is (ε, δ)-private, for any ε: `gaussian_delta` solved by halving.

    The classical σ = Δ √(2 ln(1.25/δ)) / ε holds for ε < 1 alone and is a quarter larger.

    >>> round(gaussian_sigma(1.0, 1e-5), 4)
    3.7306
    """
    check_budget(epsilon, delta)
    unit = _least(lambda sigma: gaussian_delta(sigma, epsilon) <= delta)
    return unit * sensitivity


def discrete_delta(sigma: float, epsilon: float, *, moved: int = 1) -> float:
    """The exact δ of discrete normal noise where `moved` counts change by 1: E[(1 − e^(ε − L))₊], L = (2s + m)/(2σ²).

    s is the sum of m noises (Canonne, Kamath and Steinke 2020, theorem 7). Not always below that of continuous noise.
    """
    reach = math.ceil(40 * sigma) + moved
    law = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * sigma**2))
    law /= law.sum()
    sums = law if moved == 1 else np.convolve(law, law)
    loss = (2 * np.arange(-moved * reach, moved * reach + 1.0) + moved) / (2 * sigma**2)
    return float(sums @ -np.expm1(np.minimum(0.0, epsilon - loss)))


def discrete_sigma(epsilon: float, delta: float, *, moved: int = 1) -> float:
    """σ of discrete normal noise at (ε, δ): the analytic one, raised by a thousandth until the exact δ holds.

    >>> round(discrete_sigma(1.0, 1e-5) / gaussian_sigma(1.0, 1e-5), 2)
    1.0
    """
    sigma = gaussian_sigma(epsilon, delta, sensitivity=math.sqrt(moved))
    while discrete_delta(sigma, epsilon, moved=moved) > delta:
        sigma *= 1.001
    return sigma


def rho_of_gaussian(sigma: float, *, sensitivity: float = 1.0) -> float:
    """ρ = Δ²/(2σ²) (Bun and Steinke 2016, proposition 1.6); the same for discrete normal noise."""
    return sensitivity**2 / (2 * sigma**2)


def delta_of(rho: float, epsilon: float) -> float:
    """δ = min over α > 1 of exp((α − 1)(αρ − ε) + α ln(1 − 1/α)) / (α − 1): the tight way from ρ to (ε, δ).

    Canonne, Kamath and Steinke (2020), corollary 13. Any α gives a valid δ, so a search that stops early is safe.

    >>> round(delta_of(0.03056, 1.0) * 1e5, 2)
    1.0
    """
    from scipy.optimize import minimize_scalar

    if rho <= 0:
        return 0.0

    def log_delta(log_above: float) -> float:
        above = math.exp(log_above)
        alpha = 1 + above
        return above * (alpha * rho - epsilon) + alpha * (math.log(above) - math.log(alpha)) - math.log(above)

    found = minimize_scalar(log_delta, bounds=(-12.0, 16.0), method="bounded", options={"xatol": 1e-10})
    return min(1.0, math.exp(min(0.0, float(found.fun))))


def epsilon_of(rho: float, delta: float, *, tight: bool = True) -> float:
    """The ε that goes with δ after ρ is spent; not tight: ε = ρ + 2 √(ρ ln(1/δ)).

    >>> round(epsilon_of(0.5, 1e-6), 3), round(epsilon_of(0.5, 1e-6, tight=False), 3)
    (5.222, 5.757)
    """
    if rho <= 0:
        return 0.0
    if delta <= 0:
        return math.inf
    if not tight:
        return rho + 2 * math.sqrt(rho * math.log(1 / delta))
    return _least(lambda epsilon: delta_of(rho, epsilon) <= delta)


def rho_of(epsilon: float, delta: float, *, tight: bool = True) -> float:
    """The largest ρ that may be spent so that (ε, δ) holds.

    >>> round(rho_of(1.0, 1e-9), 5), round(rho_of(1.0, 1e-9, tight=False), 5)
    (0.01497, 0.01178)
    """
    check_budget(epsilon, delta)
    if not tight:
        log = math.log(1 / delta)
        return (math.sqrt(log + epsilon) - math.sqrt(log)) ** 2
    return 1 / _least(lambda inverse: delta_of(1 / inverse, epsilon) <= delta)


def check_budget(epsilon: float, delta: float, *, pure: bool = False) -> None:
    """Refuse an ε that is not above 0 and a δ outside (0, 1); with `pure`, δ may be 0."""
    faults = []
    if not (math.isfinite(epsilon) and epsilon > 0):
        faults.append(f"epsilon must be a number above 0; got {epsilon:g}.")
    if not (0 < delta < 1 or (pure and delta == 0)):
        faults.append(f"delta must be above 0 and below 1, best far below 1/n; got {delta:g}.")
    if faults:
        raise BadPlan(faults)


def _least(holds: Callable[[float], bool]) -> float:
    """The smallest number above 0 for which a condition holds that stays true once it is; rounded to the true side."""
    low, high = 0.0, 1.0
    while not holds(high):
        low, high = high, 2 * high
    for _ in range(_STEPS):
        middle = (low + high) / 2 if low else high / 2
        if middle in (low, high) or high - low <= 1e-13 * high:
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
