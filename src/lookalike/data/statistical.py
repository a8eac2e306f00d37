"""Files of statistical packages: Stata, SPSS, SAS, with what their codes and columns mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs

from lookalike.data.loaded import IN_MEMORY, Loaded, removed_on_failure
from lookalike.data.whole import as_whole
from lookalike.engine import Scratch, stage
from lookalike.errors import BadFile

STATISTICAL = {".dta": "Stata", ".sav": "SPSS", ".zsav": "SPSS", ".sas7bdat": "SAS", ".xpt": "SAS"}
_CHUNK = 500_000


def read_statistical(path: Path, *, encoding: str | None = None) -> Loaded:
    """A Stata, SPSS or SAS file: codes as data, their labels beside them, user-missing codes as missing."""
    options: dict[str, Any] = {"output_format": "polars", **({"encoding": encoding} if encoding else {})}
    reader = _reader(path.suffix.lower())
    loaded = Loaded()
    with stage(f"reading {path.name}"):
        if path.stat().st_size > IN_MEMORY:
            meta = _stage(path, reader, options, loaded)
        else:
            [(frame, meta)] = _pieces(path, lambda: iter([reader(path, **options)]))
            loaded.frame = _typed(frame.lazy()).collect()
    loaded.labels = {name: _keyed(labels) for name, labels in meta.variable_value_labels.items()}
    loaded.captions = {name: caption for name, caption in (meta.column_names_to_labels or {}).items() if caption}
    return loaded


def _pieces(path: Path, read: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """What the reader gives; whatever it stumbles over in a damaged file is told in our words."""
    import pyreadstat

    damage = (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, pl.exceptions.PolarsError)
    try:
        yield from read()
    except (*damage, UnicodeError, IndexError, TypeError, ValueError, OverflowError):
        kind = STATISTICAL[path.suffix.lower()]
        raise BadFile(
            f"{path.name} cannot be read as a file of {kind}. It is damaged, another format, or in an encoding "
            "to be given (--encoding)."
        ) from None


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

    def chunks() -> Iterator[Any]:
        return iter(pyreadstat.read_file_in_chunks(reader, path, chunksize=_CHUNK, **options))

    files: list[Path] = []
    meta = None
    with removed_on_failure(Scratch()) as scratch:
        for frame, meta in _pieces(path, chunks):  # noqa: B007
            files.append(scratch.file(f"part{len(files):05d}.parquet"))
            # A piece without a missing value comes as whole numbers, the next one perhaps as reals.
            frame.with_columns(cs.numeric().cast(pl.Float64)).write_parquet(files[-1])
        if not files:
            raise BadFile(f"{path.name} has a header and no records.")
        values = scratch.file("typed.parquet")
        _typed(pl.scan_parquet(files)).sink_parquet(values, engine="streaming")
        for file in files:
            file.unlink()
    loaded.files, loaded.scratch = (values,), scratch
    return meta


def _typed(table: pl.LazyFrame) -> pl.LazyFrame:
    """Reals that are whole as whole numbers; empty texts, which these formats have for missing ones, as missing."""
    texts = cs.string()
    return table.with_columns(*as_whole(table), pl.when(texts != "").then(texts).name.keep())


def _keyed(labels: Mapping[Any, str]) -> dict[Any, str]:
    """Labels under whole numbers where the codes are such."""
    return {int(code) if isinstance(code, float) and code.is_integer() else code: text for code, text in labels.items()}
