"""The flagship: how many people look like each record, by the posterior of a latent-class model given the sample."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.estimate import Estimate
from lookalike.models import LatentClasses, LatentDraw
from lookalike.population.estimator import RATIOS, Finding
from lookalike.population.interval import Spread, interval
from lookalike.population.limits import census, limits
from lookalike.population.margins import Raking
from lookalike.population.sample import Sample, part_of
from lookalike.population.trial import Attempt, Trial
from lookalike.population.trust import Trust

SELDOM = 5
"""Of the kept draws, each how many-th also tells the noise of the population and what a wrong N would do."""
RARELY = 15
"""Of the kept draws, each how many-th is asked how far the model is to be trusted."""
FEWEST = 20
"""Records a sample of the file must have to be tried on."""
UNTRIED = 0.2
"""The doubt where the file is too small to try."""
APART = 0.2
"""How far the trusted answer may be below the model's own, as a share of it, before it is told."""
DRIFT = 4.0
FEW = 100
SEEN_ONCE = 0.1
UNSEEN = 0.9
"""The share of records with a value seen once beyond which a variable tells nothing of the values not seen."""

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
    answer is a mean of both, weighted by how each does on samples of the file itself. Survey weights enter the fit;
    known margins of the population rake p_c.

    >>> sample = Sample.from_codes(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([40, 10, 15, 35]))
    >>> found = Posterior(model=LatentClasses(classes=5, sweeps=60, burn_in=30))
    >>> round(found.estimate(sample, 1000, rng=np.random.default_rng(1)).match_rate.value, 3)
    0.004
    """

    key: ClassVar[str] = "posterior"
    model: LatentClasses = field(default_factory=LatentClasses)
    level: float = 0.9
    """How often the interval is to hold the truth."""
    checks: int = 2
    """Samples of the file on which the estimator is tried, to learn how far it errs."""
    threads: int | None = None

    def estimate(self, sample: Sample, population: int, *, rng: Generator) -> Finding:
        """B with its interval, the risk of every class, the uniques, and B for a smaller and a larger N."""
        exact = census(sample, population, method=self.key)
        if exact is not None:
            return exact
        if sample.records == 1:
            return Finding.not_assessable("one record does not tell how the quasi-identifiers vary", method=self.key)
        if _seen_once(sample) > UNSEEN:
            return Finding.not_assessable(ALL_NEW, method=self.key)
        raking = Raking(sample.margins, sample.sizes, population) if sample.margins else None
        collected = self._collect(sample, population, raking, rng)
        return collected.finding(self, raking, self._tried(sample, population, rng))

    def _collect(self, sample: Sample, population: int, raking: Raking | None, rng: Generator) -> _Collected:
        collected = _Collected(sample, population, rng)
        for draw in self.model.draws(sample.population_shares, rng=rng, records=sample.sizes, threads=self.threads):
            collected.add(draw, raking)
        return collected

    def _tried(self, sample: Sample, population: int, rng: Generator) -> Trial:
        """How the estimator does on samples of the file, where the truth is known.

        The samples have the file's own sampling fraction, as near as 5 to 50 % and 300 records allow. A sample of n'
        records is harder than the file of n: the squared error counts n'/n.
        """
        fraction = float(np.clip(sample.records / population, max(0.05, min(0.5, 300 / sample.records)), 0.5))
        records = round(fraction * sample.records)
        if not self.checks or records < FEWEST:
            return Trial(doubt=UNTRIED if self.checks else 0.0)
        model = replace(self.model, sweeps=self.model.sweeps * 3 // 5, burn_in=self.model.burn_in * 3 // 4)
        quick, tries = replace(self, checks=0, model=model), []
        for _ in range(self.checks):
            drawn, truth = part_of(sample, records, rng=rng)
            if drawn.records > 1 and _seen_once(drawn) <= UNSEEN:
                tries.append(quick._collect(drawn, sample.records, None, rng).attempt(truth))
        return Trial.of(tries, records / sample.records) if tries else Trial(doubt=UNTRIED)


def _seen_once(sample: Sample) -> float:
    """The largest share over variables of records whose value no other has, those with a known margin left out.

    It is also about the share of people whose value the sample lacks (Good 1953).
    """
    known = {j for margin in sample.margins for j in margin.variables}
    table = sample.table
    shares = [float((table.margin(j) == 1).sum()) / sample.records for j in range(table.variables) if j not in known]
    return max(shares, default=0.0)


class _Collected:
    """Sums over the draws of the posterior; of each pair the first is the model as it is, the second as trusted."""

    def __init__(self, sample: Sample, population: int, rng: Generator) -> None:
        self.sample, self.population = sample, population
        self.sizes = sample.sizes.astype(np.float64)
        self.trust = Trust(self.sizes, rng=rng)
        self.single = sample.sizes == 1
        self.risk = np.zeros((2, len(sample)))
        self.rates: list[NDArray[np.float64]] = []
        self.uniques: list[list[float]] = []
        self.noise: list[float] = []
        self.wrong: list[list[list[float]]] = []
        self.occupied: list[int] = []

    def add(self, draw: LatentDraw, raking: Raking | None) -> None:
        """One draw."""
        from lookalike.population import _inverse as kernel

        outside, seldom = self.population - self.sample.records, len(self.rates) % SELDOM == 0
        if len(self.rates) % RARELY == 0:
            self.trust.learn(draw.probability)
        evidence = self.sample.population_shares.counts
        if raking is not None:
            raked = raking(draw)
            evidence = evidence * raked / np.maximum(draw.probability, 1e-300)
            evidence *= self.sample.records / max(float(evidence.sum()), 1e-300)
        told = draw.probability if raking is None else raked
        doubted = self.trust.shares(told, evidence)

        def means(people: int) -> list[NDArray[np.float64]]:
            """E[1/F] by the model as it is, and as far as it is trusted."""
            return [kernel.binomial_inverse(self.sizes, p, people) for p in (told, doubted)]

        pair = means(outside)
        if seldom:
            variance = kernel.binomial_inverse_variance(self.sizes, doubted, outside, pair[1])
            self.noise.append(float(self.sizes**2 @ variance) / self.sample.records**2)
            others = [max(round(r * self.population) - self.sample.records, 0) for r in RATIOS]
            self.wrong.append([[self.sample.mean(risk) for risk in means(other)] for other in others])
        self.risk += pair
        self.rates.append(np.array([self.sample.mean(risk) for risk in pair]))
        alone = [np.minimum(p[self.single], 1 - 1e-16) for p in (told, doubted)]
        self.uniques.append([float(np.exp(outside * np.log1p(-p)).sum()) for p in alone])
        self.occupied.append(draw.occupied)

    def attempt(self, truth: float) -> Attempt:
        """The two answers beside a truth that is known."""
        plain, trusted = np.mean(self.rates, axis=0)
        return Attempt(
            plain=float(plain),
            trusted=float(trusted),
            truth=truth,
            most=len(self.sample) / self.sample.records,
            sd=float(np.std(np.mean(self.rates, axis=1))),
        )

    def finding(self, choice: Posterior, raking: Raking | None, trial: Trial) -> Finding:
        """The means over the draws, the two answers mixed as they did on samples of the file."""
        sample, population = self.sample, self.population
        mix = np.array([1 - trial.trust, trial.trust])
        plain, trusted = np.mean(self.rates, axis=0)
        rates = np.array(self.rates) @ mix
        risk = mix @ self.risk / len(rates)
        value = float(rates.mean())
        spread = Spread(
            draws=float(np.std(rates)),
            population=float(np.sqrt(np.mean(self.noise))),
            choice=abs(float(plain - trusted)) / 2,
            doubt=trial.doubt,
        )
        low, high = interval(value, spread, limits(sample, population), level=choice.level)
        seldom = rates[::SELDOM]
        wrong = np.mean((np.array(self.wrong) @ mix) / seldom[:, None], axis=0) * value
        return Finding(
            match_rate=Estimate(
                value=value,
                low=low,
                high=high,
                method=choice.key,
                caveats=tuple(self._caveats(choice, raking, rates)),
            ),
            risk=risk,
            population_uniques=float(np.mean(self.uniques, axis=0) @ mix),
            sensitivity={
                r: float(v) for r, v in zip(RATIOS, wrong, strict=True) if round(r * population) >= sample.records
            },
        )

    def _caveats(self, choice: Posterior, raking: Raking | None, rates: NDArray[np.float64]) -> list[str]:
        found = []
        sample = self.sample
        plain, trusted = np.mean(self.rates, axis=0)
        if plain - trusted > APART * plain:
            found.append(
                "records repeat each other more than the model foresees: taken as lookalikes they give "
                f"{trusted:.3g}; if people stand in the file more than once, B is nearer {plain:.3g}"
            )
        if sample.records < FEW:
            found.append(f"rests on {sample.records} records only")
        once = _seen_once(sample)
        if once > SEEN_ONCE:
            found.append(
                f"of one quasi-identifier {once:.0%} of the records hold a value seen once: how many more values the "
                "population has is a guess (known margins of this variable would help)"
            )
        half = len(rates) // 2
        drift = abs(rates[:half].mean() - rates[half:].mean()) if half else 0.0
        if drift > DRIFT * rates.std() / np.sqrt(max(half, 1)) and drift > 0.05 * rates.mean():
            found.append("the draws still move: more sweeps would tell more")
        if np.mean(self.occupied) > 0.98 * choice.model.classes and sample.records > 20 * choice.model.classes:
            found.append(f"all {choice.model.classes} latent classes are in use: more may fit better")
        if sample.weights is not None:
            found.append("survey weights enter the model; the records of a class count with the weight they have")
        if raking is not None and raking.short:
            cells = "1 cell" if raking.short == 1 else f"{raking.short} cells"
            found.append(f"in {cells} a known margin counts fewer people than the file has records")
        return found
