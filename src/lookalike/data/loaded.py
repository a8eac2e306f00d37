"""A file after it was opened and checked, before its columns have roles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.engine import Scratch

IN_MEMORY = 256 * 2**20
"""Bytes of a file above which it is staged in a scratch directory instead of held in memory."""


@dataclass
class Loaded:
    """A table in memory or in Parquet files, with what is known of it."""

    frame: pl.DataFrame | None = None
    files: tuple[Path, ...] = ()
    notes: list[str] = field(default_factory=list)
    mixed: dict[str, int] = field(default_factory=dict)
    labels: dict[str, dict[Any, str]] = field(default_factory=dict)
    captions: dict[str, str] = field(default_factory=dict)
    scratch: Scratch | None = None


@contextmanager
def removed_on_failure(scratch: Scratch) -> Iterator[Scratch]:
    """A scratch directory that stays if the work inside ends well, and is removed at once if it does not."""
    with ExitStack() as stack:
        stack.callback(scratch.close)
        yield scratch
        stack.pop_all()
