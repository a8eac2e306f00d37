"""Classes of a number that many records have one value of: a common value is a class of its own, the rest is cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.bins import NONE, Edges

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOSTLY = 0.5
"""The share of records with one value from which classes of as many records each tell nothing of the others."""


@dataclass(frozen=True, slots=True)
class CommonApart:
    """So many classes of about as many rows of the release each, but a value that fills a class is one by itself.

    Of a pay that is 0 for nine of ten, ten classes of equal frequency are one: all but the last of their ends are 0.
    Here 0 is a class and what is left, a tenth, another: nothing or something. The rest is open at both ends. A
    missing value is a class of its own.

    >>> released = pl.Series([0] * 18 + [5, 90])
    >>> CommonApart(10).codes(pl.Series([0, 7, 200, None]), released)[0].tolist()
    [0, 1, 1, 2]
    >>> CommonApart(20).codes(pl.Series([0, 7, 200, 5, 90]), released)[0].tolist()      # 5 and 90 fill a class each
    [0, 3, 3, 1, 2]
    """

    bins: int

    def codes(self, original: pl.Series, release: pl.Series, *others: pl.Series) -> list[Ints]:
        """See `Classes`."""
        values = _numbers(release)
        distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
        total = int(counts.sum())
        common = distinct[counts * self.bins >= total] if self.bins > 1 else distinct[:0]
        rest = values[~np.isnan(values) & ~np.isin(values, common)]
        left = max(1, round(self.bins * len(rest) / total)) if total else 1
        return [_placed(_numbers(column), common, _open_ends(rest, left)) for column in (original, release, *others)]


def mostly_one(column: pl.Series) -> bool:
    """Whether more than half of the records that have a value have the same one.

    >>> mostly_one(pl.Series([0, 0, 0, 7])), mostly_one(pl.Series([1, 2, 3])), mostly_one(pl.Series([None]))
    (True, False, False)
    """
    counts = column.drop_nulls().value_counts()["count"]
    return len(counts) > 1 and int(counts.max()) > MOSTLY * int(counts.sum())  # type: ignore[arg-type]


def _open_ends(rest: Floats, bins: int) -> Edges:
    inner = np.unique(np.quantile(rest, np.linspace(0, 1, bins + 1)[1:-1])) if len(rest) else np.empty(0)
    return Edges((-np.inf, *map(float, inner), np.inf))


def _placed(values: Floats, common: Floats, rule: Edges) -> Ints:
    """Common values first, then the intervals of the rest, then missing cells."""
    (within,) = rule.codes(pl.Series(values), pl.Series(values))[:1]
    spike = np.searchsorted(common, values)
    is_common = np.isin(values, common)
    return np.where(is_common, spike, np.where(within == NONE, NONE, within + len(common))).astype(np.int64)


def _numbers(column: pl.Series) -> Floats:
    found: Floats = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return found
