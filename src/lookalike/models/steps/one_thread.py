"""Products of tall thin matrices on one thread: more threads wait for each other, and may change the last digit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_lock = Lock()
_inside: list[Any] = []
"""The limits in force: one for each fit under way, of which the first is the one to be taken back."""


@contextmanager
def one_thread() -> Iterator[None]:
    """While it lasts the libraries of linear algebra use one thread (several times faster on a busy machine).

    The setting holds for the whole process: of several fits at once the last to end takes it back.

    >>> with one_thread():
    ...     pass
    """
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    with _lock:
        _inside.append(None if _inside else _controller().limit(limits=1, user_api="blas"))


def _leave() -> None:
    with _lock:
        if len(_inside) > 1:
            # The first entry knows the setting before; it stays until the last fit ends.
            _inside.pop()
        else:
            _inside.pop().restore_original_limits()


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()
