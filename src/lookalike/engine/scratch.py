"""Private places on disk for what does not fit in memory: they hold microdata in clear.

A scratch directory is readable by its owner alone, lies where the user says (`LOOKALIKE_SCRATCH`, else
the system's temporary directory) and is removed when it is no longer needed, at the latest at exit. What a
killed process left behind, the next one removes.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import weakref
from functools import cache
from pathlib import Path

if sys.platform != "win32":
    import fcntl

PREFIX = "lookalike-"
LOCK = ".lock"
"""A file that the owner keeps locked as long as it lives."""


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
        root = Path(under or os.environ.get("LOOKALIKE_SCRATCH") or tempfile.gettempdir())
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        _sweep(root)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=root))
        self._finalizer = weakref.finalize(self, _remove, self.path, _lock(self.path))

    def file(self, name: str) -> Path:
        """A path inside; nothing is created."""
        return self.path / name

    def close(self) -> None:
        """Remove the directory and all it holds."""
        self._finalizer()


def _lock(directory: Path) -> int:
    """Lock the directory for as long as this process lives; the lock file gets its name when it is locked."""
    unnamed = directory / f"{LOCK}-new"
    held = os.open(unnamed, os.O_RDWR | os.O_CREAT, 0o600)
    if sys.platform != "win32":
        fcntl.flock(held, fcntl.LOCK_EX)
        unnamed.rename(directory / LOCK)
    return held


def _remove(directory: Path, held: int) -> None:
    os.close(held)
    shutil.rmtree(directory, ignore_errors=True)


@cache
def _sweep(root: Path) -> None:
    """Remove our directories whose owner is gone, known by a lock that can be had; once per process."""
    if sys.platform == "win32":
        return
    for lock in root.glob(f"{PREFIX}*/{LOCK}"):
        try:
            if lock.parent.lstat().st_uid != os.geteuid() or lock.parent.is_symlink():
                continue
            held = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
        except FileNotFoundError:  # its owner was faster
            continue
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(held)
        else:
            _remove(lock.parent, held)
