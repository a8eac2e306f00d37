"""Agreement weights of Fellegi and Sunter, learnt from pairs whose truth nobody knows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import NotAssessable

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ROUNDS = 500
_NO_PAIRS = "No record shares its known values with a row of the release, so there are no pairs to compare."
_SETTLED = 1e-7
_EDGE = 1e-6
"""Chances are kept this far from 0 and 1, so that no field decides alone."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Agreement:
    """How often each field agrees in pairs of one person (m) and of two (u), and the share of pairs of one person.

    >>> found = Agreement(m=np.array([0.9]), u=np.array([0.1]), matches=0.01, rounds=1)
    >>> np.exp(found.weights()).round(3).tolist(), found.chances().round(3).tolist()
    ([0.111, 9.0], [0.001, 0.083])
    """

    m: Floats
    u: Floats
    matches: float
    rounds: int

    def weights(self) -> Floats:
        """The weight of every pattern: Σ log(m/u) where fields agree, log((1 − m)/(1 − u)) where not.

        Pattern Σ 2^j over the fields j that agree. Source: Fellegi and Sunter (1969).
        """
        agrees = patterns(len(self.m))
        found: Floats = agrees @ np.log(self.m / self.u) + (1 - agrees) @ np.log((1 - self.m) / (1 - self.u))
        return found

    def chances(self) -> Floats:
        """The chance that a pair with each pattern is of one person."""
        odds = np.exp(self.weights()) * self.matches / (1 - self.matches)
        return np.asarray(odds / (1 + odds), np.float64)


def patterns(fields: int) -> Floats:
    """All 2^fields patterns of agreement, one a row, field 0 the lowest bit.

    >>> patterns(2).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    return (np.arange(2**fields)[:, None] >> np.arange(fields) & 1).astype(np.float64)


def learn(counts: Ints, matches: float | None = None, *, free: bool = False) -> Agreement:
    """m and u by expectation and maximization from how often each pattern occurs, fields independent given the truth.

    `matches` is the share of pairs of one person where it is known: in a linked release one pair for each record. u
    then follows from the agreement of all pairs, ā = πm + (1 − π)u, and only m is learnt. With `free` all three are
    learnt, from `matches` on, as Fellegi and Sunter's followers do; then nothing ties the rarer group of pairs to
    people.

    >>> truth = Agreement(m=np.array([0.95, 0.9, 0.85]), u=np.array([0.3, 0.2, 0.1]), matches=0.1, rounds=0)
    >>> agrees = patterns(3)
    >>> def law(p): return np.prod(np.where(agrees == 1, p, 1 - p), axis=1)
    >>> counts = (1e6 * (0.1 * law(truth.m) + 0.9 * law(truth.u))).round().astype(int)
    >>> found = learn(counts, 0.1)
    >>> bool(np.abs(found.m - truth.m).max() < 0.001), bool(np.abs(found.u - truth.u).max() < 0.001)
    (True, True)
    """
    total = int(counts.sum())
    if not total:
        raise NotAssessable(
            "No record shares its known values with a row of the release, so there are no pairs to compare."
        )
    fields = int(np.log2(len(counts)))
    agrees, seen = patterns(fields), counts / total
    overall = seen @ agrees
    share = _inside(0.1 if matches is None else matches)
    m, u = np.full(fields, 0.9), _inside(overall)
    moved, rounds = 1.0, 0
    while moved > _SETTLED and rounds < ROUNDS:
        one = share * _law(agrees, m)
        belief = seen * one / (one + (1 - share) * _law(agrees, u))
        weight = belief.sum()
        # Agreement never speaks against a pair: m ≥ u, which is m ≥ the agreement of all pairs.
        new = _inside(np.maximum(belief @ agrees / weight, overall))
        if free:
            share = _inside(weight)
        u = _inside((overall - share * new) / (1 - share))
        moved, m, rounds = float(np.abs(new - m).max()), new, rounds + 1
    return Agreement(m=m, u=u, matches=float(share), rounds=rounds)


def counted(counts: Ints, m: Floats, matches: float) -> Agreement:
    """m as counted in the pairs of one person, u from the agreement of all pairs."""
    if not counts.sum():
        raise NotAssessable(_NO_PAIRS)
    overall = counts / counts.sum() @ patterns(len(m))
    share, m = _inside(matches), _inside(m)
    return Agreement(m=m, u=_inside((overall - share * m) / (1 - share)), matches=float(share), rounds=0)


def _law(agrees: Floats, chance: Floats) -> Floats:
    """The chance of every pattern, fields independent."""
    found: Floats = np.exp(agrees @ np.log(chance) + (1 - agrees) @ np.log(1 - chance))
    return found


def _inside(chance: Floats | float) -> Floats:
    return np.clip(np.asarray(chance, np.float64), _EDGE, 1 - _EDGE)
