"""Conditioning: draw until an event holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.generators.draws import Array, Draw, transform, uniforms
from lookalike.models.generators.rejection import Accepted, keep_until


def condition(draw: Draw, holds: Callable[[Array], NDArray[np.bool_]], n: int, *, rng: Generator) -> Accepted:
    """n values of Y given that an event holds of Y (thesis, section 3.2.6); the rate is the chance of the event.

    >>> found = condition(lambda n, *, rng: rng.random(n), lambda y: y > 0.75, 100_000, rng=np.random.default_rng(1))
    >>> bool(abs(found.rate - 0.25) < 0.01), bool(found.values.min() > 0.75)
    (True, True)
    """
    return keep_until(draw, lambda y: np.asarray(holds(y), np.bool_), n, rng=rng)


def beta(a: float, b: float, n: int, *, rng: Generator) -> Accepted:
    """X = S/(S + T) given S + T ≤ 1, with S = U^(1/a) and T = V^(1/b) (Jöhnk 1964; thesis, example 3.2.14).

    The rate is Γ(a + 1)Γ(b + 1)/Γ(a + b + 1): good for small a and b, hopeless for large ones.

    >>> found = beta(0.5, 1.5, 100_000, rng=np.random.default_rng(1))
    >>> bool(abs(found.values.mean() - 0.5 / 2) < 0.01)
    True
    """
    if not (a > 0 and b > 0):
        raise BadPlan("Both parameters of a beta law must be above 0.")
    found = condition(transform(lambda u: u ** (1 / np.array([a, b])), uniforms(2)), _inside, n, rng=rng)
    return Accepted(found.values[:, 0] / found.values.sum(axis=1), found.kept, found.tried)


def _inside(pairs: Array) -> NDArray[np.bool_]:
    total = pairs.sum(axis=1)
    # Tiny a and b can bring both powers to 0, which says nothing of their ratio: such a pair is drawn anew.
    return np.asarray((total <= 1) & (total > 0))
