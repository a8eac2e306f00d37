"""The chain of the Gibbs sampler for synthesis: its start, its sweeps in one or more threads, the draws it keeps."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.engine import stage
from lookalike.errors import BadPlan
from lookalike.models.sampler import new_seed
from lookalike.models.structural_zeros import Slice, Zeros

CHUNK = 2048
"""Rows of one random stream; fixed, so that the number of threads changes nothing."""
THREADS_FROM = 2e6
"""Factors a sweep from which threads are worth their start."""
RATIO = 0.9
"""The share of a class at the start over that of the one before."""
CONCENTRATIONS = np.geomspace(0.05, 500.0, 24)  # of θ around the margin; each as likely beforehand as the next
STEP = 50
"""Sweeps between two words to whoever watches."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Rows(NamedTuple):
    """Distinct rows of codes, sorted, as the kernels read them."""

    codes: NDArray[np.int32]
    counts: Ints
    fresh: Ints
    """The first column in which a row differs from the one before."""
    live_from: Ints
    live: Ints
    """The slices that unknown cells could make true, row after row."""


class Options(NamedTuple):
    """What the sampler is to do."""

    alpha_shape: float
    alpha_rate: float
    most_added: int
    """Impossible records at most, times the records."""


class State(NamedTuple):
    """Where the chain stands."""

    alpha: Floats
    shares: Floats
    levels: Floats
    """θ: levels of all columns one after another by latent classes."""
    prior: Floats


class Trace(NamedTuple):
    """One number a sweep."""

    alpha: Floats
    occupied: Ints
    fit: Floats
    """The log-likelihood of the known cells."""
    full: NDArray[np.bool_]
    """Whether the added impossible records reached their most."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw of the posterior: π and θ, columns in the order of the table."""

    sweep: int
    shares: Floats
    levels: Floats


def distinct(codes: NDArray[np.int32]) -> tuple[NDArray[np.int32], Ints, Ints]:
    """Distinct rows in order, how often each occurs, and the first column in which each differs from the one before."""
    rows = codes[np.lexsort(codes.T[::-1])]
    differs = rows[1:] != rows[:-1]
    new = np.append(True, differs.any(axis=1))
    begins = np.flatnonzero(new)
    fresh = np.append(0, differs[begins[1:] - 1].argmax(axis=1)).astype(np.int64)
    return np.ascontiguousarray(rows[begins]), np.diff(np.append(begins, len(rows))).astype(np.int64), fresh


