"""The few questions every measure asks, written once for all engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.engine.table import ROW, Keyed, Table

SIZE = "__size"
"""The number of records of a group."""

BATCH = 1_000_000
"""Rows a batch, where a table is walked in pieces."""


@dataclass(frozen=True)
class Counts:
    """Groups of equal keys with their number of records, and sums or distinct counts asked for.

    The rows of `keys`, `sizes` and `column(...)` belong together; their order has no meaning.
    """

    table: pl.DataFrame
    names: tuple[str, ...]
    _keyed: Keyed = field(repr=False)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records per group."""
        return self.column(SIZE)

    def column(self, name: str) -> NDArray[Any]:
        """A sum or distinct count per group."""
        return self.table[name].to_numpy()

    @cached_property
    def keys(self) -> pl.DataFrame:
        """The values of the key columns, one row a group."""
        return self._keyed.unpack(self.table, self.names)


def height(table: Table) -> int:
    """The number of records."""
    return int(table.engine.collect(table.frame.select(nw.len().alias(SIZE)))[SIZE][0])


def count_by(table: Table, keys: Sequence[str], *, sums: Sequence[str] = (), distinct: Sequence[str] = ()) -> Counts:
    """Records per combination of `keys`; a missing value is a value of its own.

    `sums` and `distinct` add the sum, or the number of distinct values, of other columns per group.
    """
    keyed = table.engine.key(table.frame, keys)
    wanted = [nw.len().cast(nw.Int64).alias(SIZE)]
    wanted += [_sum(nw.col(name), keyed.frame.collect_schema()[name]).alias(name) for name in sums]
    wanted += [nw.col(name).n_unique().cast(nw.Int64).alias(name) for name in distinct]
    grouped = keyed.frame.group_by(*keyed.columns).agg(*wanted)
    return Counts(table.engine.collect(grouped), tuple(keys), keyed)


def histogram_by(table: Table, keys: Sequence[str], value: str) -> Counts:
    """Records per combination of `keys` and of `value`; missing values are values of their own.

    The value stands in a column of its own, beside the keys.
    """
    keyed = table.engine.key(table.frame, keys)
    grouped = keyed.frame.group_by(*keyed.columns, value).agg(nw.len().cast(nw.Int64).alias(SIZE))
    return Counts(table.engine.collect(grouped), tuple(keys), keyed)


def class_sizes(table: Table, keys: Sequence[str]) -> NDArray[np.int64]:
    """For every record, in the order of the source, how many records share its combination of `keys`."""
    keyed = table.engine.key(table.frame, keys)
    row = [ROW] if table.numbered else []
    sized = keyed.frame.select(*row, nw.len().over(*keyed.columns).alias(SIZE))
    if not row:
        return table.engine.collect(sized)[SIZE].cast(pl.Int64).to_numpy()
    return in_order(table.engine.batches(sized, BATCH), SIZE)


def in_order(batches: Iterator[pl.DataFrame], column: str) -> NDArray[Any]:
    """One column of numbered batches, put back into the order of `ROW`."""
    pieces = [(b[ROW].to_numpy(), b[column].to_numpy()) for b in batches]
    ordered = np.empty(sum(rows.size for rows, _ in pieces), pieces[0][1].dtype)
    for rows, values in pieces:
        ordered[rows] = values
    return ordered


def rows_of(table: Table, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The columns of all records in pieces; the pieces carry `ROW` if the table does."""
    return table.engine.batches(table.select(*columns).frame, BATCH)


def look_up(table: Table, keys: Sequence[str], classes: pl.DataFrame, value: str) -> NDArray[Any]:
    """For every record, in order, `value` of the row of `classes` with its keys; nulls equal nulls.

    A record whose keys are not in `classes` is a fault of the caller and raises.
    """
    right = classes.select(*keys, value)
    found = (
        batch.join(right, on=list(keys), how="left", nulls_equal=True, maintain_order="left")
        for batch in rows_of(table, keys)
    )
    values = in_order(found, value) if table.numbered else pl.concat([f.select(value) for f in found])[value].to_numpy()
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError("look_up: a record's keys are not in the class table.")
    return values


def sample_rows(table: Table, share: float, *, seed: int) -> pl.DataFrame:
    """Each record with probability `share`, in order; the same seed gives the same records on any engine."""
    total = height(table)
    chosen = np.random.default_rng(seed).random(total) < share
    kept, start = [], 0
    for batch in rows_of(table, table.columns):
        at = batch[ROW].to_numpy() if table.numbered else np.arange(start, start + batch.height)
        kept.append(batch.filter(pl.Series(chosen[at])))
        start += batch.height
    sample = pl.concat(kept)
    return sample.sort(ROW).drop(ROW) if table.numbered else sample


def head(table: Table, rows: int) -> pl.DataFrame:
    """The first records."""
    frame = table.frame
    if table.numbered:
        return table.engine.collect(frame.filter(nw.col(ROW) < rows)).sort(ROW).drop(ROW)
    return table.engine.collect(frame.head(rows))


def map_partitions(table: Table, function: Callable[[pl.DataFrame], pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Apply a function to the records piece by piece; it must treat each record by itself."""
    for batch in rows_of(table, table.columns):
        yield function(batch)


def write(table: Table, path: Path) -> None:
    """The user's columns to one Parquet file, in the order of the source."""
    table.engine.write_parquet(table.frame, path)


def _sum(column: nw.Expr, dtype: Any) -> nw.Expr:
    if dtype == nw.Boolean:
        column = nw.when(column).then(nw.lit(1)).otherwise(nw.lit(0))
    total = column.sum()
    return total if dtype.is_float() else total.cast(nw.Int64)
