"""How figures of a study are written: enough digits to tell small errors, and no quantile of a few points."""

from __future__ import annotations

import math

FEWEST = 10
"""Points below which 5 and 95 % quantiles and a coverage say nothing."""
NONE = "–"
"""What stands in their place."""

_TINY = 1e-6


def significant(value: float, *, digits: int = 2, signed: bool = False) -> str:
    """A number with so many significant digits, none in powers of ten unless it is tiny.

    >>> significant(0.00042, signed=True), significant(-0.0123456), significant(0.5), significant(0.0)
    ('+0.00042', '-0.012', '0.50', '0')
    """
    sign = "+" if signed else ""
    if value == 0 or not math.isfinite(value):
        return f"{value:.0f}"
    if abs(value) < _TINY:
        return f"{value:{sign}.0e}"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:{sign}.{places}f}"


def few(row: dict[str, float | None], name: str) -> bool:
    """Whether a figure rests on too few points to say anything.

    >>> few({"points": 12, "not_assessable": 3, "intervals": 0}, "p05")
    True
    """
    if name == "coverage":
        return 0 < (row["intervals"] or 0) < FEWEST
    answers = (row["points"] or 0) - (row["not_assessable"] or 0)
    return name in ("p05", "p95", "p95_absolute") and 0 < answers < FEWEST
