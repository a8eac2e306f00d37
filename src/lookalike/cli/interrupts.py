"""Signals that ask the program to end: noted, and turned into an exception that leaves through the doors.

An exception raised while a library runs may come back as another one: Polars turns it into a panic. What was noted
tells such an error from a fault of the program.
"""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Whether the program was asked to end."""

    def __init__(self) -> None:
        self.seen = False

    def listen(self) -> None:
        """From here on, a signal removes what is half-written on its way out."""
        for number in _SIGNALS:
            signal.signal(number, self._end)

    def _end(self, _signal: int, _frame: FrameType | None) -> NoReturn:
        self.seen = True
        raise KeyboardInterrupt
