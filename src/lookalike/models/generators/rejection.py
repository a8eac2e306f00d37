"""Acceptance and rejection: draw from an envelope, keep what lies under the density."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.generators.draws import Array, Draw

BATCH = 2**18
"""Candidates tried at a time."""

TRIES = 10_000
"""Candidates a value at most, on the average, before the search is given up."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Accepted:
    """Values that were kept, and how many candidates were tried for them."""

    values: Array
    kept: int
    """Candidates kept, the surplus of the last batch among them."""
    tried: int

    @property
    def rate(self) -> float:
        """The share of candidates that was kept; NaN if none was tried."""
        return self.kept / self.tried if self.tried else float("nan")


def accept_reject(
    density: Callable[[Array], Array],
    envelope: Callable[[Array], Array],
    draw: Draw,
    c: float,
    n: int,
    *,
    rng: Generator,
) -> Accepted:
    """Draw y by `draw`, whose density is `envelope`, and keep it with chance f(y)/(c·h(y)) (thesis, theorem 3.2.11).

    c must be no less than f/h anywhere. A candidate at which f > c·h is an error: going on would draw from min(f, c·h),
    another law. The rate tends to 1/c if f sums to 1.

    >>> found = accept_reject(lambda y: 2 * y, np.ones_like, lambda n, *, rng: rng.random(n), 2, 100_000,
    ...                       rng=np.random.default_rng(1))
    >>> bool(abs(found.rate - 1 / 2) < 0.01), bool(abs(found.values.mean() - 2 / 3) < 0.01)
    (True, True)
    """
    if not c > 0:
        raise BadPlan("The constant c of an envelope must be above 0.")

    def keep(y: Array) -> NDArray[np.bool_]:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.asarray(density(y), np.float64) / (c * np.asarray(envelope(y), np.float64))
        if not (ratio >= 0).all():
            raise BadPlan("The density or its envelope is negative or no number at a candidate.")
        if (highest := float(ratio.max(initial=0.0))) > 1 + _ROUNDING:
            raise BadPlan(
                f"The density is {highest:.4g} times its envelope c·h at a candidate: c is too small, and the values "
                f"would not follow the density. Use a c at least {highest:.4g} times as large, or another envelope."
            )
        return np.asarray(rng.random(len(y)) <= ratio)

    return keep_until(draw, keep, n, rng=rng, chance=min(1.0, 1 / c))


def keep_until(
    draw: Draw, keep: Callable[[Array], NDArray[np.bool_]], n: int, *, rng: Generator, chance: float = 1.0
) -> Accepted:
    """Draw in batches until n values were kept; `chance` is a guess of the share that is."""
    parts, kept, tried = [draw(0, rng=rng)], 0, 0
    while kept < n:
        if tried > TRIES * n + BATCH:
            raise BadPlan(f"Of {tried} candidates {kept} were kept: the event is too rare for this method.")
        size = int(min(BATCH, (n - kept) / chance * 1.05 + 16))
        candidates = draw(size, rng=rng)
        parts.append(candidates[keep(candidates)])
        kept, tried = kept + len(parts[-1]), tried + size
        chance = max(kept, 1) / tried
    return Accepted(np.concatenate(parts)[:n], kept, tried)
