"""How well a score tells the records that were used from others: AUC, hits at few false alarms, effective epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import stats

from lookalike.attacks.outcome import LEVEL, Share
from lookalike.estimate import Estimate

Floats = NDArray[np.float64]

ALARMS = (0.001, 0.01, 0.1)
"""The shares of false alarms at which hits are told."""
GUESSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""The shares of the records that an attacker who may hold their tongue guesses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """Records of the original guessed, at a limit that at most so many records of the control pass."""

    alarms: Share
    """Records of the control that pass the limit."""
    hits: Estimate
    """Records of the original that pass it, with the exact interval of Clopper and Pearson (1934)."""


def area_under_curve(own: Floats, other: Floats) -> Estimate:
    """P(own > other) + ½ P(equal), with the interval of DeLong, DeLong and Clarke-Pearson (1988).

    >>> found = area_under_curve(np.array([3.0, 2.0]), np.array([1.0, 2.0]))
    >>> found.value
    0.875
    """
    ranks, inside, others = stats.rankdata(np.concatenate([own, other])), stats.rankdata(own), stats.rankdata(other)
    n, m = len(own), len(other)
    # The share of the other file below each record, ties half: its rank among all less that in its own file.
    below, above = (ranks[:n] - inside) / m, 1 - (ranks[n:] - others) / n
    value = float(below.mean())
    spread = _variance(below) + _variance(above)
    error = float(stats.norm.ppf((1 + LEVEL) / 2)) * spread**0.5
    return Estimate(
        value=value, low=max(0.0, value - error), high=min(1.0, value + error), method="area under the curve (DeLong)"
    )


def right_guesses(own: Floats, other: Floats) -> Share:
    """The half with the highest scores is guessed to have been used: how often that is right, ties by their part.

    With files of one size a guess without a score is right half of the time, whatever the scores.

    >>> str(right_guesses(np.array([3.0, 2.0]), np.array([1.0, 2.0])))
    '3 of 4 records of both files'
    """
    both = np.concatenate([own, other])
    limit = float(np.sort(both)[::-1][(len(both) + 1) // 2 - 1])
    above, tied = both > limit, both == limit
    used = above + tied * (len(both) / 2 - above.sum()) / tied.sum()
    right = used[: len(own)].sum() + (1 - used[len(own) :]).sum()
    return Share(successes=float(right), of=len(both), what="records of both files")


def hits_at(own: Floats, other: Floats, alarms: Sequence[float] = ALARMS) -> tuple[Hits, ...]:
    """Hits at each share of false alarms; shares that less than one record of the control makes are left out.

    >>> found = hits_at(np.arange(100.0) + 50, np.arange(100.0), (0.001, 0.1))
    >>> [(h.alarms.value, h.hits.value) for h in found]
    [(0.1, 0.6)]
    """
    falling = np.sort(other)[::-1]
    found = []
    for share in alarms:
        allowed = int(share * len(other) + 1e-9)
        if allowed < 1:
            continue
        limit = falling[allowed - 1]
        # Records at the limit itself are guessed by chance, so that the alarms are as many as allowed.
        part = (allowed - (other > limit).sum()) / (other == limit).sum()
        hits = float((own > limit).sum() + part * (own == limit).sum())
        low, high = clopper_pearson(hits, len(own))
        estimate = Estimate(value=hits / len(own), low=low, high=high, method="hits (Clopper–Pearson)")
        found.append(Hits(alarms=Share(successes=allowed, of=len(other), what="records"), hits=estimate))
    return tuple(found)


def effective_epsilon(own: Floats, other: Floats, *, rng: Generator) -> Estimate:
    """A lower bound on the ε of any (ε, 0)-private way to make this release, from one release.

    If each person was put in the original by a coin toss, then of r guesses by an ε-private release at most as many are
    right as of r coins with e^ε/(1 + e^ε) (Steinke, Nasr and Jagielski 2023). With the lower bound p of Clopper and
    Pearson on the share of right guesses, ε ≥ log(p/(1 − p)). The attacker guesses "used" of the highest and "not used"
    of the lowest scores; how many is chosen on one half of the records and counted on the other.

    >>> rng = np.random.default_rng(1)
    >>> effective_epsilon(np.ones(200), np.zeros(200), rng=rng).value > 3
    True
    >>> effective_epsilon(rng.random(200), rng.random(200), rng=rng).value
    0.0
    """
    n = min(len(own), len(other))
    mine, theirs = rng.permutation(own)[:n], rng.permutation(other)[:n]
    half = n // 2
    share = max(GUESSES, key=lambda s: _bound(mine[:half], theirs[:half], s, rng))
    value = max(0.0, _bound(mine[half:], theirs[half:], share, rng))
    return Estimate(value=value, low=value, method="effective epsilon, one release", lower_limit=True)


def clopper_pearson(successes: float, of: int) -> tuple[float, float]:
    """The exact interval of a share (Clopper and Pearson 1934).

    >>> [round(end, 4) for end in clopper_pearson(0, 10)]
    [0.0, 0.3085]
    """
    tail = (1 - LEVEL) / 2
    low = 0.0 if successes == 0 else float(stats.beta.ppf(tail, successes, of - successes + 1))
    high = 1.0 if successes == of else float(stats.beta.ppf(1 - tail, successes + 1, of - successes))
    return low, high


def _bound(own: Floats, other: Floats, share: float, rng: Generator) -> float:
    """log(p/(1 − p)) at the lower bound p of the share of right guesses, made of this share of the records."""
    each = max(1, int(share * len(own)))
    if not len(own):
        return 0.0
    scores, used = np.concatenate([own, other]), np.arange(2 * len(own)) < len(own)
    # Shuffled before the stable sort: ties are broken by chance.
    mixed = rng.permutation(len(scores))
    order = mixed[np.argsort(scores[mixed], kind="stable")]
    right = int(used[order[-each:]].sum() + (~used[order[:each]]).sum())
    low = clopper_pearson(right, 2 * each)[0]
    return log(low / (1 - low)) if low > 0 else -np.inf


def _variance(values: Floats) -> float:
    """Of the mean."""
    return float(values.var(ddof=1)) / len(values) if len(values) > 1 else 0.25
