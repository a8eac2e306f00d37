"""Unknown cells of records drawn given the known ones, under a copula of normal variables.

A known number tells its normal variable, z = Φ⁻¹(F(x)). A known category (or a value many records share) tells only a
stretch of it. So the cut variables are drawn inside their stretches first, by Gibbs sampling of the truncated normal
law (Geweke 1991; Kotecha and Djuric 1999), then the unknown by the conditional normal law, then each by its quantile.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.correlation import Matrix
from lookalike.models.margin import Floats, LevelMargin
from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.models.mixed_copula import MixedCopula, filled
from lookalike.models.normals import each
from lookalike.models.sampler import CHUNK, new_seed

SWEEPS = 15
"""Gibbs sweeps a record; one cut variable needs none, for its start is exact already."""

SHARP = 0.02
"""A number whose commonest value has no more than this share tells z by the middle of its stretch."""

LOOSER = (0.0, 0.003, 0.01, 0.03, 0.1, 0.3)
"""Shares by which ties are loosened, R → (1 − λ) R + λ I, until drawn variables do not spread too far."""

SPREAD = 1.05
"""The largest variance of a drawn normal variable over records: 1 by the law, and a little for chance."""

PILOT = 4_000
"""Records the variance is looked at on; of fewer than 100 it is not."""

_FAR = 9.0


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which columns of a group of records are known exactly, known as a stretch, and unknown."""

    exact: NDArray[np.int64]
    cut: NDArray[np.int64]
    unknown: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Conditional:
    """The normal law of cut variables given exact ones, and of unknown ones given both."""

    from_exact: Matrix
    """Mean of the cut given the exact."""
    root: Matrix
    precision: Matrix
    weights: Matrix
    """Of the cut, less their mean, in the mean of the unknown."""
    unknown_from_exact: Matrix
    spread: Matrix

    @classmethod
    def of(cls, matrix: Matrix, pattern: Pattern) -> Conditional:
        """By regressions in the matrix."""
        e, c, u = pattern.exact, pattern.cut, pattern.unknown
        rest = np.concatenate([c, u])
        slope = _regression(matrix, rest, e)
        left = matrix[np.ix_(rest, rest)] - slope @ matrix[np.ix_(e, rest)]
        k = len(c)
        weights = _regression(left, np.arange(k, len(rest)), np.arange(k))
        spread = left[k:, k:] - weights @ left[:k, k:]
        precision = np.asarray(np.linalg.inv(_proper(left[:k, :k])), np.float64)
        return cls(slope[:k], _root(left[:k, :k]), precision, weights, slope[k:], _root(spread))


def complete(law: MixedCopula, table: Mixed, *, rng: Generator, threads: int | None = None) -> Mixed:
    """The table with its unknown cells drawn; records with the same known columns go together, in chunks.

    >>> from lookalike.models import GaussianCopula
    >>> x = np.arange(200.0)
    >>> both = Mixed((Numbers(x), Categories((x >= 100).astype(np.int32), 2)))
    >>> law = GaussianCopula().fit_mixed(both, rng=np.random.default_rng(1))
    >>> drawn = complete(law, both.blank([1]), rng=np.random.default_rng(2))
    >>> bool((drawn.columns[1].codes == both.columns[1].codes).mean() > 0.95)
    True
    """
    _check(law, table)
    seed, tasks = new_seed(rng), list(_tasks(law, table))
    cells: list[NDArray[Any]] = [(c.values if isinstance(c, Numbers) else c.codes).copy() for c in table.columns]
    matrix = _loosened(law, cells, tasks, seed)

    def work(chunk: int) -> None:
        pattern, rows = tasks[chunk]
        z = _draw(law, matrix, cells, pattern, rows, seed, chunk)
        for i, j in enumerate(pattern.unknown):
            drawn = np.empty(len(rows), cells[j].dtype)
            law.margins[j].draw(z[i], drawn)
            cells[j][rows] = drawn

    each(work, range(len(tasks)), threads)
    return filled(law.shape, cells)


def _loosened(
    law: MixedCopula, cells: list[NDArray[Any]], tasks: list[tuple[Pattern, NDArray[np.int64]]], seed: Any
) -> Matrix:
    """The correlation matrix with ties as much weaker as the records ask for.

    Columns that nearly repeat each other make weights of +50 and −50: where a record does not fit the law exactly, what
    is drawn is then far out, and the margin of the column is lost. By the law it has variance 1 over records.
    """
    matrix = law.correlation
    pattern, rows = max(tasks, key=lambda task: len(task[1]), default=(None, np.empty(0, np.int64)))
    if pattern is None or len(rows) < PILOT // 40:
        return matrix
    for share in LOOSER:
        looser = (1 - share) * matrix + share * np.eye(len(matrix))
        if _draw(law, looser, cells, pattern, rows[:PILOT], seed, 0).var(axis=1).max() <= SPREAD:
            break
    return looser


