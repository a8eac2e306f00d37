"""What a release asks of a model that knows columns by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.mixed import Column, Joint, Law, Mixed

Cells = tuple[Column, ...]
"""The columns of a mixed table that hold one column of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """Where a condition on other columns holds, a column has one value."""

    name: str
    needs: tuple[str, ...]
    """The columns the condition speaks of."""
    holds: Callable[[Mapping[str, Cells]], NDArray[np.bool_]]
    """Row by row, given the cells of these columns."""
    value: Cells
    """The value, as one row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Names of the table's columns, which of them are given, rules, and whether the law is drawn too.

    A number with gaps takes two columns of the table, one after the other; both have its name.
    """

    names: tuple[str, ...]
    given: tuple[str, ...] = ()
    """Columns whose cells are known where records are completed: they come first and are not drawn."""
    fixed: tuple[Fixed, ...] = ()
    proper: bool = False


@runtime_checkable
class Named(Joint, Protocol):
    """A model whose settings name columns."""

    def fit_named(self, table: Mixed, asked: Asked, *, rng: Generator, threads: int | None = None) -> Law:
        """Learn the law of the records of named columns."""
        ...
