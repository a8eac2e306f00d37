"""Read a text table: every row checked, each column given a type, codes with leading zeros kept as text.

The file is parsed once, strictly (ragged rows are counted, not padded), with each piece of a column held as
its distinct texts. A file larger than `IN_MEMORY` goes through a private Parquet file in a scratch directory,
so that memory stays bounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data.encoding import UTF8, not_in
from lookalike.data.loaded import IN_MEMORY, Loaded, removed_on_failure
from lookalike.data.missing_words import words_notes
from lookalike.data.shapes import NULLS, WORDS, Shape, look
from lookalike.data.text_file import Dialect, sniff
from lookalike.engine import Scratch, stage
from lookalike.errors import BadFile

_BLOCK = 16 << 20
_SHOWN = 5


def read_csv(
    path: Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Mapping[str, Sequence[str]] | None = None,
    keep_words: Sequence[str] = (),
) -> Loaded:
    """A text table, typed. `mixed` counts the cells that are not numbers in columns that mostly are.

    Codes named in `missing` are left out before a column gets its type. In the columns of `keep_words`, words such
    as NA are values.
    """
    dialect = sniff(path, delimiter=delimiter, encoding=encoding)
    codes = {name: [str(code) for code in given] for name, given in (missing or {}).items()}
    shapes = [
        Shape(
            name,
            dialect.delimiter,
            codes.get(name, ()),
            keeps=name in keep_words,
            plain=not dialect.quoted_words,
        )
        for name in dialect.names
    ]
    pieces = _seen(_batches(path, dialect), shapes)
    large = path.stat().st_size > IN_MEMORY
    loaded = _staged(pieces, shapes) if large else Loaded(frame=_typed(pieces, shapes))
    loaded.notes = [*dialect.notes, *(note for shape in shapes for note in shape.notes), *words_notes(shapes)]
    loaded.mixed = {shape.name: shape.mixed for shape in shapes if shape.mixed}
    return loaded


def _batches(path: Path, dialect: Dialect) -> Iterator[tuple[Any, Any]]:
    """The rows piece by piece, all cells as texts of a dictionary; raises if rows are ragged or there are none.

    Words that mean missing come as texts. Where some stand in quotes and so are values, each piece comes twice: with
    the words out of quotes left out, and as written.
    """
    import pyarrow as pa

    ragged, records = _Ragged(len(dialect.names)), 0
    with stage(f"reading {path.name}", total=path.stat().st_size) as progress, pa.OSFile(str(path)) as file:
        done = 0
        try:
            for batch, written in _pieces(path, file, dialect, ragged):
                records += batch.num_rows
                yield batch, written
                progress.advance(file.tell() - done)
                done = file.tell()
        except UnicodeError:
            raise not_in(path, dialect.encoding) from None
        except pa.ArrowInvalid:
            raise BadFile(
                f"{path.name} cannot be read as a text table: a row is longer than 16 MB. Check the quotes."
            ) from None
    if ragged.rows:
        raise BadFile(ragged.message(path.name, all_rows=records == 0))
    if not records:
        raise BadFile(f"{path.name} has a header and no records.")


def _pieces(path: Path, file: Any, dialect: Dialect, ragged: _Ragged) -> Iterator[tuple[Any, Any]]:
    import pyarrow as pa

    if not dialect.quoted_words:
        yield from ((batch, None) for batch in _open(file, dialect, ragged, nulls=("",)))
        return
    with pa.OSFile(str(path)) as again:  # cut at the same places
        written = _open(again, dialect, _Ragged(len(dialect.names)), nulls=("",))
        yield from zip(_open(file, dialect, ragged, nulls=NULLS), written, strict=True)


def _open(file: Any, dialect: Dialect, ragged: _Ragged, *, nulls: Sequence[str]) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    return csv.open_csv(
        file,
        csv.ReadOptions(
            column_names=list(dialect.names),
            skip_rows=dialect.blank,
            skip_rows_after_names=1,
            use_threads=False,
            block_size=_BLOCK,
            encoding="utf8" if dialect.encoding in UTF8 else dialect.encoding,
        ),
        csv.ParseOptions(
            delimiter=dialect.delimiter,
            newlines_in_values=True,
            ignore_empty_lines=len(dialect.names) > 1,
            invalid_row_handler=ragged.note,
        ),
        csv.ConvertOptions(
            column_types=dict.fromkeys(dialect.names, pa.dictionary(pa.int32(), pa.string())),
            null_values=list(nulls),
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


@dataclass
class _Ragged:
    """Rows that have more or fewer cells than the header."""

    width: int
    fewer: int = 0
    more: int = 0
    one_more: int = 0
    first: list[int] = field(default_factory=list)

    def note(self, row: Any) -> str:
        self.fewer += row.actual_columns < self.width
        self.more += row.actual_columns > self.width
        self.one_more += row.actual_columns == self.width + 1
        if len(self.first) < _SHOWN and row.number is not None:
            self.first.append(row.number)
        return "skip"

    @property
    def rows(self) -> int:
        return self.fewer + self.more

    def message(self, name: str, *, all_rows: bool) -> str:
        if all_rows and self.one_more == self.rows > 1:
            return (
                f"{name}: every row has {self.width + 1} cells and the header has {self.width}. "
                "Does the first column hold row names? Then give it a name in the header."
            )
        row = "1 row does" if self.rows == 1 else f"{self.rows:,} rows do"
        shown = ", ".join(str(number) for number in self.first)
        where = f"row{'s' if self.rows > 1 else ''} {shown}{', …' if self.rows > len(self.first) else ''}"
        return (
            f"{name}: {row} not have the {self.width} cells of the header: {self.fewer:,} with fewer, "
            f"{self.more:,} with more ({where}; the header is row 1). Check the delimiter and the quotes."
        )


def _seen(batches: Iterator[tuple[Any, Any]], shapes: Sequence[Shape]) -> Iterator[Any]:
    """The same pieces, each looked at; a column that keeps its words as written."""
    import pyarrow as pa

    for piece, written in batches:
        batch = piece
        if written is not None:
            pairs = list(zip(piece.columns, written.columns, strict=True))
            for shape, (cells, raw) in zip(shapes, pairs, strict=True):
                shape.see_unquoted(_words(raw) - _words(cells))
            columns = [raw if shape.keeps else cells for shape, (cells, raw) in zip(shapes, pairs, strict=True)]
            batch = pa.RecordBatch.from_arrays(columns, schema=piece.schema)
        look(shapes, (_distinct(column) for column in batch.columns))
        yield batch


def _words(column: Any) -> Counter[str]:
    """How often each word that may mean missing stands in a column."""
    texts, times = _distinct(column)
    return Counter({texts[i]: int(times[i]) for i in texts.is_in(WORDS).arg_true()})


def _distinct(column: Any) -> tuple[pl.Series, NDArray[np.int64]]:
    places = column.indices.drop_null().to_numpy()
    return _series(column.dictionary), np.bincount(places, minlength=len(column.dictionary))


def _typed(pieces: Iterator[Any], shapes: Sequence[Shape]) -> pl.DataFrame:
    """The table in memory; a column's texts are let go as soon as it has its type."""
    columns = [list(column) for column in zip(*(batch.columns for batch in pieces), strict=True)]
    made = []
    for shape in shapes:
        texts, expression = columns.pop(0), shape.typed()
        made.append(pl.concat([_values(text, shape.name, expression) for text in texts]))
    return pl.DataFrame(made)