def _draw(
    law: MixedCopula,
    matrix: Matrix,
    cells: list[NDArray[Any]],
    pattern: Pattern,
    rows: NDArray[np.int64],
    seed: Any,
    chunk: int,
) -> Floats:
    from lookalike.models._completing import complete_records

    given = Conditional.of(matrix, pattern)
    exact = np.empty((len(pattern.exact), len(rows)))
    low, high = np.empty((2, len(pattern.cut), len(rows)))
    for i, j in enumerate(pattern.exact):
        bounds = law.margins[j].stretch(cells[j][rows])
        exact[i] = _normal_of((bounds[0] + bounds[1]) / 2, 0.5 / (law.records + 1))
    for i, j in enumerate(pattern.cut):
        low[i], high[i] = (_normal_of(bound, 0.0) for bound in law.margins[j].stretch(cells[j][rows]))
    out = np.empty((len(pattern.unknown), len(rows)))
    complete_records(
        seed,
        chunk,
        low,
        high,
        given.from_exact @ exact,
        given.root,
        given.precision,
        given.weights,
        given.unknown_from_exact @ exact,
        given.spread,
        SWEEPS,
        out,
    )
    return out


def _tasks(law: MixedCopula, table: Mixed) -> Iterator[tuple[Pattern, NDArray[np.int64]]]:
    """Chunks of records that know the same columns, some column unknown."""
    sharp = np.array([not isinstance(m, LevelMargin) and m.largest_atom <= SHARP for m in law.margins])
    known = np.array([column.known for column in table.columns])
    size = max(256, min(CHUNK, 2**21 // len(known)))
    names, index = _patterns(known)
    order = np.argsort(index, kind="stable")
    edges = np.searchsorted(index[order], np.arange(len(names) + 1))
    for name, first, last in zip(names, edges, edges[1:], strict=False):
        has = known[:, name]
        if has.all():
            continue
        parts = (np.flatnonzero(has & sharp), np.flatnonzero(has & ~sharp), np.flatnonzero(~has))
        for start in range(first, last, size):
            yield Pattern(*parts), order[start : min(last, start + size)]


def _patterns(known: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A record of each pattern, and the number of the pattern of each record."""
    bits = np.packbits(known, axis=0)
    wide = np.zeros((-(-len(bits) // 8) * 8, bits.shape[1]), np.uint8)
    wide[: len(bits)] = bits
    index = np.zeros(bits.shape[1], np.int64)
    for word in wide.T.copy().view(np.uint64).T:
        _, more = np.unique(word, return_inverse=True)
        _, index = np.unique(index * (more.max(initial=0) + 1) + more, return_inverse=True)
    return np.unique(index, return_index=True)[1], index


def _normal_of(p: Floats, edge: float) -> Floats:
    """Φ⁻¹, kept off infinity."""
    from scipy.special import ndtri

    return np.asarray(np.clip(ndtri(np.clip(p, edge, 1 - edge)), -_FAR, _FAR), np.float64)


def _regression(matrix: Matrix, of: NDArray[np.int64], on: NDArray[np.int64]) -> Matrix:
    if not len(on) or not len(of):
        return np.zeros((len(of), len(on)))
    return np.asarray(np.linalg.solve(_proper(matrix[np.ix_(on, on)]), matrix[np.ix_(on, of)]).T, np.float64)


def _proper(matrix: Matrix) -> Matrix:
    """What rounding took from a diagonal that is nearly 0, given back."""
    return matrix + 1e-9 * np.eye(len(matrix))


def _root(matrix: Matrix) -> Matrix:
    return np.asarray(np.linalg.cholesky(_proper((matrix + matrix.T) / 2)), np.float64)


def _check(law: MixedCopula, table: Mixed) -> None:
    def kind(c: Any) -> tuple[Any, ...]:
        return (c.levels, c.ordered) if isinstance(c, Categories) else ()

    if [kind(c) for c in table.columns] != [kind(c) for c in law.shape.columns]:
        raise BadPlan("The columns of the table are not those the model was fitted to: number, kind or levels differ.")
