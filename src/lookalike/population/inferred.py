"""What a sample says of the shares of values: inferred from counts, or known from a margin of the population."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.models.domain import Domain
from lookalike.models.value_shares import InferredShares, KnownShares, ValueShares, line_groups
from lookalike.population.margins import Margin
from lookalike.population.sample import Sample


def shares_of(sample: Sample, groups: Sequence[Sequence[NDArray[np.integer]]] | None = None) -> tuple[ValueShares, ...]:
    """The shares of every variable's values. A known margin by one variable wins over what the counts say.

    `groups` has for each variable groups of its levels, fine to coarse, in place of those of its domain.
    """
    known = {m.variables[0]: m for m in sample.margins if len(m.variables) == 1}
    return tuple(
        _known(known[j], sample.table.levels[j])
        if j in known
        else _inferred(sample, j, None if groups is None else groups[j])
        for j in range(sample.table.variables)
    )


def _known(margin: Margin, levels: int) -> KnownShares:
    people = np.bincount(margin.cells[:, 0], weights=margin.people, minlength=levels).astype(np.float64)
    return KnownShares(people, elsewhere=margin.elsewhere)


def _inferred(sample: Sample, j: int, groups: Sequence[NDArray[np.integer]] | None) -> InferredShares:
    codes, domain = sample.table.codes[:, j], sample.domain(j)
    counts = np.bincount(codes, weights=sample.sizes).astype(np.int64)
    if groups is not None:
        domain = Domain(domain.line, domain.off_line, tuple(np.asarray(group, np.int64) for group in groups))
    weights = None
    if sample.weights is not None:
        weights = np.bincount(codes, weights=sample.weights) / counts
    return InferredShares(counts, line_groups(domain, counts), weights)
