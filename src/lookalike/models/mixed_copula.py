"""The fitted law of a mixed table: a margin a column, and normal variables that tie the columns together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.correlation import Matrix
from lookalike.models.margin import Margin
from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.models.normals import Normals, each
from lookalike.models.sampler import CHUNK, new_seed

WIDE = 2**21
"""Normal variables held at a time by one thread."""


@dataclass(frozen=True)
class MixedCopula:
    """x_j = Q_j(Φ(z_j)), with z normal: Q_j is the quantile function of column j.

    >>> from lookalike.models import GaussianCopula
    >>> table = Mixed((Numbers(np.array([1.0, 2.0, 4.0, 8.0])), Categories(np.array([0, 0, 1, 1], np.int32), 2)))
    >>> law = GaussianCopula().fit_mixed(table, rng=np.random.default_rng(1))
    >>> drawn = law.sample(100, rng=np.random.default_rng(2))
    >>> drawn.records, bool(law.correlation[0, 1] > 0.5)
    (100, True)
    """

    margins: tuple[Margin, ...]
    normals: Normals
    shape: Mixed
    """The fitted table without its rows: kinds, numbers of levels, whether they are ordered."""
    records: int
    """Of the fitted table."""
    caveats: tuple[str, ...]
    pairwise: Matrix | None = field(default=None, repr=False)
    """ρ of each pair by itself, before they were made one correlation matrix."""

    @property
    def correlation(self) -> Matrix:
        """Of the normal variables, in the order of the table's columns."""
        return self.normals.correlation

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records; each chunk of up to 16,384 has its own stream."""
        seed, out = new_seed(rng), [room(column, n) for column in self.shape.columns]
        q = len(out)
        # Few rows at a time where columns are many; it depends on the table alone, so threads change nothing.
        size = max(256, min(CHUNK, WIDE // q))

        def work(first: int) -> None:
            z = np.empty((q, min(size, n - first)))
            self.normals.fill(seed, first // size, z)
            for j, margin in enumerate(self.margins):
                margin.draw(z[j], out[j][first : first + size])

        each(work, range(0, n, size), threads)
        return filled(self.shape, out)

    def complete(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Mixed:
        """Unknown cells drawn given the known ones of their record; see `completing`."""
        from lookalike.models.completing import complete

        return complete(self, table, rng=rng, threads=threads)


def room(column: Column, n: int) -> NDArray[Any]:
    """Place for the cells of a column."""
    return np.empty(n) if isinstance(column, Numbers) else np.empty(n, np.int32)


def filled(shape: Mixed, cells: Sequence[NDArray[Any]]) -> Mixed:
    """Cells as columns of the kinds of `shape`."""
    return Mixed(
        tuple(
            Numbers(x) if isinstance(c, Numbers) else Categories(x, c.levels, c.ordered)
            for c, x in zip(shape.columns, cells, strict=True)
        )
    )
