"""The list of a repair: records at risk, the rows of the release behind them, and the rows that changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from lookalike.attacks.behind import Behind
from lookalike.evaluate.comparison.files import Both
from lookalike.evaluate.repair.changed import Copy
from lookalike.evaluate.repair.exposed import Exposed, Exposure

NUMBERS = ("record", "records", "copy", "row", "rows")
COLUMNS = (*NUMBERS, "attack", "target", "columns", "done")
"""Numbers count from 1; there is no value of a cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the list; its fields are the columns."""

    done: str
    record: int | None = None
    """Of a row: the first record that belongs to it."""
    records: int | None = None
    """Of a row: how many do."""
    copy: int
    row: int | None = None
    """Of a record: the first row that belongs to it."""
    rows: int | None = None
    """Of a record: how many do."""
    attack: str | None = None
    target: str | None = None
    columns: str | None = None


def listed(both: Both, found: Exposed, copies: Sequence[Copy], differing: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Which records were at risk by which rows of the release as it came, and which rows changed."""
    schema = {name: pl.Int64() if name in NUMBERS else pl.String() for name in COLUMNS}
    behind = [] if both.made.linked else [*_behind(both, found)]
    lines = [*_at_risk(both, found), *behind, *_changed(both, copies, differing, behind)]
    return pl.DataFrame([[getattr(line, name) for name in COLUMNS] for line in lines], schema=schema, orient="row")


def _at_risk(both: Both, found: Exposed) -> Iterator[Line]:
    """Each record at risk with the first row behind it, and how many there are."""
    for attack, number, one in _by_copy(found):
        joined = one.rows_of_records
        for place, first, count in zip(one.records, joined.first, joined.count, strict=True):
            yield Line(
                record=_number(both, int(place)),
                copy=number,
                row=int(first) + 1 if count else None,
                rows=int(count),
                attack=attack.attack,
                target=attack.target,
                done="at risk",
            )


def _behind(both: Both, found: Exposed) -> Iterator[Line]:
    """Each row behind a record, of files that are not linked: the first such record, and how many there are."""
    for attack, number, one in _by_copy(found):
        joined = one.records_of_rows
        for row, first, count in zip(one.rows, joined.first, joined.count, strict=True):
            yield Line(
                record=_number(both, int(first)),
                records=int(count),
                copy=number,
                row=int(row) + 1,
                attack=attack.attack,
                target=attack.target,
                done="behind",
            )


def _by_copy(found: Exposed) -> Iterator[tuple[Exposure, int, Behind]]:
    for attack in found.attacks:
        yield from ((attack, number, one) for number, one in enumerate(attack.behind, 1))


def _changed(
    both: Both, copies: Sequence[Copy], differing: Sequence[Mapping[str, Any]], behind: Sequence[Line]
) -> Iterator[Line]:
    """Each row that changed, with its own record of a linked file, else with the first record that it was behind."""
    first: dict[tuple[int, int], int] = {}
    for line in behind:
        assert line.record is not None
        assert line.row is not None
        at = line.copy, line.row
        first[at] = min(line.record, first.get(at, line.record))
    for number, row, names in _rows(both, copies, differing):
        record = _number(both, row) if both.made.linked else first.get((number, row + 1))
        done = "dropped" if names is None else "changed"
        yield Line(record=record, copy=number, row=row + 1, columns=names, done=done)


def _rows(
    both: Both, copies: Sequence[Copy], differing: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[int, int, str | None]]:
    """The copy and the row, from 0, of each row that is gone or has other cells, with the names of its columns."""
    for number, (copy, columns) in enumerate(zip(copies, differing, strict=True), 1):
        gone = np.setdiff1d(np.arange(both.releases[number - 1].records), copy.rows)
        yield from ((number, int(row), None) for row in gone)
        for place in np.flatnonzero(np.any(list(columns.values()), axis=0)) if columns else ():
            names = ", ".join(name for name, differs in columns.items() if differs[place])
            yield number, int(copy.rows[place]), names


def _number(both: Both, place: int) -> int:
    """The number of a record in the original, by its place among those compared."""
    return place + 1 if both.file_rows is None else int(both.file_rows[place]) + 1
