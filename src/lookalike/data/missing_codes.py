"""Negative numbers that are likely to stand for no answer, such as -9 among ages.

They are looked for in columns whose other values are not negative, in a fixed list of codes that surveys use: so what
is told of them quotes the list and no value of a person. Taken for numbers, they stand in ranges of their own, in means
and in distances. Codes such as 99 or 9999 are not guessed: they are as often an amount, or the end of a scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from lookalike.data.missing_words import NAMED, ONE_BY_ONE
from lookalike.data.variable import Variable

SURE = frozenset({-7, -8, -9, -77, -88, -99, -777, -888, -999, -7777, -8888, -9999, -99999})
"""Hardly ever a value where nothing else is negative."""
BESIDE = frozenset({-1, -2, -3, -4, -5, -6, -66, -97, -98, -666, -997, -998, -9997, -9998})
"""Codes only beside a sure one: alone they may be the low end of a scale."""
MOST = 5
"""More negative values than this are a scale."""


def missing_codes(column: pl.Series) -> tuple[str, ...]:
    """The codes in a column of numbers, the highest first; none if other values are negative too, or most are.

    >>> missing_codes(pl.Series([34, 71, 52, -9, -8])), missing_codes(pl.Series([-2, -1, 0, 1, 2]))
    (('-8', '-9'), ())
    """
    if not column.dtype.is_numeric():
        return ()
    numbers = column.cast(pl.Float64).drop_nulls().drop_nans().to_numpy()
    below = numbers[numbers < 0]
    found = set(np.unique(below).tolist())
    if not found & SURE or not found <= SURE | BESIDE or len(found) > MOST or 2 * len(below) >= len(numbers):
        return ()
    return tuple(f"{code:.0f}" for code in sorted(found, reverse=True))


def codes_notes(variables: Sequence[Variable], named: Mapping[str, Sequence[object]]) -> list[str]:
    """A note for each variable with such codes that nobody has named as missing; one for all if they are many.

    >>> from lookalike.data.variable import Kind
    >>> age = Variable(name="age", kind=Kind.NUMERIC, missing=("-8", "-9"))
    >>> print(*codes_notes([age], {"age": [-8]}))
    Column 'age' has nothing below 0 but -9, taken as a number. If that means missing, name it (--missing-code
    "age=-9", or [missing.codes] in the plan).
    >>> codes_notes([age], {"age": ["-8", "-9"]})
    []
    """
    found = [(variable.name, codes) for variable in variables if (codes := _unnamed(variable, named))]
    if len(found) > ONE_BY_ONE:
        names = ", ".join(name for name, _ in found[:NAMED])
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        return [
            f"{len(found)} columns have nothing below 0 but codes such as {found[0][1][-1]}, taken as numbers: {names}"
            f"{more}. If they mean missing, name them; lookalike plan writes them under [missing.codes]."
        ]
    return [
        f"Column '{name}' has nothing below 0 but {', '.join(codes)}, taken as a number. If that means missing, "
        f'name it (--missing-code "{name}={",".join(codes)}", or [missing.codes] in the plan).'
        for name, codes in found
    ]


def _unnamed(variable: Variable, named: Mapping[str, Sequence[object]]) -> list[str]:
    given = {str(code) for code in named.get(variable.name, ())}
    return [code for code in variable.missing if code not in given]
