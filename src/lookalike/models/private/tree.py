"""A spanning tree over the columns: which pairs are counted together, chosen privately."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.private.ledger import Ledger
from lookalike.models.private.margins import Codes, Margin, Vector, on_simplex
from lookalike.models.private.mechanisms import choose, gaussian

CANDIDATES = 5_000
"""Pairs that are compared at most; of more than 100 columns some pairs, drawn without a look at the file."""
_ROUNDS = 50
_NEAR = 1e-9
_SLACK = 1 + 1e-6
"""Scores are sums of doubles: room for their rounding."""

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Edge:
    """Two columns and the shares of their groups together."""

    parent: int
    child: int
    shares: NDArray[np.float64]


def table_of(codes: list[Codes], margins: list[Margin], pair: Pair) -> NDArray[np.int64]:
    """How many records each pair of groups has."""
    a, b = pair
    rows, columns = margins[a].groups, margins[b].groups
    both = margins[a].group[codes[a]] * columns + margins[b].group[codes[b]]
    return np.bincount(both, minlength=rows * columns).reshape(rows, columns)


def candidates(columns: int, *, rng: Generator) -> list[Pair]:
    """All pairs, or of too many a connected part drawn at random."""
    if columns * (columns - 1) // 2 <= CANDIDATES:
        return list(combinations(range(columns), 2))
    order = rng.permutation(columns)
    drawn = rng.integers(0, columns, (CANDIDATES - columns, 2))
    return sorted({(int(min(p)), int(max(p))) for p in (*pairwise(order), *drawn) if p[0] != p[1]})


def choose_tree(
    codes: list[Codes], margins: list[Margin], records: float, rho: float, ledger: Ledger, *, rng: Generator
) -> list[Pair]:
    """p − 1 pairs, one after the other by the exponential mechanism among those that close no circle.

    Score: Σ |count − what the noisy margins foresee under independence|, which one record changes by Δ₁ at most. The
    margins are private already, so they may be used (McKenna, Miklau and Sheldon 2021).
    """
    pairs = candidates(len(codes), rng=rng)
    scores = np.array([_gap(codes, margins, records, pair) for pair in pairs])
    steps, moved = len(codes) - 1, ledger.adjacency.moved * _SLACK
    epsilon = math.sqrt(8 * rho / steps)
    part, chosen = np.arange(len(codes)), []
    ends = np.array(pairs)
    for step in range(1, steps + 1):
        open_ = np.flatnonzero(part[ends[:, 0]] != part[ends[:, 1]])
        what = f"the choice of pair {step} of {steps}"
        place = open_[choose(scores[open_], epsilon=epsilon, sensitivity=moved, ledger=ledger, what=what)]
        a, b = pairs[place]
        chosen.append((a, b))
        part[part == part[b]] = part[a]
    return chosen


def _gap(codes: list[Codes], margins: list[Margin], records: float, pair: Pair) -> float:
    a, b = (margins[j] for j in pair)
    if min(a.groups, b.groups) == 1:
        return 0.0
    foreseen = records * np.outer(a.group_shares, b.group_shares)
    return float(np.abs(table_of(codes, margins, pair) - foreseen).sum())


def measure(
    codes: list[Codes], margins: list[Margin], pairs: list[Pair], rho: float, ledger: Ledger
) -> list[NDArray[np.float64]]:
    """The tables of the pairs with normal noise, each for an equal part of ρ."""
    tables = [table_of(codes, margins, pair) for pair in pairs]
    what = f"the counts of {len(pairs)} pairs of columns"
    return [noisy.astype(np.float64) for noisy in gaussian(tables, rho=rho, ledger=ledger, what=what)]


def agreed_margins(
    margins: list[Margin],
    pairs: list[Pair],
    tables: list[NDArray[np.float64]],
    records: float,
    variances: tuple[float, float],
) -> list[Vector]:
    """Shares of the groups by all tables that hold a column, each weighted by 1/variance of its sums."""
    single, double = variances
    sums = [margin.noisy / (margin.width * single) for margin in margins]
    weights = [1 / (margin.width * single) for margin in margins]
    for (a, b), table in zip(pairs, tables, strict=True):
        for j, axis in ((a, 1), (b, 0)):
            variance = table.shape[axis] * double
            sums[j] = sums[j] + table.sum(axis) / variance
            weights[j] = weights[j] + 1 / variance
    return [on_simplex(s / w, records) / records for s, w in zip(sums, weights, strict=True)]


def agreeing(table: NDArray[np.float64], rows: Vector, columns: Vector, records: float) -> NDArray[np.float64]:
    """Shares near a noisy table with exactly these sums: nearest on the simplex, then raked to the sums.

    A trace of independence under it keeps every sum reachable.
    """
    shares = on_simplex(table, records) / records
    shares = 0.999 * shares + 0.001 * np.outer(rows, columns)
    for _ in range(_ROUNDS):
        found = shares.sum(1)
        if np.abs(found - rows).max() < _NEAR and np.abs(shares.sum(0) - columns).max() < _NEAR:
            break
        shares = shares * _ratio(rows, found)[:, None]
        shares = shares * _ratio(columns, shares.sum(0))
    return shares


def _ratio(wanted: Vector, found: Vector) -> Vector:
    return np.divide(wanted, found, out=np.zeros_like(wanted), where=found > 0)
