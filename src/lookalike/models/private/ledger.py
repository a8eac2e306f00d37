"""The account of a private release: what may be spent, what was spent on what, and what was taken for known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from lookalike.errors import BadPlan
from lookalike.models.private.accounting import check_budget, delta_of, epsilon_of

_ROUNDING = 1e-9


class Adjacency(StrEnum):
    """Which two files must be hard to tell apart."""

    ADD_REMOVE = "add or remove one record"
    REPLACE = "replace one record"

    @property
    def moved(self) -> int:
        """By how much the cells of a table of counts change together, Δ₁; their Euclidean change is Δ₂ = √Δ₁."""
        return 1 if self is Adjacency.ADD_REMOVE else 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """One look at the file: (ε, δ), or ρ of zero-concentrated privacy, or both where both are known."""

    what: str
    mechanism: str
    epsilon: float | None = None
    delta: float = 0.0
    rho: float | None = None

    def __str__(self) -> str:
        costs = [f"ε = {self.epsilon:.4g}"] if self.epsilon is not None else []
        costs += [f"δ = {self.delta:.3g}"] if self.delta else []
        costs += [f"ρ = {self.rho:.4g}"] if self.rho is not None else []
        return f"{self.what}, by {self.mechanism}: {', '.join(costs)}."


@dataclass(frozen=True, slots=True)
class Taken:
    """The values a column may have, and whether someone said so or they were read off the file."""

    column: int
    what: str
    given: bool


class Ledger:
    """An account that noise is drawn on; it refuses to be overdrawn.

    >>> ledger = Ledger(epsilon=1.0, adjacency=Adjacency.ADD_REMOVE)
    >>> ledger.spend(Spend(what="a table", mechanism="discrete Laplace noise", epsilon=0.6))
    >>> ledger.epsilon_spent
    0.6
    >>> ledger.spend(Spend(what="another", mechanism="discrete Laplace noise", epsilon=0.6))
    Traceback (most recent call last):
    ...
    lookalike.errors.BadPlan: The privacy budget is spent: with another the total would be ε = 1.2, more than 1.
    """

    def __init__(self, *, epsilon: float, delta: float = 0.0, adjacency: Adjacency | str = Adjacency.ADD_REMOVE):
        check_budget(epsilon, delta, pure=True)
        self.epsilon, self.delta, self.adjacency = epsilon, delta, Adjacency(adjacency)
        self._spends: list[Spend] = []
        self._taken: list[Taken] = []

    @property
    def spends(self) -> tuple[Spend, ...]:
        """All looks at the file, in order."""
        return tuple(self._spends)

    @property
    def domains(self) -> tuple[Taken, ...]:
        """What was taken for known of each column."""
        return tuple(self._taken)

    @property
    def epsilon_spent(self) -> float:
        """The total ε, at the δ of the account, by the better of the ways to add up (see `total`)."""
        return total(self.spends, self.delta)

    def spend(self, spend: Spend) -> None:
        """Enter a look at the file *before* it is taken; refused if the total would be more than was allowed."""
        if spend.epsilon is None and spend.rho is None:
            raise BadPlan(f"What {spend.what} costs is not said: it needs epsilon or rho.")
        if min(spend.epsilon or 0.0, spend.delta, spend.rho or 0.0) < 0:
            raise BadPlan(f"What {spend.what} costs cannot be negative.")
        after = [*self._spends, spend]
        if not holds(after, self.epsilon, self.delta):
            found = total(after, self.delta)
            raise BadPlan(
                f"The privacy budget is spent: with {spend.what} the total would be ε = {found:.4g}, more than "
                f"{self.epsilon:.4g}."
            )
        self._spends.append(spend)

    def take(self, column: int, what: str, *, given: bool) -> None:
        """Note the values a column may have: given by the user, or read from the file and so not private."""
        self._taken.append(Taken(column, what, given))

    @property
    def read(self) -> tuple[int, ...]:
        """Columns, counted from 1, whose possible values were read from the file."""
        return tuple(sorted({taken.column for taken in self._taken if not taken.given}))

    def as_dict(self) -> dict[str, Any]:
        """The account as plain data, for the evidence."""
        return {
            "adjacency": str(self.adjacency),
            "epsilon": self.epsilon,
            "delta": self.delta,
            "epsilon_spent": self.epsilon_spent,
            "spends": [asdict(spend) for spend in self._spends],
            "domains": [asdict(taken) for taken in self._taken],
        }

    def sentences(self) -> tuple[str, ...]:
        """The account in words."""
        told = [
            f"Neighbouring files: {self.adjacency}. Allowed: ε = {self.epsilon:g}, δ = {self.delta:g}; spent: ε = "
            f"{self.epsilon_spent:.4g} at that δ.",
            *map(str, self._spends),
        ]
        if self.read:
            told.append(read_from_file(self.read))
        return tuple(told)

    def __str__(self) -> str:
        return "\n".join(self.sentences())


def read_from_file(columns: tuple[int, ...]) -> str:
    """The sentence on what is not covered."""
    listed = f"column{'s' if len(columns) > 1 else ''} {', '.join(map(str, columns))}"
    return (
        f"The values that {listed} may have (levels, smallest and largest number) were read from the file: the "
        "guarantee does not cover them. Give them for it to hold."
    )


def total(spends: Sequence[Spend], delta: float) -> float:
    """ε of all spends together at δ: the smaller of two valid sums.

    Basic: Σ ε with Σ δ. Concentrated: Σ ρ, turned into ε with what is left of δ after spends that have no ρ. A pure ε
    is worth ρ = ε²/2 (Bun and Steinke 2016, proposition 1.4).
    """
    rho, further, left = _concentrated(spends, delta)
    return min(_basic(spends, delta), further + epsilon_of(rho, left) if left >= 0 else math.inf)


def holds(spends: Sequence[Spend], epsilon: float, delta: float) -> bool:
    """Whether `total` is at most ε; quicker, as no equation is solved."""
    rho, further, left = _concentrated(spends, delta)
    allowed = epsilon * (1 + _ROUNDING)
    if _basic(spends, delta) <= allowed:
        return True
    return left > 0 and further <= allowed and delta_of(rho, allowed - further) <= left


def _basic(spends: Sequence[Spend], delta: float) -> float:
    if any(s.epsilon is None for s in spends) or sum(s.delta for s in spends) > delta * (1 + _ROUNDING):
        return math.inf
    return sum(s.epsilon or 0.0 for s in spends)


def _concentrated(spends: Sequence[Spend], delta: float) -> tuple[float, float, float]:
    """Σ ρ of the spends that have one, Σ ε of the others, and what these leave of δ."""
    costs = [(s, _rho(s)) for s in spends]
    without = [s for s, rho in costs if rho is None]
    return (
        sum(rho or 0.0 for _, rho in costs),
        sum(s.epsilon or 0.0 for s in without),
        delta - sum(s.delta for s in without),
    )


def _rho(spend: Spend) -> float | None:
    if spend.rho is None and not spend.delta and spend.epsilon is not None:
        return spend.epsilon**2 / 2
    return spend.rho
