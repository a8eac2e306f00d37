"""GCAP: where the release lacks a key, the rows that differ from it in the fewest columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl

from lookalike.attacks.cells import Floats, Ints, ratio
from lookalike.attacks.columns import numbered
from lookalike.classes import group


def nearest_cap(original: pl.DataFrame, release: pl.DataFrame, known: Sequence[str], target: str) -> Floats:
    """Generalized CAP of each record: the share with the right target among the rows at the least Hamming distance.

    Rows that agree on all but r of the known columns are found by grouping on every choice of the other columns: as
    no row is nearer, each row at distance r is met in exactly one of them. So it costs some group-bys and not a
    comparison of all pairs. At distance 0 it is the record CAP. Source: Taub et al. (2018); Hittmeir, Mayer and
    Ekelhart (2020).

    >>> original = pl.DataFrame({"age": [30, 40], "sex": ["F", "F"], "ill": ["y", "n"]})
    >>> release = pl.DataFrame({"age": [30, 31, 31], "sex": ["F", "F", "M"], "ill": ["y", "n", "n"]})
    >>> nearest_cap(original, release, ["age", "sex"], "ill").tolist()
    [1.0, 0.5]
    """
    columns = [numbered([original, release], [name]).files for name in known]
    targets = numbered([original, release], [target]).files
    asked = _distinct([c[0] for c in columns], targets[0])
    first = np.unique(asked, return_index=True)[1]
    right, fitting = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    open_ = np.arange(len(first))
    for differing in range(len(known) + 1):
        for kept in combinations(range(len(known)), len(known) - differing):
            chosen = [(columns[j][0][first[open_]], columns[j][1]) for j in kept]
            fitting[open_] += _agreeing(chosen, len(open_), release.height)
            right[open_] += _agreeing([*chosen, (targets[0][first[open_]], targets[1])], len(open_), release.height)
        open_ = np.flatnonzero(fitting == 0)
        if not len(open_):
            break
    return ratio(right, fitting)[asked]


def _distinct(keys: Sequence[Ints], targets: Ints) -> Ints:
    """A number for each record, from 0 without gaps, equal where key and target are."""
    return group([*keys, targets]).astype(np.int64)


def _agreeing(columns: Sequence[tuple[Ints, Ints]], asked: int, rows: int) -> Ints:
    """How many rows of the release agree with each of the records asked for on these columns."""
    if not columns:
        return np.full(asked, rows)
    together = group([np.concatenate(pair) for pair in columns])
    sizes = np.bincount(together[asked:], minlength=int(together.max()) + 1)
    return sizes[together[:asked]]
