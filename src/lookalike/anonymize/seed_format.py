"""The file format of seed 004: read and written.

Commas between cells, no quotes; the first line names the columns; the last column is the confidential one, the others
are quasi-identifiers; a range is `[min;max]`, a suppressed value `*`. Records stand in the order of the original file,
so that a file and its releases can be compared line by line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from lookalike.data import Microdata, read, refuse_to_overwrite, whole_file
from lookalike.data.cells import WILDCARD
from lookalike.engine import records
from lookalike.errors import BadFile, BadPlan


def read_seed_format(path: str | Path, *, confidential: bool = True) -> Microdata:
    """The file as microdata; `*` is read as missing. Without a confidential column all are quasi-identifiers."""
    names = _names(Path(path))
    known, secret = (names[:-1], names[-1:]) if confidential else (names, [])
    missing = {name: [WILDCARD] for name in names}
    return read(str(path), delimiter=",", quasi_identifiers=known, sensitive=secret, missing=missing)


def write_seed_format(data: Microdata, path: str | Path, *, force: bool = False) -> Path:
    """Quasi-identifiers in the order of the file, then the sensitive variable; other columns are left out."""
    path = Path(path)
    if len(data.sensitive) > 1:
        raise BadPlan(f"The format has one confidential column, and the file has {len(data.sensitive)}. Choose one.")
    if not data.quasi_identifiers:
        raise BadPlan("There is no quasi-identifier to write. Name the quasi-identifiers.")
    refuse_to_overwrite(path, inputs=data.files, force=force)
    columns = [*data.quasi_identifiers, *data.sensitive]
    table = records(data.table, columns)
    faults = list(_faults(table))
    if faults:
        raise BadPlan([f"{path.name}: {fault}" for fault in faults])
    with whole_file(path) as target:
        table.write_csv(target, null_value=WILDCARD, quote_style="never")
    return path


def _names(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            names = file.readline().strip().split(",")
    except (OSError, UnicodeError):
        raise BadFile(f"{path.name} cannot be read.") from None
    if len(names) < 2:
        raise BadFile(f"{path.name}: the first line names fewer than two columns. Names stand between commas.")
    return names


def _faults(table: pl.DataFrame) -> Iterator[str]:
    """Cells and names that would be read as something else: there are no quotes."""
    bad = [name for name in table.columns if any(sign in name for sign in ',"\r\n') or name != name.strip()]
    if bad:
        yield f"{len(bad)} names of columns have a comma, a quote or a line break. Rename them."
    for name in table.columns:
        if table.schema[name] == pl.String:
            count = int(table[name].str.contains(r'[,"\r\n]').sum())
            if count:
                yield f"'{name}' has {count:,} cells with a comma, a quote or a line break. Recode them."
