"""Microdata: a lazy table, one row a record, whose columns have kinds and roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from lookalike.data.missing_codes import codes_notes
from lookalike.data.variable import Kind, Role, Variable
from lookalike.engine import Scratch, Table, head, height
from lookalike.errors import BadPlan, unknown


@dataclass(frozen=True, kw_only=True)
class Microdata:
    """A table with a name and its variables; roles are changed by making a new one.

    >>> import lookalike as la, polars as pl
    >>> data = la.read(pl.DataFrame({"age": [30, 31], "sex": ["F", "M"]}), quasi_identifiers=["age", "sex"])
    >>> data.quasi_identifiers, data.records
    (('age', 'sex'), 2)
    >>> from lookalike import Kind, Role
    >>> told = data.assign({"age": Role.SENSITIVE, "sex": Role.WEIGHT}, {"age": Kind.ORDINAL})
    >>> told.sensitive, told.weight, told.household, told.with_role(Role.SENSITIVE), told.variable("age").kind.value
    (('age',), 'sex', None, ('age',), 'ordinal')
    >>> data.recode_missing({"age": [31]}).head()["age"].to_list()
    [30, None]
    >>> named = la.read(pl.DataFrame({"patient_id": range(100), "age": range(100)}), quasi_identifiers=["age"])
    >>> named.undeclared_identifiers, named.guessed().quasi_identifiers
    (('patient_id',), ('age',))
    """

    table: Table
    variables: tuple[Variable, ...]
    name: str
    guesses: tuple[Variable, ...] = ()
    files: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    mixed: Mapping[str, int] = field(default_factory=dict)
    scratch: Scratch | None = field(default=None, repr=False)

    @cached_property
    def records(self) -> int:
        """The number of rows, n."""
        return height(self.table)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the variables, in the order of the file."""
        return tuple(v.name for v in self.variables)

    def variable(self, name: str) -> Variable:
        """The variable of that name."""
        return next(v for v in self.variables if v.name == name)

    def with_role(self, role: Role) -> tuple[str, ...]:
        """The names of the variables in a role, in the order of the file."""
        return tuple(v.name for v in self.variables if v.role == role)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """What an attacker may know of a person."""
        return self.with_role(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """What an attacker wants to know."""
        return self.with_role(Role.SENSITIVE)

    @property
    def weight(self) -> str | None:
        """The variable that says how many people of the population a record stands for."""
        return next(iter(self.with_role(Role.WEIGHT)), None)

    @property
    def household(self) -> str | None:
        """The variable whose equal values mark members of one household."""
        return next(iter(self.with_role(Role.HOUSEHOLD)), None)

    @property
    def undeclared_identifiers(self) -> tuple[str, ...]:
        """Columns without a role that look like something that names a person."""
        guessed = {v.name for v in self.guesses if v.role is Role.IDENTIFIER}
        return tuple(name for name in self.with_role(Role.OTHER) if name in guessed)

    def head(self, rows: int = 10) -> pl.DataFrame:
        """The first records."""
        return head(self.table, rows)

    def assign(self, roles: Mapping[str, Role], kinds: Mapping[str, Kind] | None = None) -> Microdata:
        """The same data with these roles, every other variable in the role `other`."""
        kinds = kinds or {}
        changed = tuple(
            replace(v, role=roles.get(v.name, Role.OTHER), kind=kinds.get(v.name, v.kind)) for v in self.variables
        )
        return replace(self, variables=changed)

    def guessed(self) -> Microdata:
        """The same data with roles and missing codes as guessed when it was read; to start from, not to decide on."""
        guessed = replace(self, variables=self.guesses)
        return guessed.knowing_codes({variable.name: variable.missing for variable in self.guesses})

    def knowing_codes(self, codes: Mapping[str, Sequence[str]]) -> Microdata:
        """The same data, its cells too, without the notes on codes for missing that are named here."""
        asked = set(codes_notes(self.guesses, {}))
        others = (note for note in self.notes if note not in asked)
        return replace(self, notes=(*others, *codes_notes(self.guesses, codes)))

    def recode_missing(self, codes: Mapping[str, Sequence[str | int | float]]) -> Microdata:
        """The same data with these codes read as missing."""
        schema = self.table.schema
        expressions = [_without(name, values, schema[name]) for name, values in codes.items() if values]
        changed = tuple(
            replace(v, missing=tuple(str(c) for c in codes[v.name])) if v.name in codes else v for v in self.variables
        )
        return replace(self, table=self.table.with_columns(*expressions), variables=changed)


_RELEASED = " If this is a release, which has no identifiers, take it from the list of them."


def roles_of(
    columns: Sequence[str],
    *,
    identifiers: Sequence[str] = (),
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    weight: str | None = None,
    household: str | None = None,
) -> dict[str, Role]:
    """The role of each named column; all unknown names and double roles are told at once."""
    wanted = [
        *((name, Role.IDENTIFIER) for name in identifiers),
        *((name, Role.QUASI_IDENTIFIER) for name in quasi_identifiers),
        *((name, Role.SENSITIVE) for name in sensitive),
        *([(weight, Role.WEIGHT)] if weight else []),
        *([(household, Role.HOUSEHOLD)] if household else []),
    ]
    faults = [
        unknown("Column", name, columns, where="in the data", listed="Columns")
        + (_RELEASED if name in identifiers else "")
        for name in dict.fromkeys(name for name, _ in wanted)
        if name not in columns
    ]
    roles: dict[str, Role] = {}
    for name, role in wanted:
        if roles.get(name, role) != role:
            faults.append(f"Column '{name}' has two roles: {roles[name].value} and {role.value}. Choose one.")
        roles.setdefault(name, role)
    if faults:
        raise BadPlan(faults)
    return roles


def _without(name: str, codes: Sequence[str | int | float], dtype: nw.dtypes.DType) -> nw.Expr:
    """The column without the codes: numbers compared as numbers, all else as text."""
    cell: nw.Expr = nw.col(name)
    values: list[Any] = [str(code) for code in codes]
    if dtype.is_numeric():
        values = [number for code in codes if (number := number_of(code)) is not None]
        if dtype.is_integer():
            values = [int(number) for number in values if number == int(number)]
        else:
            cell = cell.cast(nw.Float64)
    elif dtype != nw.String:
        cell = cell.cast(nw.String)
    return nw.when(~cell.is_in(values)).then(nw.col(name)).alias(name)


def number_of(code: str | float) -> float | None:
    """A code as a finite number; None if it is none.

    >>> number_of("-8"), number_of("refused")
    (-8.0, None)
    """
    try:
        number = float(code)
    except ValueError:
        return None
    return number if isfinite(number) else None
