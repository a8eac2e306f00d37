"""Linear regression of normal scores: the margin of a number is kept, whatever its shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from lookalike.models.mixed import Column, Mixed, Numbers
from lookalike.models.steps.decimals import decimals_of, rounded
from lookalike.models.steps.design import Floats
from lookalike.models.steps.normal import RIDGE, Line, numbers_of


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalRank:
    """Normal scores by linear regression ("normrank").

    z_i = Φ⁻¹(rank_i/(n + 1)), ties ranked in a random order: with mean ranks a value that many share would be drawn too
    often (9 of 10 zeros became 99 of 100). A drawn z* stands for the place u(n + 1), u = Φ(z*), among the sorted
    values; between two places the value is interpolated, beyond the first or last one the place is reflected, so that
    the extremes of the file are not copied. (synthpop takes the nearest value of the file.)

    >>> y = Numbers(np.array([1.5, 1.5, 2.25, 9.75]))
    >>> step = NormalRank().fit(y, Mixed(()), rng=np.random.default_rng(1))
    >>> step.draw(Mixed((Numbers(np.zeros(4)),)), rng=np.random.default_rng(2)).values.tolist()
    [2.08, 1.5, 1.5, 1.5]
    """

    ridge: float = RIDGE

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedRank:
        """The line of the scores, and the sorted values."""
        from scipy.special import ndtri
        from scipy.stats import rankdata

        y = numbers_of(response, "NormalRank")
        order = rng.permutation(len(y))
        ranks = np.empty(len(y))
        ranks[order] = rankdata(y[order], method="ordinal")
        scores = ndtri(ranks / (len(y) + 1))
        line = Line.fit(scores, predictors, ridge=self.ridge, rng=rng, proper=proper)
        return FittedRank(line, np.sort(y), decimals_of(y))


@dataclass(frozen=True, slots=True)
class FittedRank:
    """A line of scores, and the values they stand for."""

    line: Line
    sorted: Floats
    decimals: int | None

    @property
    def caveats(self) -> tuple[str, ...]:
        """How near the file the values are."""
        words = "Values lie between neighbouring values of the file; those many records share are copied."
        return (words, *self.line.caveats)

    @property
    def figures(self) -> Mapping[str, float]:
        """Of the line of the scores."""
        return self.line.figures

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Numbers:
        """A score, its place, its value."""
        from scipy.special import ndtr

        n = len(self.sorted)
        place = ndtr(self.line.draw(predictors, rng=rng)) * (n + 1) - 1
        place = np.abs(place)
        place = np.clip(np.minimum(place, 2 * (n - 1) - place), 0, n - 1)
        low = np.floor(place).astype(np.int64)
        high, part = np.minimum(low + 1, n - 1), place - low
        return Numbers(rounded(self.sorted[low] * (1 - part) + self.sorted[high] * part, self.decimals))
