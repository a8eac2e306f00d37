"""A law on infinitely many whole numbers: cumulate chances until they cover the largest u."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan

LIMIT = 2**22
"""Values cumulated at most: 64 megabytes."""

_ROUNDING = 1e-9
_LEAST = 2.0**-53


def draw_whole_numbers(
    chance: Callable[[NDArray[np.int64]], NDArray[np.float64]],
    n: int,
    *,
    rng: Generator,
    start: int = 0,
    direction: Literal["up", "down", "both"] = "up",
    limit: int = LIMIT,
) -> NDArray[np.int64]:
    """n whole numbers k with chance p(k), by inverse transformation (thesis, section 3.2.2, infinite domain).

    Chances are cumulated from `start` up, down, or to both sides in turn (start, +1, −1, +2, …) until they reach the
    largest u: the order in which values are laid on (0, 1] does not matter to the law. Then a binary search places
    every u. A law whose tail is so heavy that `limit` values do not reach the largest u is refused.

    >>> poisson = lambda k: np.exp(-3 + k * np.log(3) - np.cumsum(np.log(np.maximum(np.arange(k.max() + 1), 1)))[k])
    >>> x = draw_whole_numbers(poisson, 100_000, rng=np.random.default_rng(1))
    >>> bool(abs(x.mean() - 3) < 0.03)
    True
    """
    if n == 0:
        return np.empty(0, np.int64)
    u = 1 - rng.random(n)
    cdf = _cover(chance, float(u.max()), start, direction, limit)
    at = np.minimum(np.searchsorted(cdf, u, side="left"), len(cdf) - 1)
    return _values(at.astype(np.int64), start, direction)


def _cover(
    chance: Callable[[NDArray[np.int64]], NDArray[np.float64]], highest: float, start: int, direction: str, limit: int
) -> NDArray[np.float64]:
    """The cumulated chances, as many as reach the largest u; blocks grow, so there are few of them."""
    parts, total, first, size = [], 0.0, 0, 64
    while first < limit:
        places = np.arange(first, min(first + size, limit))
        chances = np.asarray(chance(_values(places, start, direction)), np.float64)
        if not (chances >= 0).all() or not np.isfinite(chances).all():
            raise BadPlan("A chance of a discrete law is negative or no number.")
        parts.append(total + np.cumsum(chances))
        added, total = float(parts[-1][-1]) - total, float(parts[-1][-1])
        if total > 1 + _ROUNDING:
            raise BadPlan("The chances of a discrete law sum to more than 1.")
        # Beyond rounding nothing is added any more: what is missing to 1 cannot be reached and is not there.
        if total >= highest or (added < _LEAST and total > 1 - _ROUNDING):
            return np.concatenate(parts)
        first, size = first + size, min(2 * size, 2**16)
    raise BadPlan(
        f"The chances of the first {limit} values sum to {total:.6f}, below the largest u. The tail is too heavy for "
        "this method, the law lies elsewhere ('start', 'direction'), or the chances do not sum to 1."
    )


def _values(places: NDArray[np.int64], start: int, direction: str) -> NDArray[np.int64]:
    if direction == "up":
        return start + places
    if direction == "down":
        return start - places
    if direction == "both":
        return start + np.where(places % 2 == 1, (places + 1) // 2, -(places // 2))
    raise BadPlan(f"'direction' is 'up', 'down' or 'both', not '{direction}'.")
