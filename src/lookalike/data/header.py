"""Is the first row of a text file a header, or a record? A record's cells would be shown as names of columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from lookalike.errors import BadFile

ROWS = 1_000
"""Records at the start of the file in which a name is looked for as a value."""
LEAST = 0.25
"""The share of names that look like values from which the row is no header."""

_WHOLE = re.compile(r"\d+")
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d+)*|[.,]\d+)([eE][-+]?\d+)?")
_DATE = re.compile(r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3(\d{4}|\d{2}))([T ]\d{1,2}:\d{2}\S*)?")
_YEARS = range(1900, 2101)


def check_header(source: str, names: Sequence[str], records: Iterable[Sequence[str]]) -> None:
    """Raise if a quarter of the names look like values: numbers, dates, or cells that their own column has too.

    Years and running numbers (0, 1, 2, …) may be names. The message holds none of them.

    >>> check_header("file.csv", ["age", "sex"], [["30", "F"]])
    >>> check_header("file.csv", ["30", "F"], [["31", "M"]])
    Traceback (most recent call last):
    ...
    lookalike.errors.BadFile: file.csv: its first row does not look like a header: 1 of its 2 names looks like a ...
    """
    running = _running(names)
    found = {i for i, name in enumerate(names) if i not in running and _is_value(name)}
    found |= _again(names, records) - running
    if not found or len(found) < LEAST * len(names):
        return
    said = "looks like a value" if len(found) == 1 else "look like values"
    raise BadFile(
        f"{source}: its first row does not look like a header: {len(found):,} of its {len(names):,} names {said}. "
        "Add a row with names."
    )


def _running(names: Sequence[str]) -> set[int]:
    """The places of names that are whole numbers, each one more than the one before."""
    places = [i for i, name in enumerate(names) if _WHOLE.fullmatch(name)]
    numbers = [int(names[i]) for i in places]
    one_by_one = all(b == a + 1 for a, b in pairwise(numbers))
    return set(places) if numbers and one_by_one and (numbers[0] == 0 or len(numbers) > 2) else set()


def _is_value(name: str) -> bool:
    if _WHOLE.fullmatch(name) and int(name) in _YEARS:
        return False
    return bool(_NUMBER.fullmatch(name) or _DATE.fullmatch(name))


def _again(names: Sequence[str], records: Iterable[Sequence[str]]) -> set[int]:
    """The places of names that stand again below, among other values.

    A column of nothing but its name is an answer that was ticked.
    """
    again, others = set[int](), set[int]()
    for record, _ in zip(records, range(ROWS), strict=False):
        for i, (name, cell) in enumerate(zip(names, record, strict=False)):
            text = cell.strip()
            if text and name:
                (again if text == name else others).add(i)
    return again & others
