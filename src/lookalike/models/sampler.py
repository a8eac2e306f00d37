"""Draw records of a law of categories: as codes, as keys, or only the number of distinct ones."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.engine import Stage, number, stage
from lookalike.models.distinct import DistinctKeys

CHUNK = 2**14
"""Records of one random stream; fixed, so that the number of threads changes nothing."""

BLOCK = 2**22
"""Records held at a time while distinct records are counted."""

_LARGEST = 2**62

Seed = NDArray[np.uint64]
_BITS = 2**32
"""Bits of memory for marks of all possible records: half a gigabyte."""


@dataclass(frozen=True, slots=True)
class Distinct:
    """A number of distinct records, and whether every one was counted."""

    count: float
    exact: bool


class Sampler(ABC):
    """Records in chunks, each from its own random stream; a law says how a chunk is filled."""

    def __init__(self, levels: Sequence[int]) -> None:
        self._levels = list(levels)

    @abstractmethod
    def _draw_codes(self, seed: Seed, chunk: int, out: NDArray[np.int32]) -> None:
        """Fill rows of codes from the stream of a chunk."""

    @abstractmethod
    def _draw_keys(
        self, seed: Seed, chunk: int, radix: NDArray[np.int64], closes: NDArray[np.bool_], out: NDArray[np.int64]
    ) -> None:
        """Fill rows of words with the same records: digits of mixed radix, a word ends where `closes` says so."""

    def codes(self, n: int, *, rng: Generator, threads: int | None = None) -> NDArray[np.int32]:
        """One row a record, one column a variable."""
        seed, out = new_seed(rng), np.empty((n, len(self._levels)), np.int32)
        self._chunks(out, 0, threads, lambda c, part: self._draw_codes(seed, c, part))
        return out

    def keys(self, n: int, *, rng: Generator, threads: int | None = None) -> NDArray[np.int64]:
        """One number a record, equal if and only if the records are; the records `codes` would draw."""
        words = self._words(n, new_seed(rng), 0, threads)
        key = words[:, 0]
        for w in range(1, words.shape[1]):
            left, right = number(key), number(np.ascontiguousarray(words[:, w]))
            key = left.index.astype(np.int64) * len(right.sizes) + right.index
        return np.ascontiguousarray(key)

    def distinct(self, n: int, *, rng: Generator, threads: int | None = None, what: str = "records") -> Distinct:
        """How many distinct records are among n drawn; memory does not grow with n."""
        seed, workers = new_seed(rng), threads or _threads()
        with stage(f"drawing {what}", total=n) as progress:
            if self._room * workers <= _BITS and self._room <= 64 * n:
                return Distinct(self._marked(n, seed, workers, progress), exact=True)
            # A small job is not worth threads.
            seen = DistinctKeys(words=sum(self._closes), block=min(n, BLOCK), threads=workers if n > BLOCK // 8 else 1)
            for start in range(0, n, BLOCK):
                size = min(BLOCK, n - start)
                seen.add(self._words(size, seed, start // CHUNK, threads))
                progress.advance(size)
        return Distinct(seen.count, seen.exact)

    def _marked(self, n: int, seed: Seed, workers: int, progress: Stage) -> int:
        """The number of distinct keys, each a bit: one set of bits a worker, joined at the end."""
        radix, chunks = np.array(self._levels, np.int64), -(-n // CHUNK)
        marks = np.zeros((workers, -(-self._room // 64)), np.uint64)

        def work(worker: int) -> None:
            for chunk in range(worker, chunks, workers):
                size = min(CHUNK, n - chunk * CHUNK)
                self._draw_marks(seed, chunk, size, radix, marks[worker])
                progress.advance(size)

        if workers == 1:
            work(0)
        else:
            with ThreadPoolExecutor(workers) as pool:
                for _ in pool.map(work, range(workers)):
                    pass
        return int(np.bitwise_count(np.bitwise_or.reduce(marks, axis=0)).sum())

    def _draw_marks(self, seed: Seed, chunk: int, n: int, radix: NDArray[np.int64], marks: NDArray[np.uint64]) -> None:
        """Set the bit of every record's key; all variables fit one word."""
        keys, closes = np.empty((n, 1), np.int64), np.arange(len(radix)) == len(radix) - 1
        self._draw_keys(seed, chunk, radix, closes, keys)
        found = np.unique(keys)
        np.bitwise_or.at(marks, found >> 6, np.uint64(1) << (found & 63).astype(np.uint64))

    @cached_property
    def _room(self) -> int:
        """All keys there can be."""
        return math.prod(self._levels)

    def _words(self, n: int, seed: Seed, first: int, threads: int | None) -> NDArray[np.int64]:
        radix, closes = np.array(self._levels, np.int64), np.array(self._closes)
        out = np.empty((n, int(closes.sum())), np.int64)
        self._chunks(out, first, threads, lambda c, part: self._draw_keys(seed, c, radix, closes, part))
        return out

    @cached_property
    def _closes(self) -> list[bool]:
        """Whether a word of the key ends after each variable: before the next one would not fit."""
        closes, room = [], 1
        for this, after in zip(self._levels, [*self._levels[1:], _LARGEST], strict=True):
            room *= this
            closes.append(room * after >= _LARGEST)
            room = 1 if closes[-1] else room
        return closes

    def _chunks(
        self, out: NDArray[Any], first: int, threads: int | None, draw: Callable[[int, NDArray[Any]], Any]
    ) -> None:
        """Fill `out` chunk by chunk, chunk c from stream `first` + c."""
        starts = range(0, len(out), CHUNK)

        def work(start: int) -> None:
            draw(first + start // CHUNK, out[start : start + CHUNK])

        if len(starts) == 1 or (threads or _threads()) == 1:
            for start in starts:
                work(start)
        else:
            with ThreadPoolExecutor(threads or _threads()) as pool:
                for _ in pool.map(work, starts):
                    pass


class Sampled(ABC):
    """A fitted law one can draw from."""

    @property
    @abstractmethod
    def law(self) -> Sampler:
        """The sampler."""

    def sample_codes(self, n: int, *, rng: Generator, threads: int | None = None) -> NDArray[np.int32]:
        """n records as codes of the table's levels."""
        return self.law.codes(n, rng=rng, threads=threads)

    def sample_keys(self, n: int, *, rng: Generator, threads: int | None = None) -> NDArray[np.int64]:
        """n records as numbers, equal if and only if the records are: the fast way to count classes."""
        return self.law.keys(n, rng=rng, threads=threads)

    def count_distinct(self, n: int, *, rng: Generator, threads: int | None = None) -> Distinct:
        """How many distinct records n draws hold."""
        return self.law.distinct(n, rng=rng, threads=threads, what="a synthetic population")


def new_seed(rng: Generator) -> Seed:
    """The seed of all streams of one call."""
    return rng.integers(0, 2**64, 2, dtype=np.uint64)


def _threads() -> int:
    return max(1, min(8, os.cpu_count() or 1))
