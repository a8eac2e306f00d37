"""Normal vectors: a root of the covariance matrix times independent normals."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lookalike.errors import BadPlan
from lookalike.models.generators.draws import Array

BLOCK = 2**14
"""Vectors made at a time."""

_ROUNDING = 1e-9


def cholesky_root(covariance: Array) -> Array:
    """The lower triangular L with LLᵀ = Σ (thesis, theorem 3.2.16); Σ must be positive definite.

    >>> cholesky_root(np.array([[1, 0.7], [0.7, 1]])).round(3)
    array([[1.   , 0.   ],
           [0.7  , 0.714]])
    """
    try:
        return np.asarray(np.linalg.cholesky(_symmetric(covariance)), np.float64)
    except np.linalg.LinAlgError:
        raise BadPlan(
            "The covariance matrix is not positive definite: a variable is constant or determined by others. "
            "Use the spectral decomposition."
        ) from None


def spectral_root(covariance: Array) -> Array:
    """QΛ^(1/2) of Σ = QΛQᵀ (thesis, theorem 3.2.18); Σ may be singular.

    >>> root = spectral_root(np.array([[1.0, 1.0], [1.0, 1.0]]))
    >>> (root @ root.T).round(12)
    array([[1., 1.],
           [1., 1.]])
    """
    values, vectors = np.linalg.eigh(_symmetric(covariance))
    if values[0] < -_ROUNDING * abs(values[-1]) * len(values):
        raise BadPlan("The matrix has a negative eigenvalue: it is no covariance matrix.")
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)), np.float64)


def normal_vectors(mean: Array, root: Array, n: int, *, rng: Generator) -> Array:
    """Rows μ + Ly with y independent standard normals: mean μ, covariance LLᵀ.

    >>> normal_vectors(np.array([1.0, 2.0]), np.zeros((2, 2)), 1, rng=np.random.default_rng(1))
    array([[1., 2.]])
    """
    out = np.empty((n, len(mean)))
    for start in range(0, n, BLOCK):
        part = out[start : start + BLOCK]
        np.matmul(rng.standard_normal((len(part), root.shape[1])), root.T, out=part)
        part += mean
    return out


def _symmetric(covariance: Array) -> Array:
    found = np.asarray(covariance, np.float64)
    square = found.ndim == 2 and found.shape[0] == found.shape[1] and len(found) > 0
    if not square or not np.isfinite(found).all() or not np.allclose(found, found.T, rtol=1e-8, atol=1e-12):
        raise BadPlan("A covariance matrix must be square, symmetric and of finite numbers.")
    return (found + found.T) / 2
