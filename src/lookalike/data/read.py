"""Open a file or a frame as microdata."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from lookalike.data.csv_file import read_csv
from lookalike.data.guess import guess
from lookalike.data.loaded import Loaded
from lookalike.data.microdata import Microdata, roles_of
from lookalike.data.statistical import EXCEL, STATISTICAL, read_excel, read_statistical
from lookalike.data.text_file import MOST_COLUMNS, check_names
from lookalike.data.variable import Kind, Variable
from lookalike.engine import Table, engine_for, head, native_table
from lookalike.errors import BadFile, BadPlan, unknown

ARROW = (".arrow", ".feather", ".ipc")
GUESS_FROM = 50_000


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
    if isinstance(source, (str, Path)):
        text = {"delimiter": delimiter, "encoding": encoding, "missing": missing}
        data = _read_path(str(source), engine, spark_master, sheet, text)
    else:
        data = _read_frame(source, engine, spark_master)
    roles = roles_of(
        data.columns,
        identifiers=identifiers,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        weight=weight,
        household=household,
    )
    data = data.assign(roles, kinds_of(data.columns, kinds or {}))
    check_known(data.columns, missing or {})
    return data.recode_missing(missing) if missing else data


def kinds_of(columns: Sequence[str], kinds: Mapping[str, str]) -> dict[str, Kind]:
    """The kinds by name, checked."""
    check_known(columns, kinds)
    known = [k.value for k in Kind]
    faults = [
        unknown(f"Kind of '{name}':", kind, known, where="known", listed="Kinds")
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


def _read_path(
    source: str, engine: str, spark_master: str | None, sheet: str | None, text: Mapping[str, Any]
) -> Microdata:
    files = _files(source)
    suffix = files[0].suffix.lower()
    if _is_parquet(files[0]):
        loaded = Loaded(files=files)
    elif len(files) > 1:
        raise BadFile(f"{source}: several files are read as one table only if all are Parquet.")
    elif suffix in STATISTICAL:
        loaded = read_statistical(files[0], encoding=text["encoding"])
    elif suffix in EXCEL:
        loaded = read_excel(files[0], sheet=sheet)
    elif suffix in ARROW:
        loaded = _read_arrow(files[0])
    else:
        loaded = read_csv(files[0], **text)
    return _microdata(loaded, Path(source).name, files, engine, spark_master)


def _files(source: str) -> tuple[Path, ...]:
    path = Path(source)
    if path.is_dir():
        files = sorted(p for p in path.rglob("*.parquet") if p.is_file())
        if not files:
            raise BadFile(f"{path.name} is a folder without Parquet files. Name a file.")
    elif path.is_file():
        files = [path]
    else:
        files = sorted(Path(p) for p in glob.glob(source, recursive=True) if Path(p).is_file())
        if not files:
            raise BadFile(f"{path.name}: there is no such file.")
    if any(file.stat().st_size == 0 for file in files):
        raise BadFile(f"{path.name} is empty.")
    return tuple(files)


def _is_parquet(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(4) == b"PAR1"


def _read_arrow(file: Path) -> Loaded:
    try:
        return Loaded(frame=pl.read_ipc(file))
    except pl.exceptions.PolarsError:
        raise BadFile(f"{file.name} cannot be read as an Arrow file.") from None


def _read_frame(frame: Any, engine: str, spark_master: str | None) -> Microdata:
    table = native_table(frame)
    if table is not None:
        return _variables(table, Loaded(), "frame", ())
    return _microdata(Loaded(frame=_in_memory(frame)), "frame", (), engine, spark_master)


def _in_memory(frame: Any) -> pl.DataFrame:
    if isinstance(frame, pl.LazyFrame):
        return frame.collect(engine="streaming")
    try:
        eager = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise BadFile(f"Microdata cannot be made from a {type(frame).__name__}.") from None
    check_names("The frame", [str(c) for c in eager.columns])
    try:
        table: pl.DataFrame = eager.to_polars()
    except (TypeError, ValueError, pl.exceptions.PolarsError):
        mixed = [f"'{name}'" for name, dtype in eager.schema.items() if dtype == nw.Object]
        which = f" Look at {', '.join(mixed)}." if mixed else ""
        raise BadFile(f"The frame has columns of mixed types: give each column one type.{which}") from None
    return table


def _microdata(loaded: Loaded, name: str, files: tuple[Path, ...], engine: str, spark_master: str | None) -> Microdata:
    if loaded.frame is not None:
        if loaded.frame.height == 0:
            raise BadFile(f"{name} has a header and no records.")
        chosen = engine_for(engine, records=loaded.frame.height, spark_master=spark_master)
        return _variables(Table(chosen.adopt(loaded.frame), chosen), loaded, name, files)
    chosen = engine_for(engine, records=_parquet_records(loaded.files, name), spark_master=spark_master)
    return _variables(Table(chosen.scan_parquet(loaded.files), chosen), loaded, name, files)


def _parquet_records(files: Sequence[Path], name: str) -> int:
    """Rows of all files, from their footers; they must have one schema."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        footers = [pq.ParquetFile(file) for file in files]
    except (pa.ArrowInvalid, OSError):
        raise BadFile(f"{name} holds a file that is not whole Parquet.") from None
    first = footers[0].schema_arrow
    other = [file.name for file, footer in zip(files, footers, strict=True) if footer.schema_arrow != first]
    if other:
        raise BadFile(f"{name}: {len(other)} files have other columns or types than {files[0].name}.")
    check_names(name, first.names)
    records = sum(int(footer.metadata.num_rows) for footer in footers)
    if records == 0:
        raise BadFile(f"{name} has a header and no records.")
    return records


def _variables(table: Table, loaded: Loaded, name: str, files: tuple[Path, ...]) -> Microdata:
    table = _tidy(table)
    if len(table.columns) > MOST_COLUMNS:
        raise BadFile(f"{name} has {len(table.columns):,} columns; at most {MOST_COLUMNS:,} are read.")
    variables = tuple(_labelled(v, loaded) for v in guess(head(table, GUESS_FROM)))
    return Microdata(
        table=table,
        variables=variables,
        guesses=variables,
        name=name,
        files=files,
        notes=tuple(loaded.notes),
        mixed=loaded.mixed,
        scratch=loaded.scratch,
    )


def _tidy(table: Table) -> Table:
    """Not-a-number counts as missing; categories as their texts."""
    schema = table.schema
    reals = [nw.col(n).fill_nan(None) for n, d in schema.items() if d.is_float()]
    texts = [nw.col(n).cast(nw.String) for n, d in schema.items() if d in (nw.Categorical, nw.Enum)]
    return table.with_columns(*reals, *texts)


def _labelled(variable: Variable, loaded: Loaded) -> Variable:
    labels = loaded.labels.get(variable.name)
    if not labels:
        return variable
    kind = variable.kind if variable.kind is not Kind.NUMERIC else Kind.NOMINAL
    return replace(variable, labels=labels, kind=kind)
