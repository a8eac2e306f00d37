"""Groups of MDAV: of k records each, around those farthest out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymize.columns.coded import Axis
from lookalike.anonymize.columns.groups import Groups
from lookalike.classes import group

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

_NEARBY = 8
"""Groups that a record is compared with when places are exchanged."""


def coordinates(axes: Sequence[Axis], *, standardize: bool) -> tuple[Floats, Floats]:
    """The records as points, a row a coordinate, and the weights of the coordinates, 1/σ² if they are standardized.

    A missing value lies at the column's mean, and a further coordinate sets it a full range apart from the known ones.

    >>> import polars as pl
    >>> from lookalike.data import Kind, Variable
    >>> from lookalike.anonymize.columns.coded import axis
    >>> ages = axis(Variable(name="age", kind=Kind.NUMERIC), pl.Series("age", [31, None, 35]))
    >>> points, weights = coordinates([ages], standardize=True)
    >>> points.tolist(), weights.tolist()
    ([[0.0, 2.0, 4.0], [0.0, 4.0, 0.0]], [0.25, 0.25])
    """
    points, weights = [], []
    for axis in axes:
        weight = 0.0 if not axis.deviation else 1 / axis.deviation**2 if standardize else 1.0
        # From the least value on: whole numbers stay whole, and their sums exact.
        start = axis.positions[0] if len(axis.values) else 0.0
        points.append(axis.spread(axis.positions - start, axis.mean - start))
        weights.append(weight)
        if axis.gaps and len(axis.values):
            points.append(np.where(axis.codes < 0, (axis.positions[-1] - start) or 1.0, 0.0))
            weights.append(weight or 1.0)
    return np.stack(points), np.array(weights)


def mdav_groups(points: Floats, weights: Floats, k: int) -> Labels:
    """The group of every record by MDAV-generic.

    The record farthest from the mean of all, with the k − 1 nearest to it, is a group; so is the one farthest from
    that record, with its k − 1 nearest; both are taken out, and again, while 3k records are left. Of 2k to 3k − 1
    that are left one more group is taken; the rest, k to 2k − 1, is the last.

    >>> mdav_groups(np.array([[0.0, 9.0, 1.0, 5.0, 8.0, 4.0]]), np.ones(1), 2).tolist()
    [0, 1, 0, 2, 1, 2]
    """
    kind = group(_exact(row) for row in points)
    sizes = np.bincount(kind)
    rows = np.argsort(kind, kind="stable")
    first = np.cumsum(sizes) - sizes
    distinct = points[:, rows[first]]
    if distinct.shape[1] > 800 * len(points) ** 2:
        from lookalike.anonymize.grouping import _mdav_tree as branching

        tall: Labels = branching.groups_by_tree(np.ascontiguousarray(distinct.T), weights, rows, first, sizes, k)
        return tall
    from lookalike.anonymize.grouping import _mdav as looking

    found: Labels = looking.groups_by_looking(np.ascontiguousarray(distinct), weights, rows, first, sizes, k)
    return found


def _exact(row: Floats) -> Labels:
    """Whole numbers that are equal if and only if the numbers are, small ones."""
    ordered = np.sort(row)
    distinct = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    return np.searchsorted(distinct, row)


def exchanged(points: Floats, weights: Floats, labels: Labels, k: int, passes: int) -> Labels:
    """The groups after records have moved, or changed places with others, where that lowers the loss.

    No group falls below k or grows above 2k. A pass goes through all records and looks at the groups with the nearest
    means; it ends early when nothing changes.

    >>> exchanged(np.array([[0.0, 9.0, 1.0, 8.0]]), np.ones(1), np.array([0, 0, 1, 1]), 2, 5).tolist()
    [1, 0, 1, 0]
    """
    from scipy.spatial import KDTree

    from lookalike.anonymize.grouping import _mdav_exchange as kernel

    z = np.ascontiguousarray((points * np.sqrt(weights)[:, None]).T)
    labels, groups = labels.copy(), Groups.of(labels)
    sizes = groups.sizes
    members = np.zeros((len(sizes), 2 * k), np.int64)
    members[np.repeat(np.arange(len(sizes)), sizes), np.arange(len(z)) - np.repeat(groups.starts, sizes)] = groups.order
    sums = np.add.reduceat(z[groups.order], groups.starts)
    for _ in range(passes):
        means = KDTree(sums / sizes[:, None])
        nearby = means.query(z, k=np.arange(1, min(_NEARBY, len(sizes)) + 1))[1]
        if not kernel.exchange(z, labels, sizes, sums, members, nearby, k) > 0:
            break
    return labels
