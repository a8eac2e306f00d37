"""Cells of a release whose known columns hold intervals and masks: a person fits every row that may be theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from lookalike.attacks.bins import Classes, apart, class_codes, classed, room_of
from lookalike.attacks.cells import Cells, Counted, Ints
from lookalike.attacks.fitted import Fitted, Keys, Sparse


def coarse_cells(
    original: pl.DataFrame,
    release: pl.DataFrame,
    known: Sequence[str],
    target: str,
    control: pl.DataFrame | None = None,
    classes: Mapping[str, Classes] | None = None,
) -> Cells:
    """Counts as `Cells.of` gives them, where s counts the rows whose intervals hold the person's values.

    Each combination of known values of a person is a key. A row may fit several keys, so s does not add up to the
    rows; every figure that is a share of records is right, a figure that is a share of rows is not to be had (see
    `row_cells`). By Qu (2024), equation 2.4 and example 2.6.2, where 18 lies in 18-21. Columns with classes are
    compared by these.

    >>> original = pl.DataFrame({"age": [18, 19], "test": ["A", "B"]})
    >>> cells = coarse_cells(original, pl.DataFrame({"age": ["[18;21]"] * 2, "test": ["A", "B"]}), ["age"], "test")
    >>> cells.share(cells.release)[cells.place].tolist()
    [0.5, 0.5]
    """
    return key_cells(Coded.of(original, release, known, target, control, classes))


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Who fits which rows, and the targets as numbers: of the people of each file, and of the rows.

    Targets from `levels` on lie in no class, and equal nothing of another file."""

    fitted: Fitted
    people: list[Ints]
    rows: Ints
    levels: int

    @classmethod
    def of(
        cls,
        original: pl.DataFrame,
        release: pl.DataFrame,
        known: Sequence[str],
        target: str,
        control: pl.DataFrame | None = None,
        classes: Mapping[str, Classes] | None = None,
    ) -> Coded:
        """Code the files; columns with classes by these."""
        tables, rules = [original, release] + ([] if control is None else [control]), classes or {}
        codes = class_codes(tables, [target], rules)
        targets = apart(codes)
        tables = classed(tables, known, rules)
        fitted = Keys.of([tables[0], *tables[2:]], tables[1], known).fitted()
        return cls(fitted, [targets[0], *targets[2:]], targets[1], room_of(codes))


def key_cells(coded: Coded) -> Cells:
    """Cells of the keys of people.

    Of the cells that nobody has, only the most frequent of each key is kept: it decides whether a key is certain, and
    all of them would be as many as people times rows."""
    fitted, people, rows = coded.fitted, coded.people, coded.rows
    levels = room_of([*people, rows])
    spots = [k * levels + t for k, t in zip(fitted.people, people, strict=True)]
    asked = np.unique(np.concatenate(spots))
    by_box = table(fitted.rows, rows, len(fitted.boxes), levels)
    places, counts, totals = [], [], []
    for some, fits in fitted.parts():
        own = asked[np.searchsorted(asked, some.start * levels) : np.searchsorted(asked, some.stop * levels)]
        place, count = _kept((fits @ by_box).tocsr(), own - some.start * levels, levels)
        places.append(place + some.start * levels)
        counts.append(count)
        totals.append((fits @ fitted.sizes).astype(np.int64))
    place, keys = np.concatenate(places), np.concatenate(totals)
    release = Counted(np.concatenate(counts), keys, np.bincount(rows, minlength=levels))
    at = [np.searchsorted(place, spot) for spot in spots]
    counted = [
        _counted(a, k, t, len(place), len(keys), levels) for a, k, t in zip(at, fitted.people, people, strict=True)
    ]
    third = len(at) > 1
    return Cells(
        place // levels,
        place % levels,
        counted[0],
        release,
        counted[1] if third else None,
        at[0],
        at[1] if third else None,
    )


def table(rows: Ints, columns: Ints, height: int, width: int) -> Sparse:
    """How often each pair of numbers occurs."""
    from scipy.sparse import coo_array

    return coo_array((np.ones(len(rows)), (rows, columns)), shape=(height, width)).tocsr()


def _kept(found: Sparse, own: Ints, levels: int) -> tuple[Ints, Ints]:
    """The places and counts of the cells that somebody has, and of the largest cell of each key."""
    found.sort_indices()
    lengths = np.diff(found.indptr)
    place = np.repeat(np.arange(len(lengths)), lengths) * levels + found.indices
    full = np.flatnonzero(lengths)
    if not len(full):
        return own, np.zeros(len(own), np.int64)
    starts = found.indptr[full]
    is_largest = np.flatnonzero(found.data == np.repeat(np.maximum.reduceat(found.data, starts), lengths[full]))
    one_each = is_largest[np.unique(place[is_largest] // levels, return_index=True)[1]]
    wanted = np.union1d(own, place[one_each])
    at = np.minimum(np.searchsorted(place, wanted), len(place) - 1)
    return wanted, np.where(place[at] == wanted, found.data[at], 0).astype(np.int64)


def _counted(at: Ints, keys: Ints, targets: Ints, cells: int, room: int, levels: int) -> Counted:
    return Counted(
        np.bincount(at, minlength=cells), np.bincount(keys, minlength=room), np.bincount(targets, minlength=levels)
    )
