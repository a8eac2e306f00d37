"""The conditional inference tree: a node is split only if a test finds that the response depends on something."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.random import Generator

from lookalike.errors import BadPlan
from lookalike.models.mixed import Column, Mixed
from lookalike.models.sampler import new_seed
from lookalike.models.steps.tree import DonorLaw, size_faults
from lookalike.models.steps.tree_coding import Coded, code_columns
from lookalike.models.steps.tree_donors import DonorTrees
from lookalike.models.steps.tree_fitted import FittedTree
from lookalike.models.steps.tree_growing import Tree, answer_of, bootstrapped, grow_tree, once, rules_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionalTree:
    """A tree whose splits are tested: the column by the smallest p-value, then the cut that parts the response best.

        c = (T − μ)ᵀ Σ⁺ (T − μ),    T = Σ_i g(x_i) h(y_i)ᵀ,    split while  m · P(χ² > c) ≤ alpha  over m columns

    Strasser and Weber (1999); Hothorn, Hornik and Zeileis (2006), equations (1) and (2). A column with many levels has
    no better chance to be chosen by accident, as it has in `Cart`. Ordered levels count as 0, 1, ….

    >>> import numpy as np
    >>> from lookalike.models.mixed import Numbers
    >>> rng = np.random.default_rng(1)
    >>> x, noise = Numbers(rng.normal(size=500)), Numbers(rng.normal(size=500))
    >>> ConditionalTree().fit(noise, Mixed((x,)), rng=rng).figures["leaves"]
    1.0
    """

    leaf: int = 7
    """Donors in a leaf at least: different records."""
    split: int = 20
    """Records that a node needs to be split."""
    depth: int = 30
    """Splits on the way to a leaf at most."""
    alpha: float = 0.1
    """The largest adjusted p-value at which a node is split."""
    donors: DonorLaw = "plain"
    """All donors of a leaf alike, or by weights ~ Dirichlet(1, …, 1) drawn once a leaf in each draw."""
    safe: int = 5
    """Leaves of fewer donors are counted in the figures."""

    def __post_init__(self) -> None:
        faults = size_faults(self.leaf, self.split, self.depth, self.safe)
        if not 0 < self.alpha <= 1:
            faults.append("alpha must be above 0 and at most 1.")
        if self.donors not in ("plain", "bayes"):
            faults.append("donors must be 'plain' or 'bayes'.")
        if faults:
            raise BadPlan(faults)

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedTree:
        """Grow the tree, on a bootstrap sample of the records if `proper`. It grows in one thread."""
        coded = code_columns(predictors, records=len(response))
        tree = self.grow(response, coded, rng=rng, proper=proper)
        return FittedTree(response, DonorTrees([tree], bayes=self.donors == "bayes"), self.safe)

    def grow(self, response: Column, predictors: Coded, *, rng: Generator, proper: bool = False) -> Tree:
        """The tree alone."""
        weights = bootstrapped(once(len(response)), rng=rng) if proper else once(len(response))
        rules = rules_of(self.leaf, self.split, self.depth, alpha=self.alpha)
        return grow_tree(predictors, answer_of(response, weights, scores=True), rules, seed=new_seed(rng))
