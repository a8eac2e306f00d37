"""The flagship: how many people look like each record, by the posterior of a latent-class model given the sample."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.engine import stage
from lookalike.estimate import Estimate
from lookalike.models import LatentClasses
from lookalike.models.value_shares import ValueShares
from lookalike.population.chain import Chain, Chains
from lookalike.population.convergence import effective_size, r_hat
from lookalike.population.estimator import Finding
from lookalike.population.inferred import shares_of
from lookalike.population.interval import Spread, interval
from lookalike.population.limits import census, limits
from lookalike.population.margins import Raking
from lookalike.population.sample import Sample, part_of
from lookalike.population.trial import Attempt, Trial

PART_SWEEPS = 0.6  # of the sweeps of the file itself, for samples of the file
MIN_PART = 20  # records of a sample of the file to be tried on
REPEATS_SHOWN = 0.2  # how far the corrected answer may be below the model's own, as a share, before it is reported
FEWEST = 10  # records below which nothing can be said
MIN_RECORDS = 100
THINNINGS = 2  # per chain, of a sample of clusters
SEEN_ONCE = 0.1
UNSEEN = 0.9  # share of records with a value seen once beyond which a nominal variable says nothing of others
MAX_R_HAT = 1.5

TOO_FEW = f"fewer than {FEWEST} records do not tell how the quasi-identifiers vary"
ALL_NEW = (
    "nearly every record holds a value of its own of one quasi-identifier: the file does not tell how many people "
    "share them. Coarsen it, give its known margin, or make it an identifier"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """B̂ = (1/n) Σ_c f_c · mean over draws of E[1/F_c | draw]; the cost does not depend on N.

    At a draw of the latent-class model class c has the probability p_c, and the M = N − n people outside the sample
    fall into it as Binomial(M, p_c), so E[1/F_c | draw] = ∫₀¹ s^{f−1}(1 − p + ps)^M ds (docs/concepts/posterior.md).
    Twice: with the model's p_c, and with p_c drawn around it by as much as the file says the model errs (`Trust`); the
    answer is a mean of both, weighted by how each does on samples of the file itself. The shares of values are drawn
    too, those of values nobody in the sample has among them (`ValueShares`). Survey weights enter the fit; known
    margins of the population rake p_c.

    >>> sample = Sample.from_codes(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([40, 10, 15, 35]))
    >>> found = Posterior(model=LatentClasses(classes=5, sweeps=60, burn_in=30))
    >>> round(found.estimate(sample, 1000, rng=np.random.default_rng(1)).match_rate.value, 3)
    0.004
    """

    key: ClassVar[str] = "posterior"
    model: LatentClasses = field(default_factory=lambda: LatentClasses(sweeps=160, burn_in=70))
    level: float = 0.9
    """How often the interval is to hold the truth."""
    chains: int = 2
    """Half of them start from latent classes that do not differ inside groups of values, half from such that do."""
    checks: int = 6
    """Samples of the file on which the estimator is tried, to learn how far it errs."""
    threads: int | None = None

    def estimate(self, sample: Sample, population: int, *, rng: Generator) -> Finding:
        """B with its interval, the risk of every class, the uniques, and B for a smaller and a larger N."""
        exact = census(sample, population, method=self.key)
        if exact is not None:
            return exact
        if sample.records < FEWEST:
            return Finding.not_assessable(TOO_FEW, method=self.key)
        if says_nothing(sample):
            return Finding.not_assessable(ALL_NEW, method=self.key)
        chains, attempts = self.run(sample, population, rng)
        return self._finding(chains, attempts)

    def run(self, sample: Sample, population: int, rng: Generator) -> tuple[Chains, list[Attempt]]:
        """The chains on the file, and single chains on samples of it, side by side."""
        files = self._files(sample, rng)
        parts = list(self._parts(files[0][0], population, rng))
        streams = iter(rng.spawn(len(files) + len(parts)))
        shares = shares_of(sample) if sample.clusters is None else None
        tasks: list[Callable[[], Chain]] = [
            partial(self._chain, *file, population, shares, k % 2 == 0, next(streams)) for k, file in enumerate(files)
        ]
        fewer = replace(
            self.model, sweeps=round(PART_SWEEPS * self.model.sweeps), burn_in=round(PART_SWEEPS * self.model.burn_in)
        )
        quick = replace(self, model=fewer)
        tasks += [
            partial(quick._chain, part, None, files[0][0].records, None, k % 4 < 2, next(streams))
            for k, (part, _) in enumerate(parts)
        ]
        done = []
        with (
            stage("fitting latent classes", total=len(tasks)) as progress,
            ThreadPoolExecutor(self.threads or os.cpu_count()) as pool,
        ):
            for chain in pool.map(lambda task: task(), tasks):
                done.append(chain)
                progress.advance()
        tried = [chain.attempt(truth) for chain, (_, truth) in zip(done[len(files) :], parts, strict=True)]
        return Chains(done[: len(files)], sample), tried

    def _files(self, sample: Sample, rng: Generator) -> list[tuple[Sample, NDArray[np.int64] | None]]:
        """What each chain is run on: the file, or one record of each cluster, with the classes of the file it has."""
        if sample.clusters is None:
            return [(sample, None)] * self.chains
        return [sample.clusters.thin(sample, rng=rng) for _ in range(THINNINGS * self.chains)]

    def _chain(
        self,
        sample: Sample,
        of_class: NDArray[np.int64] | None,
        population: int,
        shares: Sequence[ValueShares] | None,
        tied: bool,
        rng: Generator,
    ) -> Chain:
        chain = Chain(sample, population, rng=rng, of_class=of_class)
        shares = shares or shares_of(sample)
        raking = Raking(sample.margins, sample.sizes, population) if sample.margins else None
        table = sample.population_shares
        for draw in self.model.draws(table, rng=rng, records=sample.sizes, threads=1, shares=shares, tied=tied):
            chain.add(draw, raking)
        return chain

    def _parts(self, sample: Sample, population: int, rng: Generator) -> Iterator[tuple[Sample, float]]:
        """Samples of the file, each with its B in the file: at the file's own sampling fraction, and at half of it.

        As near to the fraction as 5 to 50 % and 300 records allow.
        """
        fraction = float(np.clip(sample.records / population, max(0.05, min(0.5, 300 / sample.records)), 0.5))
        for k in range(self.checks):
            records = round(fraction * sample.records / (1 + k % 2))
            if records >= MIN_PART:
                drawn, truth = part_of(sample, records, rng=rng)
                if not says_nothing(drawn):
                    yield drawn, truth

    def _finding(self, chains: Chains, attempts: Sequence[Attempt]) -> Finding:
        """The means over the draws, the two answers mixed as they did on samples of the file."""
        sample, population = chains.sample, chains.population
        trial = Trial.of(attempts, sample.records)
        mix = np.array([1 - trial.trust, trial.trust])
        rates = chains.rates @ mix
        value = float(rates.mean())
        spread = Spread(
            draws=float(np.std(rates)),
            population=chains.noise,
            choice=abs(chains.plain - chains.corrected) / 2,
            doubt=trial.doubt,
        )
        low, high = interval(value, spread, limits(sample, population), records=sample.records, level=self.level)
        caveats = tuple(self._caveats(chains, r_hat(rates)))
        return Finding(
            match_rate=Estimate(value=value, low=low, high=high, method=self.key, caveats=caveats),
            uncorrected=chains.plain,
            risk=chains.risk(mix),
            population_uniques=chains.population_uniques(mix),
            sensitivity={r: v * value for r, v in chains.other_people(mix).items()},
            diagnostics={"r_hat": r_hat(rates), "effective_draws": effective_size(rates), "classes": chains.occupied},
        )

    def _caveats(self, chains: Chains, converged: float) -> Iterator[str]:
        sample = chains.sample
        if chains.plain - chains.corrected > REPEATS_SHOWN * chains.plain:
            yield (
                "records repeat each other more than the model foresees: taken as lookalikes they give "
                f"{chains.corrected:.3g}; if people are in the file more than once, B is at least {chains.plain:.3g}"
            )
        if sample.records < MIN_RECORDS:
            yield f"rests on {sample.records} records only"
        once = seen_once(sample)
        if once > SEEN_ONCE:
            yield (
                f"of one quasi-identifier {once:.0%} of the records hold a value seen once: how many more values the "
                "population has is a guess (known margins of this variable would help)"
            )
        if converged > MAX_R_HAT:
            yield "the draws still move: more sweeps would tell more"
        if sample.weights is not None:
            yield "survey weights enter the model; the records of a class count with the weight they have"
        if short := sum(margin.short(sample.sizes, chains.population) for margin in sample.margins):
            cells = "1 cell" if short == 1 else f"{short} cells"
            yield f"in {cells} a known margin counts fewer people than the file has records"


def seen_once(sample: Sample, *, nominal: bool = False) -> float:
    """The largest share over variables of records whose value no other has, those with a known margin left out.

    It is also about the share of people whose value the sample lacks (Good 1953). `nominal`: only of variables whose
    values have no neighbours.
    """
    known = {j for margin in sample.margins for j in margin.variables}
    free = [j for j in range(sample.table.variables) if j not in known]
    asked = [j for j in free if not (nominal and sample.domain(j).line is not None)]
    return max((float((sample.table.margin(j) == 1).sum()) / sample.records for j in asked), default=0.0)


def says_nothing(sample: Sample) -> bool:
    """Whether nearly every record has a value of its own of a nominal variable."""
    return seen_once(sample, nominal=True) > UNSEEN
