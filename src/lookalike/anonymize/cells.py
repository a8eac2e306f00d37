"""What was done to each cell: told from the file and the release, whatever the method says."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data.cells import GENERALIZED, WILDCARD


class Done(IntEnum):
    """What became of a cell."""

    KEPT = 0
    GENERALIZED = 1
    SUPPRESSED = 2
    PERTURBED = 3


def done(before: pl.Series, after: pl.Series, *, perturbed: bool = False) -> NDArray[np.uint8]:
    """What became of each cell of a column; `perturbed`: a cell that differs may hold another value, not a coarser one.

    A null or a wildcard where there was a value is suppressed. A missing value that got one is perturbed.

    >>> before, after = pl.Series([30, 31, 32, None]), pl.Series(["30", "[30;35]", None, None])
    >>> [Done(cell).name for cell in done(before, after)]
    ['KEPT', 'GENERALIZED', 'SUPPRESSED', 'KEPT']
    """
    one, other = (before, after) if before.dtype == after.dtype else (before.cast(pl.String), after.cast(pl.String))
    gone = other.is_null() | (other == WILDCARD).fill_null(value=False) if other.dtype == pl.String else other.is_null()
    was = one.is_not_null()
    changed = Done.PERTURBED if perturbed else Done.GENERALIZED
    coarser = (
        other.str.contains(GENERALIZED)
        if other.dtype == pl.String
        else pl.Series([False]).new_from_index(0, len(other))
    )
    frame = pl.DataFrame({"same": one.eq_missing(other), "gone": gone, "was": was, "coarser": coarser})
    return frame.select(
        pl.when("same")
        .then(int(Done.KEPT))
        .when(~pl.col("was"))
        .then(int(Done.PERTURBED))
        .when("gone")
        .then(int(Done.SUPPRESSED))
        .when("coarser")
        .then(int(Done.GENERALIZED))
        .otherwise(int(changed))
        .cast(pl.UInt8)
        .alias("done")
    )["done"].to_numpy()


def counted(cells: NDArray[np.uint8]) -> dict[Done, int]:
    """How many cells met each fate."""
    counts = np.bincount(cells, minlength=len(Done))
    return {fate: int(counts[fate]) for fate in Done}


def is_emptied(cells: pl.Series) -> bool:
    """Whether no cell has a value left: all are `*`, or empty.

    >>> is_emptied(pl.Series(["*", None])), is_emptied(pl.Series(["*", "[20;29]"]))
    (True, False)
    """
    return (
        cells.null_count() == len(cells)
        if cells.dtype != pl.String
        else bool((cells.fill_null(WILDCARD) == WILDCARD).all())
    )
