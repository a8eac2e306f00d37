"""Where a result came from, as the last part of a page tells it."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import version

from lookalike.evaluate.result import Run


def facts_of(run: Run) -> tuple[tuple[str, str], ...]:
    """The command, its files with their digests, the seed and the versions."""
    return tuple(_facts(run))


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    yield "command", f"lookalike {run.command}, {run.started:%Y-%m-%d %H:%M} UTC, {run.seconds:,.1f} seconds"
    for source in (*run.inputs, *run.outputs):
        digest = f"SHA-256 {source.sha256}" if source.sha256 else "data in memory, no digest"
        yield source.name, f"{source.records:,} records, {source.columns} columns; {digest}"
    yield "seed", str(run.plan.seed)
    yield "versions", f"lookalike {version('lookalike')}, Python {platform.python_version()}, engine {run.engine}"
