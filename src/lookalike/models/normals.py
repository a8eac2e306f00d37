"""Normal variables with a correlation matrix, drawn in chunks: by a root of the matrix, or along a row."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from lookalike.models.correlation import Matrix
from lookalike.models.sampler import Seed

T = TypeVar("T")


class Normals(Protocol):
    """A normal law one can fill chunks from."""

    @property
    def correlation(self) -> Matrix:
        """Of the variables, in the order of the table's columns."""
        ...

    def fill(self, seed: Seed, chunk: int, out: NDArray[np.float64]) -> None:
        """One variable a row of `out`, from the stream of a chunk."""
        ...


class DenseNormals:
    """Every variable may depend on every other.

    >>> out = np.empty((2, 3))
    >>> DenseNormals(np.array([[1.0, 0.5], [0.5, 1.0]])).fill(np.array([1, 2], np.uint64), 0, out)
    >>> bool(np.isfinite(out).all())
    True
    """

    def __init__(self, correlation: Matrix) -> None:
        self.correlation = correlation

    @cached_property
    def _root(self) -> Matrix:
        return np.asarray(np.linalg.cholesky(self.correlation), np.float64)

    def fill(self, seed: Seed, chunk: int, out: NDArray[np.float64]) -> None:
        """root · e, with e independent."""
        from lookalike.models import _normals as kernel

        kernel.by_root(seed, chunk, self._root, out)


class RowNormals:
    """Variables in a row, each drawn from the `levels` before it: a D-vine of normal pairs cut off at that level.

    z_i = Σ_k w_ik z_{i−k} + s_i e_i, k = 1 … levels. The weights are the regression inside the window, so all
    correlations inside a window are those given; beyond it the variables are independent given those between. The cost
    of a record is columns × levels, not columns².

    >>> given = np.array([[1, 0.5, 0.9], [0.5, 1, 0.5], [0.9, 0.5, 1]])
    >>> RowNormals(given, (0, 1, 2), levels=1).correlation[0].tolist()      # 0.25 = 0.5 · 0.5
    [1.0, 0.5, 0.25]
    """

    def __init__(self, correlation: Matrix, row: Sequence[int], *, levels: int) -> None:
        self.row = np.asarray(row, np.int64)
        self.levels = min(levels, max(0, len(row) - 1))
        self._weights, self._rest = _regressions(correlation[np.ix_(self.row, self.row)], self.levels)

    @cached_property
    def correlation(self) -> Matrix:
        """What the windows imply for all pairs."""
        q = len(self.row)
        found = np.eye(q)
        for i in range(1, q):
            reach = min(i, self.levels)
            past = self._weights[i, :reach][::-1] @ found[i - reach : i, :i]
            found[i, :i] = found[:i, i] = past
        back = np.argsort(self.row)
        return found[np.ix_(back, back)]

    def fill(self, seed: Seed, chunk: int, out: NDArray[np.float64]) -> None:
        """Along the row."""
        from lookalike.models import _normals as kernel

        kernel.along_row(seed, chunk, self.row, self._weights, self._rest, out)


def _regressions(matrix: Matrix, levels: int) -> tuple[Matrix, NDArray[np.float64]]:
    """Of each variable on the `levels` before it: weights (the nearest first) and what is left as a deviation."""
    q = len(matrix)
    weights, rest = np.zeros((q, levels)), np.ones(q)
    for i in range(1, q):
        reach = min(i, levels)
        before = np.arange(i - 1, i - 1 - reach, -1)
        weights[i, :reach] = np.linalg.solve(matrix[np.ix_(before, before)], matrix[before, i])
        rest[i] = np.sqrt(max(1e-12, 1 - weights[i, :reach] @ matrix[before, i]))
    return weights, rest


def row_partials(matrix: Matrix, levels: int | None = None) -> Matrix:
    """At [i, j], i < j, the correlation of i and j given all between them, up to `levels` apart (0 beyond).

    Tree by tree, from the covariances of what is left of each variable given the next ones (F) and the ones before (B):
    ρ = F_ij / √(F_ii B_jj), then F_i −= F_ij/B_jj · B_j and B_j −= F_ij/F_ii · F_i, as in a lattice filter.

    >>> matrix = np.array([[1, 0.5, 0.25], [0.5, 1, 0.5], [0.25, 0.5, 1]])
    >>> row_partials(matrix)[0, 1:].tolist()
    [0.5, 0.0]
    """
    q = len(matrix)
    ahead, behind, found = matrix.copy(), matrix.copy(), np.eye(q)
    for apart in range(1, min(q - 1, levels or q) + 1):
        i = np.arange(q - apart)
        j = i + apart
        shared, left, right = ahead[i, j], ahead[i, i], behind[j, j]
        found[i, j] = shared / np.sqrt(left * right)
        after = ahead[i] - (shared / right)[:, None] * behind[j]
        behind[j] -= (shared / left)[:, None] * ahead[i]
        ahead[i] = after
    return found


def each(work: Callable[[T], Any], over: Iterable[T], threads: int | None) -> None:
    """The work on each, in threads: kernels let go of the interpreter."""
    items, workers = list(over), threads or max(1, min(8, os.cpu_count() or 1))
    if workers == 1 or len(items) < 2:
        for item in items:
            work(item)
        return
    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(work, items):
            pass
