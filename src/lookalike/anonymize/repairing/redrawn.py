"""Cells of rows at risk, drawn anew from rows near them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.anonymize.repairing.gower import Points
from lookalike.classes.axis import axis_of
from lookalike.data import Microdata
from lookalike.engine import records
from lookalike.errors import NotAssessable

Ints = NDArray[np.int64]

NEAREST = 10
"""Rows of which one is drawn."""
DONORS = 20_000
"""Rows at most that are looked at for neighbours: a random part of more."""
NO_DONOR = "The release has one row, so there is no other to draw from."


def redrawn(
    file: Microdata, rows: Ints, columns: Sequence[str], beside: Sequence[str], *, rng: Generator
) -> dict[str, pl.Series]:
    """These columns with the cells of these rows taken from a row that is near by the columns `beside`.

    The donor is drawn among the nearest rows that are not at risk (of all, if hardly any is not), whatever its cells
    are. All columns of a row come from one donor, so that what goes together stays together.

    >>> import lookalike as la
    >>> file = la.read(pl.DataFrame({"age": [30, 31, 64], "ill": ["yes", "no", "no"]}))
    >>> redrawn(file, np.array([0]), ["ill"], ["age"], rng=np.random.default_rng(1))["ill"].to_list()
    ['no', 'no', 'no']
    """
    if file.records < 2:
        raise NotAssessable(NO_DONOR)
    donors = np.setdiff1d(np.arange(file.records), rows)
    if len(donors) < NEAREST:
        donors = np.arange(file.records)
    if len(donors) > DONORS:
        donors = np.sort(rng.choice(donors, DONORS, replace=False))
    points = Points.of([axis_of(file, name) for name in beside]) if beside else None
    taken = np.arange(file.records)
    for row in rows:
        taken[row] = _donor(points, int(row), donors, rng)
    frame = records(file.table, list(columns))
    return {name: frame[name].gather(taken) for name in columns}


def _donor(points: Points | None, row: int, donors: Ints, rng: Generator) -> int:
    donors = donors[donors != row]
    if points is None:
        return int(rng.choice(donors))
    apart = points.to(row, donors)
    few = min(NEAREST, len(donors))
    near = np.argpartition(apart, few - 1)[:few]
    return int(donors[rng.choice(near)])
