"""What identifies an input or output: its name, its digest, its size, what it is for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from lookalike.data import Microdata
from lookalike.data.hierarchy.folder import hierarchy_files
from lookalike.data.read import files_at, name_at
from lookalike.evaluate.result import Source
from lookalike.plan.paths import paths_of
from lookalike.plan.plan import Plan

_STEPS = ("hierarchies", "hierarchy", "recode", "table")
"""What the files are for that steps of a protection read."""


def source_of(data: Microdata, role: str = "data") -> Source:
    """The data as the evidence names it; a frame has no digest."""
    return Source(
        name=data.name,
        sha256=sha256(data.files) if data.files else None,
        records=data.records,
        columns=len(data.columns),
        role=role,
    )


def file_of(path: str | Path, role: str) -> Source:
    """A file that is no table of this run, as the evidence names it."""
    return Source(name=name_at(path), sha256=sha256(files_for(path, role)), role=role)


def step_files(plan: Plan) -> tuple[Source, ...]:
    """The files that steps of a protection read: hierarchies, a recode, a table of people."""
    return tuple(file_of(path, role) for role, path in dict.fromkeys(paths_of(plan)) if role in _STEPS)


def files_for(path: str | Path, role: str) -> tuple[Path, ...]:
    """The files behind a path, by what it is for; raises if there are none."""
    if role == "hierarchies" and Path(path).is_dir():
        return tuple(hierarchy_files(Path(path)))
    return files_at(str(path))


def sha256(files: Sequence[Path]) -> str:
    """The SHA-256 of one file, or of the digests of several in their order.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     sha256([Path(file.name)])[:8]
    'e3b0c442'
    """
    digests = []
    for file in files:
        with file.open("rb") as opened:
            digests.append(hashlib.file_digest(opened, "sha256"))
    if len(digests) == 1:
        return digests[0].hexdigest()
    return hashlib.sha256("".join(d.hexdigest() for d in digests).encode()).hexdigest()
