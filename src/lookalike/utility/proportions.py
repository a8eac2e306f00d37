"""Proportions: the share of each level in the original and in the release, with intervals and their overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.stats import norm

from lookalike.data import Variable
from lookalike.errors import BadPlan, NotAssessable
from lookalike.models.mixed import Categories
from lookalike.utility.combining import Floats, Rule, combine
from lookalike.utility.origin import Origin
from lookalike.utility.overlap import interval_overlap
from lookalike.utility.regression_overlap import rule_or_as_it_is
from lookalike.utility.stacked import Stacked, stack

MOST_LEVELS = 50
"""Levels of a column that is looked at unless named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportion:
    """The share of one level in both files."""

    column: str
    level: str
    original: float
    original_interval: tuple[float, float]
    release: float
    release_interval: tuple[float, float]
    overlap: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportions:
    """The shares of all levels."""

    rows: tuple[Proportion, ...]
    overlap: float
    """Mean interval overlap."""
    overlap_not_below_zero: float
    rule: Rule
    caveats: tuple[str, ...] = ()


def proportions(
    original: pl.DataFrame,
    copies: pl.DataFrame | Sequence[pl.DataFrame],
    *,
    columns: Sequence[str] | None = None,
    origin: Origin | None = None,
    rule: Rule | None = Rule.AS_ORIGINAL,
    variables: Sequence[Variable] = (),
    nests: int | None = None,
    level: float = 0.95,
) -> Proportions:
    """Shares p with intervals p ± z √(p(1 − p)/n), copies combined by the rule, and overlaps (seed 002, equation 10).

    Columns with levels are taken unless some are named. Missing values are a level. By default the release's interval
    is the one the original would have given; `rule=None` takes the rule of the release's origin.

    >>> file = pl.DataFrame({"sex": ["F", "M"] * 50})
    >>> found = proportions(file, pl.DataFrame({"sex": ["F"] * 60 + ["M"] * 40}))
    >>> [(row.level, row.original, row.release, round(row.overlap, 3)) for row in found.rows]
    [('F', 0.5, 0.6, 0.485), ('M', 0.5, 0.4, 0.485)]
    """
    origin = origin or Origin()
    files = [copies] if isinstance(copies, pl.DataFrame) else list(copies)
    stacked = _with_levels(stack([original, *files], columns, variables=variables), named=columns is not None)
    cells = [_shares(stacked, j) for j in range(len(stacked.names))]
    shares = np.concatenate([s for s, _ in cells], axis=1)
    variances = np.concatenate([v for _, v in cells], axis=1)
    n, k = stacked.sizes[0], round(float(np.mean(stacked.sizes[1:])))
    chosen = rule_or_as_it_is(origin, rule)
    found = combine(shares[1:], variances[1:], n=n, k=k, origin=origin, rule=chosen, nests=nests, level=level)
    half = norm.ppf(0.5 + level / 2) * np.sqrt(variances[0])
    low, high = shares[0] - half, shares[0] + half
    overlaps = interval_overlap((low, high), (found.low, found.high))
    names = [(name, label) for name, labels in zip(stacked.names, stacked.labels, strict=True) for label in labels]
    rows = tuple(
        Proportion(
            column=name,
            level=label,
            original=float(shares[0, i]),
            original_interval=(float(low[i]), float(high[i])),
            release=float(found.estimate[i]),
            release_interval=(float(found.low[i]), float(found.high[i])),
            overlap=float(overlaps[i]),
        )
        for i, (name, label) in enumerate(names)
    )
    return Proportions(
        rows=rows,
        overlap=float(overlaps.mean()),
        overlap_not_below_zero=float(np.maximum(overlaps, 0.0).mean()),
        rule=found.rule,
        caveats=found.caveats,
    )


def _with_levels(stacked: Stacked, *, named: bool) -> Stacked:
    """The columns that have levels; numbers that are named are refused."""
    numbers = [name for name, labels in zip(stacked.names, stacked.labels, strict=True) if not labels]
    if named and numbers:
        raise BadPlan(
            [f"Column '{n}' holds numbers: declare it nominal, or group it, to count shares." for n in numbers]
        )
    kept = [
        owner
        for owner, labels in zip(stacked.owners, stacked.labels, strict=True)
        if owner not in numbers and (named or len(labels) <= MOST_LEVELS)
    ]
    if not kept:
        raise NotAssessable("No column has levels whose shares could be compared.")
    return stacked.only(kept)


def _shares(stacked: Stacked, column: int) -> tuple[Floats, Floats]:
    """One row a file: the shares of the levels and their variances."""
    cells = stacked.table.columns[column]
    assert isinstance(cells, Categories)
    counts = np.array(
        [np.bincount(cells.codes[stacked.rows(file)], minlength=cells.levels) for file in range(len(stacked.sizes))]
    )
    sizes = np.array(stacked.sizes, np.float64)[:, None]
    shares = counts / sizes
    # A level that no record or every record has is not known without error: half a record is put on each side.
    safe = np.where((counts == 0) | (counts == sizes), (counts + 0.5) / (sizes + 1), shares)
    return shares, safe * (1 - safe) / sizes
