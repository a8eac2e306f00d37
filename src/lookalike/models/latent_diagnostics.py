"""How a chain ran and how well its law foresees the tables of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lookalike.models.latent_chain import Draw, Floats, Trace
from lookalike.models.structural_zeros import Zeros

MOST_PAIRS = 200
"""Tables of two columns that are compared; of more, so many spread over all."""
MOST_CELLS = 20_000
"""A table of more cells is left out: with few records a cell it tells nothing."""
OFTEN = 0.05
"""The share of sweeps with all classes in use from which it is said."""
TIED = 0.05
"""Information of a pair in the file, in nats, from which its loss is told."""
KEPT = 0.5
"""The share of it that the law must have."""
NAMED = 5
"""Pairs that are named."""
FEW_DRAWS = 20
"""Effective draws after the burn-in below which it is said."""
MOVES = 4.0
"""Standard errors between two halves of the chain from which it is said to move."""


@dataclass(frozen=True, slots=True)
class Tables:
    """Tables the law foresees against those of the file, shares of records with known cells."""

    compared: int
    largest_gap: float
    """The largest difference of a share."""
    mean_variation: float
    """The mean over tables of the total variation ½ Σ |p − q|."""
    by_chance: float
    """The mean variation of as many records drawn from the law itself: ½ Σ √(2 p (1 − p) / (π n)), about."""
    lost: tuple[tuple[tuple[int, ...], float, float], ...] = ()
    """Pairs of columns, counted from 0, that tell each other much in the file and far less by the law: information in
    nats, in the file and by the law; the largest loss first."""


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Traces of every sweep, what they say, and the tables of one and two columns."""

    alpha: Floats
    occupied: NDArray[np.int64]
    """Latent classes that hold a record."""
    log_likelihood: Floats
    burn_in: int
    kept: tuple[int, ...]
    """The sweeps whose draws were kept."""
    most: int
    """The most latent classes."""
    one_way: Tables
    two_way: Tables

    def effective(self) -> dict[str, float]:
        """Effective sample sizes of the traces after the burn-in."""
        return {name: effective_size(getattr(self, name)[self.burn_in :]) for name in _TRACED}

    def figures(self) -> dict[str, float]:
        """In a few numbers: classes in use and α after the burn-in, effective draws, two-way tables."""
        size = self.effective()
        return {
            "latent classes in use, mean": float(self.occupied[self.burn_in :].mean()),
            "latent classes, most allowed": float(self.most),
            "alpha, mean": float(self.alpha[self.burn_in :].mean()),
            "effective draws of alpha": size["alpha"],
            "effective draws of the log-likelihood": size["log_likelihood"],
            "two-way tables foreseen, mean total variation": self.two_way.mean_variation,
            "the same by chance alone": self.two_way.by_chance,
            "pairs of columns whose tie is weak by the law": float(len(self.two_way.lost)),
        }

    def autocorrelation(self, name: str, lags: int = 50) -> Floats:
        """The autocorrelation of a trace after the burn-in, from lag 0."""
        return autocorrelation(getattr(self, name)[self.burn_in :])[: lags + 1]

    def shifts(self) -> dict[str, float]:
        """The two halves after the burn-in: the difference of a trace's means in standard errors (Geweke 1992)."""
        return {name: shift(getattr(self, name)[self.burn_in :]) for name in _TRACED}

    def caveats(self) -> tuple[str, ...]:
        """What the user must know of the chain."""
        found = []
        if (self.occupied[self.burn_in :] >= self.most).mean() > OFTEN:
            found.append(
                f"All {self.most} latent classes were in use; raise `classes` (an option), or ties between columns may "
                "be lost."
            )
        moving = [_TRACED[name] for name, z in self.shifts().items() if abs(z) > MOVES]
        if moving:
            found.append(
                f"The chain had not settled: {', '.join(moving)} still moved after the burn-in. Take more sweeps "
                "(option sweeps)."
            )
        if self.two_way.lost:
            pairs = "; ".join(f"columns {a + 1}, {b + 1}" for (a, b), _, _ in self.two_way.lost[:NAMED])
            found.append(
                f"Ties between columns are weak in what is drawn: {len(self.two_way.lost)} pairs tell less than half "
                f"as much of each other as in the file, first {pairs}. For these try sequential or gaussian-copula."
            )
        slow = [said for name, said in _TRACED.items() if self.effective()[name] < FEW_DRAWS]
        if slow and not moving:
            found.append(
                f"The chain moves slowly, as seen by {' and '.join(slow)}: it is worth fewer than {FEW_DRAWS} "
                "independent draws. Take more sweeps (option sweeps) before standard errors are taken from several "
                "copies."
            )
        return tuple(found)


_TRACED = {
    "alpha": "α",
    "occupied": "the number of latent classes in use",
    "log_likelihood": "the log-likelihood",
}


def autocorrelation(series: NDArray[np.floating | np.integer]) -> Floats:
    """The autocorrelation at every lag; 1, 0, 0, … of a series that does not vary.

    >>> autocorrelation(np.array([1.0, -1.0, 1.0, -1.0])).tolist()
    [1.0, -0.75, 0.5, -0.25]
    """
    away = np.asarray(series, float) - np.mean(series)
    power = float(away @ away)
    if not power > 1e-20 * max(1.0, float(np.mean(series)) ** 2) * len(away):
        return np.append(1.0, np.zeros(len(away) - 1))
    size = 1 << (2 * len(away) - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(away, size)) ** 2
    return np.asarray(np.fft.irfft(spectrum, size)[: len(away)] / power).round(12)


