"""Risk per record as a table, for the custodian's own eyes."""

from __future__ import annotations

from lookalike.data import Microdata, read
from lookalike.errors import BadPlan
from lookalike.evaluate.result import Evaluation


def records_table(evaluation: Evaluation) -> Microdata:
    """One row a record, in the order of the file, numbered from 1; it holds no value of the file."""
    import polars as pl

    if evaluation.records is None:
        raise BadPlan("The risk of each record was not kept: assess with records=True.")
    return read(pl.DataFrame(dict(evaluation.records)).with_row_index("record", offset=1))
