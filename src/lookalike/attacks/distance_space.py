"""The files of an attack by distance as points: what is looked for, and among what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.columns import numbered
from lookalike.attacks.gower import Gower, Nearest, Points, nearest
from lookalike.attacks.outcome import Share

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """One release with its original and a control of the same size, as points.

    `same` numbers the records of the original, of the control and the rows looked for, equal where all columns are."""

    original: Points
    control: Points
    release: Points
    rows: Points
    """The rows of the release that are looked for."""
    people: Points
    """The records of the original that are looked for."""
    others: Points
    """The records of the control that are looked for."""
    same: tuple[Ints, Ints, Ints]

    @classmethod
    def of(
        cls, files: Sequence[pl.DataFrame], columns: Sequence[str], gower: Gower, most: int, rng: Generator
    ) -> Space:
        """The original, the control and the release; at most so many of each are looked for."""
        points, same = gower.points(files, columns), numbered(files, columns).files
        even = min(files[0].height, files[1].height)
        own, other = (some(file.height, even, rng) for file in files[:2])
        asked = [some(file.height, most, rng) for file in files]
        return cls(
            original=points[0][own],
            control=points[1][other],
            release=points[2],
            rows=points[2][asked[2]],
            people=points[0][asked[0]],
            others=points[1][asked[1]],
            same=(same[0][own], same[1][other], same[2][asked[2]]),
        )

    def only(self, columns: Ints) -> Space:
        """Some of the columns."""
        points = (self.original, self.control, self.release, self.rows, self.people, self.others)
        own, other, release, rows, people, others = (np.ascontiguousarray(p[:, columns]) for p in points)
        return Space(own, other, release, rows, people, others, self.same)

    def near(self) -> tuple[Nearest, Nearest]:
        """The nearest records of every row: of the original and of the control."""
        return nearest(self.rows, self.original), nearest(self.rows, self.control)


def some(of: int, most: int, rng: Generator) -> Ints:
    """The places of a random part of so many at most, in order."""
    return np.arange(of) if of <= most else np.sort(rng.choice(of, most, replace=False))


def clustered(hits: Floats | NDArray[np.bool_], cluster: Ints, what: str) -> Share:
    """A share of rows that stand or fall in clusters: of as many rows as would vary as much, each on its own.

    Var = Σ_c (Σ_{j in c} (x_j − x̄))²/k², and x̄(1 − x̄)/Var rows, k at most: Kish's (1965) effective sample size.

    >>> hits = np.array([1.0, 1, 1, 1, 0, 0, 0, 0])
    >>> str(clustered(hits, np.arange(8), "rows")), str(clustered(hits, np.arange(8) // 2, "rows"))
    ('4 of 8 rows', '2 of 4 rows')
    """
    hits = hits.astype(np.float64)
    k, mean = len(hits), float(hits.mean())
    variance = float((np.bincount(cluster, weights=hits - mean) ** 2).sum()) / k**2
    free = k if variance <= 0 else min(float(k), mean * (1 - mean) / variance)
    of = max(1, int(free + 1e-9))
    return Share(successes=mean * of, of=of, what=what)


def subsets(columns: int, wanted: int, rng: Generator) -> list[Ints]:
    """Different random subsets of 2 columns or more, not all; fewer than wanted if there are not so many.

    >>> len(subsets(3, 10, np.random.default_rng(1))), subsets(2, 10, np.random.default_rng(1))
    (3, [])
    """
    found: dict[tuple[int, ...], Ints] = {}
    for _ in range(20 * wanted if columns > 2 else 0):
        which = np.sort(rng.choice(columns, int(rng.integers(2, columns)), replace=False))
        found.setdefault(tuple(which.tolist()), which)
        if len(found) == wanted:
            break
    return list(found.values())
