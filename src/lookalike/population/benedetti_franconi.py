"""Benedetti and Franconi's individual risk: F given f is negative binomial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.estimate import Estimate
from lookalike.population.estimator import Finding
from lookalike.population.limits import census
from lookalike.population.sample import Sample

_TERMS = 64
_SMALL = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BenedettiFranconi:
    """r(f) = E[1/F | f] = (p/f)·₂F₁(1, 1; f + 1; 1 − p), p = π or f/Σ weights; B̂ = mean r.

    Benedetti and Franconi (1998), "Statistical and technological solutions for controlled data dissemination";
    the closed form is in Franconi and Polettini (2004), "Individual risk estimation in µ-Argus". Weights are
    scaled so that they sum to N, so weights that were scaled to sum to n do no harm. `population_uniques` is
    c₁ p, with p of each class: P(F = 1 | f = 1) = p. No interval: F | f has no estimated part.

    f = 1: r = p/(1 − p)·ln(1/p); p = ½: ln 2.

    >>> sample = Sample.from_codes(np.array([[0], [1]]), np.array([1, 1]))
    >>> round(BenedettiFranconi().estimate(sample, 4, rng=np.random.default_rng(1)).match_rate.value, 6)
    0.693147
    """

    key: ClassVar[str] = "benedetti_franconi"

    def estimate(self, sample: Sample, population: int, *, rng: Generator) -> Finding:
        """B with the risk of each class from its size and weight alone; nothing is drawn."""
        exact = census(sample, population, method=self.key)
        if exact is not None:
            return exact
        if sample.weights is None:
            p = np.full(len(sample), sample.records / population)
            sizes, place = np.unique(sample.sizes, return_inverse=True)
            risk = individual_risk(sizes, p[: len(sizes)])[place]
        else:
            people = sample.weights * (population / sample.weights.sum())
            p = sample.sizes / np.maximum(people, sample.sizes)
            risk = individual_risk(sample.sizes, p)
        caveat = "tends to understate the risk: what is common in the sample is all it knows of the population"
        return Finding(
            match_rate=Estimate(value=sample.mean(risk), method=self.key, caveats=(caveat,)),
            risk=risk,
            population_uniques=float(p[sample.sizes == 1].sum()),
        )


def individual_risk(sizes: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    """E[1/F | f] for F − f negative binomial: p ∫₀¹ u^{f−1} / (p + qu) du with q = 1 − p; any f ≥ 1, 0 < p ≤ 1.

    The integral I_f is a sum of positive terms, I_f = Σ_k q^k·B(k + 1, f): 64 of them are enough when f ≥ 20 or
    q ≤ ½. Else from I_1 = ln(1/p)/q upwards by q·I_{f+1} = 1/f − p·I_f, which damps errors when p < q. Neither
    overflows, unlike ₂F₁ by its other forms.

    >>> individual_risk(np.array([2, 1]), np.array([2 / 360, 1 / 215])).round(8).tolist()
    [0.00542452, 0.02509644]
    """
    sizes, p = np.broadcast_arrays(sizes, p)
    climbs = (sizes < _SMALL) & (p < 0.5)
    integral = np.empty(len(sizes))
    integral[~climbs] = _by_series(sizes[~climbs], 1 - p[~climbs])
    integral[climbs] = _by_recurrence(sizes[climbs], p[climbs])
    return p * integral


def _by_series(f: NDArray[np.int64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    term = 1 / f
    total = term.copy()
    for k in range(_TERMS):
        term = term * q * (k + 1) / (f + k + 1)
        total += term
    return total


def _by_recurrence(f: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    q = 1 - p
    integral = np.log(1 / p) / q
    for size in range(1, int(f.max(initial=1))):
        integral = np.where(f > size, (1 / size - p * integral) / q, integral)
    return integral
