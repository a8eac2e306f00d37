"""A version of a file by global recoding: every variable on a coarser level, or dropped."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

MOST_KEY = 2**62

Codes = NDArray[np.int32]


class Version(Protocol):
    """What the match rate of a version is computed from; `Recoded` is one.

    `maps` has an array a variable: at the place of a fine code the code of its level, 0 and up; a dropped variable maps
    all to 0. `levels` are names of these arrays: under one name a variable must always have the same array, for what
    follows from it is kept; None keeps nothing. `codes` has one row a class, with codes of the level, `sizes` its
    records. Classes that are left out of a release are left out here.
    """

    @property
    def maps(self) -> Sequence[Codes]: ...  # noqa: D102
    @property
    def levels(self) -> Sequence[Hashable]: ...  # noqa: D102
    @property
    def codes(self) -> Codes: ...  # noqa: D102
    @property
    def sizes(self) -> NDArray[np.int64]: ...  # noqa: D102


@dataclass(frozen=True, slots=True, kw_only=True)
class Recoded:
    """A version with all its classes, made from the classes of the finest file.

    >>> fine, sizes = np.array([[0, 0], [1, 0], [2, 1]]), np.array([2, 1, 1])
    >>> pairs = Recoded.of(fine, sizes, [np.array([0, 0, 1]), np.array([0, 1])])
    >>> pairs.codes.tolist(), pairs.sizes.tolist()
    ([[0, 0], [1, 1]], [3, 1])
    """

    maps: tuple[Codes, ...]
    levels: tuple[Hashable, ...]
    codes: Codes
    sizes: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        fine: NDArray[np.integer],
        sizes: NDArray[np.integer],
        maps: Sequence[NDArray[np.integer]],
        levels: Sequence[Hashable] | None = None,
    ) -> Recoded:
        """The version of a file, given by its classes, with these levels."""
        coarse = recode(fine, maps)
        first, labels = grouped(coarse)
        return cls(
            maps=tuple(np.asarray(m, np.int32) for m in maps),
            levels=tuple(levels or [None] * len(maps)),
            codes=coarse[first],
            sizes=np.bincount(labels, weights=sizes).astype(np.int64),
        )


def recode(codes: NDArray[np.integer], maps: Sequence[NDArray[np.integer]]) -> Codes:
    """The coarse codes of rows of fine codes."""
    out = np.empty(codes.shape, np.int32)
    for j, coarse in enumerate(maps):
        out[:, j] = coarse[codes[:, j]]
    return out


def keys(codes: NDArray[np.integer]) -> NDArray[np.int64]:
    """One number a row, in the order of the rows; equal rows have one number. Exact, whatever the levels.

    >>> keys(np.array([[1, 0], [0, 7], [1, 0]])).tolist()
    [8, 7, 8]
    """
    found, most = np.zeros(len(codes), np.int64), 1
    for j in range(codes.shape[1]):
        levels = int(codes[:, j].max(initial=0)) + 1
        if most * levels > MOST_KEY:
            distinct, found = np.unique(found, return_inverse=True)
            most = len(distinct)
        found = found * levels + codes[:, j]
        most *= levels
    return found


def grouped(codes: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each distinct row a place, in the order of the rows; and the distinct row of every row."""
    number = keys(codes)
    order = np.argsort(number, kind="stable")
    ordered = number[order]
    new = np.append(True, ordered[1:] != ordered[:-1])
    labels = np.empty(len(codes), np.int64)
    labels[order] = np.cumsum(new) - 1
    return order[new], labels
