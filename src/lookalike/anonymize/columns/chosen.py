"""Which columns a method works on, and what is wrong with that: told together with the faults of its settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from lookalike.anonymize.method import Asked
from lookalike.classes import Missing
from lookalike.data import Microdata
from lookalike.errors import BadPlan, unknown

GIVEN_UP = (
    "{count:,} cells were given up because others of their group miss the value. Read conservatively, a missing value "
    "matches nothing, so their records count as unique."
)


def chosen(file: Microdata, columns: Sequence[str], faults: Sequence[str], *, k: int | None = None) -> tuple[str, ...]:
    """The columns named, or else the quasi-identifiers; raises with these faults and those of file and columns.

    >>> import lookalike as la, polars as pl
    >>> file = la.read(pl.DataFrame({"age": [30, 31]}))
    >>> try:
    ...     chosen(file, ["agee"], [], k=3)
    ... except BadPlan as told:
    ...     print(told)
    2 faults:
    - Column 'agee' is not in the data. Did you mean 'age'? Columns: age.
    - k = 3 is more than the 2 records of the file. Choose a smaller k.
    """
    names = tuple(dict.fromkeys(columns)) or file.quasi_identifiers
    found = [*faults]
    found += [
        unknown("Column", n, file.columns, where="in the data", listed="Columns") for n in unknown_of(file, names)
    ]
    if not names:
        found.append("There is no quasi-identifier to change. Name the quasi-identifiers, or the columns to change.")
    if k is not None and k > file.records:
        many = f"{file.records:,} record{'s' if file.records > 1 else ''}"
        found.append(f"k = {k:,} is more than the {many} of the file. Choose a smaller k.")
    if found:
        raise BadPlan(found)
    return names


def unknown_of(file: Microdata, names: Sequence[str]) -> list[str]:
    """The names that are no columns."""
    return [name for name in names if name not in file.columns]


def partly(file: Microdata, names: Sequence[str]) -> tuple[str, ...]:
    """A caveat if quasi-identifiers are left out."""
    others = [name for name in file.quasi_identifiers if name not in names]
    listed = ", ".join(others)
    return (f"k holds on the columns that were changed; with {listed} known, it may not.",) if others else ()


def given_up(asked: Asked, columns: Mapping[str, pl.Series]) -> tuple[str, ...]:
    """A caveat if missing values match nothing: what a group gives up does not make it alike then."""
    count = sum(cells.null_count() for cells in columns.values())
    return (GIVEN_UP.format(count=count),) if count and asked.missing is Missing.CONSERVATIVE else ()
