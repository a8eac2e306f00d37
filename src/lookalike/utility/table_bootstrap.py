"""The null of a table by drawing tables from it: exact at any sparsity, for every measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.utility.table_measures import MEASURES, Cells
from lookalike.utility.table_nulls import Null
from lookalike.utility.tables import Table

Floats = NDArray[np.float64]

DRAWS = 999
AT_ONCE = 1_000_000
"""Cells drawn at a time, so that memory stays small."""

_CLOSE = 1e-9
"""Sums of the same terms in another order differ by less: they are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnNull:
    """What a measure is in tables drawn under the null, beside what it is.

    >>> DrawnNull(value=3.0, expected=1.0, deviation=0.5, above=2, equal=1, draws=99).p_value
    0.04
    """

    value: float
    expected: float
    deviation: float
    above: int
    """Draws in which the measure is larger."""
    equal: int
    draws: int
    nothing: float = 0.0
    """The measure of equal tables: ½ for AUC."""

    @property
    def p_value(self) -> float:
        """(1 + draws at least as large)/(1 + draws): never too small, and uniform under the null but for ties."""
        return (1 + self.above + self.equal) / (1 + self.draws)

    @property
    def ratio(self) -> float | None:
        """The value in units of its expectation, both less `nothing`; None if nothing else is possible."""
        expected = self.expected - self.nothing
        return (self.value - self.nothing) / expected if expected > 0 else None

    @property
    def z(self) -> float | None:
        """(value − expectation)/standard deviation; None if it cannot vary."""
        return (self.value - self.expected) / self.deviation if self.deviation > 0 else None


def bootstrap_null(
    table: Table,
    null: Null,
    *,
    rng: Generator,
    draws: int = DRAWS,
    prior: float = 0.0,
    part: float = 1.0,
    measures: Sequence[str] = tuple(MEASURES),
) -> dict[str, DrawnNull]:
    """Expectation, standard deviation and p-value of measures by tables drawn under the null.

    Improper: Multinomial(n₂, p). Proper: the same with π ~ Dirichlet(o + prior) in place of p. Resampled: with the
    shares of the original's records drawn with replacement. Independent: all records of both files are dealt out anew
    (multivariate hypergeometric), which is exact. Where the release kept variables, records are drawn within each of
    their cells. If the table counts a random `part` of the original alone, the law of an improper release is that of
    the whole, π ~ Dirichlet(o/(1 − part)).

    >>> table = Table(("sex",), (2,), np.arange(2), np.array([60, 40]), np.array([75, 25]))
    >>> found = bootstrap_null(table, Null.IMPROPER, rng=np.random.default_rng(1), measures=["VW"])["VW"]
    >>> round(found.value, 2), 0.9 < found.expected < 1.1, found.p_value < 0.01
    (10.26, True, True)
    """
    _check(table, null, draws, prior, part)
    drawn: dict[str, list[Floats]] = {name: [] for name in measures}
    for cells in _draws(table, null, (prior, part), draws, rng):
        for name in measures:
            drawn[name].append(MEASURES[name](cells))
    cells = Cells.of(table.original, table.release)
    nothing = {"AUC": 0.5, "U": 0.5 * float(np.prod(table.records))}
    return {
        name: _told(float(MEASURES[name](cells)), np.concatenate(drawn[name]), nothing.get(name, 0.0))
        for name in measures
    }


_Known = tuple[float, float]
"""The prior, and the part of the original that was counted."""


def _check(table: Table, null: Null, draws: int, prior: float, part: float) -> None:
    faults = []
    if draws < 1:
        faults.append("At least 1 table must be drawn.")
    if prior < 0:
        faults.append("The prior of a table cannot be below 0.")
    if not 0 < part <= 1:
        faults.append("The part of the original that is counted is above 0 and at most 1.")
    if null is Null.INDEPENDENT and table.known:
        faults.append("A release that is another sample has kept no variable: leave out the known ones.")
    if faults:
        raise BadPlan(faults)


def _told(value: float, drawn: Floats, nothing: float) -> DrawnNull:
    margin = _CLOSE * max(abs(value), float(np.abs(drawn).mean()))
    return DrawnNull(
        value=value,
        expected=float(drawn.mean()),
        deviation=float(drawn.std(ddof=1)) if len(drawn) > 1 else 0.0,
        above=int((drawn > value + margin).sum()),
        equal=int((np.abs(drawn - value) <= margin).sum()),
        draws=len(drawn),
        nothing=nothing,
    )


def _draws(table: Table, null: Null, known: _Known, draws: int, rng: Generator) -> Iterator[Cells]:
    """Tables under the null, some at a time."""
    step = max(1, AT_ONCE // max(len(table), 1))
    for first in range(0, draws, step):
        size = min(step, draws - first)
        if null is Null.INDEPENDENT:
            both = table.original + table.release
            release = rng.multivariate_hypergeometric(both, int(table.release.sum()), size=size, method="marginals")
            yield Cells.of(both - release, release)
        else:
            release = _within_strata(table, null, known, size, rng)
            yield Cells.of(np.broadcast_to(table.original, release.shape), release)


def _within_strata(table: Table, null: Null, known: _Known, size: int, rng: Generator) -> NDArray[np.int64]:
    """As many records as the release has in each cell of the kept variables, drawn by the original's shares there."""
    strata = table.strata
    release = np.zeros((size, len(table)), np.int64)
    for stratum in range(int(strata.max(initial=0)) + 1):
        cells = np.flatnonzero(strata == stratum)
        law = _law(table.original[cells], null, known, size, rng)
        if law is not None:
            release[:, cells] = rng.multinomial(int(table.release[cells].sum()), law)
    return release


def _law(counts: NDArray[np.int64], null: Null, known: _Known, size: int, rng: Generator) -> Floats | None:
    """The shares that records are drawn by, a row a table; None if there is no record to go by."""
    weights = np.broadcast_to(counts.astype(float), (size, len(counts)))
    prior, part = known
    if null is Null.PROPER:
        weights = rng.standard_gamma(weights + prior)
    elif null is Null.IMPROPER and part < 1:
        weights = rng.standard_gamma(weights / (1 - part))
    elif null is Null.RESAMPLED and counts.sum():
        weights = rng.multinomial(int(counts.sum()), counts / counts.sum(), size=size).astype(float)
    total = weights.sum(axis=-1, keepdims=True)
    return np.asarray(weights / total, np.float64) if (total > 0).all() else None
