"""Donors in the same cell: a value of a record that agrees on one predictor, or on all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Mixed

Unseen = Literal["refuse", "fewer"]
Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saturated:
    """A donor in the same cell of all predictors, each with the same chance ("satcat"). Predictors are categories.

    A combination that no record of the file has is refused; with unseen="fewer" the last predictor is left out, then
    the one before, until there is a donor.

    >>> x = Mixed((Categories(np.array([0, 0, 1], np.int32), levels=3),))
    >>> y = Categories(np.array([0, 0, 1], np.int32), levels=2)
    >>> step = Saturated().fit(y, x, rng=np.random.default_rng(1))
    >>> step.draw(x, rng=np.random.default_rng(1)).codes.tolist()
    [0, 0, 1]
    """

    unseen: Unseen = "refuse"

    def __post_init__(self) -> None:
        _check(self.unseen, "Saturated")

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedCells:
        """Sort the records by cell; a predictor of numbers is refused."""
        return _fit(response, predictors, self.unseen, "Saturated", rng if proper else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nested:
    """A donor with the same level of one coarse predictor ("nested"): a detailed code given its group.

    `column` is the place of the coarse column among the predictors, counted from 0.

    >>> region = Mixed((Categories(np.array([0, 1, 1], np.int32), levels=2),))
    >>> town = Categories(np.array([4, 2, 2], np.int32), levels=5)
    >>> step = Nested().fit(town, region, rng=np.random.default_rng(1))
    >>> step.draw(region, rng=np.random.default_rng(1)).codes.tolist()
    [4, 2, 2]
    """

    column: int = 0
    unseen: Unseen = "refuse"

    def __post_init__(self) -> None:
        _check(self.unseen, "Nested")

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> FittedCells:
        """Sort the records by level. Without any predictor all records are donors."""
        if not predictors.columns:
            return _fit(response, predictors, self.unseen, "Nested", rng if proper else None)
        if not 0 <= self.column < len(predictors.columns):
            raise BadPlan(f"Nested: 'column' is {self.column}; there are {len(predictors.columns)} predictors, from 0.")
        found = _fit(response, predictors.only([self.column]), self.unseen, "Nested", rng if proper else None)
        return FittedCells(found.values, found.cells, self.unseen, (self.column,))


@dataclass(frozen=True, slots=True)
class FittedCells:
    """The values of the file, sorted by cell."""

    values: Column
    cells: Cells
    unseen: Unseen
    columns: tuple[int, ...]
    """Which predictors make the cells."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """How many records are alone in their cell, and what becomes of combinations that do not occur."""
        told = []
        if alone := self.figures["alone"]:
            told.append(
                f"{alone:.1%} of the records are alone in their cell of predictors: "
                "there the one value of the file is always drawn."
            )
        if self.unseen == "fewer" and self.columns:
            told.append("Combinations that no record of the file has take a donor that agrees on fewer predictors.")
        return tuple(told)

    @property
    def figures(self) -> Mapping[str, float]:
        """Rows, cells, and the share of records alone in theirs."""
        sizes = np.diff(self.cells.starts[-1])
        return {"rows": len(self.values), "cells": len(sizes), "alone": float((sizes == 1).sum() / len(self.values))}

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Column:
        """A donor of each row's cell."""
        first, last, whole = self.cells.find(predictors.only(self.columns), predictors.records)
        if self.unseen == "refuse" and (missing := int((~whole).sum())):
            raise BadPlan(
                f"{missing} of {len(whole)} records have a combination of predictors that no record of the file has: "
                "take unseen='fewer', or fewer predictors."
            )
        donors = first + np.floor(rng.random(len(first)) * (last - first)).astype(np.int64)
        return self.values.take(np.minimum(donors, last - 1))


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of the first predictor, of the first two, and so on, as stretches of the same sorted records."""

    keys: tuple[Ids, ...]
    """Of each depth: the cells that occur, as (cell one depth above) × levels + code, rising."""
    starts: tuple[Ids, ...]
    """Of each depth, from none to all predictors: where the records of a cell start, and the end."""
    levels: tuple[int, ...]

    @classmethod
    def of(cls, predictors: Mixed, records: int) -> tuple[Cells, Ids]:
        """And the order of the records."""
        cell, keys, ids = np.zeros(records, np.int64), list[Ids](), list[Ids]()
        for column in predictors.columns:
            assert isinstance(column, Categories)
            found, cell = np.unique(cell * column.levels + column.codes, return_inverse=True)
            keys.append(found.astype(np.int64))
            ids.append(cell)
        # Cells of one depth are numbered in the order of the depths above, so one order serves all.
        starts = [np.array([0, records])]
        starts += [np.concatenate([[0], np.cumsum(np.bincount(each))]) for each in ids]
        levels = tuple(column.levels for column in predictors.columns if isinstance(column, Categories))
        return cls(tuple(keys), tuple(starts), levels), np.argsort(cell, kind="stable")

    def find(self, predictors: Mixed, records: int) -> tuple[Ids, Ids, NDArray[np.bool_]]:
        """The first donor of each row and the one after its last, and whether all predictors agree."""
        cell, whole = np.zeros(records, np.int64), np.ones(records, np.bool_)
        first, last = cell + self.starts[0][0], cell + self.starts[0][1]
        for column, keys, starts, levels in zip(
            predictors.columns, self.keys, self.starts[1:], self.levels, strict=True
        ):
            assert isinstance(column, Categories)
            wanted = cell * levels + column.codes
            place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            whole &= (keys[place] == wanted) & (column.codes < levels)
            cell = np.where(whole, place, 0)
            first, last = np.where(whole, starts[cell], first), np.where(whole, starts[cell + 1], last)
        return first, last, whole


def _fit(response: Column, predictors: Mixed, unseen: Unseen, what: str, rng: Generator | None) -> FittedCells:
    """With an rng, from a bootstrap sample of the records inside each cell, so that no cell runs empty."""
    if numbers := [str(j + 1) for j, c in enumerate(predictors.columns) if not isinstance(c, Categories)]:
        raise BadPlan(f"{what} makes cells of categories; column {', '.join(numbers)} of the predictors holds numbers.")
    cells, order = Cells.of(predictors, len(response))
    if rng is not None:
        starts = cells.starts[-1]
        sizes = np.repeat(np.diff(starts), np.diff(starts))
        inside = np.floor(rng.random(len(order)) * sizes).astype(np.int64)
        order = order[np.repeat(starts[:-1], np.diff(starts)) + np.minimum(inside, sizes - 1)]
    return FittedCells(response.take(order), cells, unseen, tuple(range(len(predictors.columns))))


def _check(unseen: str, what: str) -> None:
    if unseen not in ("refuse", "fewer"):
        raise BadPlan(f"{what}: 'unseen' is 'refuse' or 'fewer', not '{unseen}'.")
