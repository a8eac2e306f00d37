"""What the cells of a text column look like, and the narrowest type that holds them all.

A column is seen in pieces, each as its distinct texts and how often each stands there: a code of three values
costs three looks a piece, not one a record. Codes with leading zeros, numbers too long to be held exactly and
generalized cells (`[20;30]`, `85+`) keep a column text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data.cells import GENERALIZED

WORDS = ("?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "#NULL!")
"""Cells that are missing wherever they stand without quotes, unless their column keeps them."""
NULLS = ("", *WORDS)
"""The same, with the empty cell, which is always missing."""
NUMERIC_NULLS = (".", "-")
"""Cells that are missing among numbers and dates; among words they are words."""
MOSTLY = 0.9
"""The share of numbers from which a column is one of numbers, with some cells that are not."""
FEW = 30
"""Distinct cells up to which such a column is one of codes, such as 1, 2 and X."""

_DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
_DATE_SHAPE = r"^(\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4})$"
_ZEROS = r"^[-+]?0\d"
_LONG = r"^[-+]?\d{19,}$"
_COMMA = r"^[-+]?(\d+,\d+|\d{1,3}(\.\d{3})+(,\d+)?)$"
_GROUPS = r"^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$"

_CELL = pl.col("cell")
_WHOLE = _CELL.cast(pl.Int64, strict=False).is_not_null()
_REAL = _CELL.cast(pl.Float64, strict=False).is_finite().fill_null(False)
_FIRST = {
    "cells": pl.lit(True),
    "blank": (_CELL == "") | (_CELL.is_in(WORDS) & pl.col("words") & (pl.col("plain") | (pl.col("raw") != _CELL))),
    "nulls": _CELL.is_in(("", *NUMERIC_NULLS)) | (_CELL.is_in(WORDS) & pl.col("words")),
    "zeros": _CELL.str.contains(_ZEROS),
    "whole": _WHOLE,
}
_REST = {
    "long": _CELL.str.contains(_LONG),
    "real": _REAL,
    "comma": _CELL.str.contains(_COMMA),
    "groups": ~_REAL & _CELL.str.contains(_GROUPS),
    "both": ~_REAL & _CELL.str.contains(_COMMA) & _CELL.str.contains(_GROUPS),
    "ranges": _CELL.str.contains(GENERALIZED),
    "dates": _CELL.str.contains(_DATE_SHAPE),
}


def look(shapes: Sequence[Shape], pieces: Iterable[tuple[pl.Series, NDArray[np.int64]]]) -> None:
    """Look at more cells of all columns at once: of each its distinct texts, none null, and how often each stands."""
    seen = [shape.without_codes(texts, times) for shape, (texts, times) in zip(shapes, pieces, strict=True)]
    lengths = [len(texts) for texts, _ in seen]
    table = pl.DataFrame(
        {
            "column": np.repeat(np.arange(len(seen)), lengths),
            "raw": pl.concat([texts.alias("raw") for texts, _ in seen]),
            "times": np.concatenate([times for _, times in seen]),
            "words": np.repeat([not shape.keeps for shape in shapes], lengths),
            "plain": np.repeat([shape.plain for shape in shapes], lengths),
        }
    ).with_columns(cell=pl.col("raw").str.strip_chars())
    _count(shapes, table, _FIRST)
    _count_words(shapes, table)
    table = table.filter(~_WHOLE & ~_FIRST["nulls"])
    if table.height:
        _count(shapes, table, _REST)
        table = table.filter(_REST["dates"])
    if table.height:
        _count(shapes, table, {date: _CELL.str.to_date(date, strict=False).is_not_null() for date in _DATES})


def _count_words(shapes: Sequence[Shape], table: pl.DataFrame) -> None:
    """The words that mean missing, each by itself: they may be values after all."""
    found = table.filter(_CELL.is_in(WORDS) & pl.col("words"))
    for column, word, plain, raw, times in found.select("column", "cell", "plain", "raw", "times").iter_rows():
        shape = shapes[column]
        (shape.words if plain or raw != word else shape.quoted)[word] += times


def _count(shapes: Sequence[Shape], table: pl.DataFrame, tests: dict[str, pl.Expr]) -> None:
    sums = (pl.col("times").filter(test).sum().alias(shape) for shape, test in tests.items())
    for row in table.group_by("column").agg(sums).iter_rows(named=True):
        shapes[row.pop("column")].counts.update(row)


class Shape:
    """The shapes of one column's cells so far.

    `keeps` says that words such as NA are values here; `plain` that such a word was not in quotes, so that it means
    missing among texts too. `words` counts those that mean missing, `quoted` those in quotes, which are values among
    texts.

    >>> shape = Shape("age", ",")
    >>> look([shape], [(pl.Series(["30", "31", "?"]), np.array([2, 1, 1]))])
    >>> pl.DataFrame({"age": ["30", "?"]}).select(shape.typed())["age"].to_list()
    [30, None]
    """

    def __init__(
        self, name: str, delimiter: str, missing: Sequence[str] = (), *, keeps: bool = False, plain: bool = False
    ) -> None:
        self.name, self.notes, self.mixed = name, list[str](), 0
        self.keeps, self.plain = keeps, plain
        self.counts: Counter[str] = Counter()
        self.words: Counter[str] = Counter()
        self.quoted: Counter[str] = Counter()
        self._groups = delimiter == ","
        self._missing = list(missing)
        self._few: set[str] = set()

    def without_codes(self, texts: pl.Series, times: NDArray[np.int64]) -> tuple[pl.Series, NDArray[np.int64]]:
        """The cells that are not codes for missing."""
        if self._missing:
            kept = ~texts.is_in(self._missing)
            texts, times = texts.filter(kept), times[kept.to_numpy()]
        if len(self._few) <= FEW:
            means_missing = WORDS if self.plain and not self.keeps else ()
            self._few.update(set(texts.head(FEW + 1 + len(means_missing))) - set(means_missing))
        return texts, times

    def see_unquoted(self, words: Counter[str]) -> None:
        """Words without quotes that were taken as missing before the cells were looked at."""
        if not self.keeps:
            self.words.update({word: times for word, times in words.items() if word not in self._missing})

    def typed(self) -> pl.Expr:
        """The expression that gives the column its type; what is to be told is then in `notes`, `mixed` and `words`."""
        typed = self._as_number()
        typed = self._as_date() if typed is None else typed
        if typed is not None:  # in quotes or not, among numbers and dates they are missing
            self.words += self.quoted
            self.quoted.clear()
        return (self._as_text() if typed is None else typed).alias(self.name)

    @property
    def _filled(self) -> int:
        return self.counts["cells"] - self.counts["nulls"]

    def _as_number(self) -> pl.Expr | None:
        of, rest = self.counts, self._filled - self.counts["whole"]
        if not self._filled or of["zeros"] or of["long"]:
            return None
        if not rest:
            return self._cells().cast(pl.Int64)
        if of["real"] == rest:
            return self._cells().cast(pl.Float64)
        comma, groups = of["comma"] == rest, of["real"] + of["groups"] == rest
        if comma and of["both"] == rest:
            meant = "between thousands" if self._groups else "as a decimal comma"
            self.notes.append(f"Column '{self.name}': the comma in its numbers is read {meant}.")
            comma, groups = not self._groups, self._groups
        if comma:
            plain = self._cells().str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
            return plain.cast(pl.Float64)
        return self._cells().str.replace_all(",", "", literal=True).cast(pl.Float64) if groups else None

    def _as_date(self) -> pl.Expr | None:
        filled = self._filled
        formats = [date for date in _DATES if self.counts[date] == filled == self.counts["dates"]]
        if len(formats) == 1 and filled:
            return self._cells().str.to_date(formats[0])
        if len(formats) > 1 and filled:
            self.notes.append(
                f"Column '{self.name}' holds dates whose day and month cannot be told apart: kept as text."
            )
        return None

    def _as_text(self) -> pl.Expr:
        of, filled = self.counts, self._filled
        numbers = of["whole"] + max(of["real"], of["comma"], of["real"] + of["groups"])
        others = filled - of["ranges"] - numbers
        if not of["zeros"] and others > 0 and numbers >= MOSTLY * filled:
            if len(self._few) > FEW:
                self.mixed = others
            else:
                self.notes.append(f"Column '{self.name}' holds numbers and other cells ({others:,}): read as codes.")
        return self._without(pl.col(self.name), blank=bool(of["blank"]))

    def _cells(self) -> pl.Expr:
        """The cells of a column of numbers or dates: stripped, and what means missing left out."""
        cell = self._without(pl.col(self.name), blank=False).str.strip_chars()
        nulls = ("", *(() if self.keeps else WORDS), *NUMERIC_NULLS)
        return pl.when(~cell.is_in(nulls)).then(cell) if self.counts["nulls"] else cell

    def _without(self, raw: pl.Expr, *, blank: bool) -> pl.Expr:
        if self._missing:
            raw = pl.when(~raw.is_in(self._missing)).then(raw)
        if blank:
            cell = raw.str.strip_chars()
            means = pl.lit(False) if self.keeps else cell.is_in(WORDS) & (pl.lit(self.plain) | (raw != cell))
            raw = pl.when(~((cell == "") | means)).then(raw)
        return raw
