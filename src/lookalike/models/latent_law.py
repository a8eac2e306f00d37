"""A law of a mixed table as draws of the posterior of latent classes: files, filled cells, columns drawn anew."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.latent_bins import Coding
from lookalike.models.latent_chain import Draw
from lookalike.models.latent_diagnostics import Diagnostics
from lookalike.models.mixed import Mixed
from lookalike.models.sampler import new_seed
from lookalike.models.structural_zeros import Zeros

CHUNK = 1024
"""Records of one random stream and one draw of the posterior; fixed, so that the number of threads changes nothing."""

Codes = NDArray[np.int32]


class DPMPMLaw:
    """A fitted `DPMPM`: several draws of the posterior, each as good as the other.

    Chunks of records take the draws in turn. `apart` gives laws of one draw each, one a copy of the file.

    >>> from lookalike.models import DPMPM
    >>> from lookalike.models.mixed import Categories, Mixed
    >>> table = Mixed((Categories(np.array([0, 1] * 50, np.int32), 2), Categories(np.array([0, 1] * 50, np.int32), 2)))
    >>> law = DPMPM(classes=5, sweeps=100, burn_in=50).fit_mixed(table, rng=np.random.default_rng(1))
    >>> law.sample(10, rng=np.random.default_rng(2)).records, len(law.apart(2))
    (10, 2)
    """

    def __init__(
        self, draws: Sequence[Draw], coding: Coding, zeros: Zeros, diagnostics: Diagnostics, caveats: tuple[str, ...]
    ) -> None:
        self.draws, self.diagnostics = tuple(draws), diagnostics
        self._coding, self._zeros, self._caveats = coding, zeros, caveats
        self._cumulated: dict[int, NDArray[np.float64]] = {}

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the user must know of records drawn from it."""
        return self._caveats

    @property
    def figures(self) -> dict[str, float]:
        """How the chain ran and how well the law foresees the tables of the file."""
        return self.diagnostics.figures()

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records: a class by π, then every cell by θ of it; with zeros, by the law cut to what is possible."""
        nothing = np.full((n, len(self._coding.levels)), -1, np.int32)
        return self._coding.table(self._filled(nothing, nothing, rng, threads), rng=rng)

    def complete(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Mixed:
        """The unknown cells drawn: a class given the known cells, P(h) ∝ π_h Π θ_hj(x_j), then the others by its θ."""
        codes = self._coding.codes(table)
        return self._coding.table(self._filled(codes, codes, rng, threads), rng=rng, like=table)

    def redraw(self, table: Mixed, columns: Sequence[int], *, rng: Generator, threads: int | None = None) -> Mixed:
        """These columns anew: a class given the *whole* record, then their cells by its θ. Other cells stay.

        The class and θ are together a draw of the posterior given the file, as in the sweep of the chain that kept θ.
        """
        codes = self._coding.codes(table)
        blank = codes.copy()
        blank[:, list(columns)] = -1
        return self._coding.table(self._filled(codes, blank, rng, threads), rng=rng, like=table, only=tuple(columns))

    def apart(self, copies: int) -> Sequence[DPMPMLaw]:
        """One law a copy, each from another draw, spaced over the chain; draws come again only if there are too few."""
        have = len(self.draws)
        if copies <= have:
            picked = np.linspace(0, have - 1, copies).round().astype(int)
            return [self._only(k, ()) for k in picked]
        shared = f"{copies} copies share {have} draws of the posterior; raise `kept` for standard errors to hold."
        return [self._only(k % have, (shared,)) for k in range(copies)]

    def _only(self, k: int, further: tuple[str, ...]) -> DPMPMLaw:
        return DPMPMLaw([self.draws[k]], self._coding, self._zeros, self.diagnostics, (*self._caveats, *further))

    def _filled(self, given: Codes, blank: Codes, rng: Generator, threads: int | None) -> Codes:
        """Classes given `given`, then the unknown cells of `blank`."""
        from lookalike.models import _latent_fill as kernel

        out, seed, first = blank.copy(), new_seed(rng), self._coding.first

        def work(c: int) -> int:
            at, k = slice(c * CHUNK, (c + 1) * CHUNK), c % len(self.draws)
            law = (self.draws[k].levels, self.draws[k].shares, self._cumulated_levels(k))
            return int(kernel.fill(given[at], out[at], self._zeros, first, *law, seed, c))

        chunks = range(-(-len(out) // CHUNK))
        workers = min(threads or os.cpu_count() or 1, len(chunks))
        if workers <= 1:
            failed = sum(work(c) for c in chunks)
        else:
            with ThreadPoolExecutor(workers) as pool:
                failed = sum(pool.map(work, chunks))
        if failed:
            raise BadPlan(
                f"{failed:,} records are impossible by the structural zeros, whatever is drawn for the unknown cells."
            )
        return out

    def _cumulated_levels(self, k: int) -> NDArray[np.float64]:
        """θ cumulated over the levels of each column, one row a latent class."""
        if k not in self._cumulated:
            first, levels = self._coding.first, self.draws[k].levels
            parts = [np.cumsum(levels[a:b], axis=0) for a, b in pairwise(first)]
            self._cumulated[k] = np.ascontiguousarray(np.concatenate(parts).T)
        return self._cumulated[k]
