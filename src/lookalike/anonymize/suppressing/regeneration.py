"""Masked values filled in again from the counts of what was masked (seed 004, Algorithm S1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.random import Generator

from lookalike.data.cells import WILDCARD
from lookalike.errors import BadPlan


def regenerate(masked: pl.Series, counts: Mapping[Any, int], *, rng: Generator) -> pl.Series:
    """The column with its masked cells filled at random, each value as often as `counts` says.

    Masked is a missing cell, in texts also `*`. Every assignment of the values to the cells is equally likely, so the
    column has the counts it had before it was masked, exactly; how it goes with other columns is lost in the masked
    records. Source: seed 004, Algorithm S1.

    >>> filled = regenerate(pl.Series("race", [1, None, 2, None]), {1: 1, 3: 1}, rng=np.random.default_rng(1))
    >>> sorted(filled.to_list())
    [1, 1, 2, 3]
    """
    empty = masked.is_null() | ((masked == WILDCARD).fill_null(value=False) if masked.dtype == pl.String else False)
    cells = np.flatnonzero(empty.to_numpy())
    faults = _faults(masked.name, counts, len(cells))
    if faults:
        raise BadPlan(faults)
    if not len(cells):
        return masked
    values = _typed(masked, list(counts))
    drawn = rng.permutation(np.repeat(np.arange(len(values)), list(counts.values())))
    # A clone: scatter writes in place.
    return masked.cast(values.dtype).clone().scatter(cells, values.gather(drawn))


def _faults(name: str, counts: Mapping[Any, int], cells: int) -> list[str]:
    negative = sum(count < 0 for count in counts.values())
    if negative:
        return [f"'{name}': {negative} of the counts are below 0. A count is at least 0."]
    total = sum(counts.values())
    if total != cells:
        return [f"'{name}': the counts sum to {total:,}, but {cells:,} cells are masked. They must be the same."]
    return []


def _typed(masked: pl.Series, values: list[Any]) -> pl.Series:
    """The values in the type of the column."""
    try:
        given = pl.Series([str(v) for v in values]) if masked.dtype == pl.String else pl.Series(values, strict=True)
        return given if masked.dtype == pl.Null else given.cast(masked.dtype, strict=True)
    except (pl.exceptions.PolarsError, TypeError):
        raise BadPlan(f"'{masked.name}': the values of the counts do not fit its type, {masked.dtype}.") from None
