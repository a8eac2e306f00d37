"""The alias method: a table built once, then one uniform place and one comparison a draw, however many values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.generators.discrete import checked_shares


@dataclass(frozen=True, slots=True)
class AliasTable:
    """Place k is kept with chance `stay[k]`, else it becomes `other[k]` (Walker 1977, built as in Vose 1991).

    p_k = (stay_k + Σ_(j : other_j = k) (1 − stay_j)) / q

    >>> table = AliasTable.of(np.array([0.1, 0.2, 0.7]))
    >>> table.shares().round(12).tolist()
    [0.1, 0.2, 0.7]
    >>> np.bincount(table.draw(100_000, rng=np.random.default_rng(1))).round(-3).tolist()
    [10000, 20000, 70000]
    """

    stay: NDArray[np.float64]
    other: NDArray[np.int64]

    @classmethod
    def of(cls, shares: NDArray[np.float64]) -> AliasTable:
        """The table of a law, in time of the order of its values."""
        from lookalike.models.generators import _alias

        weights = checked_shares(shares)
        stay, other = _alias.pair(weights * (len(weights) / weights.sum()))
        # Rounding may leave a value of share 0 unpaired; it must never be drawn.
        lost = (weights == 0) & (stay == 1)
        stay[lost], other[lost] = 0.0, int(np.argmax(weights))
        return cls(stay, other)

    def draw(self, n: int, *, rng: Generator) -> NDArray[np.int64]:
        """n places."""
        places = rng.integers(0, len(self.stay), n)
        leave = rng.random(n) >= self.stay[places]
        places[leave] = self.other[places[leave]]
        return places

    def shares(self) -> NDArray[np.float64]:
        """The law the table draws from: that it was made of, up to rounding."""
        q = len(self.stay)
        return np.asarray((self.stay + np.bincount(self.other, 1 - self.stay, minlength=q)) / q, np.float64)
