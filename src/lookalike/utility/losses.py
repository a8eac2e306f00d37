"""All that a release reports of what it lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.classes import EquivalenceClasses
from lookalike.data import Microdata
from lookalike.utility.information_loss import (
    average_class_size,
    covers_of,
    discernibility,
    granularity,
    squared_distances,
)

PERTURBED = 3
"""The fate of a cell that holds another value, as a release counts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLoss:
    """What one column lost: the share of its cells that are suppressed, and their granularity (see `granularity`).

    >>> ColumnLoss(suppressed=0.02, granularity=0.1).suppressed
    0.02
    """

    suppressed: float
    granularity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """What a release lost on the quasi-identifiers of the original.

    >>> import polars as pl
    >>> import lookalike as la
    >>> people = pl.DataFrame({"age": [31, 34, 52, 58]})
    >>> run = la.protect(people, la.Mondrian(k=2), until=la.Threshold(k_anonymity=2), quasi_identifiers=["age"])
    >>> round(run.losses.granularity, 3), run.losses.suppressed, run.losses.average_class_size, run.losses.removed
    (0.167, 0.0, 2.0, 0)
    """

    information_loss: float
    """Mean standardized distance (seed 004, equation 3)."""
    granularity: float
    """Mean share of its column that a cell stands for: 0 nothing lost, 1 everything."""
    suppressed: float
    """Share of the cells with a value that have none now."""
    average_class_size: float
    """Records over classes, over k if one was asked for."""
    discernibility: int
    """Σ f², and n for each suppressed record."""
    removed: int
    """Records that are not released."""
    columns: Mapping[str, ColumnLoss]


def losses(
    original: Microdata,
    release: Microdata,
    cells: Mapping[str, Mapping[Any, int]] | None = None,
    *,
    rows: NDArray[np.int64] | None = None,
    columns: Sequence[str] | None = None,
    k: int = 1,
) -> Losses:
    """Compare a release with the original, record by record.

    `cells` says by column how many cells met each fate; columns with perturbed cells are not read as coarsened ones.
    `rows` says which record of the original each released one is; those that are not released count as suppressed.

    >>> import lookalike as la, polars as pl
    >>> file = la.read(pl.DataFrame({"age": [0, 2, 0, 2]}), quasi_identifiers=["age"], kinds={"age": "numeric"})
    >>> lost = losses(file, la.read(pl.DataFrame({"age": ["[0;2]", "[0;2]", "0", None]})))
    >>> lost.information_loss, lost.granularity, lost.suppressed, lost.discernibility
    (1.5, 0.75, 0.25, 9)
    """
    names = tuple(columns) if columns is not None else original.quasi_identifiers
    squares, lost, gone, had = np.zeros(original.records), {}, 0, 0
    for name in names:
        covers = covers_of(original, release, name, rows)
        squares += squared_distances(covers)
        empty, whole = int(np.count_nonzero(covers.suppressed)), int(np.count_nonzero(covers.axis.codes >= 0))
        perturbed = bool((cells or {}).get(name, {}).get(PERTURBED, 0))
        share = granularity(original.variable(name), covers, perturbed=perturbed)
        lost[name] = ColumnLoss(suppressed=empty / max(whole, 1), granularity=share)
        gone, had = gone + empty, had + whole
    classes = EquivalenceClasses.of(release, [name for name in names if name in release.columns])
    return Losses(
        information_loss=float(np.sqrt(squares).mean() / len(names)),
        granularity=float(np.mean([column.granularity for column in lost.values()])),
        suppressed=gone / max(had, 1),
        average_class_size=average_class_size(classes, k),
        discernibility=discernibility(classes, original.records),
        removed=original.records - release.records,
        columns=lost,
    )
