"""A hierarchy as a table: one line a value, a column a level; the form of ARX."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import polars as pl

from lookalike.data.hierarchy.hierarchy import Hierarchy, texts_of
from lookalike.errors import BadFile, BadPlan

_ENDS = (";", ",", "\t", "|")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Hierarchy):
    """Each row a value and its cells at level 1, 2, …

    >>> Table(rows=(("SE", "Nordic", "*"), ("NO", "Nordic", "*"))).cells(pl.Series(["NO", "FR"]))[0].to_list()
    ['Nordic', None]
    """

    kind: ClassVar[str] = "table"
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def read(cls, path: str | Path, *, delimiter: str | None = None) -> Self:
        """A table from a text file without a header, the values of a line apart by `;`, `,`, a tab or `|`."""
        path = Path(path)
        lines = _lines(path)
        if not lines:
            raise BadFile(f"{path.name} is empty: a hierarchy has one line a value.")
        table = cls(rows=_rows(path, lines, delimiter or _delimiter(lines)))
        if faults := table.faults():
            raise BadPlan([f"{path.name}: {fault}" for fault in faults])
        return table

    @property
    def levels(self) -> int:
        """See `Hierarchy`."""
        return len(self.rows[0])

    def cells(self, values: pl.Series) -> list[pl.Series]:
        """See `Hierarchy`."""
        book = self._frame().unique("0", keep="first", maintain_order=True)
        found = texts_of(values).to_frame("0").join(book, on="0", how="left", maintain_order="left")
        return [found[str(level)].alias(values.name) for level in range(1, self.levels)]

    def leaves(self, values: pl.Series) -> pl.Series:
        """The values of the table."""
        return self._frame()["0"].unique(maintain_order=True).alias(values.name)

    def faults(self) -> list[str]:
        """See `Hierarchy`."""
        if not self.rows:
            return ["The table has no row."]
        ragged = sum(len(row) != len(self.rows[0]) for row in self.rows)
        if ragged or len(self.rows[0]) < 2:
            return (
                [f"{ragged:,} rows have another number of levels than the first."]
                if ragged
                else ["It has one level only."]
            )
        frame = self._frame()
        twice = frame.unique().height - frame["0"].n_unique()
        faults = [f"{twice:,} values stand there twice, with different cells."] if twice else []
        return faults or [fault for level in range(1, self.levels - 1) for fault in _split(frame, level)]

    def _frame(self) -> pl.DataFrame:
        return pl.DataFrame(
            {str(i): [row[i].strip() for row in self.rows] for i in range(self.levels)},
            schema=dict.fromkeys(map(str, range(self.levels)), pl.String),
        )


def _split(frame: pl.DataFrame, level: int) -> list[str]:
    """Groups of a level that lie in more than one group of the next."""
    pairs = frame.select(str(level), str(level + 1)).unique()
    split = Counter(pairs[str(level)].to_list())
    broken = sum(times > 1 for times in split.values())
    if not broken:
        return []
    return [
        f"{broken:,} of {len(split):,} groups of level {level} are split at level {level + 1}. Values that share a "
        "group must share one at every later level."
    ]


def _lines(path: Path) -> list[str]:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise BadFile(f"{path.name}: there is no such hierarchy.") from None
    except IsADirectoryError:
        raise BadFile(f"{path.name} is a folder, not a hierarchy.") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return [line for line in text.splitlines() if line.strip()]


def _delimiter(lines: list[str]) -> str:
    """The sign that all lines hold equally often; of several, the first of `;`, `,`, tab, `|`."""
    even = [end for end in _ENDS if len({len(row) for row in csv.reader(lines, delimiter=end)}) == 1]
    split = [end for end in even if end in lines[0]]
    return (split or [end for end in _ENDS if end in lines[0]] or [";"])[0]


def _rows(path: Path, lines: list[str], delimiter: str) -> tuple[tuple[str, ...], ...]:
    rows = tuple(tuple(cell.strip() for cell in row) for row in csv.reader(lines, delimiter=delimiter))
    levels = Counter(map(len, rows)).most_common(1)[0][0]
    ragged = sum(len(row) != levels for row in rows)
    if ragged:
        raise BadFile(f"{path.name}: {ragged:,} of {len(rows):,} lines have another number of levels than {levels}.")
    return rows
