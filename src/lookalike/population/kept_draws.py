"""A few draws of a latent-class model, kept to tell the probability of classes the model was not fitted to."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.models import LatentDraw
from lookalike.models.domain import Domain
from lookalike.models.value_shares import ValueShares
from lookalike.population.recoded import keys

Floats = NDArray[np.float64]


class KeptDraws:
    """π and θ of some draws. Merging levels adds their θ, dropping a variable drops its factor.

        p(x) = Σ_h π_h Π_j Σ_{v in S_j} θ_hj(v),    S_j the levels that the cell of variable j covers

    `fine[j]` are the caller's codes of the levels of variable j, in their order: the caller may have codes that no
    record has. Arrays of `maps` have a place for each of the caller's codes.
    """

    def __init__(
        self,
        draws: Sequence[LatentDraw],
        fine: Sequence[NDArray[np.integer]],
        shares: Sequence[ValueShares] = (),
        domains: Sequence[Domain] = (),
    ) -> None:
        self.first = draws[0].first
        self.shares: Floats = np.stack([draw.shares for draw in draws])
        self.theta: Floats = np.stack([draw.levels for draw in draws])
        self.fine = fine
        self._unseen = [
            UnseenMass.of(s, domains[j] if domains else Domain(), len(fine[j])) if s.unseen else None
            for j, s in enumerate(shares)
        ] or [None] * len(fine)
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

    def merged(self, j: int, coarse: NDArray[np.integer], level: Hashable) -> Floats:
        """θ of one variable at a level: draws by codes of the level by latent classes."""
        if level is not None and (j, level) in self._merged:
            return self._merged[j, level]
        theta = self.theta[:, self.first[j] : self.first[j + 1]]
        found = np.zeros((len(self), int(coarse.max()) + 1, theta.shape[2]))
        seen = np.asarray(coarse)[self.fine[j]]
        for place, code in enumerate(seen):
            found[:, code] += theta[:, place]
        unseen = self._unseen[j]
        if unseen is not None:
            for place, code, share in unseen.within(seen):
                found[:, code] += share * theta[:, place]
        if level is not None:
            self._merged[j, level] = found
        return found


@dataclass(frozen=True)
class UnseenMass:
    """Where values that no record has would fall if levels are merged.

    On a line they lie between two seen values: they belong to a merged level that holds both. Without a line they
    belong to one of the finest groups: to a merged level that holds all of the group and more than one seen value.
    """

    places: NDArray[np.int64]
    """Of each group or gap the place among the levels of θ that holds its mass."""
    shares: Floats
    """And its share of that mass."""
    members: tuple[NDArray[np.int64], ...]
    """The seen levels on both sides of each gap, or in each group."""

    @classmethod
    def of(cls, shares: ValueShares, domain: Domain, levels: int) -> UnseenMass:
        """From the shares a model was fitted with; its unseen levels come after the seen ones."""
        finest = shares.groups[0][:levels] if shares.groups else np.zeros(levels, np.int64)
        group = np.unique(finest, return_inverse=True)[1]
        if domain.line is None:
            members = tuple(np.flatnonzero(group == g) for g in range(shares.unseen))
            return cls(levels + np.arange(shares.unseen), np.ones(shares.unseen), members)
        off = np.zeros(levels, bool) if domain.off_line is None else domain.off_line
        order = np.flatnonzero(~off)[np.argsort(domain.line[~off], kind="stable")]
        left, right = order[:-1], order[1:]
        gaps = np.maximum(domain.line[right] - domain.line[left] - 1, 0).astype(np.float64)
        total = np.bincount(group[left], weights=gaps, minlength=shares.unseen)[group[left]]
        part = np.divide(gaps, total, out=np.zeros_like(gaps), where=total > 0)
        return cls(levels + group[left], part, tuple(np.array(pair) for pair in zip(left, right, strict=True)))

    def within(self, coarse: NDArray[np.integer]) -> Iterator[tuple[int, int, float]]:
        """Each mass that falls into a merged level: its place in θ, the merged level, and how much of it."""
        many = np.bincount(coarse) > 1
        for place, share, members in zip(self.places, self.shares, self.members, strict=True):
            codes = coarse[members]
            if share > 0 and many[codes[0]] and (codes == codes[0]).all():
                yield int(place), int(codes[0]), float(share)


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
