"""Differentially private synthesis by noisy one- and two-way tables tied together along a tree (MST)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan, unknown
from lookalike.models.filled import faults_of
from lookalike.models.mixed import Mixed
from lookalike.models.private.accounting import check_budget, rho_of
from lookalike.models.private.cells import Bounds, cells_of
from lookalike.models.private.ledger import Adjacency, Ledger
from lookalike.models.private.margins import Codes, Margin, margin_of, noisy_counts, records_of
from lookalike.models.private.tree import Edge, Pair, agreed_margins, agreeing, choose_tree, measure
from lookalike.models.private.tree_law import PrivateTreeLaw
from lookalike.models.sequential.asked import Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateTree:
    """Noisy counts of each column and of p − 1 pairs, chosen privately; records are drawn along the tree of the pairs.

    (ε, δ)-differentially private, as far as the values a column may have are given (`bounds`, `levels`) and not read
    from the file. The noise does not come from `rng`: see docs/concepts/differential-privacy.md.

    >>> import numpy as np
    >>> from lookalike.models.mixed import Categories
    >>> sex = np.tile(np.array([0, 1], np.int32), 5000)
    >>> table = Mixed((Categories(sex, 2), Categories(sex, 2)))
    >>> law = PrivateTree(epsilon=1.0, delta=1e-6, levels={"1": (), "2": ()})
    >>> law = law.fit_mixed(table, rng=np.random.default_rng(1))
    >>> drawn = law.sample(1000, rng=np.random.default_rng(2))
    >>> bool((drawn.columns[0].codes == drawn.columns[1].codes).mean() > 0.95), round(law.ledger.epsilon_spent, 6)
    (True, 1.0)
    """

    epsilon: float = 1.0
    delta: float = 1e-9
    adjacency: Literal["add or remove one record", "replace one record"] = "add or remove one record"
    """Which files must be hard to tell apart. Replacing a record takes the number of records for known."""
    bounds: Mapping[str, Any] = field(default_factory=dict)
    """The smallest and the largest number by column, known without the file; what lies outside is clipped."""
    levels: Mapping[str, Any] = field(default_factory=dict)
    """The levels by column, known without the file, as from a code book."""
    bins: int = 20
    """Bins of a column of numbers in tables of pairs, at most about so many."""

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)
        faults = [] if self.bins >= 2 else [f"bins must be at least 2; got {self.bins}."]
        if self.adjacency not in tuple(Adjacency):
            faults.append(f"adjacency must be one of: {', '.join(Adjacency)}.")
        if not all(map(_bound, self.bounds.values())):
            faults.append("bounds must hold the smallest and the largest number of a column.")
        if faults:
            raise BadPlan(faults)

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> PrivateTreeLaw:
        """See `fit_named`; columns are called by their number, the first is '1'."""
        asked = Asked(names=tuple(str(j + 1) for j in range(len(table.columns))))
        return self.fit_named(table, asked, rng=rng, threads=threads)

    def fit_named(self, table: Mixed, asked: Asked, *, rng: Generator, threads: int | None = None) -> PrivateTreeLaw:
        """Spend the budget on the table; fitting again spends it again. `rng` only thins pairs of very many columns."""
        faults_of(table, "The private tree")
        if asked.proper:
            raise BadPlan("Proper synthesis fits the file anew for each copy, and each fit spends the budget again.")
        bounds, levels = self._places(asked)
        ledger = Ledger(epsilon=self.epsilon, delta=self.delta, adjacency=self.adjacency)
        cells = cells_of(table, bounds, levels, ledger)
        codes = [cell.codes(column) for cell, column in zip(cells, table.columns, strict=True)]
        rho = rho_of(self.epsilon, self.delta) * (1 - 1e-9)
        singles, choice, doubles = (rho * part for part in _parts(len(codes)))
        noisy = noisy_counts(codes, cells, singles, ledger)
        records, sigma = records_of(noisy, table.records, ledger.adjacency), _sigma(singles, len(codes), ledger)
        margins = [
            margin_of(counts, cell, records=records, sigma=sigma, bins=self.bins)
            for counts, cell in zip(noisy, cells, strict=True)
        ]
        edges = _edges(codes, margins, records, (singles, choice, doubles), ledger, rng) if len(codes) > 1 else ()
        return PrivateTreeLaw(cells, tuple(margins), edges, table.empty(0), records, ledger, asked.names)

    def _places(self, asked: Asked) -> tuple[Bounds, tuple[int, ...]]:
        """Bounds and levels by the places of their columns, from 0; of a number, of its first column."""
        known = list(dict.fromkeys(asked.names))
        faults = [
            f"In {where}: " + unknown("column", name, known, where="among those modelled", listed="Columns")
            for where, names in (("bounds", self.bounds), ("levels", self.levels))
            for name in names
            if name not in known
        ]
        if faults:
            raise BadPlan(faults)
        bounds = tuple((asked.names.index(n), float(low), float(high)) for n, (low, high) in self.bounds.items())
        return bounds, tuple(asked.names.index(name) for name in self.levels)


def _bound(entry: object) -> bool:
    return isinstance(entry, list | tuple) and len(entry) == 2 and all(type(v) in (int, float) for v in entry)


def _parts(columns: int) -> tuple[float, float, float]:
    """Of ρ: for the columns, for the choice of pairs, for the pairs; nothing for a choice there is not."""
    if columns == 1:
        return 1.0, 0.0, 0.0
    return (1 / 3, 1 / 3, 1 / 3) if columns > 2 else (1 / 2, 0.0, 1 / 2)


def _sigma(rho: float, tables: int, ledger: Ledger) -> float:
    return math.sqrt(ledger.adjacency.moved * tables / (2 * rho))


def _edges(
    codes: list[Codes],
    margins: list[Margin],
    records: float,
    parts: tuple[float, float, float],
    ledger: Ledger,
    rng: Generator,
) -> tuple[Edge, ...]:
    """The pairs with their shares, parents before children."""
    singles, choice, doubles = parts
    pairs = choose_tree(codes, margins, records, choice, ledger, rng=rng) if choice else [(0, 1)]
    tables = measure(codes, margins, pairs, doubles, ledger)
    variances = _sigma(singles, len(codes), ledger) ** 2, _sigma(doubles, len(pairs), ledger) ** 2
    shares = agreed_margins(margins, pairs, tables, records, variances)
    fitted = {
        (a, b): agreeing(table, shares[a], shares[b], records) for (a, b), table in zip(pairs, tables, strict=True)
    }
    return _in_order(fitted)


def _in_order(fitted: dict[Pair, NDArray[np.float64]]) -> tuple[Edge, ...]:
    """The edges outward from the first column of the first pair."""
    left = dict(fitted)
    reached, found = {next(iter(left))[0]}, []
    while left:
        for a, b in [pair for pair in left if reached & set(pair)]:
            table = left.pop((a, b))
            found.append(Edge(a, b, table) if a in reached else Edge(b, a, table.T))
            reached |= {a, b}
    return tuple(found)
