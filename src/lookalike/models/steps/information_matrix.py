"""How much each column of a mixed table tells of each other one, in nats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.models.grouped_table import UNSEEN, GroupedTable
from lookalike.models.mixed import Mixed
from lookalike.models.normals import each

Floats = NDArray[np.float64]

ROWS = 100_000
"""Records looked at; of a longer table every so many-th one."""

_ROUNDING = 1e-12


def mutual_information(table: Mixed, *, threads: int | None = None) -> Floats:
    """I(x_i; x_j) = Σ p_ij ln(p_ij / (p_i p_j)) of all pairs, less its bias (r − 1)(c − 1)/(2n), at least 0.

    Numbers are cut into 25 groups of about equal share, rare levels beyond 64 are merged, an unknown cell is a group
    of its own. The diagonal holds the entropies of the columns in their groups.

    >>> from lookalike.models.mixed import Categories
    >>> codes = np.arange(400, dtype=np.int32) % 4
    >>> found = mutual_information(Mixed((Categories(codes, 4), Categories(codes // 2, 2), Categories(codes % 2, 2))))
    >>> found.round(2).tolist()
    [[1.39, 0.69, 0.69], [0.69, 0.69, 0.0], [0.69, 0.0, 0.69]]
    """
    from lookalike.models.steps._information import information_of

    codes, levels = _coded(table, threads)
    found = np.zeros((len(codes), len(codes)))
    each(lambda i: information_of(codes, levels, i, found[i]), range(len(codes)), threads)
    return np.asarray(np.triu(found) + np.triu(found, 1).T)


def information_on(table: Mixed, target: int, *, threads: int | None = None) -> Floats:
    """What each column tells of one of them; its entropy at its own place."""
    from lookalike.models.steps._information import information_of

    # The target first: the kernel compares a column with those after it.
    order = [target, *(j for j in range(len(table.columns)) if j != target)]
    codes, levels = _coded(table.only(order), threads)
    found, out = np.zeros(len(order)), np.zeros(len(order))
    information_of(codes, levels, 0, found)
    out[order] = found
    return out


def _coded(table: Mixed, threads: int | None) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    every = -(-table.records // ROWS)
    if every > 1:
        table = table.take(np.arange(0, table.records, every))
    grouped = GroupedTable.of(table, threads=threads, rows=False)
    levels = [len(shares) + 1 for shares in grouped.shares]
    codes = grouped.codes.copy()
    for line, count in zip(codes, levels, strict=True):
        line[line == UNSEEN] = count - 1
    return codes, np.array(levels)
