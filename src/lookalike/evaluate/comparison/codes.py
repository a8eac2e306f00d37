"""Codes for missing values that one file keeps and another has as empty cells: empty in both to compare them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import narwhals as nw
import polars as pl

from lookalike.data import Microdata, Variable, number_of
from lookalike.engine import count_by
from lookalike.utility.numbers import coded

Codes = Mapping[str, tuple[str, ...]]


def codes_to_empty(
    file: Microdata, releases: Sequence[Microdata], columns: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """By column, the codes that are read as empty cells, because not every file holds the same of them.

    A synthesizer keeps codes as values of their own, a protection writes empty cells. Codes that all files hold stay
    apart, so that a copy that confuses "refused" with "does not know" is found.

    >>> import lookalike as la, polars as pl
    >>> from dataclasses import replace
    >>> file = la.read(pl.DataFrame({"pay": [10, -8, 12]}))
    >>> file = replace(file, variables=tuple(replace(v, missing=("-8",)) for v in file.variables))
    >>> codes_to_empty(file, [la.read(pl.DataFrame({"pay": [10, None, 12]}))], ["pay"])
    {'pay': ('-8', '-8.0')}
    >>> codes_to_empty(file, [file], ["pay"])
    {}
    """
    found = {}
    for variable in file.variables:
        if variable.name not in columns or not variable.missing:
            continue
        codes = {code: _spellings(code) for code in variable.missing}
        held = [_held(data, variable.name, codes) for data in (file, *releases)]
        if any(one != held[0] for one in held[1:]):
            found[variable.name] = tuple(dict.fromkeys(text for texts in codes.values() for text in texts))
    return found


def emptied(data: Microdata, codes: Codes) -> Microdata:
    """The file with these codes as empty cells; its variables are as they were."""
    there = {name: texts for name, texts in codes.items() if name in data.columns}
    return replace(data, table=data.recode_missing(there).table) if there else data


def known_cells(frame: pl.DataFrame, variables: Sequence[Variable]) -> pl.DataFrame:
    """The records with every code for a missing value as an empty cell: for what one calculates or learns with.

    >>> from lookalike.data import Kind
    >>> pay = Variable(name="pay", kind=Kind.NUMERIC, missing=("-8",))
    >>> known_cells(pl.DataFrame({"pay": [10.5, -8.0]}), [pay])["pay"].to_list()
    [10.5, None]
    """
    named = [v for v in variables if v.missing and v.name in frame.columns]
    return frame.with_columns(frame[v.name].set(coded(frame[v.name], v), None) for v in named)


def _held(data: Microdata, name: str, codes: Codes) -> frozenset[str]:
    """Which of the codes stand in a column."""
    cell = nw.col(name).cast(nw.String)
    texts = [text for spelled in codes.values() for text in spelled]
    only = data.table.select(nw.when(cell.is_in(texts)).then(cell).alias(name))
    seen = set(count_by(only, [name])[name].drop_nulls().to_list())
    return frozenset(code for code, spelled in codes.items() if seen & set(spelled))


def _spellings(code: str) -> tuple[str, ...]:
    """A code as it stands in cells of text and of numbers: -8 and -8.0."""
    number = number_of(code)
    return (code,) if number is None else tuple(dict.fromkeys((code, f"{number:g}", str(number))))
