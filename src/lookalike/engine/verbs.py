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

from lookalike.engine.table import ROW, Table

SIZE = "__size"
"""The number of records of a combination of keys."""

BATCH = 1_000_000
"""Rows a batch, where a table is walked in pieces."""


@dataclass(frozen=True)
class Grouping:
    """The classes of records with equal keys; the order of classes has no meaning.

    `keys`, `sizes` and `sums` have one entry a class. `index` is the class of every record, in the order of the
    source, on an engine that holds the records in memory; else None.
    """

    sizes: NDArray[np.int64]
    sums: dict[str, NDArray[Any]]
    index: NDArray[np.int32] | None
    _keys: Callable[[], pl.DataFrame] = field(repr=False)

    @cached_property
    def keys(self) -> pl.DataFrame:
        """The values of the key columns, one row a class."""
        return self._keys()


def height(table: Table) -> int:
    """The number of records."""
    return int(table.engine.collect(table.frame.select(nw.len().alias(SIZE)))[SIZE][0])


def group_records(table: Table, keys: Sequence[str], *, sums: Sequence[str] = ()) -> Grouping:
    """The classes of equal keys, a missing value being a value of its own, with sums of other columns."""
    found = table.engine.number(table.frame, keys)
    if found is None:
        counted = count_by(table, keys, sums=sums)
        added = {name: counted[name].to_numpy() for name in sums}
        return Grouping(counted[SIZE].to_numpy(), added, None, lambda: counted.select(keys))
    added = {name: np.bincount(found.index, weights=column(table, name).to_numpy()) for name in sums}
    return Grouping(
        found.sizes, added, found.index, lambda: table.engine.collect(table.frame.select(*keys))[found.first]
    )


def count_by(
    table: Table, keys: Sequence[str], *, sums: Sequence[str] = (), distinct: Sequence[str] = ()
) -> pl.DataFrame:
    """Records per combination of `keys` in the column `SIZE`; a missing value is a value of its own.

    `sums` and `distinct` add the sum, or the number of distinct values, of other columns per combination.
    """
    schema = table.frame.collect_schema()
    wanted = [nw.len().cast(nw.Int64).alias(SIZE)]
    wanted += [_sum(nw.col(name), schema[name]).alias(name) for name in sums]
    wanted += [nw.col(name).n_unique().cast(nw.Int64).alias(name) for name in distinct]
    return table.engine.collect(table.frame.group_by(*keys).agg(*wanted))


def histogram_by(table: Table, keys: Sequence[str], value: str) -> pl.DataFrame:
    """Records per combination of `keys` and of `value`; missing values are values of their own."""
    return count_by(table, [*keys, value])


def class_sizes(table: Table, keys: Sequence[str]) -> NDArray[np.int64]:
    """For every record, in the order of the source, how many records share its combination of `keys`."""
    found = table.engine.number(table.frame, keys)
    if found is not None:
        return found.sizes[found.index]
    sized = table.frame.select(ROW, nw.len().over(*keys).cast(nw.Int64).alias(SIZE))
    return in_order(table.engine.batches(sized, BATCH), SIZE)


def column(table: Table, name: str) -> pl.Series:
    """One column of all records, in the order of the source."""
    if not table.numbered:
        return table.engine.collect(table.frame.select(name)).to_series()
    return table.engine.collect(table.frame.select(ROW, name)).sort(ROW)[name]


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
