"""D-vine: of categories by conditional mutual information (Jiang et al. 2022, appendix B, b), of mixed tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.correlation import partial_correlation, proper_partials, vine_correlation
from lookalike.models.counts import Counts
from lookalike.models.gaussian_copula import pairwise_correlations
from lookalike.models.information import Edge, Expectation, Groups, Table, fit_edges, spread
from lookalike.models.latent import LatentNormal, shares_of
from lookalike.models.margin import Kind
from lookalike.models.mixed import Law, Mixed
from lookalike.models.mixed_fit import By, check_options, told


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DVineCopula:
    """Variables in a row; every pair has a Gaussian copula given the variables between the two.

    Its ρ reproduces the empirical conditional mutual information. As in the paper, the simulated pair has the
    margins of the whole file and only the sizes of the groups between. With Gaussian copulas on all edges the vine is
    a Gaussian copula; its correlation matrix follows from the ρ as partial correlations.

    >>> table = Counts.of(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([40, 10, 10, 40]))
    >>> DVineCopula().fit(table).correlation.round(2)
    array([[1. , 0.8],
           [0.8, 1. ]])

    A table of numbers and categories is learned by `fit_mixed`; the options after `order` are its own.
    """

    order: Literal["given", "dependence"] = "given"
    """The row of the variables: as in the table, or each next to the one it depends on most (greedily)."""
    margins: Kind = "interpolated"
    """Numbers: as they occur, on lines between neighbours, or by the family of laws with the smallest AIC."""
    correlation: By = "likelihood"
    """Partial correlations of the matrix of largest likelihood, or those that reproduce conditional information."""
    levels: int | None = None
    """How far apart two variables of the row may be to be tied beyond those between them; None: any distance."""
    pair_families: tuple[str, ...] = ("gaussian",)
    """Families of pair copulas to choose from by AIC; others than Gaussian need pyvinecopulib."""

    def __post_init__(self) -> None:
        faults = check_options(self.margins, self.correlation)
        if self.order not in ("given", "dependence"):
            faults.append(f"order must be 'given' or 'dependence', not {self.order!r}.")
        if self.levels is not None and self.levels < 1:
            faults.append("levels must be at least 1, or None for all.")
        if not self.pair_families:
            faults.append("pair_families must name at least one family, such as 'gaussian'.")
        if faults:
            raise BadPlan(faults)

    def __repr__(self) -> str:
        return told(self, always=("order",))

    def fit(self, table: Counts, *, records: NDArray[np.integer] | None = None) -> DVineCopulaModel:
        """The vine of a table; `records` are the records of each row, if the table holds weights."""
        row = tuple(range(table.variables))
        if self.order == "dependence":
            row = by_dependence(pairwise_correlations(Table.of(table, records)))
        partials = proper_partials(conditional_partials(Table.of(table.only(row), records)))
        return DVineCopulaModel(shares_of(table), partials, row)

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Law:
        """The vine of a mixed table; nothing is drawn in the fit. With Gaussian pairs it is a `MixedCopula`."""
        from lookalike.models.mixed_vine import fit_vine

        return fit_vine(self, table, threads=threads)


class DVineCopulaModel(LatentNormal):
    """A fitted D-vine.

    >>> table = Counts.of(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([40, 10, 10, 40]))
    >>> model = DVineCopula().fit(table)
    >>> model.order, model.partials.round(2).tolist()
    ((0, 1), [[1.0, 0.8], [0.0, 1.0]])
    """

    def __init__(
        self, shares: tuple[NDArray[np.float64], ...], partials: NDArray[np.float64], order: tuple[int, ...]
    ) -> None:
        back = np.argsort(order)
        super().__init__(shares, vine_correlation(partials)[np.ix_(back, back)])
        self.partials = partials
        """At [i, j], i < j, the ρ of the i-th and the j-th variable of the row given those between."""
        self.order = order
        """The row: which column of the table stands at each place."""

    def sample_normals_by_recursion(self, n: int, *, rng: Generator) -> NDArray[np.float64]:
        """Normal vectors by the recursion of h-functions (Aas et al. 2009, algorithm 2), not by the matrix.

        On the scale of z = Φ⁻¹(u): h(x | v) = (x − ρv)/√(1 − ρ²), and its inverse in x is x √(1 − ρ²) + ρv.
        The law is the same as that of `law.normals`; this is the independent way, for checks.

        >>> table = Counts.of(np.array([[0, 0], [0, 1], [1, 1]]), np.array([40, 10, 40]))
        >>> model = DVineCopula().fit(table)
        >>> drawn = model.sample_normals_by_recursion(20_000, rng=np.random.default_rng(1))
        >>> bool(abs(np.corrcoef(drawn.T)[0, 1] - model.correlation[0, 1]) < 0.02)
        True
        """
        q = len(self.order)
        rest = np.sqrt(1 - self.partials**2)
        found = np.empty((n, q))
        # ahead[k]: variable i - 1 - k given those after it up to i - 1.
        ahead: list[NDArray[np.float64]] = []
        for i in range(q):
            # Down the trees: start from a variable given all before it, end with the variable itself.
            given = [rng.standard_normal(n)]
            for k in range(i - 1, -1, -1):
                left = i - 1 - k
                given.append(given[-1] * rest[left, i] + self.partials[left, i] * ahead[k])
            found[:, self.order[i]] = given[-1]
            # given[::-1][k] is variable i given the k variables before it.
            given = given[::-1]
            ahead = [given[0]] + [
                (ahead[k] - self.partials[i - 1 - k, i] * given[k]) / rest[i - 1 - k, i] for k in range(i)
            ]
        return found


def conditional_partials(table: Table) -> NDArray[np.float64]:
    """ρ of every edge of the vine; the variables stand in the row's order."""
    q, n = table.counts.variables, table.counts.total
    # Every grouping a D-vine asks for is a run of neighbours; chains[i][k] is the run of k variables from i on.
    chains = spread(lambda i: _chain(table, i), range(q + 1), large=len(table.records) > 2_000)
    edges = []
    for i in range(q):
        for j in range(i + 1, q):
            both, inner = j - i + 1, j - i - 1
            total, between = chains[i + 1][inner]
            information = (chains[i][both][0] - chains[i][both - 1][0] - chains[i + 1][inner + 1][0] + total) / n
            sign = partial_correlation(table.rank_correlation[i : j + 1, i : j + 1], 0, j - i)
            edges.append(Edge(i, j, information, between, sign))
    found = np.eye(q)
    for edge, rho in zip(edges, fit_edges(table, edges), strict=True):
        found[edge.i, edge.j] = rho
    return found


def _chain(table: Table, start: int) -> list[tuple[float, Expectation]]:
    """Σ w ln w and the expectation of each run of neighbours that starts here; the groups themselves are let go."""
    groups = Groups.all_in_one(table)
    found = [(groups.total, Expectation.of(groups))]
    for j in range(start, table.counts.variables):
        groups = groups.split(table, j)
        found.append((groups.total, Expectation.of(groups)))
    return found


def by_dependence(correlation: NDArray[np.float64]) -> tuple[int, ...]:
    """A row that starts with the strongest pair and grows at its better end."""
    strength = np.abs(correlation)
    np.fill_diagonal(strength, -1.0)
    if len(strength) < 2:
        return tuple(range(len(strength)))
    first, second = np.unravel_index(int(strength.argmax()), strength.shape)
    row, left = [int(first), int(second)], set(range(len(strength))) - {int(first), int(second)}
    while left:
        rest = sorted(left)
        front, back = max(rest, key=lambda v: strength[row[0], v]), max(rest, key=lambda v: strength[row[-1], v])
        if strength[row[-1], back] >= strength[row[0], front]:
            row.append(back)
            left.remove(back)
        else:
            row.insert(0, front)
            left.remove(front)
    return tuple(row)
