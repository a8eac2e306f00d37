"""Polars, streaming: the engine of one machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from lookalike.engine.table import Digit, Keyed, Pack

_PACKABLE = (pl.Boolean, pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.Date)
_LARGEST = 2**62
"""A packed key stays below this, so that no product can overflow 64 bits."""


class PolarsEngine:
    """Lazy Polars frames run by the streaming engine; windows and scans keep the order of rows."""

    name = "polars"

    def scan_parquet(self, files: Sequence[Path]) -> nw.LazyFrame[Any]:
        """See `Engine`; Polars keeps the order of rows, so no `ROW` is added."""
        return nw.from_native(pl.scan_parquet(list(files), glob=False))

    def adopt(self, frame: pl.DataFrame) -> nw.LazyFrame[Any]:
        """See `Engine`."""
        return nw.from_native(frame.lazy())

    def key(self, frame: nw.LazyFrame[Any], keys: Sequence[str]) -> Keyed:
        """Integer-like columns packed into as few 64-bit numbers as hold them; others as they are."""
        lazy: pl.LazyFrame = frame.to_native()
        packs = _packs(_digits(lazy, keys))
        packed = {name for pack in packs for name in pack.names}
        columns = (*(p.column for p in packs), *(k for k in keys if k not in packed))
        return Keyed(nw.from_native(lazy.with_columns(p.key() for p in packs)), columns, packs)

    def collect(self, frame: nw.LazyFrame[Any]) -> pl.DataFrame:
        """See `Engine`."""
        lazy: pl.LazyFrame = frame.to_native()
        return lazy.collect(engine="streaming")

    def batches(self, frame: nw.LazyFrame[Any], rows: int) -> Iterator[pl.DataFrame]:
        """See `Engine`; in order."""
        lazy: pl.LazyFrame = frame.to_native()
        return iter(lazy.collect_batches(chunk_size=rows, maintain_order=True, engine="streaming"))

    def write_parquet(self, frame: nw.LazyFrame[Any], path: Path) -> None:
        """See `Engine`."""
        lazy: pl.LazyFrame = frame.to_native()
        lazy.sink_parquet(path, engine="streaming")


def _digits(lazy: pl.LazyFrame, keys: Sequence[str]) -> list[Digit]:
    schema = lazy.collect_schema()
    able = [k for k in keys if schema[k] in _PACKABLE]
    if len(able) < 2:
        return []
    ends = lazy.select(
        expression
        for i, k in enumerate(able)
        for expression in (
            pl.col(k).min().to_physical().cast(pl.Int64).alias(f"low{i}"),
            pl.col(k).max().to_physical().cast(pl.Int64).alias(f"high{i}"),
        )
    ).collect(engine="streaming")
    row = ends.row(0, named=True)
    digits = []
    for i, k in enumerate(able):
        low, high = row[f"low{i}"] or 0, row[f"high{i}"] or 0
        digits.append(Digit(k, low, high - low + 2, schema[k]))
    return [d for d in digits if d.radix < 2**40]


def _packs(digits: Sequence[Digit]) -> tuple[Pack, ...]:
    groups: list[list[Digit]] = []
    product = _LARGEST
    for digit in digits:
        if product * digit.radix >= _LARGEST:
            groups.append([])
            product = 1
        groups[-1].append(digit)
        product *= digit.radix
    return tuple(Pack(f"__key{i}", tuple(g)) for i, g in enumerate(groups) if len(g) > 1)
