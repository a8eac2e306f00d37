"""A folder of hierarchies, one file a column, matched by the end of the file's name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lookalike.data.hierarchy.table import Table
from lookalike.errors import BadFile, BadPlan, LookalikeError

_ENDINGS = (".csv", ".txt", ".tsv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """The hierarchies of a folder by column, and what is to be told of files that no column has."""

    hierarchies: dict[str, Table]
    notes: tuple[str, ...] = ()


def hierarchy_files(folder: Path) -> list[Path]:
    """The files of a folder that may hold hierarchies, in the order of their names."""
    return sorted(file for file in folder.iterdir() if file.suffix.lower() in _ENDINGS)


def read_folder(path: str | Path, columns: Sequence[str]) -> Folder:
    """The hierarchies of a folder for these columns: `adult_hierarchy_age.csv`, `age.csv` are of the column 'age'.

    The name of the column is the end of the file's name, after a space or one of `_-.`; of several columns that fit,
    the longest is meant. Two files for one column, and files that cannot be read, are faults, told together.
    """
    path = Path(path)
    if not path.is_dir():
        raise BadFile(f"{path.name}: there is no such folder of hierarchies.")
    files = hierarchy_files(path)
    matched = {file: _column(file.stem, columns) for file in files}
    faults = [
        f"Files {', '.join(f.name for f in same)} both fit column '{name}'. Keep one."
        for name in columns
        if len(same := [file for file, column in matched.items() if column == name]) > 1
    ]
    found: dict[str, Table] = {}
    for file, column in matched.items():
        try:
            if column is not None:
                found.setdefault(column, Table.read(file))
        except LookalikeError as error:
            faults += error.faults if isinstance(error, BadPlan) else [str(error)]
    if not files:
        faults.append(f"{path.name} holds no hierarchy: files must end in {', '.join(_ENDINGS)}.")
    if faults:
        raise BadPlan(faults)
    unused = [file.name for file, column in matched.items() if column is None]
    notes = (f"No column fits {', '.join(unused)}: not used.",) if unused else ()
    return Folder(hierarchies=found, notes=notes)


def _column(stem: str, columns: Sequence[str]) -> str | None:
    """The column that a file's name ends in; as written, else in small letters with all separators alike."""
    for alike in (lambda text: text, _plain):
        name = alike(stem)
        fits = [c for c in columns if name == alike(c) or re.search(rf"[-_. ]{re.escape(alike(c))}$", name)]
        if fits:
            return max(fits, key=len)
    return None


def _plain(text: str) -> str:
    return re.sub(r"[-_. ]+", "_", text.lower())
