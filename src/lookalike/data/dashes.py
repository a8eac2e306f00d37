"""Ranges of numbers written with a dash, `18-21` or `18 to 21`, in the form `[18;21]` that cells are read in."""

from __future__ import annotations

import re

import polars as pl

_NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
_DASHED = re.compile(rf"^\s*({_NUMBER})\s*(?:-|–|_|to)\s*({_NUMBER})\s*$")


def is_dashed(text: str) -> bool:
    """Whether a cell is a range with a dash; where numbers are meant, for it may also be a month or a code.

    >>> [is_dashed(text) for text in ("18-21", "18 to 21", "-5--3", "18", "[18;21]", "A-B")]
    [True, True, True, False, False, False]
    """
    return _DASHED.match(text) is not None


def undashed(column: pl.Series) -> pl.Series:
    """The column with its dashes as brackets; for a column that is one of numbers.

    >>> undashed(pl.Series(["18-21", "30", None])).to_list()
    ['[18;21]', '30', None]
    """
    if column.dtype != pl.String:
        return column
    distinct = column.drop_nulls().unique().to_list()
    changed = {c: f"[{m[1]};{m[2]}]" for c in distinct if (m := _DASHED.match(c))}
    return column.replace(changed) if changed else column
