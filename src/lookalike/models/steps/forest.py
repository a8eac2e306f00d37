"""Forests: many trees on bootstrap samples, and donors from the leaves of all."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Mixed
from lookalike.models.normals import each
from lookalike.models.sampler import new_seed
from lookalike.models.steps.tree import size_faults, split_of
from lookalike.models.steps.tree_coding import code_columns
from lookalike.models.steps.tree_donors import DonorTrees, matrix
from lookalike.models.steps.tree_fitted import FittedTree
from lookalike.models.steps.tree_growing import Tree, answer_of, bootstrapped, grow_tree, once, rules_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Trees on bootstrap samples, some columns tried at each split; a cell is drawn from all its leaves together.

        P(donor i) = 1/T Σ_t 1{i in the leaf of tree t} / (donors in that leaf)

    Breiman (2001), with the weights of Meinshausen (2006): every tree counts the same. If all donors of all leaves
    counted the same, large leaves would drown small ones, and with them rare outcomes. All records of the file, not
    only those of a tree's sample, go down each tree and are donors in the leaf they end in.

    >>> from lookalike.models.mixed import Numbers
    >>> x = Mixed((Numbers(np.arange(100.0)),))
    >>> fitted = Forest(trees=5).fit(Numbers(np.arange(100.0)), x, rng=np.random.default_rng(1))
    >>> bool(np.abs(fitted.draw(x, rng=np.random.default_rng(2)).values - np.arange(100)).mean() < 10)
    True
    """

    trees: int = 10
    tried: int | None = None
    """Columns tried at a split; None for a third of them for numbers and the square root for categories."""
    leaf: int = 5
    """Records in a leaf at least: different ones."""
    split: int | None = None
    """Records that a node needs to be split; None for three times `leaf`."""
    depth: int = 30
    safe: int = 5
    """Leaves of fewer donors are counted in the figures."""

    def __post_init__(self) -> None:
        faults = size_faults(self.leaf, self.split, self.depth, self.safe)
        for name, count in {"trees": self.trees, "tried": 1 if self.tried is None else self.tried}.items():
            if count < 1:
                faults.append(f"{name} must be at least 1.")
        if faults:
            raise BadPlan(faults)

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedTree:
        """Grow the trees, each on a bootstrap sample of the records, or of one of them if `proper`."""
        records = once(len(response))
        weights = bootstrapped(records, rng=rng) if proper else records
        samples = [bootstrapped(weights, rng=rng) for _ in range(self.trees)]
        coded, seed = code_columns(predictors, records=len(response)), new_seed(rng)
        split = split_of(self.leaf, self.split)
        rules = rules_of(self.leaf, split, self.depth, gain=1e-8, tried=self._tried(response, predictors))
        grown: list[Tree | None] = [None] * self.trees

        def work(t: int) -> None:
            tree = grow_tree(coded, answer_of(response, samples[t]), rules, seed=seed, stream=2 * t)
            grown[t] = filled(tree, predictors, weights, seed=seed, stream=2 * t + 1)

        each(work, range(self.trees), threads)
        return FittedTree(response, DonorTrees([tree for tree in grown if tree is not None]), self.safe)

    def _tried(self, response: Column, predictors: Mixed) -> int:
        if self.tried is not None:
            return self.tried
        columns = len(predictors.columns)
        return max(1, math.isqrt(columns) if isinstance(response, Categories) else columns // 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bagging:
    """A forest with all columns tried at each split. Breiman (1996)."""

    trees: int = 10
    leaf: int = 5
    split: int | None = None
    depth: int = 30
    safe: int = 5

    def __post_init__(self) -> None:
        self._forest(1)

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedTree:
        """Grow the trees, each on a bootstrap sample of the records, or of one of them if `proper`."""
        forest = self._forest(max(1, len(predictors.columns)))
        return forest.fit(response, predictors, rng=rng, proper=proper, threads=threads)

    def _forest(self, tried: int) -> Forest:
        sizes = {"leaf": self.leaf, "split": self.split, "depth": self.depth, "safe": self.safe}
        return Forest(trees=self.trees, tried=tried, **sizes)  # type: ignore[arg-type]


def filled(
    tree: Tree, predictors: Mixed, weights: NDArray[np.float64], *, seed: NDArray[np.uint64], stream: int
) -> Tree:
    """The tree with all records of these weights in its leaves. A leaf grown on some of them has those at least."""
    from lookalike.models.steps._tree_donors import find_leaves

    rows = np.flatnonzero(weights).astype(np.int64)
    leaf = np.zeros(len(rows), np.int64)
    if predictors.columns:
        cells = matrix(predictors, np.arange(len(predictors.columns)), slice(0, len(weights)))[rows]
        find_leaves(tree.nodes, tree.sets, 0, cells, seed, stream, leaf)
    order = np.argsort(leaf, kind="stable")
    begin, end = (np.searchsorted(leaf[order], np.arange(len(tree.nodes.column)), side=s) for s in ("left", "right"))
    nodes = tree.nodes._replace(begin=begin.astype(np.int64), end=end.astype(np.int64))
    return Tree(nodes, tree.sets, rows[order], weights[rows[order]])
