"""Files of statistical packages and spreadsheets: Stata, SPSS, SAS, Excel, with value labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.data.loaded import IN_MEMORY, Loaded
from lookalike.engine import Scratch, stage
from lookalike.errors import BadFile

STATISTICAL = {".dta": "Stata", ".sav": "SPSS", ".zsav": "SPSS", ".sas7bdat": "SAS", ".xpt": "SAS"}
EXCEL = (".xlsx", ".xls", ".xlsb", ".xlsm", ".ods")


def read_statistical(path: Path, *, encoding: str | None = None) -> Loaded:
    """A Stata, SPSS or SAS file: codes as data, their labels beside them, user-missing codes as missing."""
    import pyreadstat

    reader = _reader(path.suffix.lower())
    loaded = Loaded()
    options: dict[str, Any] = {"output_format": "polars", **({"encoding": encoding} if encoding else {})}
    with stage(f"reading {path.name}"):
        try:
            if path.stat().st_size > IN_MEMORY:
                meta = _stage(path, reader, options, loaded)
            else:
                loaded.frame, meta = reader(path, **options)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError):
            raise BadFile(f"{path.name} cannot be read as a {STATISTICAL[path.suffix.lower()]} file.") from None
    loaded.labels = {name: dict(labels) for name, labels in meta.variable_value_labels.items()}
    loaded.captions = {n: c for n, c in (meta.column_names_to_labels or {}).items() if c}
    if loaded.frame is not None:
        loaded.frame = loaded.frame.with_columns(_whole(loaded.frame[c]) for c in loaded.frame.columns)
    return loaded


def read_excel(path: Path, *, sheet: str | None = None) -> Loaded:
    """One sheet of a workbook, the first unless named."""
    import fastexcel

    with stage(f"reading {path.name}"):
        try:
            book = fastexcel.read_excel(path)
            name = sheet if sheet is not None else book.sheet_names[0]
            if name not in book.sheet_names:
                raise BadFile(f"{path.name} has no sheet '{name}'. Sheets: {', '.join(book.sheet_names)}.")
            frame = book.load_sheet(name).to_polars()
        except fastexcel.FastExcelError:
            raise BadFile(f"{path.name} cannot be read as a workbook.") from None
    notes = [] if len(book.sheet_names) == 1 else [f"{path.name}: sheet '{name}' of {len(book.sheet_names)}."]
    return Loaded(frame=frame, notes=notes)


def _reader(suffix: str) -> Callable[..., Any]:
    import pyreadstat

    readers: dict[str, Callable[..., Any]] = {
        ".dta": pyreadstat.read_dta,
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".sas7bdat": pyreadstat.read_sas7bdat,
        ".xpt": pyreadstat.read_xport,
    }
    return readers[suffix]


def _stage(path: Path, reader: Callable[..., Any], options: dict[str, Any], loaded: Loaded) -> Any:
    """A large file in pieces to Parquet in a scratch directory; returns the file's metadata."""
    import pyreadstat

    loaded.scratch = Scratch()
    files: list[Path] = []
    meta = None
    for frame, meta in pyreadstat.read_file_in_chunks(reader, path, chunksize=500_000, **options):  # noqa: B007
        file = loaded.scratch.file(f"part{len(files):05d}.parquet")
        frame.write_parquet(file)
        files.append(file)
    loaded.files = tuple(files)
    return meta


def _whole(column: pl.Series) -> pl.Series:
    """Statistical packages store whole numbers as reals: give them back as whole numbers."""
    if column.dtype not in (pl.Float32, pl.Float64) or column.null_count() == len(column):
        return column
    whole = column.is_nan().any() is not True and (column.drop_nulls() % 1 == 0).all()
    small = whole and (column.abs().max() or 0) < 2**53  # type: ignore[operator]
    return column.cast(pl.Int64) if small else column
