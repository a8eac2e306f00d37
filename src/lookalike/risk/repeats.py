"""Records that equal another in every column: people who may stand in the file more than once."""

from __future__ import annotations

import narwhals as nw

from lookalike.data import Microdata, Role
from lookalike.engine import count_repeated, stage
from lookalike.estimate import Rate

MOST = 5_000_000
"""Records up to which repeats are looked for."""
USUAL = 0.01
"""The share of records that may be equal by chance."""


def repeated_records(data: Microdata) -> Rate | None:
    """The records that equal another in all columns; None if they are at most 1 %, or if nothing can be told.

    Where all columns are quasi-identifiers or identifiers nothing can be told: equal records are lookalikes there.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [30, 30, 31, 31], "pay": [900, 900, 800, 700]})
    >>> str(repeated_records(la.read(table, quasi_identifiers=["age"])))
    '2 of 4 records'
    """
    known = (Role.QUASI_IDENTIFIER, Role.IDENTIFIER)
    if data.records > MOST or all(v.role in known for v in data.variables):
        return None
    if any(dtype.is_nested() or dtype in (nw.Binary, nw.Object) for dtype in data.table.schema.values()):
        return None
    with stage("looking for repeated records"):
        count = count_repeated(data.table, list(data.columns), ignored=int(USUAL * data.records))
    return Rate(count=count, of=data.records, what="records") if count else None
