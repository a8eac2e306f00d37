"""Write microdata to a file: whole or not at all, never over an input."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl

from lookalike.data.microdata import Microdata
from lookalike.data.timeless import without_time
from lookalike.data.writable import fit_to_write
from lookalike.engine import Scratch
from lookalike.engine import write as write_parquet
from lookalike.errors import BadPlan

FORMATS = (".csv", ".tsv", ".parquet", ".arrow", ".feather", ".xlsx", ".dta", ".sav", ".xpt")


def write(data: Microdata, path: str | Path, *, force: bool = False) -> Path:
    """The data in the format of the path's ending; value labels go along where the format has them.

    >>> import tempfile
    >>> from lookalike.data import read
    >>> data = read(pl.DataFrame({"age": [34, 35]}))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(data, Path(folder, "people.csv")).read_text().split()
    ['"age"', '34', '35']
    """
    path = Path(path)
    suffix = path.suffix.lower()
    check_ending(path)
    refuse_to_overwrite(path, inputs=data.files, force=force)
    with whole_file(path) as target:
        if suffix == ".parquet":
            write_parquet(data.table, target)
            return path
        with _as_parquet(data) as staged:
            _writer(suffix)(fit_to_write(pl.scan_parquet(staged), path), target, data)
    return path


def check_ending(path: Path) -> None:
    """Raise if the ending of an output names no format that can be written."""
    if path.suffix.lower() not in FORMATS:
        raise BadPlan(f"'{path.name}' has an ending that cannot be written. Endings: {', '.join(FORMATS)}.")


def refuse_to_overwrite(path: Path, *, inputs: tuple[Path, ...] = (), force: bool = False) -> None:
    """Raise if the output is an input (always) or exists (unless forced), or its folder is missing."""
    if any(path.exists() and file.exists() and os.path.samefile(path, file) for file in inputs):
        raise BadPlan(f"{path.name} is the input; an input is never changed. Choose another output.")
    if path.is_dir():
        raise BadPlan(f"{path.name} is a folder. Name a file to write.")
    if path.exists() and not force:
        raise BadPlan(f"{path.name} exists. Choose another name, or replace it by force (--force, force=True).")
    if not path.absolute().parent.is_dir():
        raise BadPlan(f"{path.name}: the folder to write it in does not exist.")
    if not os.access(path.absolute().parent, os.W_OK | os.X_OK):
        raise BadPlan(f"{path.name}: you may not write in its folder. Choose another.")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its name only when the work inside ends well."""
    temporary = path.with_name(f".{uuid4().hex}{path.suffix}")
    try:
        temporary.touch(mode=0o600)
    except OSError as error:
        raise BadPlan(f"{path.name} cannot be written there: {error.strerror}.") from None
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _as_parquet(data: Microdata) -> Iterator[Path]:
    scratch = Scratch()
    try:
        file = scratch.file("data.parquet")
        write_parquet(data.table, file)
        yield file
    finally:
        scratch.close()


_Writer = Callable[[pl.LazyFrame, Path, Microdata], Any]


def _writer(suffix: str) -> _Writer:
    writers: dict[str, _Writer] = {
        ".csv": lambda lazy, path, _: lazy.sink_csv(path, quote_style="non_numeric"),
        ".tsv": lambda lazy, path, _: lazy.sink_csv(path, separator="\t", quote_style="non_numeric"),
        ".arrow": lambda lazy, path, _: lazy.sink_ipc(path),
        ".feather": lambda lazy, path, _: lazy.sink_ipc(path),
        ".xlsx": _write_excel,
    }
    return writers.get(suffix, _statistical(suffix))


_SHEET = {"nan_inf_to_errors": True, "strings_to_formulas": False, "default_date_format": "yyyy-mm-dd;@"}
"""How Polars opens a workbook: a text that begins with = is a text."""


def _write_excel(lazy: pl.LazyFrame, path: Path, _: Microdata) -> None:
    """A workbook that says nothing of when it was written, so that the same data is the same bytes."""
    import xlsxwriter

    with xlsxwriter.Workbook(path, _SHEET) as book:
        book.set_properties({"created": datetime(1980, 1, 1)})
        lazy.collect().write_excel(book, "data")


def _statistical(suffix: str) -> _Writer:
    def write_it(lazy: pl.LazyFrame, path: Path, data: Microdata) -> None:
        import pyreadstat

        frame = lazy.collect()
        variables = [data.variable(name) for name in frame.columns]
        captions = [variable.caption for variable in variables]
        labels = {variable.name: dict(variable.labels) for variable in variables if variable.labels}
        try:
            if suffix == ".xpt":
                pyreadstat.write_xport(frame, path, column_labels=captions)
            else:
                writer = pyreadstat.write_dta if suffix == ".dta" else pyreadstat.write_sav
                writer(frame, path, column_labels=captions, variable_value_labels=labels)
            without_time(path)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
            raise BadPlan(
                f"This data cannot be written as {suffix}: the name of a column is a word the format keeps for "
                "itself, or a label does not fit. Write CSV or Parquet."
            ) from None

    return write_it
