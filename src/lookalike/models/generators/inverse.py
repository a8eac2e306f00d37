"""Inverse transformation: a quantile function makes a uniform number a number of its law."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan

Array = NDArray[np.float64]


def inverse_transform(quantile: Callable[[Array], Array], n: int, *, rng: Generator) -> Array:
    """x = F⁻¹(u) with u uniform on (0, 1) (thesis, theorem 3.2.2).

    The uniforms never are 0 or 1, where a quantile may be infinite.

    >>> x = inverse_transform(lambda u: -np.log(1 - u), 100_000, rng=np.random.default_rng(1))     # exponential
    >>> bool(abs(x.mean() - 1) < 0.02)
    True
    """
    return _checked(quantile(open_uniforms(n, rng=rng)), n, 1)


def conditional_transform(quantiles: Sequence[Callable[..., Array]], n: int, *, rng: Generator) -> Array:
    """Rows of d numbers: x_k = F⁻¹(u_k | x_1, …, x_(k−1)) (thesis, section 3.2.3).

    The k-th function takes u and the k − 1 numbers before, each as an array of n.

    >>> chain = [lambda u: u, lambda u, x: x + u]
    >>> x = conditional_transform(chain, 3, rng=np.random.default_rng(1))
    >>> x.shape, bool((x[:, 1] > x[:, 0]).all())
    ((3, 2), True)
    """
    out = np.empty((n, len(quantiles)))
    for k, quantile in enumerate(quantiles):
        before = [out[:, i] for i in range(k)]
        out[:, k] = _checked(quantile(open_uniforms(n, rng=rng), *before), n, k + 1)
    return out


def open_uniforms(n: int, *, rng: Generator) -> Array:
    """Uniform on (0, 1): the middles of 2⁵² equal parts.

    >>> u = open_uniforms(5, rng=np.random.default_rng(1))
    >>> bool(((u > 0) & (u < 1)).all())
    True
    """
    return np.asarray((rng.integers(0, 2**52, n).astype(np.float64) + 0.5) * 2.0**-52, np.float64)


def _checked(values: Array, n: int, k: int) -> Array:
    found = np.broadcast_to(np.asarray(values, np.float64), (n,))
    if np.isnan(found).any():
        raise BadPlan(f"Quantile function {k} gives no number for some u between 0 and 1.")
    return found.copy()
