"""The attack on changed numbers: who knows the true ones takes the nearest record for the person's."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SAMPLE = 1000
"""Released records that are tried: the error of a share is then at most 3 points in 95 of 100 cases."""


def linked(before: Floats, after: Floats, *, rng: Generator) -> float | None:
    """The share of released records whose nearest true record is their own; of several as near each counts a part.

    Distances are Euclidean, each column in parts of its standard deviation (Domingo-Ferrer and Torra 2001). Records
    with a missing value, and columns with one value, are left out; None if nothing remains.

    >>> true = np.array([[10.0], [20.0], [30.0], [30.0]])
    >>> linked(true, true + 1, rng=np.random.default_rng(1))
    0.75
    """
    whole = np.isfinite(before).all(axis=1) & np.isfinite(after).all(axis=1)
    before, after = before[whole], after[whole]
    spread = before.std(axis=0) if len(before) else np.zeros(before.shape[1])
    before, after = before[:, spread > 0] / spread[spread > 0], after[:, spread > 0] / spread[spread > 0]
    if not before.size:
        return None
    tried = np.sort(rng.choice(len(before), min(SAMPLE, len(before)), replace=False))
    return _hits(before, before[tried], after[tried])


def _hits(true: Floats, own: Floats, released: Floats) -> float:
    from scipy.spatial import cKDTree

    # Equal records are one point of the tree, with their number: a tree of many equal points is slow.
    points = pl.from_numpy(true).group_by(pl.all(), maintain_order=True).len()
    sizes, tree = points["len"].to_numpy(), cKDTree(points.drop("len").to_numpy(), balanced_tree=False)
    nearest, _ = tree.query(released)
    reach = nearest * (1 + 1e-9) + 1e-12
    right = np.flatnonzero(np.linalg.norm(released - own, axis=1) <= reach)
    alike = tree.query_ball_point(released[right], reach[right])
    return float(sum(1 / sizes[found].sum() for found in alike) / len(released))
