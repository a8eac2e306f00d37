"""One chain of the posterior estimator: sums over the draws of the latent-class model."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models import LatentDraw
from lookalike.population.estimator import RATIOS
from lookalike.population.margins import Raking
from lookalike.population.sample import Sample
from lookalike.population.trial import Attempt
from lookalike.population.trust import Trust

POPULATION_NOISE_EVERY = 5  # kept draws; at these the noise of the population and a wrong N are computed too
TRUST_EVERY = 15  # kept draws; from these it is learned how far the model can be trusted

Floats = NDArray[np.float64]


class Chain:
    """B, the risk of each class and the uniques at each draw: by the model as it is, and corrected by `Trust`."""

    def __init__(
        self, sample: Sample, population: int, *, rng: Generator, of_class: NDArray[np.int64] | None = None
    ) -> None:
        self.sample, self.population = sample, population
        self.of_class = np.arange(len(sample)) if of_class is None else of_class
        """Of each class its place among the classes of the file."""
        self.sizes = sample.sizes.astype(np.float64)
        self.trust = Trust(self.sizes, rng=rng)
        self.single = sample.sizes == 1
        self.whole = sample.records if sample.represents is None else float(sample.represents.sum())
        self.risk = np.zeros((2, len(sample)))
        self.rates: list[Floats] = []
        self.uniques: list[list[float]] = []
        self.noise: list[float] = []
        self.other_people: list[list[list[float]]] = []
        self.occupied: list[int] = []

    def add(self, draw: LatentDraw, raking: Raking | None) -> None:
        """One draw."""
        from lookalike.population import _inverse as kernel

        kept, outside = len(self.rates), self.population - self.sample.records
        model, met = draw.probability, draw.probability * self.sample.intensity
        if kept % TRUST_EVERY == 0:
            self.trust.learn(met)
        g = self.trust.factors(met)
        if raking is not None:
            model = raking(draw)
        elif self.sample.weights is not None:
            # Of a class that was sampled more than others, fewer people are left outside.
            model = model * self.sample.left_outside(self.population)
        both = (model, np.minimum(model * g, 1.0))

        risks = [kernel.binomial_inverse(self.sizes, p, outside) for p in both]
        if kept % POPULATION_NOISE_EVERY == 0:
            variance = kernel.binomial_inverse_variance(self.sizes, both[1], outside, risks[1])
            self.noise.append(float(self.sample.stands_for**2 @ variance))
            others = [max(round(r * self.population) - self.sample.records, 0) for r in RATIOS]
            self.other_people.append(
                [[self.sample.mean(kernel.binomial_inverse(self.sizes, p, other)) for p in both] for other in others]
            )
        self.risk += risks
        self.rates.append(np.array([self.sample.mean(risk) for risk in risks]))
        alone = [np.minimum(p[self.single], 1 - 1e-16) for p in both]
        stands_for = self.sample.stands_for[self.single] * self.whole
        self.uniques.append([float(stands_for @ np.exp(outside * np.log1p(-p))) for p in alone])
        self.occupied.append(draw.occupied)

    def attempt(self, truth: float) -> Attempt:
        """The two answers beside a truth that is known."""
        plain, corrected = np.mean(self.rates, axis=0)
        return Attempt(
            plain=float(plain),
            corrected=float(corrected),
            truth=truth,
            most=len(self.sample) / self.sample.records,
            sd=float(np.std(np.mean(self.rates, axis=1))),
            records=self.sample.records,
        )


class Chains:
    """Several chains on the same file, taken together."""

    def __init__(self, chains: list[Chain], sample: Sample) -> None:
        self.chains, self.sample, self.population = chains, sample, chains[0].population
        self.rates = np.stack([chain.rates for chain in chains])
        """Chains by draws by the two answers."""

    @property
    def plain(self) -> float:
        """B by the model as it is."""
        return float(self.rates[..., 0].mean())

    @property
    def corrected(self) -> float:
        """B by the model corrected by the class sizes."""
        return float(self.rates[..., 1].mean())

    def risk(self, mix: Floats) -> Floats:
        """The risk of a record of each class, the two answers in these proportions.

        Of clusters each chain sees one record: a class that no chain saw has the mean risk of classes of its size.
        """
        total, seen = np.zeros(len(self.sample)), np.zeros(len(self.sample))
        for chain in self.chains:
            total[chain.of_class] += mix @ chain.risk
            seen[chain.of_class] += len(chain.rates)
        risk = np.divide(total, seen, out=np.zeros_like(total), where=seen > 0)
        for size in np.unique(self.sample.sizes[seen == 0]):
            alike = (self.sample.sizes == size) & (seen > 0)
            risk[(self.sample.sizes == size) & (seen == 0)] = risk[alike].mean() if alike.any() else 1 / size
        return risk

    def population_uniques(self, mix: Floats) -> float:
        """The expected number of sample uniques that are population unique."""
        return float(np.mean([chain.uniques for chain in self.chains], axis=(0, 1)) @ mix)

    @property
    def noise(self) -> float:
        """The standard deviation of B given the class probabilities."""
        return float(np.sqrt(np.mean([chain.noise for chain in self.chains])))

    @property
    def occupied(self) -> float:
        """The mean number of latent classes that hold a record."""
        return float(np.mean([chain.occupied for chain in self.chains]))

    def other_people(self, mix: Floats) -> dict[float, float]:
        """By what N is multiplied with: B as a share of B with N as given; no N below the size of the sample."""
        others = np.mean([chain.other_people for chain in self.chains], axis=(0, 1)) @ mix
        there = np.mean([np.asarray(chain.rates)[::POPULATION_NOISE_EVERY] for chain in self.chains], axis=(0, 1)) @ mix
        possible = [round(r * self.population) >= self.sample.records for r in RATIOS]
        return {r: float(v / there) for r, v, ok in zip(RATIOS, others, possible, strict=True) if ok}
