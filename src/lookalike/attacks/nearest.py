"""Records as points among which the nearest are looked for, and the records that are attacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.files import Files
from lookalike.attacks.grids import Scale
from lookalike.attacks.outcome import Share
from lookalike.classes import group

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Some columns of the files of an attack: the original, the releases, the control. `Scale` tells the distance."""

    categories: list[Scale]
    numbers: list[Scale]
    heights: list[int]

    @classmethod
    def of(cls, files: Files, names: Sequence[str]) -> Points:
        """The points of all files.

        >>> file = pl.DataFrame({"age": [30, 50], "sex": ["F", None]})
        >>> points = Points.of(Files(original=file, releases=(file,)), ["age", "sex"])
        >>> [part.tolist() for part in points.people(0, np.array([0, 1]))]
        [[[1.0], [-inf]], [[30.0], [50.0]]]
        """
        tables = files_of(files)
        releases = range(1, len(files.releases) + 1)
        scales = [Scale.of([table[name] for table in tables], releases) for name in names]
        numbers = [scale for scale in scales if scale.ordered]
        return cls([s for s in scales if not s.ordered], numbers, [table.height for table in tables])

    def people(self, file: int, which: Ints) -> tuple[Floats, Floats]:
        """Some records of a file: their categories and their numbers, a record a row."""
        categories, numbers = (self._beside(scales, file, high=False) for scales in (self.categories, self.numbers))
        return categories[which], numbers[which]

    def laid(self, file: int) -> tuple[NDArray[np.generic], ...]:
        """The rows of a file laid out for the kernels (see `_nearest`)."""
        first, last = (self._beside(self.categories, file, high=high) for high in (False, True))
        groups = _groups(np.hstack([first, last]))
        order = np.argsort(groups, kind="stable").astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(np.bincount(groups))]).astype(np.int64)
        low, high = (np.ascontiguousarray(self._beside(self.numbers, file, high=h)[order]) for h in (False, True))
        one = order[starts[:-1]]
        inverse = np.array([scale.inverse for scale in self.numbers], np.float64)
        return np.ascontiguousarray(first[one].T), np.ascontiguousarray(last[one].T), starts, low, high, inverse, order

    def _beside(self, scales: Sequence[Scale], file: int, *, high: bool) -> Floats:
        columns = [(scale.high if high else scale.low)[file] for scale in scales]
        return np.column_stack(columns) if columns else np.empty((self.heights[file], 0))


def files_of(files: Files) -> list[pl.DataFrame]:
    """The original, the releases, the control if there is one."""
    return [files.original, *files.releases, *([] if files.control is None else [files.control])]


def _groups(keys: Floats) -> Ints:
    """A number for each row, from 0 without gaps, equal where the rows are; one group if there are no columns."""
    if not keys.shape[1]:
        return np.zeros(len(keys), np.int64)
    return group([np.unique(column, return_inverse=True)[1] for column in keys.T]).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """The records that are attacked: as many of the original as asked for, and as many of the control."""

    original: Ints
    control: Ints | None

    @classmethod
    def drawn(cls, files: Files, attacks: int, rng: Generator) -> Targets:
        """Drawn at random, none twice; all where there are no more."""
        original = _some(files.original.height, attacks, rng)
        return cls(original, None if files.control is None else _some(files.control.height, attacks, rng))


def _some(of: int, number: int, rng: Generator) -> Ints:
    return np.sort(rng.choice(of, min(of, number), replace=False)).astype(np.int64)


def mean_of(chances: Floats) -> Share:
    """How often an attack succeeds, of as many targets as there are chances."""
    return Share(successes=float(chances.sum()), of=len(chances), what="targets")
