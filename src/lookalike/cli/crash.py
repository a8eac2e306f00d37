"""What is said when the program itself fails: the kind of error and its place, never its message.

An unexpected error of a library may quote a cell of the file. Its type and the lines of our code do not.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import TracebackType

CRASHED = 70
"""The exit code of a program's own fault; 1 would say that a threshold does not hold."""
_OURS = Path(__file__).resolve().parents[1]


def hide_values() -> None:
    """From here on, an error that nothing catches is told without its message."""
    sys.excepthook = _tell


def _tell(kind: type[BaseException], _error: BaseException, trace: TracebackType | None) -> None:
    places = [
        f"{Path(frame.filename).resolve().relative_to(_OURS)}:{frame.lineno}"
        for frame in traceback.extract_tb(trace)
        if Path(frame.filename).resolve().is_relative_to(_OURS)
    ]
    sys.stderr.write(
        f"Lookalike failed: {kind.__module__}.{kind.__name__}. This is a fault of the program, and no verdict on the "
        "file. Its message is not shown, for it may hold a cell of the file.\n"
        f"Please report the lines: {', '.join(places)}\n"
    )
    sys.stderr.flush()
    raise SystemExit(CRASHED)
