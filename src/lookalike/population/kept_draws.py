"""A few draws of a latent-class model, kept to tell the probability of classes the model was not fitted to."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.models import LatentDraw
from lookalike.population.recoded import keys

Floats = NDArray[np.float64]


class KeptDraws:
    """π and θ of some draws. Merging levels adds their θ, dropping a variable drops its factor.

        p(x) = Σ_h π_h Π_j Σ_{v in S_j} θ_hj(v),    S_j the levels that the cell of variable j covers

    `fine[j]` are the caller's codes of the levels of variable j, in their order: the caller may have codes that no
    record has. Arrays of `maps` have a place for each of the caller's codes.
    """

    def __init__(self, draws: Sequence[LatentDraw], fine: Sequence[NDArray[np.integer]]) -> None:
        self.first = draws[0].first
        self.shares: Floats = np.stack([draw.shares for draw in draws])
        self.theta: Floats = np.stack([draw.levels for draw in draws])
        self.fine = fine
        self._merged: dict[tuple[int, Hashable], Floats] = {}

    def __len__(self) -> int:
        return len(self.shares)

    def of_classes(
        self,
        codes: NDArray[np.integer],
        maps: Sequence[NDArray[np.integer]],
        levels: Sequence[Hashable],
        draws: slice = slice(None),
    ) -> Floats:
        """p of each class at each draw; rows of coarse codes, in any order."""
        from lookalike.population import _coarsened as kernel

        used = [j for j, coarse in enumerate(maps) if coarse.max(initial=0) > 0]
        shares = self.shares[draws]
        if not used:
            return np.ones((len(shares), len(codes)))
        # Few levels first, rows sorted: the kernel takes over the products of equal beginnings.
        used.sort(key=lambda j: int(maps[j].max()))
        merged = [self.merged(j, maps[j], levels[j])[draws] for j in used]
        first = np.cumsum([0, *(m.shape[1] for m in merged)])[:-1]
        narrow = codes[:, used]
        rows = np.argsort(keys(narrow), kind="stable")
        out = np.empty((len(shares), len(codes)))
        kernel.class_probabilities(narrow[rows] + first, np.concatenate(merged, axis=1), shares, out)
        found = np.empty_like(out)
        found[:, rows] = out
        return found

    def of_boxes(
        self,
        low: NDArray[np.integer],
        high: NDArray[np.integer],
        maps: Sequence[NDArray[np.integer]],
        levels: Sequence[Hashable],
    ) -> Floats:
        """p of each box at each draw; both ends, in codes of the levels, belong to it."""
        from lookalike.population import _coarsened as kernel

        merged = [self.merged(j, maps[j], levels[j]) for j in range(len(maps))]
        sizes = np.array([m.shape[1] for m in merged])
        first = np.cumsum([0, *sizes])[:-1]
        nothing = np.zeros((len(self), 1, self.shares.shape[1]))
        cumulated = np.cumsum(np.concatenate([nothing, *merged], axis=1), axis=1)
        start = np.where((low <= 0) & (high >= sizes - 1), -1, low + first)
        out = np.empty((len(self), len(low)))
        kernel.box_probabilities(start, high + first, cumulated, self.shares, out)
        # A difference of sums may come out below 0 by rounding.
        return np.clip(out, 0.0, 1.0, out=out)

    def merged(self, j: int, coarse: NDArray[np.integer], level: Hashable) -> Floats:
        """θ of one variable at a level: draws by codes of the level by latent classes."""
        if level is not None and (j, level) in self._merged:
            return self._merged[j, level]
        theta = self.theta[:, self.first[j] : self.first[j + 1]]
        found = np.zeros((len(self), int(coarse.max()) + 1, theta.shape[2]))
        for place, code in enumerate(coarse[self.fine[j]]):
            found[:, code] += theta[:, place]
        if level is not None:
            self._merged[j, level] = found
        return found


def thinned(draws: Iterable[LatentDraw], most: int) -> list[LatentDraw]:
    """At most so many, evenly spread from the first to the last; how many come need not be known beforehand.

    Once twice as many are held, each second is let go.
    """
    kept: list[LatentDraw] = []
    step = 1
    for i, draw in enumerate(draws):
        if i % step == 0:
            kept.append(draw)
        if len(kept) == 2 * most:
            kept, step = kept[::2], 2 * step
    places = np.unique(np.linspace(0, len(kept) - 1, min(most, len(kept))).round().astype(int))
    return [kept[i] for i in places]
