"""Columns that are computed from others, not drawn: a body mass index from height and weight."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log10

import numpy as np
import polars as pl

from lookalike.data import Variable, number_of
from lookalike.errors import BadPlan, unknown
from lookalike.synthesis.rounding import step_of

NEAR = 1e-6
"""Two numbers that differ by less, relative to their size, are the same."""


@dataclass(frozen=True)
class Formulas:
    """By column, what computes it."""

    by_name: Mapping[str, pl.Expr]

    @classmethod
    def of(
        cls, given: Mapping[str, str], file: pl.DataFrame, modelled: Sequence[str], variables: Sequence[Variable] = ()
    ) -> Formulas:
        """Read the formulas; `file` has the columns they speak of and those they compute. Tells all faults at once.

        What is computed from a code for missing is missing: the code of its own column, or an empty cell.
        """
        codes = {v.name: _numbers(v) for v in variables if v.missing}
        faults: list[str] = []
        found = {}
        for name, text in given.items():
            formula = _read(name, text, modelled, faults)
            if formula is not None:
                found[name] = _where_known(_as_the_file(formula, file[name]), name, formula, file, codes)
        if faults:
            raise BadPlan(faults)
        self = cls(found)
        try:
            self.add(file.head(1))
        except pl.exceptions.PolarsError:
            raise BadPlan(f"Formulas of {', '.join(found)}: what they give is not of the type of the column.") from None
        return self

    def add(self, drawn: pl.DataFrame) -> pl.DataFrame:
        """The records with the columns computed."""
        return drawn.with_columns(formula.alias(name) for name, formula in self.by_name.items())

    def caveats(self, file: pl.DataFrame) -> Iterator[str]:
        """How often a formula gives what the file holds."""
        computed = self.add(file)
        for name in self.by_name:
            share = int(_same(file[name], computed[name]).sum()) / file.height
            if share < 1:
                yield f"'{name}' is computed; in the file the formula gives {share:.1%} of its cells."


def _read(name: str, text: str, modelled: Sequence[str], faults: list[str]) -> pl.Expr | None:
    try:
        formula = pl.sql_expr(text)
        used = formula.meta.root_names()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        faults.append(f"The formula of '{name}' cannot be read. Write it as in SQL: weight / (height * height).")
        return None
    lacking = [
        f"The formula of '{name}': " + unknown("column", n, modelled, where="among those drawn", listed="Columns")
        for n in dict.fromkeys(used)
        if n not in modelled
    ]
    if not used:
        lacking.append(f"The formula of '{name}' names no column.")
    faults += lacking
    return None if lacking else formula


def _as_the_file(formula: pl.Expr, cells: pl.Series) -> pl.Expr:
    """The formula with the type and the rounding of its column."""
    if not cells.dtype.is_numeric():
        return formula.cast(cells.dtype)
    real = cells.drop_nulls().cast(pl.Float64).to_numpy()
    step = step_of(real[np.isfinite(real)], whole=cells.dtype.is_integer())
    numbers = formula.cast(pl.Float64)
    if step >= 1:
        numbers = (numbers / step).round() * step
    elif step > 0:
        # By decimals: Polars takes 272 / 10 for 272 · 0.1, which is 27.200000000000003.
        numbers = numbers.round(round(-log10(step)))
    return numbers.cast(cells.dtype)


def _numbers(variable: Variable) -> list[float]:
    return [number for code in variable.missing if (number := number_of(code)) is not None]


def _where_known(
    computed: pl.Expr, name: str, formula: pl.Expr, file: pl.DataFrame, codes: Mapping[str, list[float]]
) -> pl.Expr:
    """The formula where none of its columns holds a code for missing."""
    coded = [n for n in dict.fromkeys(formula.meta.root_names()) if codes.get(n) and file[n].dtype.is_numeric()]
    if not coded:
        return computed
    unknown_there = pl.any_horizontal(pl.col(n).cast(pl.Float64).is_in(codes[n]) for n in coded)
    own = pl.lit(next(iter(codes.get(name, ())), None)).cast(file[name].dtype)
    return pl.when(unknown_there).then(own).otherwise(computed)


def _same(file: pl.Series, computed: pl.Series) -> pl.Series:
    if not file.dtype.is_numeric():
        return file.eq_missing(computed)
    one, other = (s.cast(pl.Float64) for s in (file, computed))
    near = ((one - other).abs() <= NEAR * one.abs().clip(1e-300)).fill_null(False)
    return near | (one.is_null() & other.is_null()) | one.eq(other).fill_null(False)
