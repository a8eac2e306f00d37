"""t-closeness: how far a class's distribution of a sensitive variable is from the whole file's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.classes import Spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Closeness:
    """The distance of every class from the whole file, and t, the largest of them.

    >>> Closeness(per_class=np.array([0.1, 0.25])).t
    0.25
    """

    per_class: NDArray[np.float64]

    @property
    def t(self) -> float:
        """The file is t-close for this t and no smaller one."""
        return float(self.per_class.max())


def kullback_leibler_closeness(spread: Spread) -> Closeness:
    """KL = Σ p log(p/q), natural logarithm; p in the class, q in the file.

    Source: Qu (2024), definition 2.4.1 and example 2.4.2.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"sex": ["F", "M"], "result": ["+", "-"]})
    >>> classes = la.EquivalenceClasses.of(la.read(table), ["sex"])
    >>> round(kullback_leibler_closeness(la.Spread.of(classes, "result")).t, 6)  # log 2
    0.693147
    """
    p, q = spread.shares, _whole(spread)[spread.codes]
    return Closeness(per_class=np.maximum(spread.per_class(p * np.log(p / q)), 0.0))


def total_variation_closeness(spread: Spread) -> Closeness:
    """½ Σ |p − q|: the earth mover's distance when all values are equally far apart (nominal variables).

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"sex": ["F", "M"], "result": ["+", "-"]})
    >>> classes = la.EquivalenceClasses.of(la.read(table), ["sex"])
    >>> total_variation_closeness(la.Spread.of(classes, "result")).t
    0.5
    """
    p, q = spread.shares, _whole(spread)[spread.codes]
    # Values absent from the class add q; so ½ Σ |p − q| = Σ over present values of max(p − q, 0).
    return Closeness(per_class=spread.per_class(np.maximum(p - q, 0.0)))


def earth_mover_closeness(spread: Spread) -> Closeness:
    """Ordered earth mover's distance: Σ |P_i − Q_i| / (m − 1) over the m values of the file in order.

    For numbers and ordered categories. Between two values that a class holds, P is constant and Q grows, so each
    stretch is summed at once from prefix sums of Q: the cost follows the values present, not classes × m.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"group": [1] * 3 + [2] * 6, "pay": [3, 4, 5, 6, 7, 8, 9, 10, 11]})
    >>> classes = la.EquivalenceClasses.of(la.read(table), ["group"])
    >>> round(float(earth_mover_closeness(la.Spread.of(classes, "pay")).per_class.max()), 3)
    0.375
    """
    m = len(spread.values)
    if m == 1:
        return Closeness(per_class=np.zeros(len(spread.distinct)))
    q = np.cumsum(_whole(spread))
    prefix = np.concatenate([[0.0], np.cumsum(q)])
    level = _cumulative(spread)
    first = spread.starts[:-1]
    end = np.append(spread.codes[1:], m)
    end[spread.starts[1:] - 1] = m
    cost = _stretch(level, spread.codes, end, q, prefix)
    # Before its first value a class has P = 0.
    lead = prefix[spread.codes[first]]
    return Closeness(per_class=(spread.per_class(cost) + lead) / (m - 1))


def _whole(spread: Spread) -> NDArray[np.float64]:
    whole = spread.whole
    shares: NDArray[np.float64] = whole / whole.sum()
    return shares


def _cumulative(spread: Spread) -> NDArray[np.float64]:
    """P at each value a class holds."""
    running = np.cumsum(spread.counts)
    before = (running - spread.counts)[spread.starts[:-1]]
    return (running - np.repeat(before, spread.distinct)) / np.repeat(spread.sizes, spread.distinct)


def _stretch(
    level: NDArray[np.float64],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    q: NDArray[np.float64],
    prefix: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Σ |level − Q_i| for i from start to end − 1; Q grows, so it crosses the level once."""
    cross = np.clip(np.searchsorted(q, level), start, end)
    below = level * (cross - start) - (prefix[cross] - prefix[start])
    above = (prefix[end] - prefix[cross]) - level * (end - cross)
    return below + above
