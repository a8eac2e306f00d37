"""A classification tree that tells two files apart: grown by Gini, pruned by cost and complexity, as rpart does."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lookalike.models.mixed import Categories
from lookalike.models.sampler import new_seed
from lookalike.models.steps.tree_coding import code_columns
from lookalike.models.steps.tree_donors import matrix
from lookalike.models.steps.tree_growing import Tree, answer_of, grow_tree, once, rules_of
from lookalike.utility.designs import Floats, Places
from lookalike.utility.propensity_scores import Labels
from lookalike.utility.stacked import Stacked


class ReadyTree:
    """Columns coded for the trees."""

    def __init__(self, stacked: Stacked, *, cp: float, leaf: int, depth: int) -> None:
        self.cp, self.leaf, self.depth = cp, leaf, depth
        self.table = stacked.table
        self.coded = code_columns(stacked.table)

    def scores(self, drawn: Labels, learn: Labels | None, *, rng: Generator) -> Floats:
        """The share of drawn records in the leaf of each row."""
        weights = once(len(drawn)) if learn is None else learn.astype(np.float64)
        count = int(weights.sum())
        wrong = min(int(drawn @ weights), count - int(drawn @ weights))
        # A node of up to twice the least gain cannot gain it: not to split it changes nothing and saves time.
        split = max(3 * self.leaf, int(2 * self.cp * wrong) + 1)
        rules = rules_of(self.leaf, split, self.depth, gain=0.0)
        answer = answer_of(Categories(drawn.astype(np.int32), 2), weights)
        tree = grow_tree(self.coded, answer, rules, seed=new_seed(rng))
        return self._shares(tree, drawn, self.cp * wrong, all_learned=learn is None, rng=rng)

    def _shares(self, tree: Tree, drawn: Labels, least: float, *, all_learned: bool, rng: Generator) -> Floats:
        from lookalike.utility._prune import prune

        nodes, before = tree.nodes, np.concatenate([[0], np.cumsum(drawn[tree.rows])])
        sizes, theirs = nodes.end - nodes.begin, before[nodes.end] - before[nodes.begin]
        ends = prune(nodes.child, np.minimum(theirs, sizes - theirs).astype(np.float64), float(least))
        share = (theirs / sizes)[_last(nodes.child, ends)]
        found = np.empty(len(drawn))
        if all_learned:
            leaves = np.flatnonzero(nodes.column < 0)
            places = np.argsort(nodes.begin[leaves])
            found[tree.rows] = np.repeat(share[leaves[places]], sizes[leaves[places]])
        else:
            found[:] = share[self._leaves(tree, rng)]
        return found

    def _leaves(self, tree: Tree, rng: Generator) -> Places:
        """The leaf of every row; a level that a node has not seen goes to a side by the records there."""
        from lookalike.models.steps._tree_donors import find_leaves

        records = self.table.records
        cells = matrix(self.table, np.arange(len(self.table.columns)), slice(0, records))
        found = np.empty(records, np.int64)
        find_leaves(tree.nodes, tree.sets, 0, cells, new_seed(rng), 0, found)
        return found

    def caveats(self) -> tuple[str, ...]:
        """Nothing to tell."""
        return ()


def _last(child: Places, ends: Labels) -> Places:
    """For each node the first one on its way from the root that ends the pruned tree, or itself."""
    found = np.arange(len(child))
    for i in np.flatnonzero(child >= 0):
        if ends[i] or found[i] != i:
            found[child[i]] = found[child[i] + 1] = found[i]
    return found
