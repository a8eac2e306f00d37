"""Counts and shares of a release as a page may tell them: nothing of one to four records, and no rest that tells it."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.estimate import Rate
from lookalike.evaluate.comparison.rare import hidden_levels
from lookalike.report.few import FEWEST, shown

NOT_TOLD = "not told"
"""Stands where a count is left out because it would tell a small one beside it."""


def counted(count: int) -> str:
    """A count, those of one to four as "<5".

    >>> counted(0), counted(3), counted(1200)
    ('0', '<5', '1,200')
    """
    return f"<{FEWEST}" if 0 < count < FEWEST else f"{count:,}"


def shared(rate: Rate) -> str:
    """A share with its numerator and denominator, as far as neither it nor its rest is of a few.

    >>> shared(Rate(count=50, of=200, what="records")), shared(Rate(count=2, of=200, what="records"))
    ('25.0 % (50 of 200)', '<2.5 % (<5 of 200)')
    >>> shared(Rate(count=0, of=200, what="records"))
    '0 of 200'
    >>> shared(Rate(count=199, of=200, what="records")), shared(Rate(count=1, of=3, what="records"))
    ('98.0 %–100.0 % (196–200 of 200)', '<5 of <5')
    """
    if rate.of < FEWEST or not rate.count:
        return f"{counted(rate.count)} of {counted(rate.of)}"
    found = shown(rate.count, rate.of)
    return f"{found.share} ({found.count} of {rate.of:,})"


def told_apart(counts: Sequence[int]) -> tuple[str, ...]:
    """Counts that add up to a known total: where one is small, so many others are left out that no rest tells it.

    >>> told_apart([900, 60, 3, 40]), told_apart([10, 0, 20])
    (('900', '60', '<5', 'not told'), ('10', '0', '20'))
    """
    hidden = hidden_levels(counts)
    return tuple(
        counted(count) if place not in hidden or count < FEWEST else NOT_TOLD for place, count in enumerate(counts)
    )
