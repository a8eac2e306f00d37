"""Parquet: one file, or many that are one table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lookalike.data.text_file import check_names
from lookalike.errors import BadFile

_MARK = b"PAR1"


def is_parquet(file: Path) -> bool:
    """Whether a file begins as Parquet does, whatever its name."""
    with file.open("rb") as opened:
        return opened.read(len(_MARK)) == _MARK


def parquet_files(folder: Path, notes: list[str]) -> list[Path]:
    """The Parquet files in a folder and the folders below it, in the order of their names."""
    files = sorted(file for file in folder.rglob("*.parquet") if file.is_file())
    if not files:
        raise BadFile(f"{folder.name} is a folder without Parquet files. Name a file.")
    keys = {part.split("=")[0] for file in files for part in file.relative_to(folder).parts[:-1] if "=" in part}
    if keys:
        listed = ", ".join(f"'{key}'" for key in sorted(keys))
        notes.append(f"{folder.name}: {listed} stands in folder names only, and is not read as a column.")
    return files


def parquet_records(files: Sequence[Path], source: str) -> int:
    """Rows of all files, from their footers; they must have one schema."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    footers = []
    for file in files:
        try:
            with pq.ParquetFile(file) as opened:
                footers.append((opened.schema_arrow, int(opened.metadata.num_rows)))
        except (pa.ArrowException, OSError, UnicodeError):
            raise BadFile(f"{file.name} is not whole Parquet: it is damaged or was not written to its end.") from None
    first = footers[0][0]
    other = [file.name for file, (schema, _) in zip(files, footers, strict=True) if not schema.equals(first)]
    if other:
        raise BadFile(
            f"{source}: {len(other):,} of {len(files):,} files have other columns or types than {files[0].name}, "
            f"such as {other[0]}."
        )
    check_names(source, first.names)
    return sum(rows for _, rows in footers)
