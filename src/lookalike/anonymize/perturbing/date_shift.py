"""Date shifting: all dates of one person move by one random number of days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.suited import not_there
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing.moved_dates import alone_by_intervals, day_of, in_same_month, is_iso, moved
from lookalike.classes import encode, group
from lookalike.data import Kind, Microdata, Role
from lookalike.engine import records
from lookalike.errors import BadPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class DateShift:
    """The dates of a person move together: days between them, and the time of day, stay exactly.

    `columns`: without names, all dates of the file, for a date that stayed would give the shift away. `person`: the
    column that tells whose record it is; without a name, the identifier; without either, or where it is missing, each
    record is a person. `days`: the least and the most; 0 is left out unless `zero`. `keep_weekday`: whole weeks only.

    >>> import lookalike as la
    >>> from datetime import date
    >>> table = pl.DataFrame({"id": [1, 1, 2], "visit": [date(2024, 3, 1), date(2024, 3, 9), date(2024, 5, 5)]})
    >>> shift = DateShift(person="id", days=(-90, 90))
    >>> new = shift.change(Asked(file=la.read(table), rng=np.random.default_rng(1))).columns["visit"]
    >>> (new[1] - new[0]).days, new[0] == date(2024, 3, 1)
    (8, False)
    """

    name: ClassVar[str] = "shift-dates"
    columns: tuple[str, ...] = ()
    person: str | None = None
    days: tuple[int, int] = (-365, 365)
    keep_weekday: bool = False
    zero: bool = False

    def faults(self) -> list[str]:
        """What is wrong with the settings by themselves."""
        whole = all(isinstance(day, (int, float)) and day == int(day) for day in self.days)
        if len(self.days) != 2 or not whole or self.days[0] > self.days[1]:
            return ["shift-dates: days must be two whole numbers, the least and the most."]
        if not len(self._offsets()):
            return ["shift-dates: no shift is left to choose from. Widen days, or allow 0 (zero)."]
        return []

    def change(self, asked: Asked) -> Changed:
        """See `Method`."""
        names, faults = self._dates(asked.file)
        person, more = self._person(asked.file)
        faults = [*self.faults(), *faults, *more]
        if faults:
            raise BadPlan(faults)
        frame = records(asked.file.table, list(names))
        odd = {name: not_iso for name in names if (not_iso := int((~is_iso(frame[name])).sum()))}
        if odd:
            raise BadPlan(
                [
                    f"Column '{n}': {many:,} texts are no dates of the form YYYY-MM-DD. Read it as dates."
                    for n, many in odd.items()
                ]
            )
        persons = self._persons(asked.file, person)
        offsets = asked.rng.choice(self._offsets(), int(persons.max()) + 1)[persons]
        made = {name: moved(frame[name], offsets) for name in names}
        return self._changed(frame, made, persons, asked.file)

    def _offsets(self) -> NDArray[np.int64]:
        step = 7 if self.keep_weekday else 1
        low, high = (int(day) for day in self.days)
        offsets = np.arange(-(-low // step) * step, high + 1, step)
        return offsets if self.zero else offsets[offsets != 0]

    def _dates(self, file: Microdata) -> tuple[tuple[str, ...], list[str]]:
        wanted = tuple(dict.fromkeys(self.columns))
        if not wanted:
            free = [n for n in file.columns if file.variable(n).role is not Role.IDENTIFIER]
            names = tuple(n for n in free if _holds_dates(file, n))
            return names, [] if names else ["The file has no column of dates. Name columns, or read them as dates."]
        there = [name for name in wanted if name in file.columns]
        odd = [
            f"Column '{n}' does not hold dates. If its texts are dates (YYYY-MM-DD), give it the kind 'date'; else "
            "read it as dates."
            for n in there
            if not _holds_dates(file, n)
        ]
        return tuple(there), [*not_there(file, wanted), *odd]

    def _person(self, file: Microdata) -> tuple[str | None, list[str]]:
        if self.person is not None:
            return self.person, not_there(file, [self.person])
        named = file.with_role(Role.IDENTIFIER)
        if len(named) > 1:
            return None, [
                f"shift-dates: the file has {len(named)} identifiers. Say which one tells the person (person)."
            ]
        return next(iter(named), None), []

    def _persons(self, file: Microdata, person: str | None) -> NDArray[np.int64]:
        """A number for the person of each record; a record without one is a person."""
        if person is None:
            return np.arange(file.records)
        codes = encode(records(file.table, [person])[person])
        lone = codes < 0
        found = group([np.where(lone, 0, codes)]).astype(np.int64)
        found[lone] = int(found.max()) + 1 + np.arange(int(lone.sum()))
        return found

    def _changed(
        self, frame: pl.DataFrame, made: dict[str, pl.Series], persons: NDArray[np.int64], file: Microdata
    ) -> Changed:
        days = [day_of(frame[name]) for name in made]
        same = in_same_month(days, [day_of(cells) for cells in made.values()])
        alone, several = alone_by_intervals(persons, days)
        count, choices = len(np.unique(persons)), len(self._offsets())
        return Changed(
            columns=made,
            perturbed=frozenset(made),
            caveats=tuple(self._caveats(file, list(made), choices, same, alone, several)),
            figures={
                "persons": count,
                "possible_shifts": choices,
                "in_the_same_month": same,
                "alone_by_intervals": alone,
                "persons_with_intervals": several,
            },
        )

    def _caveats(
        self, file: Microdata, names: Sequence[str], choices: int, same: float, alone: int, several: int
    ) -> list[str]:
        low, high = self.days
        said = [
            f"A true date is one of {choices:,} days, from {max(high, 0)} before to {max(-low, 0)} after the released "
            "one. Who knows one true date of a person knows all of them.",
            f"{same:.1%} of the dates stay in the same month of the year (8.3% by chance): seasons are hidden as far "
            "as the shift goes, no further.",
        ]
        if several:
            said.append(
                f"Order and intervals of a person's dates are as they were: {alone:,} of {several:,} persons with two "
                "dates or more are alone with theirs, and can be found by them."
            )
        left = [f"'{n}'" for n in file.columns if n not in names and _holds_dates(file, n)]
        if left:
            said.append(f"{', '.join(left)}: dates that stayed; beside those that moved they may tell the shift.")
        return [
            *said,
            "Columns that follow from dates (an age, a year, a weekday) were not changed and may tell the shift.",
        ]


def _holds_dates(file: Microdata, name: str) -> bool:
    """Dates and points in time by type, or texts that are dates by their kind."""
    dtype = str(file.table.schema[name])
    return dtype.startswith("Date") or (dtype == "String" and file.variable(name).kind is Kind.DATE)
