"""How many people, written by a person: digits with or without marks between the thousands."""

from __future__ import annotations

import math
import re

from lookalike.errors import BadPlan

_MARKS = re.compile(r"(?<=\d)[,_' ](?=\d{3})")
_POINTS = re.compile(r"\d{1,3}(\.\d{3})+")


def people_in(text: str) -> int | None:
    """The number of people that a text says; None if it is no number, so perhaps a file. Raises for parts of people.

    >>> people_in("60000"), people_in("60,000"), people_in("people.csv")
    (60000, 60000, None)
    >>> people_in("60.000")
    Traceback (most recent call last):
    ...
    lookalike.errors.BadPlan: The population: 60.000 was read as 60: write 60000 or 60,000.
    """
    text = text.strip()
    if _POINTS.fullmatch(text):
        raise BadPlan(_points(text))
    try:
        size = float(_MARKS.sub("", text))
    except ValueError:
        return None
    if not math.isfinite(size) or size != int(size):
        raise BadPlan("The population must be a whole number of people, or a file of them.")
    return int(size)


def _points(text: str) -> str:
    """Points between thousands: one is taken for a decimal point, several for no number at all."""
    meant = int(text.replace(".", ""))
    read = f"was read as {float(text):g}" if text.count(".") == 1 else "is not read as a number"
    return f"The population: {text} {read}: write {meant} or {meant:,}."
