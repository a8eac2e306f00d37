"""The standardized Euclidean distance of seed 004, and records in its order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.coded import Axis


def squares_to(axes: Sequence[Axis], point: Sequence[float]) -> NDArray[np.float64]:
    """The squared distance of every record to a point: Σ ((a_j − b_j) / σ_j)², the square of equation 2.

    σ_j is the standard deviation of the variable over n; a constant variable counts 0. A missing value counts as the
    variable's mean.

    >>> import lookalike as la
    >>> from lookalike.anonymize.columns.coded import axis_of
    >>> file = la.read(pl.DataFrame({"age": [0, 2, None], "sex": ["F", "F", "M"]}))  # σ of age is 1, of sex √2/3
    >>> squares_to([axis_of(file, "age"), axis_of(file, "sex")], [0, 0]).round(9).tolist()
    [0.0, 4.0, 5.5]
    """
    total = np.zeros(len(axes[0].codes))
    for axis, at in zip(axes, point, strict=True):
        if axis.deviation:
            squares = ((axis.positions - at) / axis.deviation) ** 2
            total += axis.spread(squares, ((axis.mean - at) / axis.deviation) ** 2)
    return total


def by_distance_to_zero(axes: Sequence[Axis], rows: NDArray[np.int32] | None = None) -> NDArray[np.int32]:
    """The records, or some of them, by their distance to the record with all variables at position 0.

    Records at the same distance stay in the order they have.
    """
    squares = squares_to(axes, [0.0] * len(axes))
    return in_order(squares if rows is None else squares[rows], rows)


def in_order(keys: NDArray[np.float64] | NDArray[np.int32], rows: NDArray[np.int32] | None = None) -> NDArray[np.int32]:
    """The rows (all: 0 to n − 1) by a key for each of them; equal keys keep their order.

    >>> in_order(np.array([2.0, 1.0, 2.0, 1.0])).tolist()
    [1, 3, 0, 2]
    """
    rows = np.arange(len(keys), dtype=np.int32) if rows is None else rows
    # Polars sorts on all cores; `maintain_order` makes the sort stable.
    frame = pl.DataFrame({"key": keys, "row": rows}).sort("key", maintain_order=True)
    return frame["row"].to_numpy()
