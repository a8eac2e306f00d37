"""Columns that suit a method: those named, or the quasi-identifiers with values it can work on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lookalike.data import Kind, Microdata
from lookalike.errors import unknown

Suits = Callable[[Microdata, str], bool]


def suited(file: Microdata, names: Iterable[str], suits: Suits, what: str) -> tuple[tuple[str, ...], list[str]]:
    """The columns named, or without names the quasi-identifiers that suit; and what is wrong with them.

    >>> import lookalike as la, polars as pl
    >>> file = la.read(pl.DataFrame({"age": [30, 31], "sex": ["F", "M"]}), quasi_identifiers=["age", "sex"])
    >>> suited(file, (), is_number_column, "numbers")
    (('age',), [])
    >>> suited(file, ("sex",), is_number_column, "numbers")
    ((), ["Column 'sex' does not hold numbers. Leave it out."])
    """
    wanted = tuple(dict.fromkeys(names))
    if not wanted:
        found = tuple(name for name in file.quasi_identifiers if suits(file, name) and not _is_code(file, name, suits))
        return found, [] if found else [f"No quasi-identifier holds {what}. Name columns that do."]
    faults = not_there(file, wanted)
    there = [name for name in wanted if name in file.columns]
    faults += [f"Column '{name}' does not hold {what}. Leave it out." for name in there if not suits(file, name)]
    return tuple(name for name in there if suits(file, name)), faults


def not_there(file: Microdata, names: Iterable[str]) -> list[str]:
    """A fault for each name that is not a column of the file."""
    return [
        unknown("Column", name, file.columns, where="in the data", listed="Columns")
        for name in names
        if name not in file.columns
    ]


def is_number_column(file: Microdata, name: str) -> bool:
    """Whether a column is of a type of numbers; codes written as numbers are numbers too, if someone names them."""
    return file.table.schema[name].is_numeric()


def is_category_column(file: Microdata, name: str) -> bool:
    """Whether a column holds categories: anything but amounts and dates."""
    dtype = file.table.schema[name]
    amount = file.variable(name).kind is Kind.NUMERIC and dtype.is_numeric()
    return not amount and not dtype.is_temporal() and not dtype.is_nested()


def is_ordered_column(file: Microdata, name: str) -> bool:
    """Whether the values of a column have an order."""
    kind, dtype = file.variable(name).kind, file.table.schema[name]
    return (kind is not Kind.NOMINAL or dtype.is_temporal()) and not dtype.is_nested()


def _is_code(file: Microdata, name: str, suits: Suits) -> bool:
    """Numbers that stand for categories: a method for numbers takes them only if they are named."""
    return suits is is_number_column and file.variable(name).kind is Kind.NOMINAL
