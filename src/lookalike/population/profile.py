"""Who carries the risk: how it spreads over records, and over the rare and the common values of each variable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.population.sample import Sample

BANDS = (0.01, 0.05, 0.09, 0.2, 0.33, 0.5)
"""Where the distribution of the risk per record is cut."""
RARE, COMMON = 0.01, 0.1
"""A value is rare below the one share of records and common from the other."""
GROUPS = ("rare values (below 1 % of records each)", "values in between", "common values (10 % and more)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueGroup:
    """The records whose value of one variable is rare, common or in between; no value is named.

    >>> sample = Sample.from_codes(np.array([[0], [1]]), np.array([300, 1]))
    >>> group = profile(sample, np.array([0.01, 0.5]), ["sex"], threshold=0.09, fewest=1).groups[0]
    >>> group.variable, group.group, group.records, group.mean
    ('sex', 'rare values (below 1 % of records each)', 1, 0.5)
    """

    variable: str
    group: str
    records: int
    mean: float
    """Their mean risk."""
    share: float
    """Their part of all expected matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRisk:
    """The risk per record, summarized.

    >>> sample = Sample.from_codes(np.array([[0], [1]]), np.array([300, 1]))
    >>> found = profile(sample, np.array([0.01, 0.5]), ["sex"], threshold=0.09, fewest=1)
    >>> found.median, found.maximum, [round(share, 4) for _, _, share in found.distribution if share]
    (0.01, 0.5, [0.9967, 0.0033])
    """

    median: float
    maximum: float
    share_above_threshold: float
    threshold: float
    distribution: tuple[tuple[float, float, float], ...]
    """From, to (≤), and the share of records with a risk between."""
    groups: tuple[ValueGroup, ...]
    fewest: int
    """Groups of fewer records are left out."""


def profile(
    sample: Sample, risk: NDArray[np.float64], names: Sequence[str], *, threshold: float, fewest: int = 5
) -> RecordRisk:
    """Summarize a risk per class; a group of fewer records than `fewest` is left out.

    >>> sample = Sample.from_codes(np.array([[0], [1]]), np.array([300, 1]))
    >>> found = profile(sample, np.array([0.01, 0.5]), ["sex"], threshold=0.09, fewest=1)
    >>> round(found.share_above_threshold, 4), found.groups[0].records
    (0.0033, 1)
    """
    sizes, n = sample.sizes, sample.records
    edges = (0.0, *BANDS, 1.0)
    place = np.searchsorted(BANDS, risk, side="left")
    shares = np.bincount(place, weights=sizes, minlength=len(BANDS) + 1) / n
    order = np.argsort(risk)
    middle = order[np.searchsorted(np.cumsum(sizes[order]), n / 2)]
    return RecordRisk(
        median=float(risk[middle]),
        maximum=float(risk.max()),
        share_above_threshold=float(sizes[risk > threshold].sum()) / n,
        threshold=threshold,
        distribution=tuple((edges[i], edges[i + 1], float(s)) for i, s in enumerate(shares)),
        groups=tuple(_groups(sample, risk, names, fewest)),
        fewest=fewest,
    )


def _groups(sample: Sample, risk: NDArray[np.float64], names: Sequence[str], fewest: int) -> list[ValueGroup]:
    matches = sample.sizes * risk
    found = []
    for j, name in enumerate(names):
        share = (sample.table.margin(j) / sample.records)[sample.table.codes[:, j]]
        group = (share >= RARE).astype(int) + (share >= COMMON)
        for g, label in enumerate(GROUPS):
            inside = group == g
            records = int(sample.sizes[inside].sum())
            if records >= fewest:
                mean, part = float(matches[inside].sum()) / records, float(matches[inside].sum() / matches.sum())
                found.append(ValueGroup(variable=name, group=label, records=records, mean=mean, share=part))
    return found
