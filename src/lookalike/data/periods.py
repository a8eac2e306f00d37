"""Days, months, quarters and years as texts, and ranges of them: their first and their last day."""

from __future__ import annotations

import re
from datetime import date

_PERIOD = re.compile(r"^(\d{4})(?:-?Q([1-4])|-(\d{2})(?:-(\d{2})(?:[T ].*)?)?)?$")
_RANGE = re.compile(r"^\[\s*([^;\[\]]+?)\s*;\s*([^;\[\]]+?)\s*\]$")

Days = tuple[int, int]
MONTHS = 12


def days_of(text: str) -> Days | None:
    """The first and the last day of a day, month, quarter, year or range of them, from 1970-01-01; None if it is none.

    >>> days_of("1970-01-02"), days_of("1970-Q1"), days_of("[1970-01;1970-02]"), days_of("1970"), days_of("1970-13")
    ((1, 1), (0, 89), (0, 58), (0, 364), None)
    """
    if match := _RANGE.match(text):
        first, last = days_of(match[1]), days_of(match[2])
        return None if first is None or last is None else (min(first[0], last[0]), max(first[1], last[1]))
    match = _PERIOD.match(text)
    if match is None:
        return None
    year, quarter, month, day = (int(part) if part else None for part in match.groups())
    assert year is not None
    if month is not None and not 1 <= month <= MONTHS:
        return None
    begin = month or (3 * quarter - 2 if quarter else 1)
    end = month or (3 * quarter if quarter else MONTHS)
    try:
        return _number(year, begin, day or 1), _number(year, begin, day) if day else _number(year, end + 1, 1) - 1
    except (ValueError, OverflowError):
        return None


def _number(year: int, month: int, day: int) -> int:
    """The day as a number; month 13 is the first of the next year."""
    return (date(year + month // 13, (month - 1) % 12 + 1, day) - date(1970, 1, 1)).days
