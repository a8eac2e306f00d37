"""What the fitted laws of this kind share: margins, a correlation matrix, and drawing from both."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lookalike.models.counts import Counts
from lookalike.models.cut_normal import CutNormal
from lookalike.models.sampler import Sampled


class LatentNormal(Sampled):
    """A fitted law: levels are stretches of a normal variable, and the normal variables are correlated.

    >>> law = LatentNormal((np.array([0.5, 0.5]),), np.eye(1))
    >>> law.sample_codes(3, rng=np.random.default_rng(1)).shape
    (3, 1)
    >>> type(law.law).__name__
    'CutNormal'
    """

    def __init__(self, shares: tuple[NDArray[np.float64], ...], correlation: NDArray[np.float64]) -> None:
        self.shares = shares
        """The share of every level of every variable."""
        self.correlation = correlation
        """Of the normal variables, in the order of the table's columns."""

    @cached_property
    def law(self) -> CutNormal:
        """The sampler."""
        return CutNormal(self.shares, self.correlation)


def shares_of(table: Counts) -> tuple[NDArray[np.float64], ...]:
    """The empirical margins."""
    return tuple(table.margin(j) / table.total for j in range(table.variables))
