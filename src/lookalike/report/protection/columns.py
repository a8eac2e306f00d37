"""Every column of the file and of the release: its role, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator

from lookalike.anonymize.cells import Done
from lookalike.anonymize.release import Protected
from lookalike.report.html import Grid, Section
from lookalike.report.protection import words

MOST = 40
"""Columns of a table that is not folded."""


def columns_section(release: Protected) -> Section:
    """All columns in one table; a long one is folded."""
    rows = tuple(_rows(release))
    table = Grid(title=words.COLUMNS_GRID, heads=words.COLUMNS_HEADS, rows=rows, names=len(words.COLUMNS_HEADS))
    short = len(rows) <= MOST
    return Section(
        title=words.COLUMNS_TITLE,
        means=words.COLUMNS_MEANS,
        grids=(table,) if short else (),
        folded=() if short else (table,),
        more=words.COLUMNS_MORE,
    )


def _rows(release: Protected) -> Iterator[tuple[str, str, str]]:
    """The columns in the order of the file, then those that the release alone has."""
    for variable in release.original.variables:
        yield variable.name, words.ROLES[variable.role.value], became(release, variable.name)
    kept = set(release.original.columns) - set(release.left_out)
    for variable in release.data.variables:
        if variable.name not in kept:
            yield variable.name, words.ROLES[variable.role.value], words.BECAME["added"]


def became(release: Protected, name: str) -> str:
    """What became of a column of the file, in words.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [31, 34, 52], "name": ["a", "b", "c"], "ill": ["x", "y", "x"]})
    >>> people = la.read(table, quasi_identifiers=["age"], identifiers=["name"])
    >>> release = la.protect(people, la.Mondrian(k=2), until=la.Threshold(k_anonymity=2)).release
    >>> [became(release, name) for name in people.columns]
    ['generalized', 'left out', 'as it was']
    """
    if name not in release.data.columns or name in release.left_out:
        return words.BECAME["left out"]
    if name in release.emptied:
        return words.EMPTIED
    return words.BECAME[_key(release, name)]


def _key(release: Protected, name: str) -> str:
    """Of a column that stays: the ways its cells went, by the keys of the words."""
    fates = release.cells.get(name, {})
    ways = [fate.name.lower() for fate in Done if fate is not Done.KEPT and fates.get(fate, 0)]
    if not ways:
        return "coded" if release.original.variable(name).missing else "kept"
    found = " ".join(ways)
    return found if found in words.BECAME else "several"
