"""What the posterior estimator learns from trying itself on samples of the file, where the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.population.interval import left

STRENGTH = 10.0
"""How strongly the weight stays at 1: as much as ten attempts whose two answers differ by their own noise."""
DOUBT_IF_UNTESTED = 0.5  # where the file is too small to try the estimator on parts of it
LEAST_SD = 1e-4
MOST_DOUBT = 0.5
"""A model is not taken to err by more (as a standard deviation) than this share of what is left to it."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One sample of the file: B by the model as it is and as trusted, the true B, its limit K/n, the noise of B̂."""

    plain: float
    corrected: float
    truth: float
    most: float
    sd: float
    records: int


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of the attempts."""

    trust: float = 1.0
    """The weight of the trusted answer; the model as it is has the rest."""
    doubt: float = 0.0
    """The error of the mean of both, as a share of what was left to the model."""

    @classmethod
    def of(cls, attempts: Sequence[Attempt], records: int) -> Trial:
        """The weight that brings the answer nearest to the truths, drawn to 1; the error that was made.

        With g = (plain − trusted)/sd and r = (plain − truth)/sd the weight is (10 + Σ g r) / (10 + Σ g²), between 0
        and 1. `records` is n of the file: the squared error of a part of it counts by its share of them.

        >>> right = Attempt(plain=0.54, corrected=0.5, truth=0.5, most=0.9, sd=0.01, records=100)
        >>> Trial.of([right], 200).trust
        1.0
        >>> low = Attempt(plain=0.54, corrected=0.5, truth=0.54, most=0.9, sd=0.01, records=100)
        >>> round(Trial.of([low], 200).trust, 3)              # 10 / (10 + 4·4)
        0.385
        """
        if not attempts:
            return cls(doubt=DOUBT_IF_UNTESTED)
        over, under, squares = STRENGTH, STRENGTH, []
        for a in attempts:
            sd = max(a.sd, LEAST_SD)
            gap = (a.plain - a.corrected) / sd
            over += gap * (a.plain - a.truth) / sd
            under += gap * gap
            value = (a.plain + a.corrected) / 2
            room = left(value, a.most)
            error = abs(value - a.truth)
            # Where nothing was left to the model and it erred all the same, the doubt is the largest.
            squares.append(a.records / records * (error / room) ** 2 if room > 0 else np.inf if error > 0 else 0.0)
        doubt = float(np.sqrt(np.mean(squares)))
        return cls(trust=float(np.clip(over / under, 0.0, 1.0)), doubt=min(doubt, MOST_DOUBT))
