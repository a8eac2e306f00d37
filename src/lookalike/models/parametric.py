"""Every column by itself: numbers by a family of laws with few parameters, categories by their shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.filled import faults_of
from lookalike.models.generators.alias import AliasTable
from lookalike.models.margin import StepMargin
from lookalike.models.margin_parametric import ParametricMargin, parametric
from lookalike.models.mixed import Categories, Column, Mixed, Numbers

_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Parametric:
    """F(·; θ̂) a column (thesis, section 3.2.7): the family of the smallest AIC for numbers, shares for categories.

    Nothing ties a column to another. With few parameters a column, little of the file goes into the records; what they
    keep is the shape of each column, as far as its family has it.

    >>> x = np.random.default_rng(1).exponential(5, 2_000)
    >>> law = Parametric().fit_mixed(Mixed((Numbers(x),)), rng=np.random.default_rng(2))
    >>> law.margins[0].family, law.sample(3, rng=np.random.default_rng(3)).records
    ('exponential', 3)
    """

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> ParametricLaw:
        """One law a column, from its known cells."""
        faults_of(table, "A law by columns")
        return ParametricLaw(table.empty(0), tuple(_margin(column) for column in table.columns))


class ParametricLaw:
    """Columns that know nothing of each other."""

    def __init__(self, form: Mixed, margins: tuple[ParametricMargin | StepMargin | AliasTable, ...]) -> None:
        self._form, self.margins = form, margins

    @property
    def caveats(self) -> tuple[str, ...]:
        """That columns are independent, and how well each family fits."""
        fits = [
            f"column {j}: {m.family}, {m.distance:.3f}"
            for j, m in enumerate(self.margins, 1)
            if isinstance(m, ParametricMargin)
        ]
        more = f"; and {len(fits) - _SHOWN} more" if len(fits) > _SHOWN else ""
        told = f"Family and Kolmogorov-Smirnov distance from the file: {'; '.join(fits[:_SHOWN])}{more}."
        return ("Every column is drawn by itself: nothing that ties columns is kept.", *((told,) if fits else ()))

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records; one stream, so the number of threads changes nothing."""
        return self.complete(self._form.empty(n), rng=rng)

    def complete(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Mixed:
        """Unknown cells by their column's law, for nothing ties them to the known ones."""
        columns = zip(table.columns, self.margins, strict=True)
        return Mixed(tuple(_completed(column, margin, rng) for column, margin in columns))


def _margin(column: Column) -> ParametricMargin | StepMargin | AliasTable:
    if isinstance(column, Categories):
        return AliasTable.of(np.bincount(column.codes[column.known], minlength=column.levels).astype(np.float64))
    values, counts = np.unique(column.values[column.known], return_counts=True)
    return parametric(values, counts)


def _completed(column: Column, margin: ParametricMargin | StepMargin | AliasTable, rng: Generator) -> Column:
    at = np.flatnonzero(~column.known)
    if isinstance(column, Categories):
        assert isinstance(margin, AliasTable)
        codes = column.codes.copy()
        codes[at] = margin.draw(len(at), rng=rng)
        return Categories(codes, column.levels, column.ordered)
    assert not isinstance(margin, AliasTable)
    values: NDArray[np.float64] = column.values.copy()
    drawn = np.empty(len(at))
    margin.draw(rng.standard_normal(len(at)), drawn)
    values[at] = drawn
    return Numbers(values)
