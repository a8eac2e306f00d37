"""A file with some columns replaced and some records left out, on the engine it came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data import Kind, Microdata, Variable
from lookalike.engine import Scratch, Table, engine_for, rows_of, write

IN_MEMORY = 3e7
"""Cells above which the new file is kept on disk."""


def rebuilt(
    file: Microdata,
    columns: Mapping[str, pl.Series],
    rows: NDArray[np.int64] | None = None,
    *,
    drop: tuple[str, ...] = (),
) -> Microdata:
    """The file with these columns in place of its own; only these rows, in this order, if they are named.

    >>> import lookalike as la
    >>> file = la.read(pl.DataFrame({"age": [30, 31], "sex": ["F", "M"]}))
    >>> rebuilt(file, {"age": pl.Series(["[30;31]"] * 2)}, np.array([1]), drop=("sex",)).head().to_dicts()
    [{'age': '[30;31]'}]
    """
    names = [name for name in file.columns if name not in drop]
    large = file.records * len(names) > IN_MEMORY
    scratch = Scratch() if large or file.table.numbered else None
    pieces = _pieces(file, names, columns, scratch)
    engine = file.table.engine if large else engine_for("polars")
    if scratch is None or not large:
        whole = pl.concat(list(pieces))
        lazy = engine.adopt(whole if rows is None else whole[rows])
    else:
        lazy = engine.scan_parquet(list(_written(pieces, rows, scratch)))
    return replace(
        file,
        table=Table(lazy, engine),
        variables=tuple(_said(v, columns.get(v.name)) for v in file.variables if v.name in names),
        guesses=tuple(v for v in file.guesses if v.name in names),
        files=(),
        mixed={},
        scratch=scratch if large else None,
    )


def _said(variable: Variable, cells: pl.Series | None) -> Variable:
    """The variable of new cells: numbers and dates that became ranges are in an order, and codes have no labels."""
    if cells is None or cells.dtype != pl.String:
        return variable
    kind = Kind.ORDINAL if variable.kind in (Kind.NUMERIC, Kind.DATE) else variable.kind
    return replace(variable, kind=kind, labels={}, levels=())


def _pieces(
    file: Microdata, names: list[str], columns: Mapping[str, pl.Series], scratch: Scratch | None
) -> Iterator[pl.DataFrame]:
    """The records in pieces, in the order of the file, with the new columns."""
    start = 0
    for piece in rows_of(_ordered(file, scratch), names):
        at = slice(start, start + piece.height)
        yield piece.with_columns([cells[at].alias(name) for name, cells in columns.items() if name in names])
        start += piece.height


def _ordered(file: Microdata, scratch: Scratch | None) -> Table:
    """The table on an engine that gives its rows in order."""
    if not file.table.numbered:
        return file.table
    assert scratch is not None
    path = scratch.file("before.parquet")
    write(file.table, path)
    engine = engine_for("polars")
    return Table(engine.scan_parquet([path]), engine)


def _written(pieces: Iterator[pl.DataFrame], rows: NDArray[np.int64] | None, scratch: Scratch) -> Iterator[Path]:
    """The pieces as files; rows in another order than the file's are put there piece by piece of the new order."""
    shuffled = rows is not None and bool((np.diff(rows) < 0).any())
    files, start = [], 0
    for number, piece in enumerate(pieces):
        path = scratch.file(f"after-{number}.parquet")
        if rows is not None and not shuffled:
            inside = rows[(rows >= start) & (rows < start + piece.height)] - start
            start += piece.height
            piece[inside].write_parquet(path)
        else:
            piece.write_parquet(path)
        files.append(path)
    if not shuffled:
        yield from files
        return
    assert rows is not None
    path = scratch.file("shuffled.parquet")
    pl.scan_parquet(files).collect()[rows].write_parquet(path)
    yield path
