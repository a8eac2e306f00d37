"""Exit codes, a contract with scripts."""

from __future__ import annotations

DONE, FAILS, WRONG, NOT_ASSESSABLE, UNDECIDED, INTERRUPTED = 0, 1, 2, 3, 4, 130


def exit_code(outcome: str) -> int:
    """The exit code of an outcome.

    >>> exit_code("fails"), exit_code("undecided")
    (1, 4)
    """
    return {"holds": DONE, "fails": FAILS, "not assessable": NOT_ASSESSABLE, "undecided": UNDECIDED}[outcome]
