"""Counts of few records, as a page that may leave the house may show them.

One to four records or classes are shown as "<5". A count that differs by one to four from another count on the page is
shown as the span it lies in: who subtracts learns "fewer than five" and no more. Zero is told, and so is a whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lookalike.report.tables import percent

FEWEST = 5
_COUNTED = r"(?:records?|classes|rows?|cells?|values?|people|households?)\b"
_OF = re.compile(rf"\b(\d[\d,]*) of (\d[\d,]*) (?={_COUNTED})")
_FEW = re.compile(rf"\b[1-{FEWEST - 1}] (?={_COUNTED})")
_BRACKETS = re.compile(rf"(?<=cells )\([1-{FEWEST - 1}]\)")


@dataclass(frozen=True, slots=True)
class Shown:
    """A count and its share as texts, and the share as a chart draws it."""

    count: str
    share: str
    drawn: float


def shown(count: int, of: int, *, beside: Iterable[int] = ()) -> Shown:
    """A count of `of` records; `beside` are other counts that stand on the page.

    >>> shown(40, 200), shown(3, 200)
    (Shown(count='40', share='20.0 %', drawn=0.2), Shown(count='<5', share='<2.5 %', drawn=0.0))
    >>> shown(198, 200).count, shown(42, 200, beside=[40]).count
    ('196–200', '40–44')
    >>> shown(0, 200, beside=[2]).count
    '0'
    """
    if 0 < count < FEWEST:
        return Shown(f"<{FEWEST}", f"<{_least(of)}", 0.0)
    near = [known for known in (of, *beside) if known >= FEWEST and 0 < abs(count - known) < FEWEST]
    if not near or not count:
        return Shown(f"{count:,}", percent(count / of) if of else percent(0.0), count / of if of else 0.0)
    known = near[0]
    low, high = (known, min(known + FEWEST - 1, of)) if count > known else (known - FEWEST + 1, known)
    shares = dict.fromkeys(percent(end / of) for end in (low, high))
    return Shown(f"{low:,}–{high:,}", "–".join(shares), (low + high) / 2 / of)


def shown_run(counts: Iterable[int], of: int, *, beside: Iterable[int] = ()) -> Iterator[Shown]:
    """Counts that stand below each other, as "below 2, below 3, below 5": none tells another.

    >>> [each.count for each in shown_run([40, 42, 60], 200)]
    ['40', '40–44', '60']
    """
    told = list(beside)
    for count in counts:
        found = shown(count, of, beside=told)
        if found.count == f"{count:,}":
            told.append(count)
        yield found


def without_few(text: str) -> str:
    """A sentence of ours in which few records are counted, without the count.

    >>> without_few("3 of 1,000 records equal another. 2 cells are empty in 4 columns.")
    '<5 of 1,000 records equal another. <5 cells are empty in 4 columns.'
    """
    text = _OF.sub(lambda found: f"{shown(_number(found[1]), _number(found[2])).count} of {found[2]} ", text)
    return _BRACKETS.sub(f"(<{FEWEST})", _FEW.sub(f"<{FEWEST} ", text.replace("1 record is", "1 records are")))


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _least(of: int) -> str:
    """Five of so many as a share; not finer than a tenth of a percent."""
    return percent(max(0.001, min(1.0, FEWEST / of)))
