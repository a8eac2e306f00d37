"""Draw records of a normal law cut at thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.sampler import Sampler, Seed, new_seed


class CutNormal(Sampler):
    """A normal vector with a correlation matrix, each coordinate cut at Φ⁻¹ of the cumulated shares of its levels.

    Level k of a variable is drawn when z lies between the thresholds around it, so every margin is exact.

    >>> law = CutNormal([np.array([0.5, 0.5]), np.array([0.2, 0.8])], np.array([[1.0, 0.6], [0.6, 1.0]]))
    >>> law.codes(4, rng=np.random.default_rng(1)).shape
    (4, 2)
    """

    def __init__(self, shares: Sequence[NDArray[np.float64]], correlation: NDArray[np.float64]) -> None:
        super().__init__([len(s) for s in shares])
        self._root = np.linalg.cholesky(correlation)
        self._thresholds = [np.append(thresholds(s), np.inf) for s in shares]

    def _draw_codes(self, seed: Seed, chunk: int, out: NDArray[np.int32]) -> None:
        from lookalike.models import _drawing as kernel

        kernel.draw_codes(seed, chunk, self._root, *self._guides, out)

    def _draw_keys(
        self, seed: Seed, chunk: int, radix: NDArray[np.int64], closes: NDArray[np.bool_], out: NDArray[np.int64]
    ) -> None:
        from lookalike.models import _drawing as kernel

        kernel.draw_keys(seed, chunk, self._root, *self._guides, radix, closes, out)

    def _draw_marks(self, seed: Seed, chunk: int, n: int, radix: NDArray[np.int64], marks: NDArray[np.uint64]) -> None:
        from lookalike.models import _drawing as kernel

        kernel.draw_marks(seed, chunk, n, self._root, *self._guides, radix, marks)

    def normals(self, n: int, *, rng: Generator, threads: int | None = None) -> NDArray[np.float64]:
        """The normal vectors before they are cut."""
        from lookalike.models._normals import by_root

        seed, out = new_seed(rng), np.empty((n, len(self._levels)))
        self._chunks(out, 0, threads, lambda c, part: by_root(seed, c, self._root, part.T))
        return out

    @cached_property
    def _guides(self) -> tuple[NDArray[Any], ...]:
        """Thresholds of all variables in a row, and for even bins of z the first level that can hold it."""
        from lookalike.models._drawing import REACH

        bins = [min(2**18, max(64, 1 << (8 * levels - 1).bit_length())) for levels in self._levels]
        guides = []
        for cuts, count in zip(self._thresholds, bins, strict=True):
            # A hair below the edge: rounding must not start the scan too high.
            edges = np.linspace(-REACH, REACH, count + 1)[:-1] - 1e-9
            edges[0] = -np.inf
            guides.append(np.searchsorted(cuts, edges, side="right").astype(np.int32))
        return (
            np.concatenate(self._thresholds),
            np.cumsum([0, *map(len, self._thresholds)])[:-1],
            np.concatenate(guides),
            np.cumsum([0, *map(len, guides)])[:-1],
            np.array(bins),
        )


def thresholds(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Φ⁻¹ of the cumulated shares, the last (infinite) left out.

    >>> thresholds(np.array([0.5, 0.5])).tolist()
    [0.0]
    """
    from scipy.special import ndtri

    cumulated = np.minimum(np.cumsum(shares)[:-1] / shares.sum(), 1.0)
    return np.asarray(ndtri(cumulated), np.float64)
