"""The files that an evidence names: looked for by name, known by their digest."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
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
class Checked:
    """A file that the evidence names, and what was found of it."""

    name: str
    role: str
    sha256: str | None
    state: State
    path: Path | None = None
    """Where the file with this digest lies."""


def sought(entries: Sequence[Mapping[str, Any]], folders: Sequence[Path]) -> tuple[Checked, ...]:
    """Each file of the evidence, in these folders and the folders in them."""
    return tuple(_checked(entry, folders) for entry in entries)


def _checked(entry: Mapping[str, Any], folders: Sequence[Path]) -> Checked:
    name, role, digest = entry["name"], entry["role"], entry["sha256"]
    if digest is None:
        return Checked(name=name, role=role, sha256=None, state=State.IN_MEMORY)
    state = State.MISSING
    for path in _candidates(name, folders):
        found = _digest(path, role)
        if found == digest:
            return Checked(name=name, role=role, sha256=digest, state=State.SAME, path=path)
        if found is not None:
            state = State.DIFFERS
    return Checked(name=name, role=role, sha256=digest, state=state)


def _candidates(name: str, folders: Sequence[Path]) -> Iterator[Path]:
    """Where a file may lie: in a folder, and one below it; a pattern at any depth."""
    for folder in folders:
        yield folder / name
        if folder.name == name:
            yield folder
        if glob.has_magic(name):
            yield folder / "**" / name
        else:
            yield from (below / name for below in sorted(folder.iterdir()) if below.is_dir())


def _digest(path: Path, role: str) -> str | None:
    """The digest of what lies there; None if there is nothing of this kind."""
    try:
        return sha256(files_for(path, role))
    except (LookalikeError, OSError):
        return None
