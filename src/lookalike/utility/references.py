"""Coefficients that mean the same in every file: set against a level that all hold, and taking no other's part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lookalike.models.mixed import Categories, Mixed
from lookalike.models.steps.one_thread import one_thread
from lookalike.utility.designs import Design, Floats, Places
from lookalike.utility.glm_fits import inverted
from lookalike.utility.stacked import Stacked

NOTHING = 1e-5
"""A share of a column that is rounding: the root of `TOLERANCE`."""


def against_shared(stacked: Stacked) -> Stacked:
    """The files with the first level that all of them hold before the others: levels are set against it.

    Where no level is in all files the order stays.

    >>> import polars as pl
    >>> from lookalike.utility.stacked import stack
    >>> files = [pl.DataFrame({"sex": ["d", "m", "w"]}), pl.DataFrame({"sex": ["w", "m"]})]
    >>> both = against_shared(stack(files))
    >>> both.labels, both.table.columns[0].codes.tolist()
    ((('m', 'd', 'w'),), [1, 0, 2, 2, 0])
    """
    columns, labels = list(stacked.table.columns), list(stacked.labels)
    for j, cells in enumerate(columns):
        if isinstance(cells, Categories) and (place := _first_shared(cells, stacked)):
            codes = np.where(cells.codes == place, 0, cells.codes + (cells.codes < place)).astype(np.int32)
            columns[j] = replace(cells, codes=codes)
            labels[j] = (labels[j][place], *labels[j][:place], *labels[j][place + 1 :])
    return replace(stacked, table=Mixed(tuple(columns)), labels=tuple(labels))


def references(stacked: Stacked) -> dict[str, str]:
    """The level that each column with levels is set against."""
    return {name: labels[0] for name, labels in zip(stacked.names, stacked.labels, strict=True) if labels}


def moved_references(before: Stacked, after: Stacked) -> tuple[str, ...]:
    """The columns that are set against another level than before."""
    first = references(before)
    return tuple(name for name, label in references(after).items() if label != first[name])


def taken_parts(design: Design, kept: Places, rows: slice) -> dict[int, Floats]:
    """By column of the design that the rows do not tell, what of it the coefficients of the others take over.

    If x_d = Σ c_i x_i in all rows, the fit without x_d gives b_i + c_i b_d in place of b_i. In units of the file.
    """
    lacking = np.setdiff1d(np.arange(design.width), kept)
    if not len(lacking):
        return {}
    with one_thread():
        gram = design.products(rows)
        shares = inverted(gram[np.ix_(kept, kept)]) @ gram[np.ix_(kept, lacking)]
    found = np.zeros((design.width, len(lacking)))
    found[kept] = -np.where(np.abs(shares) > NOTHING, shares, 0.0)
    found[lacking, np.arange(len(lacking))] = 1.0
    return dict(zip(lacking.tolist(), _clean(design.units, found).T, strict=True))


def unlike(one: Mapping[int, Floats], other: Mapping[int, Floats], width: int) -> NDArray[np.bool_]:
    """The coefficients that take over other parts in one file than in another: they do not mean the same.

    >>> empty = {2: np.array([0.0, 0.0, 1.0])}                      # a level without records: nobody takes its part
    >>> told_by_the_others = {2: np.array([-1.0, 1.0, 1.0])}
    >>> unlike({}, empty, 3).tolist(), unlike({}, told_by_the_others, 3).tolist()
    ([False, False, True], [True, True, True])
    """
    nothing, found = np.zeros(width), np.zeros(width, np.bool_)
    for column in one.keys() | other.keys():
        first, second = one.get(column, nothing), other.get(column, nothing)
        found |= np.abs(first - second) > NOTHING * np.maximum(np.abs(first), np.abs(second))
    return found


def _first_shared(cells: Categories, stacked: Stacked) -> int:
    """The first level that all files hold; 0 if there is none."""
    files = [cells.codes[stacked.rows(file)] for file in range(len(stacked.sizes))]
    return int(np.argmax(np.all([np.bincount(codes, minlength=cells.levels) > 0 for codes in files], axis=0)))


def _clean(units: Floats, parts: Floats) -> Floats:
    """Parts in units of the file; what is left of sums that cancel is nothing."""
    found, size = units @ parts, np.abs(units) @ np.abs(parts)
    return np.where(np.abs(found) > NOTHING * size, found, 0.0)
