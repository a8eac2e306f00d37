"""CART: a tree grown until leaves are small, and donors drawn from its leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from numpy.random import Generator

from lookalike.errors import BadPlan
from lookalike.models.mixed import Column, Mixed
from lookalike.models.sampler import new_seed
from lookalike.models.steps.tree_coding import Coded, code_columns
from lookalike.models.steps.tree_donors import DonorTrees
from lookalike.models.steps.tree_fitted import FittedTree
from lookalike.models.steps.tree_growing import answer_of, bootstrapped, grow_tree, once, rules_of

DonorLaw = Literal["plain", "bayes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cart:
    """A regression or classification tree; a cell is drawn from the records in its leaf.

        a split lowers  Σ_i (y_i − ȳ)²  of numbers,  n (1 − Σ_k p_k²)  of categories, as much as any can

    Breiman et al. (1984); Reiter (2005) for synthesis; section 2.3 of the methods. Nothing is pruned.
    docs/concepts/trees.md tells more.

    >>> import numpy as np
    >>> from lookalike.models.mixed import Categories, Numbers
    >>> x = Mixed((Numbers(np.arange(200.0)),))
    >>> y = Categories((np.arange(200) >= 100).astype(np.int32), 2)
    >>> fitted = Cart().fit(y, x, rng=np.random.default_rng(1))
    >>> fitted.figures["leaves"], bool((fitted.draw(x, rng=np.random.default_rng(2)).codes == y.codes).all())
    (2.0, True)
    """

    leaf: int = 5
    """Donors in a leaf at least: different records, also where a bootstrap draws some of them twice."""
    split: int | None = None
    """Records that a node needs to be split; None for three times `leaf`."""
    depth: int = 30
    """Splits on the way to a leaf at most."""
    gain: float = 1e-8
    """By how much a split must lower the impurity, relative to that of the whole file."""
    donors: DonorLaw = "plain"
    """All donors of a leaf alike, or by weights ~ Dirichlet(1, …, 1) drawn once a leaf in each draw."""
    entropy: float = 0.0
    """The entropy of the classes in a leaf at least, in nats: a split that leaves less on one side is not made."""
    safe: int = 5
    """Leaves of fewer donors are counted in the figures."""

    def __post_init__(self) -> None:
        faults = size_faults(self.leaf, self.split, self.depth, self.safe)
        if not self.gain >= 0:
            faults.append("gain must be at least 0.")
        if not self.entropy >= 0:
            faults.append("entropy must be at least 0.")
        if self.donors not in ("plain", "bayes"):
            faults.append("donors must be 'plain' or 'bayes'.")
        if faults:
            raise BadPlan(faults)

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedTree:
        """Grow the tree, on a bootstrap sample of the records if `proper`. It grows in one thread."""
        return self.fit_coded(response, code_columns(predictors, records=len(response)), rng=rng, proper=proper)

    def fit_coded(self, response: Column, predictors: Coded, *, rng: Generator, proper: bool = False) -> FittedTree:
        """The same on columns coded before: a sequence codes each column once."""
        weights = bootstrapped(once(len(response)), rng=rng) if proper else once(len(response))
        rules = rules_of(self.leaf, split_of(self.leaf, self.split), self.depth, gain=self.gain, floor=self.entropy)
        tree = grow_tree(predictors, answer_of(response, weights), rules, seed=new_seed(rng))
        return FittedTree(response, DonorTrees([tree], bayes=self.donors == "bayes"), self.safe)


def split_of(leaf: int, split: int | None) -> int:
    """The records a node needs to be split."""
    return 3 * leaf if split is None else split


def size_faults(leaf: int, split: int | None, depth: int, safe: int) -> list[str]:
    """What is wrong with the sizes of a tree."""
    sizes = {"leaf": leaf, "split": 1 if split is None else split, "safe": safe}
    faults = [f"{name} must be at least 1." for name, size in sizes.items() if size < 1]
    return faults + (["depth must be at least 0."] if depth < 0 else [])
