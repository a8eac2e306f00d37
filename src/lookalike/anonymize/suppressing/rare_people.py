"""Removal by a table of people: records of which there are too few in the population are taken out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.suppressing.people_table import PeopleTable, lacking_by_column
from lookalike.classes import EquivalenceClasses, Missing
from lookalike.data import Microdata, read
from lookalike.engine import records
from lookalike.errors import BadPlan

How = Literal["drop", "suppress"]
LACKING = 0.05
"""The most records, as a share, whose values the table may lack: above, both do not write their values alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RarePeople:
    """Records whose people, by a table that counts them, are fewer than `at_least` are dropped, or lose these values.

    `table`: a file, a frame or microdata with some of the quasi-identifiers (or the `columns` named) and one more
    column, the number of people; `people` names it where there are several. Rows that are equal on the columns add up.
    A combination that the table lacks counts as nobody.

    >>> import lookalike as la
    >>> census = pl.DataFrame({"area": ["A", "A", "B"], "sex": ["F", "M", "F"], "people": [90, 10, 11]})
    >>> table = pl.DataFrame({"area": ["A", "A", "B"], "sex": ["F", "M", "F"]})
    >>> file = la.read(table, quasi_identifiers=["area", "sex"])
    >>> RarePeople(table=census).change(Asked(file=file, rng=np.random.default_rng(1))).stays.tolist()
    [True, False, True]
    """

    name: ClassVar[str] = "rare-people"
    table: str | Path | pl.DataFrame | Microdata = ""
    at_least: int = 11
    how: How = "drop"
    columns: tuple[str, ...] = ()
    people: str | None = None

    def faults(self) -> list[str]:
        """What is wrong with the settings by themselves."""
        given = not isinstance(self.table, str) or self.table
        faults = [] if given else ["rare-people: give the table that counts people (table)."]
        if self.at_least < 2:
            faults.append(f"rare-people: at_least must be at least 2, not {self.at_least}.")
        if self.how not in get_args(How):
            faults.append(f"rare-people: how must be one of {', '.join(get_args(How))}.")
        return faults

    def change(self, asked: Asked) -> Changed:
        """See `Method`."""
        faults = self.faults()
        if faults:
            raise BadPlan(faults)
        source = self.table if isinstance(self.table, Microdata) else read(self.table)
        table = PeopleTable.of(source, asked.file, columns=self.columns, people=self.people)
        classes = EquivalenceClasses.of(asked.file, table.columns)
        counts, found = table.people_of(classes, asked.missing)
        nobody = int(classes.sizes[~found].sum())
        if nobody > LACKING * classes.records:
            raise BadPlan(_not_alike(table, classes, found, nobody))
        people = classes.per_record(counts)
        rare = people < self.at_least
        return Changed(
            columns=self._suppressed(asked.file, table, rare),
            stays=~rare if self.how == "drop" else None,
            caveats=tuple(self._caveats(table, people, rare, nobody)),
            figures={
                "rare_records": int(rare.sum()),
                "not_in_the_table": nobody,
                "fewest_people_left": float(people[~rare].min()) if not rare.all() else 0.0,
            },
            details={"columns": list(table.columns), "classes_rare": int((counts < self.at_least).sum())},
        )

    def _suppressed(self, file: Microdata, table: PeopleTable, rare: NDArray[np.bool_]) -> dict[str, pl.Series]:
        if self.how == "drop":
            return {}
        frame = records(file.table, list(table.columns))
        return {name: frame.select(pl.when(pl.lit(~rare)).then(pl.col(name)))[name] for name in table.columns}

    def _caveats(
        self, table: PeopleTable, people: NDArray[np.float64], rare: NDArray[np.bool_], nobody: int
    ) -> list[str]:
        done = "were dropped" if self.how == "drop" else "lost their values in these columns"
        named = ", ".join(table.columns)
        said = [
            f"{int(rare.sum()):,} of {len(rare):,} records have fewer than {self.at_least} people by {named}; they "
            f"{done}."
        ]
        if nobody:
            said.append(
                f"{nobody:,} of them hold values that the table does not count. They were taken for nobody's; they may "
                "be errors of the file or of the table."
            )
        if not rare.all():
            said.append(
                f"Each other record has at least {people[~rare].min():,.0f} people who share {named}: by these alone a "
                "match is right at most 1 time in that many. Other quasi-identifiers narrow it down, and the table "
                "must be of the time and the people of the file."
            )
        return said


def _not_alike(table: PeopleTable, classes: EquivalenceClasses, found: NDArray[np.bool_], nobody: int) -> str:
    held = f"{nobody:,} of {classes.records:,} records hold values that it does not count"
    empty = classes.keys.select(pl.any_horizontal(pl.all().is_null())).to_series().to_numpy()
    missing = int(classes.sizes[~found & empty].sum())
    said = f"Table {table.name}: {held}, more than {LACKING:.0%}."
    if missing:
        wild = f"missing = '{Missing.WILDCARD}'"
        said += f" {missing:,} because a value is missing: a row with an empty cell, or {wild}, would count them."
    columns = ", ".join(f"'{n}' {many:,}" for n, many in lacking_by_column(table, classes).items())
    said += f" Records with a value that the table never has: {columns}." if columns else ""
    return said + " Do both write their values alike?"
