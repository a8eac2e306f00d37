"""A control of another size than the original: how many predicates would single out in as many records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from lookalike.attacks.outcome import Share
from lookalike.attacks.predicates import Counted

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

STEPS = 200
"""Rounds of EM. It is stopped before it ends: the likeliest law of all is a few spikes, and spikes carry over badly."""
POINTS = 60
"""Weights of the grid, besides 0."""


def control_share(found: Counted, wanted: int) -> Share:
    """The share of predicates true for exactly one of `wanted` people, from their counts among `records` others.

    A predicate of weight w, the chance that it is true for a person, is true for exactly one of n with
    P(w, n) = n w (1 − w)^(n−1) (Cohen and Nissim 2020).

    - As many records: the counts of 1.
    - More: the mean over all choices of n of the m records, exactly: c·C(m − c, n − 1)/C(m, n).
    - Fewer: the law of the weights is estimated from the counts (`weights`), and P(w, n) taken over it. Fewer records
      show less: with r = m/n the interval is that of A·r/(2 − r) predicates instead of A. That r is due to the records,
      2 − r is what the estimate of the law adds, as measured on independent samples.

    >>> which = np.array([[0, 1], [-1, -1]])
    >>> round(control_share(Counted(np.array([2, 0]), which, 4), 2).value, 4)      # (1/2)·4/6: two of four are drawn
    0.3333
    """
    counts, records = found.counts, found.records
    if records == wanted:
        return effective(found.single, len(counts), found.dependence)
    if records > wanted:
        return effective(float(_downsized(counts, records, wanted).sum()), len(counts), found.dependence)
    part = records / wanted
    rate = grown(counts, records, wanted)
    return effective(rate * len(counts), len(counts), found.dependence * (2 - part) / part)


def effective(successes: float, of: int, dependence: float) -> Share:
    """A share of predicates that are worth fewer, because several are answered by one person."""
    worth = max(1, round(of / dependence))
    return Share(
        successes=successes / of * worth, of=worth, what="predicates" if worth == of else "predicates, in effect"
    )


def grown(counts: Ints, records: int, wanted: int) -> float:
    """The share true for exactly one of more people than were counted: Σ_w p(w) n w (1 − w)^(n−1)."""
    weight, share = weights(counts, records)
    return float(share @ _single(weight, wanted))


def weights(counts: Ints, records: int) -> tuple[Floats, Floats]:
    """The law of the weights by which counts are Binomial(m, w): of high likelihood on a grid, by EM.

    The grid has 0 and points from 1/(20 m) to twice the largest count, evenly in their logarithms. Nothing is
    supposed of the law's form (Laird 1978); Anonymeter supposes a uniform one from 0 to some weight.
    """
    distinct, sizes = np.unique(counts, return_counts=True)
    top = min(1.0, 2 * max(int(distinct[-1]), 1) / records)
    grid = np.concatenate([[0.0], np.geomspace(0.05 / records, top, POINTS)])
    chance = _binomial(distinct, records, grid)
    share = np.full(len(grid), 1 / len(grid))
    for _ in range(STEPS):
        joint = chance * share
        share = sizes @ (joint / joint.sum(axis=1, keepdims=True)) / sizes.sum()
    return grid, share


def _binomial(counts: Ints, records: int, grid: Floats) -> Floats:
    """P(count | w), a count a row."""
    c = counts[:, None].astype(np.float64)
    choose = special.gammaln(records + 1) - special.gammaln(c + 1) - special.gammaln(records - c + 1)
    found: Floats = np.exp(choose + special.xlogy(c, grid) + special.xlog1py(records - c, -grid))
    return found


def _single(weight: Floats, people: int) -> Floats:
    found: Floats = people * weight * np.exp(special.xlog1py(people - 1.0, -weight))
    return found


def _downsized(counts: Ints, records: int, wanted: int) -> Floats:
    """The chance that exactly one of the true records is among so many drawn of all."""
    c = counts.astype(np.float64)
    found = np.zeros(len(c))
    able = (counts > 0) & (records - counts >= wanted - 1)
    c = c[able]
    log = (
        np.log(c)
        + special.gammaln(records - c + 1)
        - special.gammaln(wanted)
        - special.gammaln(records - c - wanted + 2)
        - special.gammaln(records + 1)
        + special.gammaln(wanted + 1)
        + special.gammaln(records - wanted + 1)
    )
    found[able] = np.exp(log)
    return found
