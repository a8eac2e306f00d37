"""Whether a control holds records of the original, found without names."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

LEVEL = 1e-3
"""How unlikely what is seen must be before a control is refused."""


def shared_records(index: NDArray[np.int32], originals: int) -> int:
    """About how many records of the control are records of the original; 0 if chance explains what is seen.

    `index` numbers equal records of the original, then of the control. Look at the records that occur exactly twice
    in both files together. If the control is other people, which file the two lie in is chance: one in each with f =
    2nm/((n+m)(n+m−1)). A record that lies in both files makes such a pair always. So of P pairs, S in two files,
    about (S − fP)/(1 − f) are shared; it is told if S is far above Binomial(P, f). Two files with exactly the same
    counts are told too, if that is as unlikely.

    >>> shared_records(np.arange(40, dtype=np.int32) % 20, 20)
    20
    >>> shared_records(np.arange(40, dtype=np.int32), 20)
    0
    """
    n, m = originals, len(index) - originals
    sizes = np.bincount(index)
    inside = np.bincount(index[:n], minlength=len(sizes))
    if _same_by_more_than_chance(sizes, inside):
        return m
    pairs = int(np.count_nonzero(sizes == 2))
    split = int(np.count_nonzero((sizes == 2) & (inside == 1)))
    chance = 2 * n * m / ((n + m) * (n + m - 1))
    if stats.binom.sf(split - 1, pairs, chance) > LEVEL:
        return 0
    return round((split - chance * pairs) / (1 - chance))


def _same_by_more_than_chance(sizes: NDArray[np.int64], inside: NDArray[np.int64]) -> bool:
    """Every record as often in one file as in the other, where a random split would hardly do that."""
    if (2 * inside != sizes).any():
        return False
    log_chance = _log_choose(sizes, inside).sum() - _log_choose(sizes.sum(), inside.sum())
    return bool(log_chance < np.log(LEVEL))


def _log_choose(n: NDArray[np.int64] | np.int64, k: NDArray[np.int64] | np.int64) -> NDArray[np.float64]:
    found: NDArray[np.float64] = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return found
