"""The survival tree: a time and whether the event happened at it, drawn together from one donor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.models.steps.inference_tree import ConditionalTree
from lookalike.models.steps.tree import DonorLaw
from lookalike.models.steps.tree_coding import code_columns
from lookalike.models.steps.tree_donors import Donors, DonorTrees
from lookalike.models.steps.tree_fitted import caveats


@dataclass(frozen=True, slots=True, kw_only=True)
class SurvivalTree:
    """A conditional inference tree of log-rank scores; a record takes the time and the event of one donor.

        a_i = δ_i − Σ_{j: t_j ≤ t_i} δ_j / R(t_j),    R(t): the records with a time of at least t

    Hothorn, Hornik and Zeileis (2006). The settings are those of `ConditionalTree`.

    >>> rng = np.random.default_rng(1)
    >>> time, event = Numbers(np.arange(1.0, 101)), Categories(np.arange(100, dtype=np.int32) % 2, 2)
    >>> fitted = SurvivalTree().fit_pair(time, event, Mixed((time,)), rng=rng)
    >>> times, events = fitted.draw_pair(Mixed((time,)), rng=rng)
    >>> bool((events.codes == (times.values - 1) % 2).all())
    True
    """

    leaf: int = 7
    split: int = 20
    depth: int = 30
    alpha: float = 0.1
    donors: DonorLaw = "plain"
    safe: int = 5

    def __post_init__(self) -> None:
        self._tree()

    def fit_pair(
        self,
        time: Column,
        event: Column,
        predictors: Mixed,
        *,
        rng: Generator,
        proper: bool = False,
        threads: int | None = None,
    ) -> FittedPair:
        """Learn time and event given the predictors; level 1 of the event says that it happened."""
        if not isinstance(time, Numbers) or not isinstance(event, Categories) or event.levels != 2:
            raise BadPlan(
                "A survival tree needs a time in numbers and an event of two levels, the second: it happened."
            )
        scores = Numbers(log_rank_scores(time.values, event.codes))
        coded = code_columns(predictors, records=len(time))
        tree = self._tree().grow(scores, coded, rng=rng, proper=proper)
        return FittedPair(time, event, DonorTrees([tree], bayes=self.donors == "bayes"), self.safe)

    def _tree(self) -> ConditionalTree:
        sizes = {"leaf": self.leaf, "split": self.split, "depth": self.depth, "safe": self.safe}
        return ConditionalTree(alpha=self.alpha, donors=self.donors, **sizes)


@dataclass(frozen=True, slots=True)
class FittedPair:
    """The law of a time and an event: those of a donor in the leaf."""

    time: Numbers
    event: Categories
    trees: DonorTrees
    safe: int

    @property
    def caveats(self) -> tuple[str, ...]:
        """Every pair is a copy of a real one; of how few."""
        return caveats(self.trees, self.safe, copied=True)

    @property
    def figures(self) -> Mapping[str, float]:
        """Leaves, depth, the fewest donors of a leaf, and the share of fitted rows in leaves of fewer than `safe`."""
        return self.trees.figures(self.safe)

    def draw_pair(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> tuple[Numbers, Categories]:
        """The time and the event of a donor for each row."""
        time, event, _ = self.draw_pair_traced(predictors, rng=rng, threads=threads)
        return time, event

    def draw_pair_traced(
        self, predictors: Mixed, *, rng: Generator, threads: int | None = None
    ) -> tuple[Numbers, Categories, Donors]:
        """The same pairs for the same rng, and where each comes from."""
        found = self.trees.draw(predictors, rng=rng, threads=threads)
        return self.time.take(found.rows), self.event.take(found.rows), found


def log_rank_scores(time: NDArray[np.float64], event: NDArray[np.integer]) -> NDArray[np.float64]:
    """The event less the Nelson–Aalen estimate of the cumulated hazard at its time; the sum is 0.

    >>> log_rank_scores(np.array([1.0, 2, 3]), np.array([1, 0, 1])).round(3).tolist()   # 1 − 1/3, −1/3, 1 − 1/3 − 1/1
    [0.667, -0.333, -0.333]
    """
    distinct, place, records = np.unique(time, return_inverse=True, return_counts=True)
    happened = np.bincount(place, weights=event, minlength=len(distinct))
    at_risk = len(time) - np.cumsum(records) + records
    return np.asarray(event - np.cumsum(happened / at_risk)[place], np.float64)
