"""What identifies an input: its name, its digest, its size."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from lookalike.data import Microdata
from lookalike.evaluate.result import Source


def source_of(data: Microdata) -> Source:
    """The data as the evidence names it; a frame has no digest."""
    return Source(
        name=data.name,
        sha256=sha256(data.files) if data.files else None,
        records=data.records,
        columns=len(data.columns),
    )


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
