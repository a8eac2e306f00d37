"""Read a text table: every cell checked, each column given a type, codes with leading zeros kept as text.

The file is read once as text by a strict parser (ragged rows are counted, not padded), then each column gets
the narrowest type that holds all its cells. A file larger than `IN_MEMORY` goes through a private Parquet
file in a scratch directory, so that memory stays bounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.data.cells import GENERALIZED
from lookalike.data.loaded import IN_MEMORY, Loaded
from lookalike.data.text_file import Dialect, sniff
from lookalike.engine import Scratch, stage
from lookalike.errors import BadFile

NULLS = ("", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null")
NUMERIC_NULLS = ("?", ".", "-")
_DATES = ("%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y")
_MOSTLY = 0.9


def read_csv(
    path: Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Mapping[str, Sequence[str]] | None = None,
) -> Loaded:
    """A text table, typed. `mixed` counts the cells that are not numbers in columns that mostly are.

    Codes named in `missing` are left out before a column gets its type.
    """
    dialect = sniff(path, delimiter=delimiter, encoding=encoding)
    loaded = Loaded(notes=list(dialect.notes))
    text = _text(path, dialect, loaded).with_columns(
        pl.when(~pl.col(name).is_in([str(c) for c in codes])).then(pl.col(name)).alias(name)
        for name, codes in (missing or {}).items()
        if name in dialect.names
    )
    expressions = _typed(text, loaded)
    if loaded.scratch is None:
        loaded.frame = text.select(expressions).collect()
    else:
        file = loaded.scratch.file("typed.parquet")
        text.select(expressions).sink_parquet(file, engine="streaming")
        loaded.scratch.file("text.parquet").unlink()
        loaded.files = (file,)
    return loaded


def _text(path: Path, dialect: Dialect, loaded: Loaded) -> pl.LazyFrame:
    """All cells as text, in memory or staged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    large = path.stat().st_size > IN_MEMORY
    ragged: list[int | None] = []
    with stage(f"reading {path.name}", total=path.stat().st_size) as progress:
        try:
            reader = _open(path, dialect, ragged)
            if large:
                loaded.scratch = Scratch()
                file = loaded.scratch.file("text.parquet")
                with pq.ParquetWriter(file, reader.schema) as writer:
                    for batch in reader:
                        writer.write_batch(batch)
                        progress.advance(batch.nbytes)
            else:
                table = reader.read_all()
        except (pa.ArrowInvalid, UnicodeError) as error:
            raise BadFile(_why(path, error)) from None
    if ragged:
        raise BadFile(_ragged(path, ragged, len(dialect.names)))
    if large:
        lazy = pl.scan_parquet(file)
    else:
        frame = pl.from_arrow(table)
        assert isinstance(frame, pl.DataFrame)
        lazy = frame.lazy()
    if lazy.select(pl.len()).collect().item() == 0:
        raise BadFile(f"{path.name} has a header and no records.")
    return lazy


def _open(path: Path, dialect: Dialect, ragged: list[int | None]) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    def note(row: Any) -> str:
        ragged.append(row.number)
        return "skip"

    plain = dialect.encoding in ("utf-8", "utf-8-sig")
    return csv.open_csv(
        path,
        csv.ReadOptions(
            column_names=list(dialect.names),
            skip_rows=1,
            use_threads=False,
            block_size=16 << 20,
            encoding="utf8" if plain else dialect.encoding,
        ),
        csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=True, invalid_row_handler=note),
        csv.ConvertOptions(
            column_types=dict.fromkeys(dialect.names, pa.string()),
            null_values=list(NULLS),
            strings_can_be_null=True,
        ),
    )


def _ragged(path: Path, numbers: list[int | None], width: int) -> str:
    lines = ", ".join(str(n) for n in numbers[:5] if n is not None)
    where = f" (the first at line {lines})" if len(numbers) == 1 else f" (lines {lines}, …)"
    return (
        f"{path.name}: {len(numbers):,} rows do not have the {width} cells of the header{where if lines else ''}. "
        "Check the delimiter and the quotes."
    )


def _why(path: Path, error: Exception) -> str:
    """The parser's complaint in our words: its own may quote a cell."""
    text = str(error)
    if "UTF" in text or "decod" in text:
        return f"{path.name} holds bytes that do not fit its encoding. Give the encoding (--encoding)."
    if "straddling" in text or "quot" in text.lower():
        return f"{path.name}: a quote is opened and not closed, or a row is longer than 16 MB."
    if "Empty CSV" in text:
        return f"{path.name} has a header and no records."
    return f"{path.name} cannot be read as a text table. Check the delimiter and the quotes."


def _typed(text: pl.LazyFrame, loaded: Loaded) -> list[pl.Expr]:
    """One expression a column that gives it its type."""
    names = text.collect_schema().names()
    facts = text.select(e for i, name in enumerate(names) for e in _facts(i, name)).collect(engine="streaming")
    row = facts.row(0, named=True)
    return [
        _type(name, {k.split("|", 1)[1]: v for k, v in row.items() if k.split("|", 1)[0] == str(i)}, loaded)
        for i, name in enumerate(names)
    ]


def _number(name: str) -> pl.Expr:
    return pl.when(~pl.col(name).is_in(NUMERIC_NULLS)).then(pl.col(name).str.strip_chars())


def _comma(name: str) -> pl.Expr:
    plain = _number(name).str.contains(r"^[-+]?\d+(,\d+)?$")
    return pl.when(plain).then(_number(name).str.replace(",", ".", literal=True))


def _facts(i: int, name: str) -> list[pl.Expr]:
    cell = _number(name)
    facts = {
        "filled": cell.count(),
        "whole": cell.cast(pl.Int64, strict=False).count(),
        "real": cell.cast(pl.Float64, strict=False).count(),
        "comma": _comma(name).cast(pl.Float64, strict=False).count(),
        "zeros": cell.str.contains(r"^[-+]?0\d").sum(),
        "ranges": cell.str.contains(GENERALIZED).sum(),
        "nulls": pl.col(name).is_in(NUMERIC_NULLS).sum(),
    }
    for date in _DATES:
        facts[date] = cell.str.to_date(date, strict=False).count()
    facts["dateshape"] = cell.str.contains(r"^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$").sum()
    return [expression.alias(f"{i}|{fact}") for fact, expression in facts.items()]


def _type(name: str, fact: dict[str, int], loaded: Loaded) -> pl.Expr:
    filled = fact["filled"]
    if not filled:
        return pl.col(name)
    if not fact["zeros"]:
        if fact["whole"] == filled:
            return _number(name).cast(pl.Int64).alias(name)
        if fact["real"] == filled:
            return _number(name).cast(pl.Float64).fill_nan(None).alias(name)
        if fact["comma"] == filled:
            return _comma(name).cast(pl.Float64).alias(name)
    formats = [date for date in _DATES if fact[date] == filled == fact["dateshape"]]
    if len(formats) == 1:
        return _number(name).str.to_date(formats[0]).alias(name)
    if len(formats) > 1:
        loaded.notes.append(f"Column '{name}' holds dates whose day and month cannot be told apart: kept as text.")
    numbers = max(fact["real"], fact["comma"])
    if not fact["zeros"] and _MOSTLY * filled <= numbers < filled - fact["ranges"]:
        loaded.mixed[name] = filled - fact["ranges"] - numbers
    return pl.col(name)
