"""Numbers by one normal law: their means and their covariance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.correlation import nearest_correlation
from lookalike.models.filled import faults_of
from lookalike.models.generators.normal import BLOCK, cholesky_root, normal_vectors, spectral_root
from lookalike.models.mixed import Mixed, Numbers

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class MultivariateNormal:
    """μ + Ly, with μ and Σ = LLᵀ those of the file (thesis, section 3.2.8).

    L by the spectral decomposition, which takes any file, or Cholesky's, which refuses columns that determine each
    other. With unknown cells, each pair of columns is compared where both are known, and the matrix of correlations is
    then moved to the nearest there is (Higham 2002).

    >>> table = Mixed((Numbers(np.array([0.0, 2.0, 4.0])), Numbers(np.array([1.0, 1.0, 4.0]))))
    >>> law = MultivariateNormal().fit_mixed(table, rng=np.random.default_rng(1))
    >>> law.mean.tolist(), law.covariance.round(9).tolist()                # of x: ((0 − 2)² + (4 − 2)²)/(3 − 1) = 4
    ([2.0, 2.0], [[4.0, 3.0], [3.0, 3.0]])
    """

    decomposition: Literal["spectral", "cholesky"] = "spectral"

    def __post_init__(self) -> None:
        if self.decomposition not in ("spectral", "cholesky"):
            raise BadPlan(
                f"Multivariate normal: 'decomposition' is 'spectral' or 'cholesky', not '{self.decomposition}'."
            )

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> MultivariateNormalLaw:
        """Means, standard deviations and correlations."""
        if wrong := [str(j) for j, column in enumerate(table.columns, 1) if not isinstance(column, Numbers)]:
            shown = ", ".join(wrong[:20]) + (f" and {len(wrong) - 20} more" if len(wrong) > 20 else "")
            raise BadPlan(f"A normal law draws numbers only; categories are in column {shown}. Use a copula for both.")
        faults_of(table, "A normal law")
        values = np.column_stack([column.values for column in table.columns if isinstance(column, Numbers)])
        unknown = int(np.isnan(values).sum())
        mean, deviation, correlation = moments(values)
        root = (cholesky_root if self.decomposition == "cholesky" else spectral_root)(correlation)
        return MultivariateNormalLaw(mean, deviation, correlation, root, unknown)


class MultivariateNormalLaw:
    """A normal law of some numbers."""

    def __init__(self, mean: Array, deviation: Array, correlation: Array, root: Array, unknown: int) -> None:
        self.mean, self.deviation, self.correlation = mean, deviation, correlation
        self._root, self._unknown = root, unknown

    @property
    def covariance(self) -> Array:
        """Σ."""
        return np.asarray(self.correlation * np.outer(self.deviation, self.deviation), np.float64)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a normal law does not keep."""
        pairs = f"{self._unknown} unknown cells were left out: each covariance is that of the records with both values."
        return (
            "Numbers follow a normal law: skewness, limits (no negative age), spikes and bends of the file are lost.",
            *((pairs,) if self._unknown else ()),
        )

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records; one stream, so the number of threads changes nothing."""
        return self._table(normal_vectors(np.zeros(len(self.mean)), self._root, n, rng=rng))

    def complete(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Mixed:
        """Unknown numbers by the normal law given the known ones of their record.

        With z in standard units, known K and unknown U: z_U = B z_K + (d_U − B d_K), B = R_UK R_KK⁺ and d a new draw.
        """
        values = np.column_stack([column.values for column in table.columns if isinstance(column, Numbers)])
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(
                self.deviation > 0, (values - self.mean) / self.deviation, np.where(np.isnan(values), np.nan, 0)
            )
        patterns, place = np.unique(np.isnan(z), axis=0, return_inverse=True)
        drawn = normal_vectors(np.zeros(len(self.mean)), self._root, len(z), rng=rng)
        for k, hidden in enumerate(patterns):
            rows, seen = np.flatnonzero(place.ravel() == k), ~hidden
            if hidden.any():
                slope = self.correlation[np.ix_(hidden, seen)] @ np.linalg.pinv(self.correlation[np.ix_(seen, seen)])
                z[np.ix_(rows, hidden)] = (
                    drawn[np.ix_(rows, hidden)] + (z[np.ix_(rows, seen)] - drawn[np.ix_(rows, seen)]) @ slope.T
                )
        return self._table(z, keep=values)

    def _table(self, z: Array, keep: Array | None = None) -> Mixed:
        columns = []
        for j in range(z.shape[1]):
            with np.errstate(over="ignore"):
                column = np.clip(self.mean[j] + self.deviation[j] * z[:, j], *_ENDS)
            columns.append(Numbers(column if keep is None else np.where(np.isnan(keep[:, j]), column, keep[:, j])))
        return Mixed(tuple(columns))


_ENDS = (np.finfo(np.float64).min, np.finfo(np.float64).max)


def moments(values: Array) -> tuple[Array, Array, Array]:
    """Means, standard deviations (over n − 1) and correlations of columns of which some cells may be NaN.

    Constant columns have the deviation 0 and correlate with nothing.

    >>> moments(np.array([[1.0, 2.0], [3.0, np.nan]]))[1].round(4).tolist()
    [1.4142, 0.0]
    """
    largest = np.nanmax(np.abs(values), axis=0)
    unit = np.where(largest > 0, largest, 1.0)
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    means = (np.where(known, values / unit, 0).sum(axis=0)) / count
    varies = np.nanmin(values, axis=0) < np.nanmax(values, axis=0)
    centred = np.where(known & varies, values / unit - means, 0)
    deviation = np.sqrt((centred**2).sum(axis=0) / np.maximum(count - 1, 1))
    centred /= np.where(deviation > 0, deviation, 1.0)
    correlation = _correlations(centred, known)
    mean = np.where(varies, means * unit, np.nanmin(values, axis=0))
    return mean, deviation * unit, correlation


def _correlations(centred: Array, known: NDArray[np.bool_]) -> Array:
    """Sums of products where both are known, block by block; made a correlation matrix if it is none."""
    d = centred.shape[1]
    products, squares = np.zeros((d, d)), np.zeros((d, d))
    for start in range(0, len(centred), BLOCK):
        part, seen = centred[start : start + BLOCK], known[start : start + BLOCK].astype(np.float64)
        products += part.T @ part
        squares += (part**2).T @ seen
    # The sum of squares of a column where the other is known too.
    scale = np.sqrt(squares * squares.T)
    found = np.where(scale > 0, products / np.where(scale > 0, scale, 1.0), 0.0)
    np.fill_diagonal(found, 1.0)
    return found if known.all() else nearest_correlation(np.clip((found + found.T) / 2, -1, 1))
