"""What is known of the values a variable may take, beyond those the file has: places on a line, and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Domain:
    """Where the levels of one variable lie among the values it could have; arrays have a place for each level.

    >>> days = Domain(line=np.array([0, 10, 11, 40]))
    >>> days.take(np.array([1, 2])).line.tolist()
    [10, 11]
    >>> Domain().line is None
    True
    """

    line: Ints | None = None
    """Whole numbers: the place of each level on a line where values in between exist too (days, years, amounts)."""
    off_line: NDArray[np.bool_] | None = None
    """Levels that have no place on the line, such as a missing value."""
    groups: tuple[Ints, ...] = ()
    """From fine to coarse, the group of each level (a state of areas, a chapter of diagnoses), one inside the next."""

    def take(self, levels: NDArray[np.integer]) -> Domain:
        """The domain of some of the levels."""
        return Domain(
            None if self.line is None else self.line[levels],
            None if self.off_line is None else self.off_line[levels],
            tuple(group[levels] for group in self.groups),
        )


def prefix_groups(codes: Sequence[str], *, most: int = 3) -> tuple[Ints, ...]:
    """Groups of codes with a common beginning, at the lengths where it says something; from fine to coarse.

    A length is used if at least a third of the codes share a group with another, and there are at least half as many
    groups again as at the length before.

    >>> [group.tolist() for group in prefix_groups(["0101", "0102", "0201", "0202"])]
    [[0, 0, 1, 1]]
    """
    found: list[Ints] = []
    for length in range(1, max(map(len, codes), default=1)):
        group = np.unique([code[:length] for code in codes], return_inverse=True)[1].astype(np.int64)
        sizes = np.bincount(group)
        before = found[-1].max() + 1 if found else 1
        if len(sizes) >= max(2, 1.5 * before) and sizes[sizes > 1].sum() >= len(codes) / 3:
            found.append(group)
    return tuple(reversed(found[:most]))
