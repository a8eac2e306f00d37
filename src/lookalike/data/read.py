"""Open a file or a frame as microdata."""

from __future__ import annotations

import glob
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from lookalike.data.csv_file import read_csv
from lookalike.data.excel import EXCEL, read_excel
from lookalike.data.frames import check_frame, in_memory
from lookalike.data.guess import guess
from lookalike.data.loaded import Loaded
from lookalike.data.microdata import Microdata, roles_of
from lookalike.data.missing_codes import codes_notes
from lookalike.data.parquet_files import is_parquet, parquet_files, parquet_records
from lookalike.data.statistical import STATISTICAL, read_statistical
from lookalike.data.text_file import MOST_COLUMNS, check_names, too_wide
from lookalike.data.variable import Kind, Variable
from lookalike.engine import Table, engine_for, head, height, native_table
from lookalike.errors import BadFile, BadPlan, unknown

ARROW = (".arrow", ".feather", ".ipc")
_DAMAGE = (pl.exceptions.ComputeError, nw.exceptions.ComputeError, pl.exceptions.PanicException)
"""What an engine raises that meets a damaged page, or a date that is none."""
GUESS_FROM = 50_000
"""Records at the start of a file from which kinds and roles are guessed."""


def read(
    source: Any,
    *,
    identifiers: Sequence[str] = (),
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    weight: str | None = None,
    household: str | None = None,
    kinds: Mapping[str, str] | None = None,
    missing: Mapping[str, Sequence[str]] | None = None,
    keep_words: Sequence[str] = (),
    engine: str = "auto",
    spark_master: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Microdata:
    """A file, a folder or glob of Parquet, or a pandas, Polars, Arrow, DuckDB or Spark frame as microdata.

    >>> import polars as pl
    >>> read(pl.DataFrame({"age": [30, 31]})).columns
    ('age',)
    """
    data = load(
        source,
        missing=missing,
        keep_words=keep_words,
        engine=engine,
        spark_master=spark_master,
        delimiter=delimiter,
        encoding=encoding,
        sheet=sheet,
    )
    roles = roles_of(
        data.columns,
        identifiers=identifiers,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        weight=weight,
        household=household,
    )
    data = data.assign(roles, kinds_of(data.columns, kinds or {}))
    check_known(data.columns, [*(missing or {}), *keep_words])
    return data


def load(
    source: Any,
    *,
    missing: Mapping[str, Sequence[str]] | None = None,
    keep_words: Sequence[str] = (),
    engine: str = "auto",
    spark_master: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Microdata:
    """Microdata without roles; what is said of columns that the source lacks is passed over.

    In the columns of `keep_words`, words of a text file such as NA are values.
    """
    if isinstance(source, (str, Path)):
        readers = _readers(delimiter=delimiter, encoding=encoding, sheet=sheet, missing=missing, keep_words=keep_words)
        data = _read_path(str(source), engine, spark_master, readers)
    else:
        data = _read_frame(source, engine, spark_master)
    data = data.assign({})
    data = replace(data, notes=(*data.notes, *codes_notes(data.guesses, missing or {})))
    return data.recode_missing({k: v for k, v in (missing or {}).items() if k in data.columns})


def kinds_of(columns: Sequence[str], kinds: Mapping[str, str]) -> dict[str, Kind]:
    """The kinds by name, checked."""
    check_known(columns, kinds)
    known = [k.value for k in Kind]
    faults = [
        unknown(f"Column '{name}': kind", kind, known, where="known", listed="Kinds")
        for name, kind in kinds.items()
        if kind not in known
    ]
    if faults:
        raise BadPlan(faults)
    return {name: Kind(kind) for name, kind in kinds.items()}


def check_known(columns: Sequence[str], names: Mapping[str, Any] | Sequence[str]) -> None:
    """Raise for all names that are not columns."""
    faults = [
        unknown("Column", name, columns, where="in the data", listed="Columns") for name in names if name not in columns
    ]
    if faults:
        raise BadPlan(faults)


_Readers = Callable[[Path], Loaded]


def _readers(
    *,
    delimiter: str | None,
    encoding: str | None,
    sheet: str | None,
    missing: Mapping[str, Sequence[str]] | None,
    keep_words: Sequence[str],
) -> _Readers:
    """How a single file is read: by its ending, and any other ending as a text table."""

    def read_file(file: Path) -> Loaded:
        suffix = file.suffix.lower()
        if suffix in STATISTICAL:
            return read_statistical(file, encoding=encoding)
        if suffix in EXCEL:
            return read_excel(file, sheet=sheet, missing=missing, keep_words=keep_words)
        if suffix in ARROW:
            return _read_arrow(file)
        return read_csv(file, delimiter=delimiter, encoding=encoding, missing=missing, keep_words=keep_words)

    return read_file


def _read_path(source: str, engine: str, spark_master: str | None, read_file: _Readers) -> Microdata:
    files, notes = _files(source)
    if all(is_parquet(file) for file in files):
        loaded = Loaded(files=files, notes=notes)
    elif len(files) > 1:
        raise BadFile(f"{source}: several files are read as one table only if all are Parquet.")
    else:
        loaded = read_file(files[0])
    return _microdata(loaded, name_at(source), files, engine, spark_master)


def _files(source: str) -> tuple[tuple[Path, ...], list[str]]:
    path, notes = Path(source), list[str]()
    if path.is_dir():
        files = parquet_files(path, notes)
    elif path.is_file():
        files = [path]
    elif path.exists():
        raise BadFile(f"{path.name} is no file: it cannot be read twice. Save what it gives to a file first.")
    else:
        files = sorted(Path(p) for p in glob.glob(source, recursive=True) if Path(p).is_file())
        if not files:
            raise BadFile(f"{path.name}: there is no such file.")
    empty = [file.name for file in files if file.stat().st_size == 0]
    if empty:
        raise BadFile(f"{empty[0]} is empty.")
    return tuple(files), notes


def name_at(source: str | Path) -> str:
    """The last part of a path; of the working folder its name.

    >>> name_at("data/people.csv"), name_at(".") == Path.cwd().name
    ('people.csv', True)
    """
    name = Path(source).name
    return name if name not in ("", "..") else Path(source).resolve().name


def files_at(source: str) -> tuple[Path, ...]:
    """The files that are read as one table: one file, or those of a folder or a glob; raises if there are none."""
    return _files(source)[0]


def _read_arrow(file: Path) -> Loaded:
    import pyarrow as pa

    try:
        with pa.OSFile(str(file)) as opened:
            table = pa.ipc.open_file(opened).read_all()
            table.validate(full=True)  # a damaged offset would otherwise point outside the file
    except (pa.ArrowException, OSError, UnicodeError):
        raise BadFile(f"{file.name} cannot be read as an Arrow file.") from None
    return Loaded(frame=in_memory(table))


def _read_frame(frame: Any, engine: str, spark_master: str | None) -> Microdata:
    check_frame(frame)
    table = native_table(frame)
    if table is None:
        return _microdata(Loaded(frame=in_memory(frame)), "frame", (), engine, spark_master)
    return _variables(table, Loaded(), "frame", (), height(table))


def _microdata(loaded: Loaded, name: str, files: tuple[Path, ...], engine: str, spark_master: str | None) -> Microdata:
    if loaded.frame is not None:
        records = loaded.frame.height
        check_names(name if files else "The frame", loaded.frame.columns)
        chosen = engine_for(engine, records=records, spark_master=spark_master)
        table = Table(chosen.adopt(loaded.frame), chosen)
    else:
        records = parquet_records(loaded.files, name)
        chosen = engine_for(engine, records=records, spark_master=spark_master)
        table = Table(chosen.scan_parquet(loaded.files), chosen)
    return _variables(table, loaded, name, files, records)


def _variables(table: Table, loaded: Loaded, name: str, files: tuple[Path, ...], records: int) -> Microdata:
    said = name if files else "The frame"
    if not records:
        raise BadFile(f"{said} has {'a header and ' if files else ''}no records.")
    try:
        if len(table.columns) > MOST_COLUMNS:
            raise BadFile(too_wide(said, len(table.columns)))
        table = _tidy(table)
        guessed = guess(head(table, GUESS_FROM), records=records)
    except _DAMAGE:
        raise BadFile(f"{said} is damaged: its records cannot be read.") from None
    variables = tuple(_described(v, loaded) for v in guessed)
    return Microdata(
        table=table,
        variables=tuple(replace(v, missing=()) for v in variables),
        guesses=variables,
        name=name,
        files=files,
        notes=tuple(loaded.notes),
        mixed=loaded.mixed,
        scratch=loaded.scratch,
    )


def _tidy(table: Table) -> Table:
    """Not-a-number counts as missing; categories, and types that only one engine has, as their texts."""
    schema = table.schema
    reals = [nw.col(n).fill_nan(None) for n, d in schema.items() if d.is_float()]
    texts = [nw.col(n).cast(nw.String) for n, d in schema.items() if d in (nw.Categorical, nw.Enum, nw.Unknown)]
    return table.with_columns(*reals, *texts)


def _described(variable: Variable, loaded: Loaded) -> Variable:
    """The variable with what its file says of its codes; numbers that have labels are codes."""
    labels, caption = loaded.labels.get(variable.name, {}), loaded.captions.get(variable.name, "")
    kind = Kind.NOMINAL if labels and variable.kind is Kind.NUMERIC else variable.kind
    return replace(variable, labels=labels, caption=caption, kind=kind)
