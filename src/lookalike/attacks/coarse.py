"""Cells of a release whose known columns hold intervals and masks: a person fits every row that may be theirs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from lookalike.attacks.cells import Cells, Counted, Ints
from lookalike.attacks.columns import alike, numbered
from lookalike.attacks.files import Files
from lookalike.attacks.fits import Fits
from lookalike.errors import BadPlan

MOST_LEVELS = 2_000
"""Levels of a target, each of which is one pass over the release."""


def coarse_cells(
    original: pl.DataFrame,
    release: pl.DataFrame,
    known: Sequence[str],
    target: str,
    control: pl.DataFrame | None = None,
) -> Cells:
    """Counts as `Cells.of` gives them, where s counts the rows whose intervals hold the person's values.

    Each combination of known values of a person is a key. A row may fit several keys, so s does not add up to the
    rows; every figure that is a share of records is right, a figure that is a share of rows is not to be had. By Qu
    (2024), equation 2.4 and example 2.6.2, where 18 lies in 18-21.

    >>> original = pl.DataFrame({"age": [18, 19], "test": ["A", "B"]})
    >>> cells = coarse_cells(original, pl.DataFrame({"age": ["[18;21]"] * 2, "test": ["A", "B"]}), ["age"], "test")
    >>> cells.share(cells.release)[cells.place].tolist()
    [0.5, 0.5]
    """
    people = [original] + ([] if control is None else [control])
    keys = _renumbered([numbered(people, known).files[i] for i in range(len(people))])
    targets = alike([file[target] for file in (original, release, *([] if control is None else [control]))])
    levels = pl.concat(targets).unique(maintain_order=True)
    if len(levels) > MOST_LEVELS:
        raise BadPlan(
            f"The target '{target}' has {len(levels):,} values and the release holds intervals. "
            "Group the values of the target first."
        )
    codes = numbered([pl.DataFrame({"t": t}) for t in (*targets, levels)], ["t"]).files
    first = np.unique(np.concatenate(keys), return_index=True)[1]
    asked = pl.concat([file.select(known) for file in people], how="vertical_relaxed")[first]
    rows = _rows(asked, release, known, codes[1], codes[-1])
    return _cells(keys, [codes[0], *codes[2:-1]], codes[-1], rows)


def _renumbered(keys: Sequence[Ints]) -> list[Ints]:
    """Numbers from 0 without gaps."""
    _, index = np.unique(np.concatenate(keys), return_inverse=True)
    return np.split(index.astype(np.int64), np.cumsum([len(k) for k in keys])[:-1])


def _rows(asked: pl.DataFrame, release: pl.DataFrame, known: Sequence[str], targets: Ints, levels: Ints) -> Ints:
    """For each key and each level of the target, the rows that fit the key and have the level."""
    found = np.zeros((asked.height, len(levels)), np.int64)
    fits = Fits.of(Files(original=asked, releases=(release,)), known)
    for j, level in enumerate(levels):
        found[:, j] = fits.count(fits.targets[0], fits.rows[1].take(np.flatnonzero(targets == level)))
    return found


def _cells(keys: Sequence[Ints], targets: Sequence[Ints], levels: Ints, rows: Ints) -> Cells:
    place = {int(level): j for j, level in enumerate(levels)}
    at = [np.array([place[int(t)] for t in target], np.int64) for target in targets]
    counts = [np.zeros(rows.shape, np.int64) for _ in keys]
    for count, key, level in zip(counts, keys, at, strict=True):
        np.add.at(count, (key, level), 1)
    occurs = np.any([rows > 0, *(count > 0 for count in counts)], axis=0)
    key, target = (axis.astype(np.int64) for axis in np.nonzero(occurs))
    number = np.cumsum(occurs.ravel()).reshape(occurs.shape) - 1
    counted = [Counted(c[occurs], c.sum(axis=1), c.sum(axis=0)) for c in (*counts, rows)]
    places = [number[k, level] for k, level in zip(keys, at, strict=True)]
    third = len(keys) > 1
    return Cells(
        key, target, counted[0], counted[-1], counted[1] if third else None, places[0], places[1] if third else None
    )
