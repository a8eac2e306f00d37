"""Number the classes of equal keys: exact, in memory, on all cores for large files."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import LookalikeError

LARGE = 1_000_000
"""Records from which the compiled kernels pay for being loaded."""

MOST = 2**31 - 1
"""Records that 32 bits can number."""

_BITS = 9


@dataclass(frozen=True, slots=True)
class Numbering:
    """Classes numbered from 0 without gaps; the order of the numbers has no meaning."""

    index: NDArray[np.int32]
    """The class of every record, in the order of the records."""
    first: NDArray[np.int32]
    """A record of each class."""
    sizes: NDArray[np.int64]
    """The records of each class."""


def number(keys: NDArray[np.int64]) -> Numbering:
    """Give equal keys equal numbers.

    >>> found = number(np.array([7, 9, 7]))
    >>> found.index.tolist(), found.sizes.tolist()
    ([0, 1, 0], [2, 1])
    """
    if len(keys) > MOST:
        raise LookalikeError(f"In memory, at most {MOST:,} records are counted. Choose the engine duckdb or spark.")
    return _by_hashing(keys) if len(keys) >= LARGE else _by_sorting(keys)


def _by_sorting(keys: NDArray[np.int64]) -> Numbering:
    order = np.argsort(keys, kind="stable").astype(np.int32)
    ordered = keys[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(starts, len(keys)))
    index = np.empty(len(keys), np.int32)
    index[order] = np.repeat(np.arange(len(starts), dtype=np.int32), sizes)
    return Numbering(index, order[starts], sizes)


def _by_hashing(keys: NDArray[np.int64]) -> Numbering:
    from lookalike.engine import _hashing as kernel

    n, buckets = len(keys), 1 << _BITS
    threads = max(1, min(8, os.cpu_count() or 1))
    cuts = np.linspace(0, n, threads + 1).astype(np.int64)
    counts = np.zeros((threads, buckets), np.int64)
    with ThreadPoolExecutor(threads) as pool:
        _each(pool, threads, lambda t: kernel.bucket_sizes(keys[cuts[t] : cuts[t + 1]], _BITS, counts[t]))
        # Where each thread's share of each bucket begins: buckets in order, threads in order inside.
        places = (np.cumsum(counts.T).reshape(buckets, threads) - counts.T).T.copy()
        edges = np.append(places[0], n)
        grouped, rows = np.empty(n, np.int64), np.empty(n, np.int32)
        _each(
            pool,
            threads,
            lambda t: kernel.scatter(keys[cuts[t] : cuts[t + 1]], cuts[t], _BITS, places[t], grouped, rows),
        )
        index, first, sizes = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
        distinct = np.zeros(buckets, np.int64)
        shares = np.linspace(0, buckets, threads + 1).astype(np.int64)
        room = 4 * int(np.diff(edges).max()) + 8
        _each(
            pool,
            threads,
            lambda t: kernel.number_buckets(
                grouped, rows, edges, shares[t], shares[t + 1], np.empty(room, np.int32), index, first, sizes, distinct
            ),
        )
        offsets = np.append(0, np.cumsum(distinct))
        all_first, all_sizes = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int64)
        _each(
            pool,
            threads,
            lambda t: kernel.shift_buckets(
                rows, edges, offsets, shares[t], shares[t + 1], index, first, sizes, all_first, all_sizes
            ),
        )
    return Numbering(index, all_first, all_sizes)


def _each(pool: ThreadPoolExecutor, threads: int, work: Callable[[int], Any]) -> None:
    for _ in pool.map(work, range(threads)):
        pass
