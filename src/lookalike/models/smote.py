"""SMOTE: a new record between a record and one of its nearest neighbours."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.filled import Filled
from lookalike.models.interpolation import between
from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.models.neighbours import ALL, Neighbours
from lookalike.models.sampler import Seed, _threads, new_seed

CHUNK = 2**12
"""Records of one random stream; fixed, so that the number of threads changes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Smote:
    """Synthetic minority oversampling (Chawla et al. 2002; thesis, section 3.2.11), here of all records.

    x_new = x + u (x^(k) − x): x a record at random, k uniform on 1 … K, x^(k) its k-th nearest neighbour, u uniform and
    the same for all numbers. A category is the one most of the K neighbours have (SMOTE-NC, their section 6.1), of
    several one at random. `balance` names a column of categories: its classes are drawn equally often, and neighbours
    are sought in the class of the record. With `scale` numbers are compared in standard deviations; without, as they
    are.

    >>> table = Mixed((Numbers(np.array([0.0, 1.0, 10.0, 11.0])), Categories(np.array([0, 0, 1, 1], np.int32), 2)))
    >>> law = Smote(neighbours=1).fit_mixed(table, rng=np.random.default_rng(1))
    >>> drawn = law.sample(100, rng=np.random.default_rng(2))
    >>> x = drawn.columns[0].values
    >>> bool((((x >= 0) & (x <= 1)) | ((x >= 10) & (x <= 11))).all())
    True
    """

    neighbours: int = 5
    balance: int | None = None
    scale: bool = True
    compare: int | None = 2_000
    """A search for neighbours ends after so many comparisons, the likely places first; None: when it is sure."""

    def __post_init__(self) -> None:
        if self.neighbours < 1:
            raise BadPlan(f"SMOTE: 'neighbours' must be at least 1, not {self.neighbours}.")
        if self.compare is not None and self.compare < 1:
            raise BadPlan(f"SMOTE: 'compare' must be at least 1, or None for a sure search, not {self.compare}.")

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> SmoteLaw:
        """A tree of the records; unknown cells are filled from other records of the column."""
        if self.balance is not None:
            self._check(table, self.balance)
        records = Filled.of(table, rng=rng, what="SMOTE")
        found = Neighbours.of(records.table, scale=self.scale, apart=self.balance)
        k, most = max(1, min(self.neighbours, table.records - 1)), self.compare or ALL
        return SmoteLaw(self, records, found, k, most, found.cut(k, most, rng=rng))

    def _check(self, table: Mixed, balance: int) -> None:
        if not 0 <= balance < len(table.columns):
            raise BadPlan(f"SMOTE: 'balance' is {balance}, but the columns are 0 to {len(table.columns) - 1}.")
        if not isinstance(table.columns[balance], Categories):
            raise BadPlan(f"SMOTE: 'balance' names column {balance}, which holds numbers. Name one of categories.")


class SmoteLaw:
    """The records and their neighbours."""

    def __init__(self, choice: Smote, records: Filled, neighbours: Neighbours, k: int, most: int, cut: float) -> None:
        self._choice, self._records, self._neighbours = choice, records, neighbours
        self._k, self._most, self._cut = k, most, cut

    @property
    def caveats(self) -> tuple[str, ...]:
        """How near the file the records are."""
        return (
            "Every record drawn lies between two real records, and where both agree its value is real: SMOTE is not "
            "protection.",
            "Numbers vary less than in the file, and rare categories get rarer: a vote of neighbours decides.",
            *self._few,
            *self._records.caveats,
        )

    @property
    def _few(self) -> tuple[str, ...]:
        found = []
        if self._records.table.records <= self._choice.neighbours:
            found.append("There are fewer other records than neighbours were asked for.")
        if self._cut:
            share = f"About {self._cut:.0%} of the searches for neighbours end after {self._most:,} comparisons"
            found.append(f"{share}: their neighbours are near, but maybe not the nearest.")
        return tuple(found)

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records, in chunks with a stream of their own."""
        base = self._neighbours.place[self._rows(n, rng)]
        other, part = np.empty(n, np.int64), np.empty(n)
        codes = np.empty((n, len(self._records.table.columns) - self._neighbours.numbers), np.int32)
        seed = new_seed(rng)

        def work(start: int) -> None:
            rows = slice(start, start + CHUNK)
            self._draw(seed, start // CHUNK, base[rows], other[rows], part[rows], codes[rows])

        with ThreadPoolExecutor(threads or _threads()) as pool:
            for _ in pool.map(work, range(0, n, CHUNK)):
                pass
        return self._assembled(self._neighbours.record[base], self._neighbours.record[other], part, codes)

    def _rows(self, n: int, rng: Generator) -> NDArray[np.int64]:
        """Records at random; with a class to balance, a class at random first."""
        table, balance = self._records.table, self._choice.balance
        column = None if balance is None else table.columns[balance]
        if not isinstance(column, Categories):
            return rng.integers(0, table.records, n)
        order = np.argsort(column.codes, kind="stable")
        sizes = np.bincount(column.codes, minlength=column.levels)
        starts, sizes = (np.cumsum(sizes) - sizes)[sizes > 0], sizes[sizes > 0]
        drawn = rng.integers(0, len(sizes), n)
        return np.asarray(order[starts[drawn] + rng.integers(0, sizes[drawn])], np.int64)

    def _draw(
        self,
        seed: Seed,
        chunk: int,
        base: NDArray[np.int64],
        other: NDArray[np.int64],
        part: NDArray[np.float64],
        codes: NDArray[np.int32],
    ) -> None:
        from lookalike.models import _neighbours as kernel

        found = self._neighbours
        kernel.draw(seed, chunk, found.tree, found.depth, self._most, self._k, base, other, part, codes)

    def _assembled(
        self, base: NDArray[np.int64], other: NDArray[np.int64], part: NDArray[np.float64], codes: NDArray[np.int32]
    ) -> Mixed:
        columns: list[Numbers | Categories] = []
        voted = 0
        for column in self._records.table.columns:
            if isinstance(column, Numbers):
                columns.append(Numbers(between(column.values[base], column.values[other], part)))
            else:
                columns.append(Categories(np.ascontiguousarray(codes[:, voted]), column.levels, column.ordered))
                voted += 1
        return Mixed(tuple(columns))
