"""What draws n values: the small form all generators share, and two ways to make a new one of old ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.generators.discrete import place

Array = NDArray[np.float64]


class Draw(Protocol):
    """Draws n values, one an entry or one a row."""

    def __call__(self, n: int, *, rng: Generator) -> Array:
        """The values."""
        ...


def normals(columns: int) -> Draw:
    """Rows of so many independent standard normals."""
    return lambda n, *, rng: rng.standard_normal((n, columns))


def uniforms(columns: int) -> Draw:
    """Rows of so many independent uniforms on (0, 1]."""
    return lambda n, *, rng: 1 - rng.random((n, columns))


def transform(phi: Callable[[Array], Array], draw: Draw) -> Draw:
    """X = φ(Y), where Y can be drawn (thesis, section 3.2.5); φ takes all values of Y at once.

    >>> square = transform(lambda y: y**2, lambda n, *, rng: np.full(n, 3.0))
    >>> square(2, rng=np.random.default_rng(1)).tolist()
    [9.0, 9.0]
    """
    return lambda n, *, rng: phi(draw(n, rng=rng))


def chi_square(degrees: int) -> Draw:
    """The sum of squares of independent standard normals (thesis, example 3.2.13).

    >>> bool(abs(chi_square(3)(100_000, rng=np.random.default_rng(1)).mean() - 3) < 0.05)
    True
    """
    if degrees < 1:
        raise BadPlan(f"A chi-square law needs at least 1 degree of freedom, not {degrees}.")
    return transform(lambda z: np.asarray((z**2).sum(axis=1), np.float64), normals(degrees))


def mixture(shares: Sequence[float], draws: Sequence[Draw]) -> Draw:
    """With chance p_k from the k-th law (thesis, section 3.2.6): F = Σ p_k F_k.

    >>> ends = mixture([0.25, 0.75], [lambda n, *, rng: np.zeros(n), lambda n, *, rng: np.ones(n)])
    >>> bool(abs(ends(100_000, rng=np.random.default_rng(1)).mean() - 0.75) < 0.01)
    True
    """
    if len(shares) != len(draws):
        raise BadPlan(f"A mixture of {len(draws)} laws needs {len(draws)} shares, not {len(shares)}.")

    def drawn(n: int, *, rng: Generator) -> Array:
        law = place(np.asarray(shares, np.float64), n, rng=rng)
        counts = np.bincount(law, minlength=len(draws))
        values = np.concatenate([draw(int(count), rng=rng) for draw, count in zip(draws, counts, strict=True)])
        # Values come law by law; each goes to a place that fell to its law.
        out = np.empty_like(values)
        out[np.argsort(law, kind="stable")] = values
        return out

    return drawn
