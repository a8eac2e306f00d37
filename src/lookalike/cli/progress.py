"""Progress bars on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from lookalike.console import TerminalConsole
from lookalike.engine import listening


class _Bars:
    """Shows the running stages, the newest last."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._running: list[TaskID] = []

    def begin(self, what: str, total: int | None) -> None:
        self._running.append(self._progress.add_task(what, total=total))

    def advance(self, steps: int) -> None:
        self._progress.advance(self._running[-1], steps)

    def end(self) -> None:
        self._progress.remove_task(self._running.pop())


@contextmanager
def progress_bars(*, quiet: bool) -> Iterator[None]:
    """Bars with the time left while work runs inside; silent when quiet or when nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with (
        Progress(*columns, console=TerminalConsole(stderr=True), transient=True) as progress,
        listening(_Bars(progress)),
    ):
        yield
