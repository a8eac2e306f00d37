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

from lookalike.engine.numbering import number
from lookalike.engine.table import ROW, Table

SIZE = "__size"
"""The number of records of a combination of keys."""

BATCH = 1_000_000
"""Rows a batch, where a table is walked in pieces."""

_STEP = 8
"""Columns that are numbered at a time, where all of them are compared."""


@dataclass(frozen=True)
class Grouping:
    """The classes of records with equal keys; the order of classes has no meaning.

    `keys`, `sizes` and `sums` have one entry a class. `index` is the class of every record, in the order of the
    source, on an engine that holds the records in memory; else None.
    """

    sizes: NDArray[np.int64]
    sums: dict[str, NDArray[np.float64]]
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
        added = {name: counted[name].cast(pl.Float64).to_numpy() for name in sums}
        return Grouping(counted[SIZE].to_numpy(), added, None, lambda: counted.select(keys))
    added = {name: np.bincount(found.index, weights=_numbers(column(table, name))) for name in sums}
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
    # Under names of our own: DuckDB groups by no name with a dot in it.
    own = {
        **{f"__key{i}": (name, nw.col(name)) for i, name in enumerate(keys)},
        **{f"__sum{i}": (name, _addend(nw.col(name), schema[name])) for i, name in enumerate(sums)},
        **{f"__set{i}": (name, nw.col(name)) for i, name in enumerate(distinct)},
    }
    wanted = [nw.len().cast(nw.Int64).alias(SIZE)]
    wanted += [_total(nw.col(f"__sum{i}"), schema[name]) for i, name in enumerate(sums)]
    wanted += [nw.col(f"__set{i}").n_unique().cast(nw.Int64) for i in range(len(distinct))]
    renamed = table.frame.select(value.alias(name) for name, (_, value) in own.items())
    counted = table.engine.collect(renamed.group_by(f"__key{i}" for i in range(len(keys))).agg(*wanted))
    return counted.rename({name: of for name, (of, _) in own.items()})


def histogram_by(table: Table, keys: Sequence[str], value: str) -> pl.DataFrame:
    """Records per combination of `keys` and of `value`; missing values are values of their own."""
    return count_by(table, list(dict.fromkeys([*keys, value])))


def count_repeated(table: Table, keys: Sequence[str], *, ignored: int = 0) -> int:
    """The records whose combination of `keys` another record has too; 0 if they are no more than `ignored`.

    In memory a few columns are compared at a time, and no more than are needed to tell the records apart.
    """
    joined, count = np.zeros(1, np.int64), 0
    for start in range(0, len(keys), _STEP):
        found = table.engine.number(table.frame, keys[start : start + _STEP])
        if found is None:
            count = _repeated_on_engine(table, keys)
            break
        together = number(joined * len(found.sizes) + found.index)
        joined, count = together.index.astype(np.int64), int(together.sizes[together.sizes > 1].sum())
        if count <= ignored:
            break
    return count if count > ignored else 0


def _repeated_on_engine(table: Table, keys: Sequence[str]) -> int:
    """The same where the engine does the counting; only the sum comes back."""
    named = {f"__key{i}": name for i, name in enumerate(keys)}
    renamed = table.frame.select(nw.col(name).alias(own) for own, name in named.items())
    sizes = renamed.group_by(*named).agg(nw.len().cast(nw.Int64).alias(SIZE))
    several = nw.when(nw.col(SIZE) > 1).then(nw.col(SIZE)).otherwise(nw.lit(0))
    return int(table.engine.collect(sizes.select(several.sum().cast(nw.Int64).alias(SIZE)))[SIZE][0])


def class_sizes(table: Table, keys: Sequence[str]) -> NDArray[np.int64]:
    """For every record, in the order of the source, how many records share its combination of `keys`."""
    found = table.engine.number(table.frame, keys)
    if found is not None:
        return found.sizes[found.index]
    sized = table.frame.select(ROW, nw.len().over(*keys).cast(nw.Int64).alias(SIZE))
    return in_order(table.engine.batches(sized, BATCH), SIZE)


def column(table: Table, name: str) -> pl.Series:
    """One column of all records, in the order of the source."""
    return records(table, [name])[name]


def records(table: Table, columns: Sequence[str]) -> pl.DataFrame:
    """Some columns of all records in memory, in the order of the source."""
    found = table.engine.collect(table.select(*columns).frame)
    return found.sort(ROW).drop(ROW) if table.numbered else found


def in_order(batches: Iterator[pl.DataFrame], column: str) -> NDArray[Any]:
    """One column of numbered batches, put back into the order of `ROW`."""
    pieces = [(b[ROW].to_numpy(), b[column].to_numpy()) for b in batches]
    rows, values = (np.concatenate(part) for part in zip(*pieces, strict=True))
    ordered, filled = np.empty_like(values), np.zeros(len(rows), bool)
    ordered[rows], filled[rows] = values, True
    if not filled.all():
        raise RuntimeError("The engine numbered its rows wrongly: some numbers are missing.")
    return ordered


def rows_of(table: Table, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The columns of all records in pieces; the pieces carry `ROW` if the table does."""
    return table.engine.batches(table.select(*columns).frame, BATCH)


def look_up(table: Table, keys: Sequence[str], classes: pl.DataFrame, value: str) -> NDArray[Any]:
    """For every record, in order, `value` of the row of `classes` with its keys; nulls equal nulls.

    A record whose keys are not in `classes` is a fault of the caller and raises.
    """
    right = classes.select(*keys, value)
    types = right.drop(value).schema

    def found() -> Iterator[pl.DataFrame]:
        for batch in rows_of(table, keys):
            piece = batch.cast(types).join(right, on=list(keys), how="left", nulls_equal=True, maintain_order="left")
            if piece[value].null_count():
                raise ValueError("look_up: a record's keys are not in the class table.")
            yield piece

    if table.numbered:
        return in_order(found(), value)
    return pl.concat([piece.select(value) for piece in found()])[value].to_numpy()


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
    """Apply a function to the records piece by piece; it must treat each record by itself and keep them all.

    The results carry `ROW` if the table does.
    """
    for batch in rows_of(table, table.columns):
        if table.numbered:
            yield function(batch.drop(ROW)).with_columns(batch[ROW])
        else:
            yield function(batch)


def write(table: Table, path: Path) -> None:
    """The user's columns to one Parquet file, in the order of the source."""
    table.engine.write_parquet(table.frame, path)


def _addend(column: nw.Expr, dtype: Any) -> nw.Expr:
    """A column in a type wide enough for its sum: Polars adds 32-bit numbers in 32 bits."""
    if dtype == nw.Boolean:
        return nw.when(column).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64)
    return column.cast(nw.Int64 if dtype.is_integer() else nw.Float64)


def _total(column: nw.Expr, dtype: Any) -> nw.Expr:
    """The sum; DuckDB's of whole numbers is a decimal."""
    total = column.sum()
    return total.cast(nw.Int64) if dtype.is_integer() or dtype == nw.Boolean else total


def _numbers(column: pl.Series) -> NDArray[np.float64]:
    """The same for a column in memory; missing values add nothing."""
    return column.cast(pl.Float64).fill_null(0).to_numpy()
