"""What an attacker knows, put in the words of the release: else a file with other words would look safe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from lookalike.attacks.columns import as_texts
from lookalike.attacks.files import Files
from lookalike.attacks.ranges import is_coarse, is_missing
from lookalike.data.cells import WILDCARD
from lookalike.utility.readable import renamed

EMPTIED = "{names}: a cell that was emptied in the release may be anything, and fits everybody."
GROUPED = "{names}: what is known was put into the groups of the release first."
DROPPED = (
    "{names}: released in words that the original does not have, so what an attacker knows could not be matched; the "
    "column was taken for unknown."
)
PARTLY = (
    "{names}: some released values are groups that the original does not name, so they cannot match: figures of "
    "matching and attribution may be too low."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attackable:
    """Files that can be attacked, the keys that are left, and what must be said of them."""

    files: Files
    keys: tuple[str, ...]
    notes: tuple[str, ...]


def attackable(files: Files, keys: Sequence[str]) -> Attackable:
    """Group what is known as the release did, where links tell how; keys that cannot be matched are left out.

    >>> original = pl.DataFrame({"town": ["Bern", "Genf", "Lyon"], "age": [30, 31, 32]})
    >>> release = pl.DataFrame({"town": ["CH", "CH", "FR"], "age": ["[30;31]", "[30;31]", "32"]})
    >>> found = attackable(Files(original=original, releases=(release,), linked=True), ("town", "age"))
    >>> found.files.original["town"].to_list(), found.keys
    (['CH', 'CH', 'FR'], ('town', 'age'))
    >>> attackable(Files(original=original, releases=(release,)), ("town", "age")).keys
    ('age',)
    """
    told: dict[str, list[str]] = {EMPTIED: [], GROUPED: [], DROPPED: [], PARTLY: []}
    left = []
    for name in keys:
        files, emptied = _with_wildcards(files, name)
        if emptied:
            told[EMPTIED].append(name)
        new, all_new = _new_values(files, name)
        names = _names(files, name) if new else None
        if names is not None:
            files = _grouped(files, name, names)
            told[GROUPED].append(name)
        elif all_new:
            told[DROPPED].append(name)
            continue
        elif new:
            told[PARTLY].append(name)
        left.append(name)
    notes = tuple(text.format(names=", ".join(f"'{n}'" for n in found)) for text, found in told.items() if found)
    return Attackable(files=files, keys=tuple(left), notes=notes)


def _with_wildcards(files: Files, name: str) -> tuple[Files, bool]:
    """Cells that were emptied as wildcards: of linked files those that were not missing; else if none was missing."""
    column = files.original[name]
    own = is_missing(column)
    if not files.linked and own.any():
        return files, False
    emptied = [is_missing(release[name]) & (~own if files.linked else True) for release in files.releases]
    if not any(cells.any() for cells in emptied):
        return files, False
    releases = tuple(_masked(release, name, cells) for release, cells in zip(files.releases, emptied, strict=True))
    return replace(files, releases=releases), True


def _masked(release: pl.DataFrame, name: str, cells: pl.Series) -> pl.DataFrame:
    texts = as_texts(release[name])
    return release.with_columns(pl.select(pl.when(cells).then(pl.lit(WILDCARD)).otherwise(texts).alias(name))[name])


def _new_values(files: Files, name: str) -> tuple[bool, bool]:
    """Whether the releases have groups that the original does not name, and nothing else; ranges can be matched.

    A synthetic file may have numbers and days that the original lacks: no groups.
    """
    column = files.original[name]
    if column.dtype.is_numeric() or any(is_coarse(release[name], column) for release in files.releases):
        return False, False
    known = set(column.cast(pl.String).drop_nulls().unique().to_list())
    released = {v for r in files.releases for v in r[name].cast(pl.String).drop_nulls().unique().to_list()}
    another = any(release[name].dtype != column.dtype for release in files.releases)
    new = bool(released - known) and (files.linked or another)
    return new or (bool(released) and not released & known), not released & known


def _names(files: Files, name: str) -> dict[str, str] | None:
    if not files.linked or len(files.releases) > 1:
        return None
    return renamed(files.original[name].cast(pl.String), files.releases[0][name].cast(pl.String))


def _grouped(files: Files, name: str, names: dict[str, str]) -> Files:
    def grouped(frame: pl.DataFrame) -> pl.DataFrame:
        cells = frame[name].cast(pl.String).replace_strict(names, default=None, return_dtype=pl.String)
        return frame.with_columns(cells.alias(name))

    release = files.releases[0].with_columns(pl.col(name).cast(pl.String))
    control = None if files.control is None else grouped(files.control)
    return replace(files, original=grouped(files.original), releases=(release,), control=control)
