"""The decision rule of Dankar and others: which estimator of population uniques to trust at which fraction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from lookalike.population.estimator import Finding
from lookalike.population.pitman_yor import PitmanYor
from lookalike.population.sample import Sample
from lookalike.population.slide_negative_binomial import SlideNegativeBinomial
from lookalike.population.zayatz import Zayatz

_LOW_FRACTION = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Dankar:
    """π ≤ 0.1: Pitman–Yor; above: Zayatz or slide negative binomial, whichever finds fewer population uniques.

    Dankar, El Emam, Neisa and Roffey (2012), "Estimating the re-identification risk of clinical data sets". The
    rule was made for population uniques; B, the risks and the interval are those of the estimator it chooses. Of
    two that estimate c₁·P(F = 1 | f = 1)/π the order is that of c₁·P(F = 1 | f = 1). If one of the two has no
    answer the other is taken, and the caveats say so.

    >>> sizes = np.repeat([1, 2, 3, 4, 9], [135, 46, 25, 20, 8])
    >>> sample = Sample.from_codes(np.arange(len(sizes))[:, None], sizes)
    >>> Dankar().estimate(sample, 1500, rng=np.random.default_rng(1)).match_rate.caveats[0]
    'the rule chose slide_negative_binomial'
    """

    key: ClassVar[str] = "dankar"

    def estimate(self, sample: Sample, population: int, *, rng: Generator) -> Finding:
        """B of the estimator the rule chooses; nothing is drawn."""
        if sample.records <= _LOW_FRACTION * population:
            found = PitmanYor().estimate(sample, population, rng=rng)
            return self._named(found)
        both = [e.estimate(sample, population, rng=rng) for e in (Zayatz(), SlideNegativeBinomial())]
        usable = [found for found in both if found.match_rate.value is not None]
        if not usable:
            reasons = "; ".join(f"{found.match_rate.method}: {found.match_rate.caveats[0]}" for found in both)
            return Finding.not_assessable(f"neither estimator has an answer ({reasons})", method=self.key)
        missing = [
            f"{found.match_rate.method} has no answer: {found.match_rate.caveats[0]}"
            for found in both
            if found.match_rate.value is None
        ]
        return self._named(min(usable, key=_uniques), *missing)

    def _named(self, found: Finding, *caveats: str) -> Finding:
        rate = found.match_rate
        if rate.value is None:
            return Finding.not_assessable(f"the rule chose {rate.method}: {rate.caveats[0]}", method=self.key)
        told = (f"the rule chose {rate.method}", *caveats, *rate.caveats)
        return replace(found, match_rate=replace(rate, method=self.key, caveats=told))


def _uniques(found: Finding) -> float:
    return np.inf if found.population_uniques is None else found.population_uniques
