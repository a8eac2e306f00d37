"""Matching by row if nothing but the kept columns tied a row to its record: what a true match is compared with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.columns import alike, numbered
from lookalike.attacks.files import Files
from lookalike.attacks.outcome import Share

FIRST = 1_000
"""Rows compared first: a changed column nearly always shows there."""


def kept_columns(files: Files, names: Sequence[str]) -> list[str]:
    """The columns whose cells are, row by row, the same in every release as in the original.

    >>> original = pl.DataFrame({"sex": ["F", "M"], "age": [30, 40]})
    >>> release = pl.DataFrame({"sex": ["F", "M"], "age": [30, 41]})
    >>> kept_columns(Files(original=original, releases=(release,), linked=True), ["sex", "age"])
    ['sex']
    """
    return [name for name in names if all(_same(files.original[name], r[name]) for r in files.releases)]


def shuffled_links(files: Files, known: Sequence[str], candidates: NDArray[np.int64]) -> Share:
    """The expected match risk if links were shuffled among the rows that share all kept known columns.

    Σ [c > 0]/n_A over the targets, c the `candidates`, n_A the records with the target's values in the known columns
    that were kept. For each of those n_A rows is then as likely to be the target's own, and all c candidates are among
    them: T is 1 with chance c/n_A, and T/c is 1/n_A in the mean. Columns in `known` must be matched by equality.

    >>> original = pl.DataFrame({"sex": ["F", "F", "M"], "age": [30, 40, 50]})
    >>> release = pl.DataFrame({"sex": ["F", "F", "M"], "age": [30, 30, 51]})
    >>> files = Files(original=original, releases=(release,), linked=True)
    >>> str(shuffled_links(files, ["sex", "age"], np.array([2, 0, 0])))
    '0.5 of 3 targets, links shuffled'
    """
    found = numbered([files.original], kept_columns(files, known))
    sizes = np.bincount(found.files[0], minlength=found.room)[found.files[0]]
    expected = float((1 / sizes[candidates > 0]).sum())
    return Share(successes=expected, of=files.original.height, what="targets, links shuffled", exact=True)


def _same(one: pl.Series, other: pl.Series) -> bool:
    first, second = alike([one, other])
    return all(bool(first.head(n).eq_missing(second.head(n)).all()) for n in (FIRST, len(first)))
