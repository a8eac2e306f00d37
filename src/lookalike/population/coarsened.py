"""B of any coarser version of a file, from one fit of the latent-class model to the finest."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models import LatentClasses, LatentDraw
from lookalike.models.domain import Domain
from lookalike.models.value_shares import KnownShares
from lookalike.population.class_trust import Pair, pairs, trust_odds
from lookalike.population.inferred import shares_of
from lookalike.population.kept_draws import KeptDraws, thinned
from lookalike.population.posterior import UNSEEN
from lookalike.population.recoded import Recoded, Version
from lookalike.population.sample import Sample
from lookalike.population.tilted import refuse_joint, tilted

CHAINS = 2
DRAWS = 20
TRUST_DRAWS = 4  # from which it is learned how far all can be trusted

Floats = NDArray[np.float64]


def one_fit_model() -> LatentClasses:
    """More sweeps than the estimator's own fit: it is made once and asked for every version."""
    return LatentClasses(sweeps=300, burn_in=150)


@dataclass(frozen=True, slots=True)
class Answers:
    """B by the model as it is, and by the model as far as the class sizes let it be trusted."""

    plain: float
    trusted: float


class CoarsenedRisk:
    """B̂ = (1/n) Σ_c f_c · mean over kept draws of E[1/F_c], for generalized, suppressed, microaggregated versions.

    Under a draw (π, θ) of the latent-class model a class whose cell on variable j covers the levels S_j has the
    probability Σ_h π_h Π_j Σ_{v in S_j} θ_hj(v), so one fit serves all versions. E[1/F_c] follows as in `Posterior`,
    of its two answers the trusted one; how far the draws are trusted is learned once, from the finest classes. Sizes of
    other versions must not tell it: a search would find the version where chance says most. Nothing is drawn, so the
    same version has the same rate.

    >>> rng = np.random.default_rng(1)
    >>> people = np.column_stack([rng.integers(0, 90, 5000), rng.integers(0, 8, 5000)])
    >>> fine, sizes = np.unique(people[:500], axis=0, return_counts=True)
    >>> risk = CoarsenedRisk.of_codes(fine, sizes, 5000, rng=rng)
    >>> tens = risk.version([np.arange(90) // 10, np.arange(8)])
    >>> rates = risk.rate(risk.as_it_is()), risk.rate(tens)                # B is 720 and 72 of 5,000
    >>> 0.13 < rates[0] < 0.16, 0.013 < rates[1] < 0.016
    (True, True)
    """

    def __init__(
        self,
        draws: KeptDraws,
        codes: NDArray[np.integer],
        sizes: NDArray[np.integer],
        population: int,
        vague: frozenset[int] | None = None,
    ) -> None:
        self.draws, self.population = draws, population
        self.vague = frozenset(range(codes.shape[1])) if vague is None else vague
        """Variables of which nothing is known but the records' own values: no margin, no neighbours."""
        self.codes, self.sizes = np.asarray(codes, np.int32), np.asarray(sizes, np.int64)
        self.records = int(self.sizes.sum())
        self._once: dict[tuple[int, Hashable], float] = {}

    @classmethod
    def fit(
        cls,
        sample: Sample,
        population: int,
        *,
        rng: Generator,
        model: LatentClasses | None = None,
        draws: int = DRAWS,
        groups: Sequence[Sequence[NDArray[np.integer]]] | None = None,
        fine: Sequence[NDArray[np.integer]] | None = None,
    ) -> CoarsenedRisk:
        """Fit the finest file; its population has so many people.

        `groups` has for each variable the maps of its coarser levels, fine to coarse. Give them if they are known: what
        ties variables may show between months where days are too many to show it. `fine[j]` are the caller's codes of
        the levels of variable j, if these are not 0 and up.
        """
        refuse_joint(sample.margins)
        own = [np.arange(n) for n in sample.table.levels] if fine is None else fine
        by_level = None if groups is None else [[m[o] for m in maps] for maps, o in zip(groups, own, strict=True)]
        shares, choice = shares_of(sample, by_level), model or one_fit_model()
        table, kept = sample.population_shares, list[LatentDraw]()
        for chain, stream in enumerate(rng.spawn(CHAINS)):
            drawn = choice.draws(table, rng=stream, records=sample.sizes, shares=shares, tied=chain % 2 == 0)
            kept += [tilted(draw, sample, population) for draw in thinned(drawn, draws // CHAINS)]
        codes = np.column_stack([o[sample.table.codes[:, j]] for j, o in enumerate(own)])
        domains = [sample.domain(j) for j in range(len(own))]
        vague = frozenset(j for j, s in enumerate(shares) if domains[j].line is None and not isinstance(s, KnownShares))
        return cls(KeptDraws(kept, own, shares, domains), codes, sample.sizes, population, vague)

    @classmethod
    def of_codes(
        cls,
        codes: NDArray[np.integer],
        sizes: NDArray[np.integer],
        population: int,
        *,
        rng: Generator,
        model: LatentClasses | None = None,
        draws: int = DRAWS,
        groups: Sequence[Sequence[NDArray[np.integer]]] | None = None,
        domains: Sequence[Domain] = (),
    ) -> CoarsenedRisk:
        """The same from the classes of the finest file, with codes from 0 up that may have gaps; maps go by these."""
        fine = [np.unique(codes[:, j]) for j in range(codes.shape[1])]
        sample = Sample.from_codes(codes, sizes, domains=domains)
        return cls.fit(sample, population, rng=rng, model=model, draws=draws, groups=groups, fine=fine)

    def version(self, maps: Sequence[NDArray[np.integer]], levels: Sequence[Hashable] | None = None, /) -> Recoded:
        """The version of the file with these levels."""
        return Recoded.of(self.codes, self.sizes, maps, levels)

    def as_it_is(self) -> Recoded:
        """The file itself."""
        return self.version([_ranks(own) for own in self.draws.fine])

    def rate(self, version: Version, /) -> float:
        """B of a version by global recoding, over the records of its classes.

        Where nearly all records have a value of their own of some variable, the file does not tell how many people
        share it: then K/n, which B cannot exceed.
        """
        records = int(np.sum(version.sizes))
        if not records:
            return 0.0
        if self._unknown(version):
            return len(version.sizes) / records
        return self._of_classes(version, trusted=True)

    def answers(self, version: Version, /) -> Answers:
        """B by the model as it is, and as far as it is trusted."""
        return Answers(*(self._of_classes(version, trusted=trusted) for trusted in (False, True)))

    def _of_classes(self, version: Version, *, trusted: bool) -> float:
        sizes = np.asarray(version.sizes, np.float64)
        p = self.draws.of_classes(version.codes, version.maps, version.levels)
        return self._mean(sizes, p, trusted=trusted)

    @cached_property
    def _pairs(self) -> list[Pair]:
        """How far each draw is trusted, learned from the classes of the file as it is."""
        some, whole = slice(None, None, -(-len(self.draws) // TRUST_DRAWS)), self.as_it_is()
        p = self.draws.of_classes(whole.codes, whole.maps, whole.levels, some)
        return pairs(trust_odds(whole.sizes.astype(np.float64), list(p), self.records), len(self.draws))

    def _mean(self, sizes: Floats, p: Floats, *, trusted: bool) -> float:
        """The mean of 1/F over records and draws."""
        from lookalike.population import _coarsened as kernel
        from lookalike.population._inverse import binomial_inverse

        n, outside = float(self.records), max(self.population - self.records, 0)
        if trusted:
            both = zip(p, self._pairs, strict=True)
            sums = [kernel.gamma_inverse_sum(sizes, sizes, own, *pair, n, float(outside)) for own, pair in both]
        else:
            sums = [float((sizes * binomial_inverse(sizes, own, outside)).sum()) for own in p]
        return float(np.mean(sums)) / float(sizes.sum())

    def _unknown(self, version: Version) -> bool:
        """Whether a variable has next to no value that two records share."""
        shown = enumerate(zip(version.maps, version.levels, strict=True))
        return any(self._seen_once(j, coarse, level) > UNSEEN for j, (coarse, level) in shown if j in self.vague)

    def _seen_once(self, j: int, coarse: NDArray[np.integer], level: Hashable) -> float:
        if level is None or (j, level) not in self._once:
            counts = np.bincount(coarse[self.codes[:, j]], weights=self.sizes)
            found = float((counts == 1).sum()) / self.records
            if level is None:
                return found
            self._once[j, level] = found
        return self._once[j, level]


def _ranks(own: NDArray[np.integer]) -> NDArray[np.int64]:
    """From the codes that occur to their places: codes may have wide gaps."""
    found = np.zeros(int(own.max()) + 1, np.int64)
    found[own] = np.arange(len(own))
    return found
