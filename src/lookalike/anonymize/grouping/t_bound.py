"""How far groups that take one record of each stretch of a variable can be from the whole file.

Seed 004 states t ≤ (n − k) / (2(n − 1)k) (equation 6). It holds if k divides n and no value comes twice. Otherwise
it can be exceeded: groups of k + 1 records have two of the highest, and with ties the m values that occur are fewer
than the records, so that one step between values weighs more. `t_bound` is what does hold, for the file at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def paper_bound(n: int, k: int) -> float:
    """Equation 6: the largest t of groups of k among n records, if k divides n and all values differ.

    >>> [round(paper_bound(3_985_166, k), 2) for k in (2, 3, 5, 10)]  # table S9
    [0.25, 0.17, 0.1, 0.05]
    """
    return (n - k) / (2 * (n - 1) * k) if n > 1 else 0.0


def size_for(n: int, t: float) -> int:
    """Equation 7: the smallest group size with that t, ⌈n / (2(n − 1)t + 1)⌉.

    >>> size_for(100, 0.25), size_for(12, paper_bound(12, 3))
    (2, 3)
    """
    # Rounding must not turn a whole number into the next one.
    return ceil(n / (2 * (n - 1) * t + 1) - 1e-9)


@dataclass(frozen=True)
class Stretches:
    """Records in the order of a variable, cut so that a group takes one record of each stretch.

    `parts` are the places of records, a row a stretch: all groups of a part have as many records as it has rows. A
    record of `left` joins each of the first groups.

    >>> found = Stretches.of(7, 3)
    >>> found.parts[0].tolist(), found.left.tolist()
    ([[0, 1], [2, 3], [4, 5]], [6])
    """

    n: int
    k: int
    parts: tuple[Ints, ...]
    left: Ints

    @classmethod
    def of(cls, n: int, k: int, *, spread: bool = False) -> Stretches:
        """k stretches of ⌊n/k⌋ and the rest, k first raised by ⌊(n mod k) / ⌊n/k⌋⌋ (Algorithm S4, lines 2 and 4).

        So fewer records remain than there are groups. As in the paper they are the highest ones. `spread`: groups of
        k + 1 have k + 1 stretches of their own instead, of records taken evenly from all.
        """
        k += (n % k) // (n // k)
        places, more = np.arange(n), n % k
        if not spread or not more:
            return cls(n, k, (places[: n - more].reshape(k, -1),), places[n - more :])
        apart = (np.arange(more * (k + 1)) * 2 + 1) * n // (2 * more * (k + 1))
        others = np.delete(places, apart)
        parts = (apart.reshape(k + 1, -1), others.reshape(k, -1))
        return cls(n, k, parts, places[:0])

    def ends(self) -> list[tuple[Ints, Ints]]:
        """The first and last place of each stretch, for each kind of group."""
        found = [(part[:, 0], part[:, -1]) for part in self.parts if part.size]
        if len(self.left):
            first, last = found[0]
            found.append((np.append(first, self.left[0]), np.append(last, self.left[-1])))
        return found


def t_bound(values: Ints, cut: Stretches) -> float:
    """The largest ordered earth mover's distance that a group of one record from each stretch can have.

    `values` are the places of the sorted records' values among the m that occur, missing ones left out (they come
    last). The distance is the area between two quantile functions over (m − 1). A group of s records has its j-th value
    on ((j − 1)/s, j/s), so the area is a sum of one term for each record, convex in its value: each is largest at an
    end of its stretch.

    >>> t_bound(np.arange(12), Stretches.of(12, 3)) == paper_bound(12, 3)
    True
    >>> round(t_bound(np.array([0, 1, 1, 1]), Stretches.of(4, 2)), 9), round(paper_bound(4, 2), 9)  # ties
    (0.25, 0.166666667)
    >>> round(t_bound(np.arange(17), Stretches.of(17, 4)), 7), paper_bound(17, 4)  # 4 does not divide 17
    (0.15, 0.1015625)
    >>> round(t_bound(np.arange(17), Stretches.of(17, 4, spread=True)), 7)
    0.1102941
    """
    if not len(values) or values[-1] == 0:
        return 0.0
    area = np.append(0.0, np.cumsum(values, dtype=np.float64))
    kinds = [kind for first, last in cut.ends() for kind in _known(first, last, len(values))]
    return max(_worst(values, area, first, last) for first, last in kinds) / int(values[-1])


def _known(first: Ints, last: Ints, known: int) -> list[tuple[Ints, Ints]]:
    """The stretches of known values, and the same with the one that is known in part."""
    whole, some = int(np.count_nonzero(last < known)), int(np.count_nonzero(first < known))
    last = np.minimum(last, known - 1)
    return [(first[:s], last[:s]) for s in {whole, some} if s]


def _worst(values: Ints, area: Floats, first: Ints, last: Ints) -> float:
    """The largest area between the quantiles of a group and of all; one record of each stretch."""
    s, n = len(first), len(values)
    edge = np.arange(s + 1) * n / s
    low, high = (_term(values, area, edge[:-1], edge[1:], values[at]) for at in (first, last))
    return float(np.maximum(low, high).sum() / n)


def _term(values: Ints, area: Floats, start: Floats, end: Floats, level: Ints) -> Floats:
    """∫ |level − V(x)| dx from start to end, V(x) the value of record ⌊x⌋: V grows, so it crosses the level once."""
    cross: Floats = np.clip(np.searchsorted(values, level).astype(np.float64), start, end)
    before, until, after = (_until(values, area, x) for x in (start, cross, end))
    found: Floats = level * (cross - start) - (until - before) + (after - until) - level * (end - cross)
    return found


def _until(values: Ints, area: Floats, x: Floats) -> Floats:
    """∫ V from 0 to x."""
    at = np.minimum(x.astype(np.int64), len(values) - 1)
    found: Floats = area[at] + (x - at) * values[at]
    return found