class Chain:
    """A chain over one table of codes."""

    def __init__(
        self,
        codes: NDArray[np.int32],
        levels: Sequence[int],
        margins: Sequence[Floats],
        *,
        classes: int,
        sweeps: int,
        options: Options,
        uniform: bool,
        slices: Sequence[Slice],
        rng: Generator,
        threads: int | None,
    ) -> None:
        # Columns with few levels first: more rows then share the products of their first columns.
        self.order = np.argsort(levels, kind="stable")
        self.first = np.cumsum([0, *np.asarray(levels)[self.order]]).astype(np.int64)
        self.back = _back(self.order, self.first)
        self.options, self.sweeps = options, sweeps
        self.zeros = Zeros.of([tuple(s[j] for j in self.order) for s in slices], [levels[j] for j in self.order])
        self.rows = _rows(codes[:, self.order], self.zeros)
        self.base = np.maximum(np.concatenate([margins[j] for j in self.order]), 1e-9)
        self.grid = np.empty(0) if uniform else CONCENTRATIONS
        self.seed = new_seed(rng)
        self.state = self._start(classes, uniform, rng)
        self.trace = Trace(np.empty(sweeps), np.empty(sweeps, np.int64), np.empty(sweeps), np.zeros(sweeps, bool))
        work = float(self.rows.codes.size) * classes
        self.threads = min(threads or os.cpu_count() or 1, self.chunks) if work > THREADS_FROM else 1

    @property
    def chunks(self) -> int:
        """Pieces of the distinct rows, each with its own random stream."""
        return -(-len(self.rows.counts) // CHUNK)

    def _start(self, classes: int, uniform: bool, rng: Generator) -> State:
        """Geometric shares, levels loosely around the margins.

        Equal shares fill too many classes and take thousands of sweeps to leave them. Halving from class to class
        leaves too few that ever grow: the chain stays in a poor place.
        """
        from lookalike.models import _latent_sweep as kernel

        sizes = np.diff(self.first)
        prior = np.ones(self.first[-1]) if uniform else np.maximum(3.0 * self.base, 1e-9)
        shares = RATIO ** np.arange(classes)
        levels, none = np.empty((self.first[-1], classes)), np.zeros((self.first[-1], classes), np.int64)
        loose = np.maximum(0.5 * self.base * np.repeat(sizes, sizes), 0.5 if uniform else 1e-3)
        seed = new_seed(rng)
        for j in range(len(sizes)):
            kernel.draw_levels(self.first[j], self.first[j + 1], loose, none, seed, j, levels)
        return State(np.ones(1), shares / shares.sum(), levels, prior)

    def draws(self, keep: Sequence[int]) -> Iterator[Draw]:
        """Run all sweeps; the state after each sweep of `keep`."""
        stops = sorted({*range(STEP, self.sweeps, STEP), *(k + 1 for k in keep), self.sweeps})
        kept, begin = set(keep), 0
        with stage("fitting latent classes", total=self.sweeps) as progress, ThreadPoolExecutor(self.threads) as pool:
            for end in stops:
                if not (self._alone(begin, end) if self.threads == 1 else self._together(begin, end, pool)):
                    raise BadPlan(
                        "Some records are impossible: whatever their unknown cells, a structural zero rules them out "
                        "(levels nobody has count only with prior='uniform'). Mend the records or the zeros."
                    )
                progress.advance(end - begin)
                begin = end
                if end - 1 in kept:
                    yield Draw(end - 1, self.state.shares.copy(), self.state.levels[self.back])

    def _alone(self, begin: int, end: int) -> bool:
        from lookalike.models import _latent_sweep as kernel

        given = (self.rows, self.zeros, self.first, self.options, self.base, self.grid, self.state)
        return bool(kernel.run(begin, end, CHUNK, *given, self.seed, self.trace))

    def _together(self, begin: int, end: int, pool: ThreadPoolExecutor) -> bool:
        """The same sweeps, rows shared among threads; sums are whole numbers, so their order changes nothing."""
        from lookalike.models import _latent_sweep as kernel

        records, state = int(self.rows.counts.sum()), self.state
        for sweep in range(begin, end):
            stream = sweep * (self.chunks + len(self.first))
            parts = list(pool.map(lambda t, s=stream: self._part(t, s), range(self.threads)))
            fits = np.empty(self.chunks)
            for t, (_, _, fit) in enumerate(parts):
                fits[t :: self.threads] = fit
            # Added one by one as the single thread does: numpy's own sum takes another order.
            total = float(np.cumsum(fits)[-1])
            if np.isnan(total):
                return False
            class_sums, level_sums = sum(p[0] for p in parts), sum(p[1] for p in parts)
            fixed = (records, self.zeros, self.first, self.options, self.base, self.grid, state)
            kernel.finish(sweep, total, *fixed, class_sums, level_sums, self.seed, stream + self.chunks, self.trace)
        return True

    def _part(self, thread: int, stream: int) -> tuple[Ints, Ints, list[float]]:
        """The sums of every so many-th chunk."""
        from lookalike.models import _latent_sweep as kernel

        state, fits = self.state, []
        class_sums, level_sums = np.zeros(state.shares.shape, np.int64), np.zeros(state.levels.shape, np.int64)
        for c in range(thread, self.chunks, self.threads):
            low, high = c * CHUNK, min((c + 1) * CHUNK, len(self.rows.counts))
            place = (self.rows, low, high, self.zeros, self.first, state.levels, state.shares, self.seed, stream + c)
            fits.append(float(kernel.allocate(*place, class_sums, level_sums)))
        return class_sums, level_sums, fits


def _back(order: NDArray[np.integer], first: Ints) -> Ints:
    """Where the levels of the columns in the table's order stand among those in the chain's order."""
    place = np.argsort(order, kind="stable")
    return np.concatenate([np.arange(first[k], first[k + 1]) for k in place])


def _rows(codes: NDArray[np.int32], zeros: Zeros) -> Rows:
    rows, counts, fresh = distinct(codes)
    many = np.zeros(len(rows), np.int64)
    found = np.empty(0, np.int64)
    if len(zeros.start) > 1:
        from lookalike.models import _latent_zeros as kernel

        kernel.live_slices(rows, zeros, many, found)
        known = counts[(many > 0) & (rows >= 0).all(axis=1)].sum()
        if known:
            raise BadPlan(
                f"{known:,} records are impossible by the structural zeros given. Mend the records or the zeros."
            )
        found = np.empty(int(many.sum()), np.int64)
        kernel.live_slices(rows, zeros, many, found)
    return Rows(rows, counts, fresh, np.cumsum([0, *many]).astype(np.int64), found)
