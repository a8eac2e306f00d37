"""Rules as structural zeros: combinations of categories that a model need not learn to avoid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import polars as pl

from lookalike.models.structural_zeros import Slice, slices_of
from lookalike.synthesis.coding import AsCategory, Coding

MOST = 1_000_000
"""Combinations of levels that one rule may speak of; beyond, the rule is kept by drawing again alone."""


def zeros_of(broken: Sequence[pl.Expr], codings: Sequence[Coding]) -> tuple[Slice, ...]:
    """The combinations that rules forbid, where they speak of categories alone; one code a column of the model."""
    places, width = {}, 0
    for coding in codings:
        places[coding.name] = width
        width += coding.places
    named = {coding.name: coding for coding in codings}
    found: list[Slice] = []
    for rule in broken:
        columns = [named[name] for name in dict.fromkeys(rule.meta.root_names())]
        categories = {c.name: c for c in columns if isinstance(c, AsCategory)}
        if len(categories) == len(columns) and prod(c.levels for c in categories.values()) <= MOST:
            at = [places[name] for name in categories]
            found += slices_of(_table(rule, categories), columns=at, width=width)
    return tuple(dict.fromkeys(found))


def _table(rule: pl.Expr, columns: Mapping[str, AsCategory]):  # type: ignore[no-untyped-def]
    """Whether the rule forbids each combination of levels, one side a column."""
    grid: pl.DataFrame | None = None
    for name, column in columns.items():
        values = column.values.extend_constant(None, 1) if column.own_missing else column.values
        side = pl.DataFrame({name: values})
        grid = side if grid is None else grid.join(side, how="cross", maintain_order="left_right")
    assert grid is not None
    forbidden = grid.select(rule.fill_null(False).alias("forbidden"))["forbidden"].to_numpy()
    return forbidden.reshape([column.levels for column in columns.values()])