def _values(texts: Any, name: str, expression: pl.Expr) -> pl.Series:
    """The typed cells of one piece: each distinct text is turned once, then put where it stands."""
    distinct = pl.DataFrame({name: _series(texts.dictionary)}).select(expression).to_series()
    return distinct.gather(_series(texts.indices))


def _series(array: Any) -> pl.Series:
    series = pl.from_arrow(array)
    assert isinstance(series, pl.Series)
    return series


def _staged(pieces: Iterator[Any], shapes: Sequence[Shape]) -> Loaded:
    """The table as Parquet in a scratch directory: first its texts, in a file of their own, then its values."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with removed_on_failure(Scratch()) as scratch:
        texts, values = scratch.file("text.arrow"), scratch.file("typed.parquet")
        first = next(pieces)
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with pa.OSFile(str(texts), "wb") as file, pa.ipc.new_stream(file, first.schema, options=options) as writer:
            writer.write_batch(first)
            for batch in pieces:
                writer.write_batch(batch)
        columns = [(shape.name, shape.typed()) for shape in shapes]
        with pa.OSFile(str(texts)) as file, pa.ipc.open_stream(file) as reader:
            tables = (_table(batch, columns) for batch in reader)
            table = next(tables)
            with pq.ParquetWriter(values, table.schema, compression="zstd") as sink:
                sink.write_table(table)
                for table in tables:
                    sink.write_table(table)
        texts.unlink()
    return Loaded(files=(values,), scratch=scratch)


def _table(batch: Any, columns: Sequence[tuple[str, pl.Expr]]) -> Any:
    made = [_values(text, name, expression) for text, (name, expression) in zip(batch.columns, columns, strict=True)]
    return pl.DataFrame(made).to_arrow(compat_level=pl.CompatLevel.oldest())
