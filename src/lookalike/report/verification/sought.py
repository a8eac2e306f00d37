"""The files that an evidence names: looked for by name, known by their digest."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Any

from lookalike.errors import LookalikeError
from lookalike.evaluate.digest import files_for, sha256


class State(StrEnum):
    """What was found of a file."""

    SAME = "same"
    DIFFERS = "differs"
    MISSING = "not found"
    IN_MEMORY = "was data in memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Namesake:
    """What lies at one place under the name of a file."""

    path: Path
    """A file, a folder or a pattern, as a run reads it."""
    at: Path
    """The same without links and patterns in its folder."""
    files: tuple[Path, ...]
    digest: str
    """Empty if it differs for sure: a part of it has no content, or its size is another one."""
    loose: bool
    """Whether nobody gave its files this name: they fit a pattern, or lie in a folder that was itself looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A file that the evidence names, and what was found of it."""

    name: str
    role: str
    sha256: str | None
    state: State
    path: Path | None = None
    """Where the file with this digest lies."""
    where: str = ""
    """Where the file lies that was checked, in words; empty if beside the evidence, or nowhere."""
    right: tuple[Namesake, ...] = field(default=(), repr=False)
    """All that has this name and this digest."""
    wrong: tuple[Namesake, ...] = field(default=(), repr=False)
    """All that has this name and another content."""

    @property
    def told(self) -> str:
        """Its name and what it is for."""
        return f"{self.name} ({self.role})"


def sought(
    entries: Sequence[Mapping[str, Any]], folders: Sequence[Path], *, evidence: Path | None = None
) -> tuple[Checked, ...]:
    """Each file of the evidence, in these folders and the folders in them.

    The search ends at the first file with the digest. With `evidence`, the path of the evidence itself, it goes on, so
    that others of the name are known too; the evidence is none of them.
    """
    names = Counter(entry["name"] for entry in entries)
    return tuple(_checked(entry, folders, evidence, alone=names[entry["name"]] == 1) for entry in entries)


def _checked(entry: Mapping[str, Any], folders: Sequence[Path], evidence: Path | None, *, alone: bool) -> Checked:
    name, role, digest = entry["name"], entry["role"], entry["sha256"]
    if digest is None:
        return Checked(name=name, role=role, sha256=None, state=State.IN_MEMORY)
    found: list[Namesake] = []
    for one in _all(entry, folders, evidence, alone=alone):
        found.append(one)
        if evidence is None and one.digest == digest:
            break
    right = tuple(one for one in found if one.digest == digest)
    wrong = tuple(one for one in found if one.digest != digest)
    state = State.SAME if right else State.DIFFERS if wrong else State.MISSING
    there = right[0].path if right else None
    return Checked(name=name, role=role, sha256=digest, state=state, path=there, right=right, wrong=wrong)


def _all(
    entry: Mapping[str, Any], folders: Sequence[Path], evidence: Path | None, *, alone: bool
) -> Iterator[Namesake]:
    """All that lies under the name; a pattern is sought at any depth only where it must be.

    Where no other file of the evidence has the name (`alone`), one of another size than the right one is not read.
    """
    name, role, digest = entry["name"], entry["role"], entry["sha256"]
    right: Namesake | None = None
    for path, loose in chain(_near(name, folders), _deep(name, folders)):
        if _plain(path) == evidence or (right is not None and "**" in path.parts):
            continue
        one = _namesake(path, role, loose=loose, size=_size(right.files) if right and alone else None)
        if one is not None:
            right = one if one.digest == digest else right
            yield one


def _near(name: str, folders: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """Where a file may lie, each place once: in a folder, as the folder, and one below it."""
    seen: set[Path] = set()
    for path, loose in _places(name, folders):
        if (plain := _plain(path)) not in seen:
            seen.add(plain)
            yield path, loose


def _places(name: str, folders: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    pattern = glob.has_magic(name)
    for folder in folders:
        yield folder / name, pattern and not (folder / name).exists()
        if folder.name == name:
            yield folder, True
        if not pattern:
            yield from ((below / name, False) for below in _below(folder))


def _deep(name: str, folders: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """A pattern at any depth."""
    return ((folder / "**" / name, True) for folder in folders if glob.has_magic(name))


def _below(folder: Path) -> list[Path]:
    try:
        return sorted(below for below in folder.iterdir() if below.is_dir())
    except OSError:  # nothing can be seen there
        return []


def _namesake(path: Path, role: str, *, loose: bool, size: int | None) -> Namesake | None:
    """What lies there; None if there is nothing of this kind."""
    if not glob.has_magic(path.name) and not path.exists():
        return None
    try:
        files, digest = _read(path, role, size)
    except OSError:
        return None
    return Namesake(path=path, at=_at(path, files), files=files, digest=digest, loose=loose) if files else None


def _read(path: Path, role: str, size: int | None) -> tuple[tuple[Path, ...], str]:
    """The files behind a path and their digest; a single one is read even if it is empty."""
    try:
        files = (path,) if path.is_file() else files_for(path, role)
    except LookalikeError:
        return _empty(path), ""
    return files, sha256(files) if size in (None, _size(files)) else ""


def _empty(path: Path) -> tuple[Path, ...]:
    """Files of a folder or a pattern that have no content: no run reads them, and somebody emptied them."""
    parts = path.rglob("*.parquet") if path.is_dir() else map(Path, glob.glob(str(path), recursive=True))
    return tuple(sorted(part for part in parts if part.is_file() and not part.stat().st_size))


def _size(files: Sequence[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def _at(path: Path, files: Sequence[Path]) -> Path:
    if path.is_dir() or not files:
        return _plain(path)
    return Path(os.path.commonpath([file.parent for file in files])).resolve() / path.name


def _plain(path: Path) -> Path:
    """The path without links in its folder; a link of this name stays what it is."""
    return path.parent.resolve() / path.name
