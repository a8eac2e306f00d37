"""Write microdata to a file: whole or not at all, never over an input."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl

from lookalike.data.microdata import Microdata
from lookalike.engine import Scratch
from lookalike.engine import write as write_parquet
from lookalike.errors import BadPlan

FORMATS = (".csv", ".tsv", ".parquet", ".arrow", ".feather", ".xlsx", ".dta", ".sav", ".xpt")


def write(data: Microdata, path: str | Path, *, force: bool = False) -> Path:
    """The data in the format of the path's ending; value labels go along where the format has them."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise BadPlan(f"'{path.name}' has an ending that cannot be written. Endings: {', '.join(FORMATS)}.")
    refuse_to_overwrite(path, inputs=data.files, force=force)
    with whole_file(path) as target, _as_parquet(data) as staged:
        _writer(suffix)(pl.scan_parquet(staged), target, data)
    return path


def refuse_to_overwrite(path: Path, *, inputs: tuple[Path, ...] = (), force: bool = False) -> None:
    """Raise if the output is an input (always) or exists (unless forced), or its folder is missing."""
    if any(path.exists() and file.exists() and os.path.samefile(path, file) for file in inputs):
        raise BadPlan(f"{path.name} is the input; an input is never changed. Choose another output.")
    if path.exists() and not force:
        raise BadPlan(f"{path.name} exists. Choose another name, or --force to replace it.")
    if not path.absolute().parent.is_dir():
        raise BadPlan(f"{path.name}: the folder to write it in does not exist.")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its name only when the work inside ends well."""
    temporary = path.with_name(f".{path.stem}-{uuid4().hex}{path.suffix}")
    try:
        temporary.touch(mode=0o600)
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
        ".csv": lambda lazy, path, _: lazy.sink_csv(path),
        ".tsv": lambda lazy, path, _: lazy.sink_csv(path, separator="\t"),
        ".parquet": lambda lazy, path, _: lazy.sink_parquet(path),
        ".arrow": lambda lazy, path, _: lazy.sink_ipc(path),
        ".feather": lambda lazy, path, _: lazy.sink_ipc(path),
        ".xlsx": lambda lazy, path, _: lazy.collect().write_excel(path),
    }
    return writers.get(suffix, _statistical(suffix))


def _statistical(suffix: str) -> _Writer:
    def write_it(lazy: pl.LazyFrame, path: Path, data: Microdata) -> None:
        import pyreadstat

        frame = lazy.collect()
        labels = {v.name: dict(v.labels) for v in data.variables if v.labels and v.name in frame.columns}
        if suffix == ".xpt":
            pyreadstat.write_xport(frame, path)
        else:
            writer = pyreadstat.write_dta if suffix == ".dta" else pyreadstat.write_sav
            writer(frame, path, variable_value_labels=labels)

    return write_it
