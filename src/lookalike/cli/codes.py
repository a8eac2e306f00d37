"""Exit codes, a contract with scripts."""

from __future__ import annotations

DONE, FAILS, WRONG, NOT_ASSESSABLE, INTERRUPTED = 0, 1, 2, 3, 130


def exit_code(outcome: str) -> int:
    """The exit code of an outcome.

    >>> exit_code("fails")
    1
    """
    return {"holds": DONE, "fails": FAILS, "not assessable": NOT_ASSESSABLE}[outcome]
