"""Local differential privacy: each record's values are randomized by themselves, with a promise that can be proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import polars as pl

from lookalike.anonymize.columns.kept_form import too_large
from lookalike.anonymize.columns.suited import suited
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing.local_columns import (
    Share,
    book_of,
    ends_of,
    randomized_categories,
    randomized_numbers,
)
from lookalike.data import Kind, Microdata, Role
from lookalike.engine import records
from lookalike.errors import BadPlan

if TYPE_CHECKING:
    from lookalike.models.private.ledger import Ledger

Law = Literal["laplace", "gaussian"]
MOST = 50.0
"""The largest ε: e^50 is no protection, and the chances that go with it are near the end of what can be computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPrivacy:
    """Randomized response for categories, Laplace or normal noise for numbers; ε for all columns of a record together.

    `epsilon`, and `delta` of normal noise, are shared equally by the columns. `bounds` of numbers and `levels` of
    categories say which values can be, from a code book: what is not given is read from the file, and not protected.
    With `inside` noisy numbers are cut off at the bounds, which bends their mean. The noise cannot be seeded.

    >>> LocalPrivacy(columns=("sex",), epsilon=0.0).faults()
    ['local-dp: epsilon must be above 0 and at most 50, not 0.']
    """

    name: ClassVar[str] = "local-dp"
    columns: tuple[str, ...] = ()
    epsilon: float = 1.0
    delta: float = 0.0
    law: Law = "laplace"
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inside: bool = False

    def faults(self) -> list[str]:
        """What is wrong with the settings by themselves."""
        faults = [] if self.law in get_args(Law) else [f"local-dp: law must be one of {', '.join(get_args(Law))}."]
        if not 0 < self.epsilon <= MOST:
            faults.append(f"local-dp: epsilon must be above 0 and at most {MOST:g}, not {self.epsilon:g}.")
        if self.law == "gaussian" and not 0 < self.delta < 1:
            faults.append("local-dp: normal noise needs a delta above 0 and below 1, best far below 1/n.")
        if self.law == "laplace" and self.delta:
            faults.append("local-dp: delta is for normal noise (law gaussian). Leave it out.")
        faults += [f"local-dp: '{n}' has bounds and levels. Give one of them." for n in self.bounds if n in self.levels]
        bad = [name for name, pair in self.bounds.items() if not _is_range(pair)]
        faults += [f"local-dp: the bounds of '{name}' must be two numbers, the lower one first." for name in bad]
        few = [name for name, names in self.levels.items() if isinstance(names, str) or len(set(names)) < 2]
        return [*faults, *(f"local-dp: '{name}' needs at least 2 levels." for name in few)]

    def change(self, asked: Asked) -> Changed:
        """See `Method`."""
        from lookalike.models.private.ledger import Adjacency, Ledger

        names, faults = suited(asked.file, self.columns, _suits, "numbers or categories")
        faults = [*self.faults(), *faults, *self._misplaced(asked.file, names)]
        if faults:
            raise BadPlan(faults)
        frame = records(asked.file.table, list(names))
        amounts = [name for name in names if self._is_amount(asked.file, name)]
        faults = [*too_large(frame.select(amounts)), *(fault for name in names for fault in self._unfit(frame[name]))]
        if faults:
            raise BadPlan(faults)
        ledger = Ledger(epsilon=self.epsilon, delta=self.delta, adjacency=Adjacency.REPLACE)
        share = Share(self.epsilon / len(names), self.delta / len(names), ledger)
        found = {name: self._randomized(asked.file, frame[name], share) for name in names}
        told = {name: facts for name, (_, facts) in found.items()}
        times = _most_records(asked.file)
        return Changed(
            columns={name: cells for name, (cells, _) in found.items()},
            perturbed=frozenset(found),
            caveats=tuple(self._caveats(asked.file, told, ledger, times)),
            figures={
                "epsilon": ledger.epsilon_spent,
                "delta": self.delta,
                "epsilon_a_column": share.epsilon,
                "epsilon_a_person": ledger.epsilon_spent * times,
            },
            details={"columns": told, "account": ledger.as_dict()},
        )

    def _is_amount(self, file: Microdata, name: str) -> bool:
        """Whether a column is randomized as numbers: it has bounds, or no levels and the kind of numbers."""
        amount = file.variable(name).kind is Kind.NUMERIC and file.table.schema[name].is_numeric()
        return name in self.bounds or (amount and name not in self.levels)

    def _misplaced(self, file: Microdata, names: Sequence[str]) -> list[str]:
        """Bounds and levels of columns that get no noise, and bounds of columns without numbers."""
        idle = [name for name in (*self.bounds, *self.levels) if name not in names]
        odd = [name for name in self.bounds if name in names and not file.table.schema[name].is_numeric()]
        return [
            *(f"local-dp: '{name}' has bounds or levels, but gets no noise." for name in idle),
            *(f"Column '{name}' does not hold numbers: give its levels, not bounds." for name in odd),
        ]

    def _unfit(self, cells: pl.Series) -> list[str]:
        """Levels that a column does not keep to, and bounds without room."""
        name = cells.name
        if name in self.bounds and ends_of(cells, self.bounds[name]) is None:
            return [f"Column '{name}' holds whole numbers: there must be two of them between its bounds."]
        if name not in self.levels:
            return []
        book = book_of(cells, self.levels[name])
        other = int((~cells.is_in(book.implode()) & cells.is_not_null()).sum())
        if not (other or book.null_count()):
            return []
        return [
            f"Column '{name}': {other:,} records hold a value that is not among its levels, or a level is no value."
        ]

    def _randomized(self, file: Microdata, cells: pl.Series, share: Share) -> tuple[pl.Series, dict[str, Any]]:
        """A column, randomized, with what is told of it; one that has a single value, and no book, stays."""
        bounds, levels = self.bounds.get(cells.name), self.levels.get(cells.name)
        given = {"given": bounds is not None or levels is not None}
        if self._is_amount(file, cells.name):
            ends = ends_of(cells, bounds)
            if ends is None:
                return cells, given | {"mechanism": "none"}
            made, told = randomized_numbers(cells, ends, share, inside=self.inside)
            return made, given | {"mechanism": f"{self.law} noise", **told}
        book = book_of(cells, levels)
        if len(book) < 2:
            return cells, given | {"mechanism": "none"}
        made, told = randomized_categories(cells, book, share)
        return made, given | {"mechanism": "randomized response", **told}

    def _caveats(self, file: Microdata, told: Mapping[str, Mapping[str, Any]], ledger: Ledger, times: int) -> list[str]:
        spent = ledger.epsilon_spent
        said = [
            f"Differentially private with ε = {spent:.4g}, δ = {self.delta:g} for {_columns(len(told))} of a record "
            f"together (neighbouring files: {ledger.adjacency}). Seeing a record changes the odds between two values "
            f"of it by a factor of at most e^ε = {exp(spent):.3g}{', up to δ' if self.delta else ''}."
        ]
        read = [f"'{name}'" for name, facts in told.items() if not facts["given"]]
        if read:
            said.append(
                f"{', '.join(read)}: which values can be was read from the file; the guarantee does not cover that. "
                "Give bounds or levels for it to hold."
            )
        others = [n for n in file.columns if n not in told and file.variable(n).role is not Role.IDENTIFIER]
        if others:
            said.append(f"Besides, {_columns(len(others))} released as before: the guarantee says nothing of that.")
        if times > 1:
            said.append(f"A person has up to {times:,} records: for a person ε is up to {spent * times:.4g}.")
        return [
            *said,
            "Whether a value is missing, and the number of records, are not protected.",
            "The noise comes from the system and cannot be seeded: the same seed gives another release, and each "
            "costs ε.",
        ]


def _columns(many: int) -> str:
    return f"{many} columns" if many > 1 else "1 column"


def _suits(file: Microdata, name: str) -> bool:
    dtype = file.table.schema[name]
    return not dtype.is_temporal() and not dtype.is_nested()


def _most_records(file: Microdata) -> int:
    """The most records of one person, if one column tells the person."""
    named = file.with_role(Role.IDENTIFIER)
    if len(named) != 1:
        return 1
    counts = records(file.table, list(named)).to_series().drop_nulls().value_counts()["count"]
    return int(counts.to_numpy().max(initial=1))


def _is_range(pair: Any) -> bool:
    numbers = isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2
    return numbers and all(isinstance(end, (int, float)) and isfinite(end) for end in pair) and pair[0] < pair[1]
