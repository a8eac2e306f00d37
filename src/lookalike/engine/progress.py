"""Progress of long work: the library tells, a door that wants to show it listens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Listener(Protocol):
    """What a door implements to show progress."""

    def begin(self, what: str, total: int | None) -> None:
        """A stage starts; `total` is its number of steps when known."""

    def advance(self, steps: int) -> None:
        """Some steps of the present stage are done."""

    def end(self) -> None:
        """The present stage is over."""


_listener: ContextVar[Listener | None] = ContextVar("lookalike_progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send the progress of all work inside to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class Stage:
    """A running stage; `advance` counts its steps."""

    def __init__(self, listener: Listener | None) -> None:
        self._listener = listener

    def advance(self, steps: int = 1) -> None:
        """Tell that `steps` more are done."""
        if self._listener is not None:
            self._listener.advance(steps)


@contextmanager
def stage(what: str, total: int | None = None) -> Iterator[Stage]:
    """Announce a stage of work to whoever listens.

    >>> with stage("counting classes", total=2) as s:
    ...     s.advance()
    """
    listener = _listener.get()
    if listener is not None:
        listener.begin(what, total)
    try:
        yield Stage(listener)
    finally:
        if listener is not None:
            listener.end()
