"""Private places on disk for what does not fit in memory: they hold microdata in clear.

A scratch directory is readable by its owner alone, lies where the user says (`LOOKALIKE_SCRATCH`, else
the system's temporary directory) and is removed when it is no longer needed, at the latest at exit.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path


class Scratch:
    """A private directory that vanishes with its owner.

    >>> scratch = Scratch()
    >>> oct(scratch.path.stat().st_mode & 0o777)
    '0o700'
    >>> scratch.close()
    >>> scratch.path.exists()
    False
    """

    def __init__(self, under: str | os.PathLike[str] | None = None) -> None:
        root = under or os.environ.get("LOOKALIKE_SCRATCH") or None
        if root is not None:
            Path(root).mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path = Path(tempfile.mkdtemp(prefix="lookalike-", dir=root))
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def file(self, name: str) -> Path:
        """A path inside; nothing is created."""
        return self.path / name

    def close(self) -> None:
        """Remove the directory and all it holds."""
        self._finalizer()
