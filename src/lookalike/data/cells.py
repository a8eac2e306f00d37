"""Generalized cells: a wildcard `*`, an interval `[a;b]`, a masked code `937**`, an open end `85+` or `<5`.

The form is that of Sánchez et al. (2016). A generalized cell stands for several values; `span` tells which.
"""

from __future__ import annotations

import re

import numpy as np
import polars as pl
from numpy.typing import NDArray

_NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
WILDCARD = "*"
GENERALIZED = rf"^(\*|\[\s*[^;\[\]]+;[^;\[\]]+\]|\w*\d\w*\*+|{_NUMBER}\s*\+|[<>]=?\s*{_NUMBER})$"
_GENERALIZED = re.compile(GENERALIZED)
_INTERVAL = re.compile(r"^\[\s*([^;\[\]]+?)\s*;\s*([^;\[\]]+?)\s*\]$")
_OPEN = re.compile(rf"^({_NUMBER})\s*\+$")
_LESS = re.compile(rf"^([<>])(=?)\s*({_NUMBER})$")


def is_generalized(text: str) -> bool:
    """Does this cell stand for several values?

    >>> [is_generalized(t) for t in ("*", "[20;30]", "937**", "85+", "<5", "42", "[x]")]
    [True, True, True, True, True, False, False]
    """
    return _GENERALIZED.match(text.strip()) is not None


def spans(column: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cells of one column as inclusive ranges on the grid of values the column can take.

    The grid: all whole numbers between the ends if every end is a whole number, else the sorted distinct
    values and ends that occur. Missing cells are wildcards.

    >>> low, high = spans(pl.Series(["26", "[24;28]", "*"]))
    >>> (low - low.min()).tolist(), (high - low.min()).tolist()
    ([2, 0, 0], [2, 4, 4])
    >>> low, high = spans(pl.Series(["F", "M", None]))
    >>> low.tolist(), high.tolist()
    ([0, 1, 0], [0, 1, 1])
    """
    distinct = column.unique()
    texts = [None if v is None else str(v).strip() for v in distinct.to_list()]
    ends = _numeric_ends(texts)
    pairs = _on_grid(ends) if ends is not None else _codes(texts)
    table = pl.DataFrame({"cell": distinct, "low": [p[0] for p in pairs], "high": [p[1] for p in pairs]})
    placed = pl.DataFrame({"cell": column}).join(table, on="cell", how="left", nulls_equal=True, maintain_order="left")
    return placed["low"].to_numpy(), placed["high"].to_numpy()


_Ends = tuple[float | None, float | None]


def _numeric_ends(texts: list[str | None]) -> list[_Ends] | None:
    """Each cell's ends as numbers (None: open), or None if some cell is not numeric."""
    ends: list[_Ends] = []
    for text in texts:
        pair = ends_of(text)
        if pair is None:
            return None
        ends.append(pair)
    return ends if any(e != (None, None) for e in ends) else None


def ends_of(text: str | None) -> _Ends | None:
    """The smallest and the largest number a cell may stand for (None: open); None if it is not numeric.

    >>> ends_of("[20;30]"), ends_of("85+"), ends_of("[80;85+]"), ends_of("F")
    ((20.0, 30.0), (85.0, None), (80.0, None), None)
    """
    if text is None or text == WILDCARD:
        return (None, None)
    if match := _INTERVAL.match(text):
        first, last = ends_of(match[1]), ends_of(match[2])
        if first is None or last is None:
            return None
        low, high = first[0], last[1]
        return (low, high) if low is None or high is None else (min(low, high), max(low, high))
    if match := _OPEN.match(text):
        return (_real(match[1]), None)
    if match := _LESS.match(text):
        number = _real(match[3])
        assert number is not None
        step = 0.0 if match[2] or number != int(number) else 1.0
        return (None, number - step) if match[1] == "<" else (number + step, None)
    if re.fullmatch(r"\d+\*+", text):
        return (float(text.replace("*", "0")), float(text.replace("*", "9")))
    number = _real(text)
    return None if number is None else (number, number)


def _real(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def _on_grid(ends: list[_Ends]) -> list[tuple[int, int]]:
    known = [e for pair in ends for e in pair if e is not None]
    first, last = min(known), max(known)
    closed = [(first if a is None else a, last if b is None else b) for a, b in ends]
    if all(e == int(e) for e in known) and last - first < 2**53:
        return [(int(a), int(b)) for a, b in closed]
    grid = np.unique(np.array(known))
    return [(int(np.searchsorted(grid, a)), int(np.searchsorted(grid, b))) for a, b in closed]


def _codes(texts: list[str | None]) -> list[tuple[int, int]]:
    """Text values in sorted order; an interval spans the values between its ends, a mask those it begins.

    A mask such as `C5*` may also stand for a code that nobody else has, so it is a value of its own besides.
    """
    plain = sorted(
        {t for t in texts if t is not None and t != WILDCARD and not _INTERVAL.match(t)}
        | {m[i] for t in texts if t is not None and (m := _INTERVAL.match(t)) for i in (1, 2)}
    )
    place = {t: i for i, t in enumerate(plain)}
    last = max(len(plain) - 1, 0)
    pairs: list[tuple[int, int]] = []
    for text in texts:
        if text is None or text == WILDCARD:
            pairs.append((0, last))
        elif match := _INTERVAL.match(text):
            first, second = sorted((place[match[1]], place[match[2]]))
            pairs.append((first, second))
        elif text.endswith(WILDCARD):
            within = [i for i, t in enumerate(plain) if t.startswith(text.rstrip(WILDCARD))]
            pairs.append((within[0], within[-1]))
        else:
            pairs.append((place[text], place[text]))
    return pairs
