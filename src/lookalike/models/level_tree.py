"""Levels in groups, groups in larger groups: a prior that lets latent classes differ at any of these layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

CONCENTRATIONS = np.geomspace(0.05, 5e5, 34)  # each as likely beforehand as the next; at the largest, classes are alike
LEAST = 1e-9

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Layer:
    """One step of a tree: its nodes, and the group of the layer above that each belongs to."""

    of_level: NDArray[np.int64]
    """The node of every level."""
    group: NDArray[np.int64]
    base: Floats
    """The share of every node in the margin."""
    group_base: Floats

    @classmethod
    def of(cls, of_level: NDArray[np.int64], group: NDArray[np.int64], margin: Floats) -> _Layer:
        base = np.bincount(of_level, weights=margin, minlength=len(group)).astype(np.float64)
        return cls(of_level, group, base, np.bincount(group, weights=base).astype(np.float64))

    def with_margin(self, margin: Floats) -> _Layer:
        return _Layer.of(self.of_level, self.group, margin)


class LevelTree:
    """θ of one variable by a Dirichlet tree (Dennis 1991, Minka 1999): shares of groups, then shares inside each.

    At a layer with concentration s a node v with the share m_v of the margin has the prior count s·m_v among those of
    its group. Equal s at all layers is the plain Dirichlet(s·m); a large s at a lower layer says that latent classes
    differ between groups and not inside. So dates by day are tied to others by month where only that shows.

    `maps` go from the levels to groups, fine to coarse; each has to group the one before. Levels that a map leaves
    apart in one group are never torn: a map that does not fit is joined with the coarser one.

    >>> tree = LevelTree(np.full(4, 0.25), [np.array([0, 0, 1, 1])])
    >>> theta = tree.draw(np.array([[8.0], [0.0], [1.0], [1.0]]), rng=np.random.default_rng(1))
    >>> theta.shape, bool(theta[:2].sum() > theta[2:].sum()), round(float(theta.sum()), 9)
    ((4, 1), True, 1.0)
    """

    def __init__(self, margin: Floats, maps: Sequence[NDArray[np.integer]] = (), *, lower: float = 1e4) -> None:
        steps = [np.zeros(len(margin), np.int64)]
        for coarse in (*reversed(maps), np.arange(len(margin))):
            # Numbered inside the groups above, so that each layer parts the one before.
            finer = np.unique(steps[-1] * (int(np.max(coarse)) + 1) + coarse, return_inverse=True)[1]
            if finer.max() > steps[-1].max():
                steps.append(finer)
        self.layers = [_layer(above, below, margin) for above, below in pairwise(steps)]
        self.concentration = np.append(3.0, np.full(max(len(self.layers) - 1, 0), lower))

    def rebase(self, margin: Floats) -> None:
        """Take another margin: shares of levels that are themselves uncertain."""
        self.layers = [layer.with_margin(margin) for layer in self.layers]

    def start(self, classes: int, *, rng: Generator) -> Floats:
        """Loose draws of the largest groups around the margin: latent classes that differ, none empty of a value."""
        return self._drawn(None, np.append(0.5 * self._top, self.concentration[1:]), classes, rng)

    def learn(self, level_sums: Floats, *, rng: Generator) -> None:
        """Draw the concentration of every layer, given the counts of levels by latent class."""
        from lookalike.models import _level_tree as kernel

        for t, layer in enumerate(self.layers):
            own = kernel.summed(level_sums, layer.of_level, len(layer.base))
            above = kernel.summed(own, layer.group, len(layer.group_base))
            fit = kernel.concentration_likelihood(own, above, layer.base, layer.group_base, CONCENTRATIONS)
            odds = np.exp(fit - fit.max())
            self.concentration[t] = rng.choice(CONCENTRATIONS, p=odds / odds.sum())

    def draw(self, level_sums: Floats, *, rng: Generator) -> Floats:
        """θ given the counts: levels by latent classes."""
        return self._drawn(level_sums, self.concentration, level_sums.shape[1], rng)

    @property
    def _top(self) -> int:
        """The number of the largest groups."""
        return len(self.layers[0].base) if self.layers else 1

    def _drawn(self, sums: Floats | None, concentration: Floats, classes: int, rng: Generator) -> Floats:
        from lookalike.models import _level_tree as kernel

        if not self.layers:
            return np.ones((1, classes))
        theta = np.ones((len(self.layers[-1].base), classes))
        for s, layer in zip(concentration, self.layers, strict=False):
            shape = np.broadcast_to(np.maximum(s * layer.base, LEAST)[:, None], (len(layer.base), classes))
            if sums is not None:
                shape = shape + kernel.summed(sums, layer.of_level, len(layer.base))
            gamma = rng.standard_gamma(shape) + 1e-300
            totals = kernel.summed(gamma, layer.group, len(layer.group_base))
            kernel.multiply(theta, gamma, totals, layer.group, layer.of_level)
        return theta


def _layer(above: NDArray[np.int64], below: NDArray[np.int64], margin: Floats) -> _Layer:
    first = np.unique(below, return_index=True)[1]
    return _Layer.of(below, above[first], margin)
