"""Lay hierarchies over the columns of a file: those given, and for the others suggested ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from lookalike.anonymize.generalizing.class_table import Column
from lookalike.data import Microdata
from lookalike.data.hierarchy import Hierarchy, Laid, from_plain, lay, read_folder, suggested
from lookalike.errors import BadPlan, LookalikeError, unknown

Unseen = Literal["refuse", "suppress"]
"""What becomes of a value that a hierarchy lacks."""


def given_hierarchies(
    given: Mapping[str, Any] | str | Path, file: Microdata, columns: Sequence[str]
) -> tuple[dict[str, Hierarchy], tuple[str, ...]]:
    """The hierarchies of a setting by column: a folder, or hierarchies, plain data or files by column; and notes."""
    if isinstance(given, (str, Path)):
        folder = read_folder(given, file.columns)
        return {name: found for name, found in folder.hierarchies.items() if name in columns}, folder.notes
    faults = [
        unknown("Column", name, file.columns, where="in the data", listed="Columns")
        for name in given
        if name not in file.columns
    ]
    found: dict[str, Hierarchy] = {}
    for name, document in given.items():
        try:
            found[name] = from_plain(document)
            faults += [f"Hierarchy of '{name}': {fault}" for fault in found[name].faults()]
        except LookalikeError as error:
            told = error.faults if isinstance(error, BadPlan) else (str(error),)
            faults += [f"Hierarchy of '{name}': {fault}" for fault in told]
    if faults:
        raise BadPlan(faults)
    unused = [name for name in found if name not in columns]
    note = f"Hierarchies of columns that are not generalized were not used: {', '.join(unused)}."
    return found, (note,) if unused else ()


def lay_over(
    file: Microdata,
    columns: Sequence[Column],
    given: Mapping[str, Hierarchy],
    *,
    unseen: Unseen = "refuse",
    kept: Collection[str] = (),
) -> tuple[Laid, ...]:
    """One hierarchy laid over each column; raises with all values that hierarchies lack, by column and count.

    Columns that are `kept` as they are need no hierarchy: a value that theirs lacks stays.
    """
    found, faults = [], []
    for column in columns:
        variable = file.variable(column.name)
        hierarchy = given.get(column.name) or suggested(variable, column.values, column.counts)
        laid = lay(hierarchy.fitted(variable, column.values, column.counts), column.values)
        faults += _faults(column, laid, unseen) if column.name not in kept else []
        found.append(laid)
    if faults:
        raise BadPlan(faults)
    return tuple(found)


def _faults(column: Column, laid: Laid, unseen: Unseen) -> list[str]:
    lacking = laid.lacking
    if lacking.any() and unseen != "suppress":
        records = int(column.counts[lacking].sum())
        return [
            f"Column '{column.name}': its hierarchy lacks {int(lacking.sum()):,} of {len(lacking):,} values "
            f"({records:,} record{'s' if records > 1 else ''}). Add them, or let them be suppressed "
            "(--option unseen=suppress)."
        ]
    if laid.split:
        return [
            f"Column '{column.name}': {laid.split:,} groups of its hierarchy are split at a later level. Values that "
            "share a group must share one at every later level."
        ]
    return []