def effective_size(series: NDArray[np.floating | np.integer]) -> float:
    """n / (1 + 2 Σ ρ), ρ summed in pairs as long as a pair is positive (Geyer 1992).

    >>> effective_size(np.zeros(10))
    10.0
    """
    rho = autocorrelation(series)
    pairs = rho[: len(rho) // 2 * 2].reshape(-1, 2).sum(axis=1)
    end = int(np.argmax(pairs <= 0)) if (pairs <= 0).any() else len(pairs)
    return float(len(rho) / max(2 * pairs[:end].sum() - 1, 1 / len(rho))) if end else float(len(rho))


def shift(series: NDArray[np.floating | np.integer]) -> float:
    """The difference between the means of two halves over its standard error; 0 of a series too short to tell."""
    half = len(series) // 2
    if half < 20:
        return 0.0
    early, late = np.asarray(series[:half], float), np.asarray(series[half:], float)
    spread = early.var() / effective_size(early) + late.var() / effective_size(late)
    return float((late.mean() - early.mean()) / np.sqrt(spread)) if spread > 0 else 0.0


def diagnostics(
    trace: Trace, draws: Sequence[Draw], codes: NDArray[np.int32], first: NDArray[np.int64], zeros: Zeros, burn_in: int
) -> Diagnostics:
    """All of it."""
    laws = [_signed(draw, zeros, first) for draw in draws]
    columns = range(len(first) - 1)
    pairs = list(combinations(columns, 2))
    pairs = pairs[:: max(1, -(-len(pairs) // MOST_PAIRS))]
    ones = [(j,) for j in columns][:: max(1, len(columns) // MOST_PAIRS)]
    one, two = (_compared(some, laws, codes, first) for some in (ones, pairs))
    most, kept = len(draws[0].shares), tuple(d.sweep for d in draws)
    return Diagnostics(trace.alpha, trace.occupied, trace.fit, burn_in, kept, most, one, two)


def _signed(draw: Draw, zeros: Zeros, first: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """A draw cut to the possible as one mixture: each slice in each class is taken away with its own weight.

    Inside a slice the fixed columns hold their code and the others keep θ, so it is a product of margins too.
    """
    shares, levels = [draw.shares], [draw.levels]
    for c in range(len(zeros.start) - 1):
        at = slice(zeros.start[c], zeros.start[c + 1])
        inside = draw.levels.copy()
        for j, place in zip(zeros.column[at], zeros.at[at], strict=True):
            inside[first[j] : first[j + 1]] = 0.0
            inside[place] = 1.0
        shares.append(-draw.shares * draw.levels[zeros.at[at]].prod(axis=0))
        levels.append(inside)
    weights = np.concatenate(shares)
    return weights / weights.sum(), np.concatenate(levels, axis=1)


def _compared(
    groups: Sequence[tuple[int, ...]],
    laws: Sequence[tuple[Floats, Floats]],
    codes: NDArray[np.int32],
    first: NDArray[np.int64],
) -> Tables:
    gaps, variations, chances = list[float](), list[float](), list[float]()
    lost: list[tuple[tuple[int, ...], float, float]] = []
    for columns in groups:
        sizes = [int(first[j + 1] - first[j]) for j in columns]
        known = (codes[:, columns] >= 0).all(axis=1)
        if np.prod(sizes) > MOST_CELLS or not known.any():
            continue
        keys = np.ravel_multi_index(tuple(codes[known][:, columns].T), sizes)
        seen = np.bincount(keys, minlength=int(np.prod(sizes))) / known.sum()
        law = np.maximum(np.mean([_table(weights, levels, first, columns) for weights, levels in laws], axis=0), 0)
        gaps.append(float(np.abs(law - seen).max()))
        variations.append(float(np.abs(law - seen).sum() / 2))
        chances.append(float(np.sqrt(2 * law * (1 - law).clip(0) / (np.pi * known.sum())).sum() / 2))
        if len(columns) == 2:
            told, by_law = _information(seen, sizes, int(known.sum())), _information(law, sizes, None)
            if told > TIED and by_law < KEPT * told:
                lost.append((columns, told, by_law))
    if not variations:
        return Tables(0, 0.0, 0.0, 0.0)
    lost.sort(key=lambda pair: pair[2] - pair[1])
    return Tables(len(variations), max(gaps), float(np.mean(variations)), float(np.mean(chances)), tuple(lost))


def _information(table: Floats, sizes: Sequence[int], records: int | None) -> float:
    """What two columns tell of each other, in nats; of a table of records less its bias."""
    p = table.reshape(sizes) / table.sum()
    a, b = p.sum(axis=1), p.sum(axis=0)
    held = p > 0
    found = float((p[held] * np.log(p[held] / np.outer(a, b)[held])).sum())
    cells = (np.count_nonzero(a) - 1) * (np.count_nonzero(b) - 1)
    return found if records is None else found - cells / (2 * records)


def _table(weights: Floats, levels: Floats, first: NDArray[np.int64], columns: tuple[int, ...]) -> Floats:
    """The shares of all cells of one or two columns: Σ_h w_h θ_hj θ_hk."""
    sides = [levels[first[j] : first[j + 1]] for j in columns]
    if len(sides) == 1:
        return np.asarray(sides[0] @ weights)
    return np.asarray((sides[0] * weights) @ sides[1].T).ravel()
