"""Log-linear estimator: how common each combination is, from the margins of the sample (Skinner and Shlomo 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.estimate import Estimate
from lookalike.models.decomposable import Decomposable
from lookalike.population.estimator import Finding
from lookalike.population.growth import poisson_inverse
from lookalike.population.limits import census, limits
from lookalike.population.misfit import misfit
from lookalike.population.sample import Sample

_WITHIN = 1.64
_FEWEST_DRAWS, _MOST_DRAWS = 20_000, 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLinear:
    """f ~ Poisson(πλ), ln λ of main effects and chosen two-way terms; B̂ = mean E[1/F | f], F − f ~ Poisson((1−π)λ).

    E[1/F | f] = (1/f)·₁F₁(1; f + 1; −a) with a = (1 − π)λ; for f = 1 (1 − e^{−a})/a. λ is the expected count in the
    *population*: the fitted sample count over π. `population_uniques` is τ₁ = Σ_{f=1} e^{−a}; the risk summed over
    sample uniques is τ₂. Skinner and Shlomo (2008), "Assessing identification risk in survey microdata using
    log-linear models", sections 2 and 3.

    Terms are added one at a time, the best by Akaike's criterion. The model taken is the first whose misfit for τ₂,
    the paper's statistic (see `misfit`), is at most 1.64; if it is below −1.64 there, the one before. Only terms are
    added that leave the model decomposable, so that it has a closed form at every cell and no empty cell is
    expanded: two-way terms that form no circle. With `largest_term` above 2 a triangle of terms is fitted with its
    three-way margin; on real files that gained nothing. No interval: the paper has none for all records.

    With weights the terms are chosen on the counts; λ then comes from the weighted margins, scaled to N, and π of
    a class is its size over its weights.

    Two sexes and two ages, independent, all four classes twice; N = 80: λ = 20, a = 18.

    >>> sample = Sample.from_codes(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([2, 2, 2, 2]))
    >>> found = LogLinear().estimate(sample, 80, rng=np.random.default_rng(1))
    >>> round(found.match_rate.value, 4)                        # (1 − (1 − e^{−18})/18) / 18
    0.0525
    """

    key: ClassVar[str] = "log_linear"

    largest_term: int = 2
    """The most variables of a term: 1 for main effects only, 2 for two-way terms without triangles."""

    def __post_init__(self) -> None:
        if self.largest_term < 1:
            raise ValueError(f"largest_term is a number of variables, 1 or more, and was {self.largest_term}")

    def estimate(self, sample: Sample, population: int, *, rng: Generator) -> Finding:
        """B from the margins; cells are drawn to sum the misfit over those the sample lacks."""
        exact = census(sample, population, method=self.key)
        if exact is not None:
            return exact
        if sample.records == 1:
            return Finding.not_assessable("one record has no margins to learn from", method=self.key)
        model, statistic = self._chosen(sample, population, rng)
        fraction = _fractions(sample, population)
        lam = population * np.exp(model.on(sample.population_shares).log_p)
        others = (1 - fraction) * lam
        risk = poisson_inverse(sample.sizes, others)
        value = float(np.clip(sample.mean(risk), *limits(sample, population)))
        return Finding(
            match_rate=Estimate(value=value, method=self.key, caveats=_caveats(model, statistic)),
            risk=risk,
            population_uniques=float(np.exp(-others[sample.sizes == 1]).sum()),
        )

    def _chosen(self, sample: Sample, population: int, rng: Generator) -> tuple[Decomposable, float]:
        """The first model of the path whose misfit is small, by halving (terms lower it), and its misfit."""
        path = self._path(Decomposable.main_effects(sample.table))
        draws = min(max(_FEWEST_DRAWS, len(sample)), _MOST_DRAWS)
        known = dict[int, float]()

        def misfit_of(step: int) -> float:
            if step not in known:
                drawn = population * np.exp(path[step].drawn_log_p(draws, rng=rng))
                lam = population * np.exp(path[step].log_p)
                known[step] = misfit(sample.sizes, lam, drawn, sample.records / population, population)
            return known[step]

        low, high = 0, len(path) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if misfit_of(middle) <= _WITHIN else (middle + 1, high)
        if low > 0 and misfit_of(low) < -_WITHIN:
            low -= 1
        return path[low], misfit_of(low)

    def _path(self, model: Decomposable) -> list[Decomposable]:
        """Main effects, then one more term at a time, the best by Akaike's criterion while one is worth its cost."""
        path = [model]
        while pairs := path[-1].addable(self.largest_term):
            worth, best = max((_worth(path[-1], pair), pair) for pair in pairs)
            if worth <= 0:
                break
            path.append(path[-1].joined(*best))
        return path


def _worth(model: Decomposable, pair: tuple[int, int]) -> float:
    gain, parameters = model.gain(*pair)
    return gain - 2 * parameters


def _fractions(sample: Sample, population: int) -> NDArray[np.float64]:
    """π of each class: n/N, or its size over its share of N by weight."""
    if sample.weights is None:
        return np.full(len(sample), sample.records / population)
    people = sample.weights * (population / sample.weights.sum())
    return np.asarray(sample.sizes / np.maximum(people, sample.sizes))


def _caveats(model: Decomposable, statistic: float) -> tuple[str, ...]:
    if statistic > _WITHIN:
        return (f"the model fits too loosely (misfit {statistic:.1f}), which overstates the risk",)
    if statistic < -_WITHIN:
        return (f"the model fits too closely (misfit {statistic:.1f}), which understates the risk",)
    return ()
