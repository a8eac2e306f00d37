"""Synthetic estimator: draw a population from a copula fitted on the sample, count its classes (Jiang et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.engine import number
from lookalike.estimate import Estimate
from lookalike.models import DVineCopula, GaussianCopula, LatentNormal
from lookalike.models.value_shares import InferredShares
from lookalike.population.estimator import Finding
from lookalike.population.inferred import shares_of
from lookalike.population.limits import census, limits
from lookalike.population.sample import Sample

LARGEST = 2**30
"""People a synthetic population has at most, unless told: beyond, drawing them takes many minutes."""

MOST_UNSEEN = 1_000_000
"""Levels that stand for the unseen values of a group."""
_FEW = 100
_UNSEEN = 0.1
_ALWAYS = "rests on a normal copula fitted by mutual information; categories without order are taken as they are coded"


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticPopulation:
    """B̂ = L̂/N: the distinct records among N drawn from a model of the sample, a mean over models if there are more.

    Jiang et al. (2022), section 2.5 and appendix B, with `GaussianCopula`, `DVineCopula` and the average of both. The
    paper draws a sample of n from the N records and takes the mean of 1/F over it. Every record has the chance n/N to
    be in that sample, so the mean's expectation is (1/n)(n/N) Σ_records 1/F = L/N: each class adds F·(1/F) = 1. The
    second draw adds noise alone and is left out; `second_draw` puts it in.

    >>> sample = Sample.from_codes(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([90, 10, 15, 85]))
    >>> found = SyntheticPopulation(key="gaussian_copula", models=(GaussianCopula(),))
    >>> found.estimate(sample, 1000, rng=np.random.default_rng(1)).match_rate.value       # 4 classes in 1,000
    0.004
    """

    key: str
    """The name in plans and evidence."""
    models: tuple[GaussianCopula | DVineCopula, ...]
    """The laws to fit; the answer is the mean of theirs."""
    second_draw: bool = False
    """Whether to draw the synthetic sample too, as the paper does literally."""
    within_limits: bool = True
    """Whether an answer no population can have (above K/n, for one) is moved to the limit. The paper does not."""
    unseen: bool = False
    """Whether the population has values that the sample lacks (docs/concepts/values-nobody-has.md). The paper's has
    not; then B is far too low where many values are seen once."""
    largest: int = LARGEST
    """The largest population to draw."""

    def estimate(self, sample: Sample, population: int, *, rng: Generator) -> Finding:
        """B of a synthetic population; the cost grows with N."""
        exact = census(sample, population, method=self.key)
        if exact is not None:
            return exact
        reason = self._refusal(sample, population)
        if reason is not None:
            return Finding.not_assessable(reason, method=self.key)
        table = sample.population_shares
        values, sure = [], True
        for model in self.models:
            law: LatentNormal = model.fit(table, records=sample.sizes)
            if self.unseen:
                law = LatentNormal(with_unseen(sample, rng), law.correlation)
            value, counted = self._value(law, sample.records, population, rng)
            values.append(value)
            sure = sure and counted
        raw, (low, high) = float(np.mean(values)), limits(sample, population)
        value = float(np.clip(raw, low, high)) if self.within_limits else raw
        if np.isclose(value, raw, rtol=1e-9, atol=0):
            value = raw
        caveats = [_ALWAYS, *_caveats(sample, unseen=self.unseen)]
        if len(values) > 1:
            caveats.append("the mean of " + " and ".join(f"{v:.4g}" for v in values) + ", both drawn anew")
        if value != raw:
            caveats.append(f"the synthetic population says {raw:.4g}, which no population can have: moved to the limit")
        if not sure:
            caveats.append("classes counted on a part of all possible ones, to within 0.1 %")
        return Finding(match_rate=Estimate(value=value, method=self.key, caveats=tuple(caveats)))

    def _refusal(self, sample: Sample, population: int) -> str | None:
        if sample.table.variables == 0:
            return "there is no quasi-identifier to draw"
        if sample.records == 1:
            return "one record does not tell how the quasi-identifiers vary"
        if population > self.largest:
            return (
                f"a synthetic population of {population:,} is not drawn (at most {self.largest:,}); "
                "take an estimator whose cost does not depend on the population, or raise `largest`"
            )
        return None

    def _value(self, law: LatentNormal, n: int, population: int, rng: Generator) -> tuple[float, bool]:
        """L̂/N or the mean of 1/F over the second draw, and whether all classes were counted."""
        if self.second_draw:
            people = number(law.sample_keys(population, rng=rng))
            drawn = rng.choice(population, n, replace=False)
            return float((1 / people.sizes[people.index[drawn]]).mean()), True
        found = law.count_distinct(population, rng=rng)
        return found.count / population, found.exact


def _caveats(sample: Sample, *, unseen: bool) -> list[str]:
    """What in this sample makes the answer weak."""
    found = []
    if sample.records < _FEW:
        found.append(f"rests on {sample.records} records only")
    once = max(_once(sample, j) for j in range(sample.table.variables))
    if once > _UNSEEN and not unseen:
        found.append(
            f"of one quasi-identifier {once:.0%} of the records hold a value seen once; values the sample "
            "never saw are not drawn, so the risk is understated"
        )
    return found


def with_unseen(sample: Sample, rng: Generator) -> tuple[NDArray[np.float64], ...]:
    """Margins with levels that the sample lacks, each among the seen ones of its group."""
    return tuple(
        _spread(law, sample.table.levels[j], rng) if isinstance(law, InferredShares) else law.draw(rng)
        for j, law in enumerate(shares_of(sample))
    )


def _spread(law: InferredShares, levels: int, rng: Generator) -> NDArray[np.float64]:
    shares, numbers = law.draw_with_numbers(rng)
    group = law.groups[0] if law.groups else np.zeros(len(shares), np.int64)
    place, found = [np.arange(levels, dtype=np.float64)], [shares[:levels]]
    for own, whole, many in zip(group[levels:], shares[levels:], numbers, strict=True):
        pieces = min(round(many), MOST_UNSEEN)
        if pieces:
            # Each stands after some seen level of its group: their order is what the copula knows.
            place.append(rng.choice(np.flatnonzero(group[:levels] == own), pieces) + rng.random(pieces))
            found.append(np.full(pieces, whole / pieces))
    margin = np.concatenate(found)[np.argsort(np.concatenate(place), kind="stable")]
    return np.asarray(margin / margin.sum())


def _once(sample: Sample, j: int) -> float:
    """The share of records whose value of one variable is seen once: about the share of people with an unseen one."""
    margin = sample.table.margin(j)
    return float((margin == 1).sum()) / sample.records


GAUSSIAN_COPULA = SyntheticPopulation(key="gaussian_copula", models=(GaussianCopula(),))
D_VINE = SyntheticPopulation(key="d_vine", models=(DVineCopula(),))
AVERAGE = SyntheticPopulation(key="average", models=(GaussianCopula(), DVineCopula()))
"""The paper's estimator."""
