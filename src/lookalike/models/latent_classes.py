"""Latent classes: a Dirichlet process mixture of products of multinomials (DPMPM), by Gibbs sampling."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.engine import stage
from lookalike.models.counts import Counts
from lookalike.models.level_tree import LevelTree
from lookalike.models.sampler import Sampled, Sampler, Seed
from lookalike.models.value_shares import ObservedShares, ValueShares

CHUNK = 4096
"""Rows of one random stream; fixed, so that the number of threads changes nothing."""
PARTS = 4
"""Sums kept apart while rows are allocated, then added in order: the same figures with any number of threads."""
MOST_DRAWS = 256
"""Records of one row whose latent classes are drawn one by one; a larger row draws as many, each counting for more."""
LEARN_EVERY = 3  # sweeps between two draws of the concentrations and the shares of values
LARGE_EVERY = 10
"""Of the sweeps over a part of a large file, each how many-th is kept: telling p of all its rows costs more."""
TIED, LOOSE = 1e4, 30.0  # concentrations inside groups of values at the start of a chain


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentClasses:
    """People fall into latent classes; inside a class the variables are independent.

        p(x) = Σ_h π_h Π_j θ_hj(x_j),    π by stick breaking with α ~ Gamma(shape, rate),
        θ_hj ~ Dirichlet(s_j · m_j),     m_j the margin of variable j, s_j learned.

    Dunson and Xing (2009), truncated at `classes` as in Ishwaran and James (2001). Others take θ uniform. Here
    the levels are drawn to the margin, by as much as the data say: docs/concepts/latent-classes.md tells why.

    >>> table = Counts.of(np.array([[0, 0], [1, 1]]), np.array([50, 50]))
    >>> model = LatentClasses(classes=5, sweeps=60, burn_in=30).fit(table, rng=np.random.default_rng(1))
    >>> bool(model.class_probabilities(np.array([[0, 0], [0, 1]])).round(1).tolist() == [0.5, 0.0])
    True
    >>> draws = LatentClasses(classes=5, sweeps=20, burn_in=8, every=3).draws(table, rng=np.random.default_rng(1))
    >>> len(list(draws))
    4
    """

    classes: int | None = None
    """The most latent classes; None: as many as `most_classes` says."""
    sweeps: int = 250
    burn_in: int = 100
    """Sweeps before the first draw is kept."""
    every: int = 3
    """Of the sweeps after, each how many-th is kept."""
    alpha_shape: float = 20.0
    alpha_rate: float = 1.0
    most_records: int = 100_000
    """A larger file is fitted on a random part of this size: the classes have less to learn than it holds."""

    def draws(
        self,
        table: Counts,
        *,
        rng: Generator,
        records: NDArray[np.int64] | None = None,
        threads: int | None = None,
        shares: Sequence[ValueShares] | None = None,
        tied: bool = True,
    ) -> Iterator[LatentDraw]:
        """The kept draws of the posterior, one after another. `records` per row, if the counts are weights.

        `shares` says for each variable how large a share of the population has each of its values, values that no
        record has among them; None: the margins of the table. `tied` starts from latent classes that do not differ
        inside groups of values, else they do; the chain may stay near its start, so both are tried.
        """
        part, records = self._part(table, records, rng)
        shares = shares or [ObservedShares(table.margin(j)) for j in range(table.variables)]
        sampler = _Gibbs(self, part, shares, records, rng, threads, TIED if tied else LOOSE)
        every = self.every if part is table else max(self.every, LARGE_EVERY)
        with stage("fitting latent classes", total=self.sweeps) as progress:
            for sweep in range(self.sweeps):
                draw = sampler.sweep(learn=sweep % LEARN_EVERY == 0)
                if sweep >= self.burn_in and (sweep - self.burn_in) % every == 0:
                    yield draw if part is table else replace(draw, probability=sampler.probabilities(draw, table.codes))
                progress.advance(1)

    def _part(
        self, table: Counts, records: NDArray[np.int64] | None, rng: Generator
    ) -> tuple[Counts, NDArray[np.int64] | None]:
        """The table, or a simple random sample of a large one's records, with their weights if it has them."""
        sizes = np.ceil(table.counts).astype(np.int64) if records is None else records
        total = int(sizes.sum())
        if total <= self.most_records:
            return table, records
        drawn = rng.multivariate_hypergeometric(sizes, self.most_records, method="marginals")
        kept = np.flatnonzero(drawn)
        counts = table.counts[kept] * (drawn[kept] / sizes[kept])
        return Counts(table.codes[kept], counts, table.levels), drawn[kept]

    def fit(
        self, table: Counts, *, rng: Generator, records: NDArray[np.int64] | None = None, threads: int | None = None
    ) -> LatentClassesModel:
        """A model that keeps up to 25 draws of the posterior, spread over all."""
        draws = list(self.draws(table, rng=rng, records=records, threads=threads))
        return LatentClassesModel(draws[:: max(1, len(draws) // 25)], table.levels)


@dataclass(frozen=True)
class LatentDraw:
    """One draw of the posterior.

    >>> table = Counts.of(np.array([[0, 0], [1, 1]]), np.array([50, 50]))
    >>> draw = LatentClasses(classes=5, sweeps=60, burn_in=30).fit(table, rng=np.random.default_rng(1)).draws[0]
    >>> draw.first.tolist(), bool(abs(draw.shares.sum() - 1) < 1e-9), draw.occupied >= 2
    ([0, 2, 4], True, True)
    >>> draw.class_probabilities(np.array([[0, 0], [1, 1]])).round(1).tolist()
    [0.5, 0.5]
    """

    shares: NDArray[np.float64]
    """π, one a latent class."""
    levels: NDArray[np.float64]
    """θ: levels of all variables one after another by latent classes."""
    first: NDArray[np.int64]
    """Where each variable's levels begin, and the end."""
    probability: NDArray[np.float64]
    """p of each row of the table that was fitted."""
    alpha: float
    occupied: int
    """Latent classes that hold a record."""

    def class_probabilities(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """p of any rows of codes."""
        found = np.empty(len(codes))
        for start in range(0, len(codes), CHUNK):
            rows = codes[start : start + CHUNK]
            part = np.broadcast_to(self.shares, (len(rows), len(self.shares))).copy()
            for j in range(codes.shape[1]):
                part *= self.levels[self.first[j] + rows[:, j]]
            found[start : start + CHUNK] = part.sum(axis=1)
        return found


def most_classes(records: float) -> int:
    """How many latent classes are enough for so many records: 80 up to 10,000, then as n^0.4, 160 at most.

    >>> [most_classes(n) for n in (500, 20_000, 10**6)]
    [80, 106, 160]
    """
    return int(np.clip(round(80 * float(records / 10_000) ** 0.4), 80, 160))


class _Gibbs:
    """The state of the sampler."""

    def __init__(
        self,
        choice: LatentClasses,
        table: Counts,
        shares: Sequence[ValueShares],
        records: NDArray[np.int64] | None,
        rng: Generator,
        threads: int | None,
        lower: float,
    ) -> None:
        self.choice, self.codes, self.rng, self.value_shares = choice, table.codes, rng, shares
        sizes = table.counts if records is None else records
        self.draws = np.clip(np.ceil(sizes), 1, MOST_DRAWS).astype(np.int64)
        self.weight = table.counts / self.draws
        self.total, self.alpha = table.total, 1.0
        self.classes = choice.classes or most_classes(table.total)
        self.threads = threads or max(1, min(PARTS, os.cpu_count() or 1))
        self.parts = PARTS if len(self.codes) > 4 * CHUNK else 1
        self.shares = np.full(self.classes, 1 / self.classes)
        self.trees = [LevelTree(s.draw(rng), s.groups, lower=lower) for s in shares]
        parts = [tree.start(self.classes, rng=rng) for tree in self.trees]
        self.first = np.cumsum([0, *map(len, parts)])
        self.levels = np.concatenate(parts)

    def sweep(self, *, learn: bool) -> LatentDraw:
        """Allocate the records given π and θ, then draw α, π, s and θ given the allocation."""
        class_sums, level_sums, probability = self._allocate()
        occupied = int((class_sums > 0).sum())
        drawn = LatentDraw(self.shares, self.levels, self.first, probability, self.alpha, occupied)
        self._sticks(class_sums)
        self.levels = self._theta(level_sums, learn=learn)
        return drawn

    def _allocate(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        from lookalike.models import _gibbs as kernel

        rows, classes = len(self.codes), self.classes
        seed = self.rng.integers(0, 2**64, 2, dtype=np.uint64)
        class_sums = np.zeros((self.parts, classes))
        level_sums = np.zeros((self.parts, self.first[-1], classes))
        probability = np.empty(rows)

        def work(part: int) -> None:
            for chunk in range(part, -(-rows // CHUNK), self.parts):
                at = slice(chunk * CHUNK, (chunk + 1) * CHUNK)
                kernel.allocate(
                    self.codes[at],
                    self.draws[at],
                    self.weight[at],
                    self.first[:-1],
                    self.levels,
                    self.shares,
                    seed,
                    chunk,
                    class_sums[part],
                    level_sums[part],
                    probability[at],
                )

        self._each(work, self.parts)
        return class_sums.sum(axis=0), level_sums.sum(axis=0), probability

    def probabilities(self, draw: LatentDraw, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """p of any rows under a draw."""
        from lookalike.models import _gibbs as kernel

        out = np.empty(len(codes))

        def work(chunk: int) -> None:
            at = slice(chunk * CHUNK, (chunk + 1) * CHUNK)
            kernel.probabilities(codes[at], draw.first[:-1], draw.levels, draw.shares, out[at])

        self._each(work, -(-len(codes) // CHUNK))
        return out

    def _each(self, work: Callable[[int], None], tasks: int) -> None:
        if tasks == 1 or self.threads == 1:
            for task in range(tasks):
                work(task)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            for _ in pool.map(work, range(tasks)):
                pass

    def _sticks(self, class_sums: NDArray[np.float64]) -> None:
        """π by stick breaking given the sizes of the classes, then α given the sticks."""
        after = np.maximum(self.total - np.cumsum(class_sums)[:-1], 0)
        sticks = np.clip(self.rng.beta(1 + class_sums[:-1], self.alpha + after), 1e-12, 1 - 1e-12)
        left = np.log1p(-sticks)
        self.shares = np.append(sticks, 1.0) * np.exp(np.append(0.0, np.cumsum(left)))
        shape = self.choice.alpha_shape + self.classes - 1
        self.alpha = float(self.rng.gamma(shape, 1 / (self.choice.alpha_rate - left.sum())))

    def _theta(self, level_sums: NDArray[np.float64], *, learn: bool) -> NDArray[np.float64]:
        """θ of every variable by its tree, around shares that are drawn again each time they are learned from."""
        parts = [level_sums[a:b] for a, b in pairwise(self.first)]
        if learn:
            for tree, shares, sums in zip(self.trees, self.value_shares, parts, strict=True):
                tree.rebase(shares.draw(self.rng))
                tree.learn(sums, rng=self.rng)
        return np.concatenate([t.draw(sums, rng=self.rng) for t, sums in zip(self.trees, parts, strict=True)])


class LatentClassesModel(Sampled):
    """A fitted law: several draws of the posterior, each as good as the other.

    >>> table = Counts.of(np.array([[0, 0], [1, 1]]), np.array([50, 50]))
    >>> model = LatentClasses(classes=5, sweeps=60, burn_in=30).fit(table, rng=np.random.default_rng(1))
    >>> model.levels, model.sample_codes(4, rng=np.random.default_rng(1)).shape
    ((2, 2), (4, 2))
    >>> model.class_probabilities(np.array([[0, 0]])).round(1).tolist(), type(model.law).__name__
    ([0.5], '_Mixture')
    """

    def __init__(self, draws: Sequence[LatentDraw], levels: tuple[int, ...]) -> None:
        self.draws, self.levels = draws, levels

    @cached_property
    def law(self) -> Sampler:
        """The sampler: each chunk of records comes from one of the draws, in turn."""
        return _Mixture(self.draws, self.levels)

    def class_probabilities(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """p(x) = Σ_h π_h Π_j θ_hj(x_j) of each row, the mean over draws."""
        return np.asarray(np.mean([draw.class_probabilities(codes) for draw in self.draws], axis=0))


class _Mixture(Sampler):
    """A latent class by π, then every variable by its θ."""

    def __init__(self, draws: Sequence[LatentDraw], levels: Sequence[int]) -> None:
        super().__init__(levels)
        self._first = draws[0].first
        self._laws = [(np.cumsum(d.shares), _cumulated(d)) for d in draws]

    def _draw_codes(self, seed: Seed, chunk: int, out: NDArray[np.int32]) -> None:
        from lookalike.models import _gibbs as kernel

        kernel.draw_codes(seed, chunk, *self._laws[chunk % len(self._laws)], self._first, out)

    def _draw_keys(
        self, seed: Seed, chunk: int, radix: NDArray[np.int64], closes: NDArray[np.bool_], out: NDArray[np.int64]
    ) -> None:
        from lookalike.models import _gibbs as kernel

        kernel.draw_keys(seed, chunk, *self._laws[chunk % len(self._laws)], self._first, radix, closes, out)


def _cumulated(draw: LatentDraw) -> NDArray[np.float64]:
    """θ cumulated over the levels of each variable, one row a latent class."""
    total = np.cumsum(draw.levels, axis=0)
    before = np.concatenate([np.zeros((1, len(draw.shares))), total])[draw.first[:-1]]
    return np.ascontiguousarray((total - np.repeat(before, np.diff(draw.first), axis=0)).T)
