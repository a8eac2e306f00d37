"""Several files under each other, coded alike: what regressions and trees over original and release start from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data import Variable, number_of
from lookalike.errors import BadPlan, unknown
from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.utility.levels import MISSING, codes_of_levels
from lookalike.utility.numbers import TIMES, as_numbers
from lookalike.utility.pair import is_number


@dataclass(frozen=True, slots=True)
class Stacked:
    """Columns of all files, the rows of one file after those of another; no cell is missing.

    Numbers are numbers, and so are dates; all else is levels in the order of the values. A missing value is one more
    level; beside a number it is a second column of 0 and 1, the number being 0 there, as in synthpop.

    >>> one = pl.DataFrame({"age": [30, None], "sex": ["F", "M"]})
    >>> both = stack([one, one.head(1)])
    >>> both.names, both.sizes, both.labels[2]
    (('age', 'age missing', 'sex'), (2, 1), ('F', 'M'))
    """

    names: tuple[str, ...]
    owners: tuple[str, ...]
    """The column of the files that each comes from."""
    table: Mixed
    labels: tuple[tuple[str, ...], ...]
    """What the levels stand for; nothing for numbers."""
    sizes: tuple[int, ...]

    @property
    def records(self) -> int:
        """Rows in all."""
        return sum(self.sizes)

    def rows(self, file: int) -> slice:
        """The rows of one file."""
        begin = sum(self.sizes[:file])
        return slice(begin, begin + self.sizes[file])

    def member(self, file: int) -> NDArray[np.bool_]:
        """Whether each row is of this file."""
        found = np.zeros(self.records, np.bool_)
        found[self.rows(file)] = True
        return found

    def only(self, columns: Collection[str]) -> Stacked:
        """Some columns of the files."""
        kept = [j for j, owner in enumerate(self.owners) if owner in columns]
        names, owners = tuple(self.names[j] for j in kept), tuple(self.owners[j] for j in kept)
        return Stacked(names, owners, self.table.only(kept), tuple(self.labels[j] for j in kept), self.sizes)


def shared_columns(frames: Sequence[pl.DataFrame], columns: Sequence[str] | None = None) -> tuple[str, ...]:
    """The columns asked for, or all; raises if a file lacks one.

    >>> shared_columns([pl.DataFrame({"a": [1], "id": [7]}), pl.DataFrame({"a": [2]})], ["a"])
    ('a',)
    """
    names = list(dict.fromkeys(columns if columns is not None else (n for frame in frames for n in frame.columns)))
    hint = "" if columns is not None else " Name the columns to compare."
    faults = [
        unknown("Column", name, frame.columns, where=f"in {file_name(place)}", listed="Columns") + hint
        for place, frame in enumerate(frames)
        for name in names
        if name not in frame.columns
    ]
    faults += [f"{file_name(p).capitalize()} has no records." for p, frame in enumerate(frames) if not frame.height]
    if not names:
        faults.append("No column is named to compare.")
    if faults:
        raise BadPlan(faults)
    return tuple(names)


def stack(
    frames: Sequence[pl.DataFrame], columns: Sequence[str] | None = None, *, variables: Sequence[Variable] = ()
) -> Stacked:
    """Code the columns of all files alike; `variables` say what is a number and which codes stand for no value.

    A column without a variable goes by its type in the first file. Generalized cells of a number (`[20;30]`, `85+`) are
    what an analyst makes of them: middles and ends.
    """
    names, known = shared_columns(frames, columns), {v.name: v for v in variables}
    faults: list[str] = []
    parts: list[_Part] = []
    for name in names:
        cells = [frame[name] for frame in frames]
        if is_number(_first_known(cells), known.get(name)):
            parts += _numbers(name, cells, known.get(name), faults)
        else:
            parts.append((name, name, *_levels(cells)))
    if faults:
        raise BadPlan(faults)
    coded, owners, found, labels = zip(*parts, strict=True)
    return Stacked(coded, owners, Mixed(found), labels, tuple(frame.height for frame in frames))


def file_name(place: int) -> str:
    """What a file is called in a message: the first is the original.

    >>> [file_name(place) for place in range(3)]
    ['the original', 'the release', 'copy 2 of the release']
    """
    return "the original" if place == 0 else "the release" if place == 1 else f"copy {place} of the release"


_Part = tuple[str, str, Column, tuple[str, ...]]


def _first_known(cells: Sequence[pl.Series]) -> pl.Series:
    """The column of the first file that has a value in it."""
    return next((c for c in cells if c.null_count() < len(c)), cells[0])


def _numbers(name: str, cells: Sequence[pl.Series], variable: Variable | None, faults: list[str]) -> list[_Part]:
    """A column of numbers, 0 where there is none, and one that says where."""
    parts = [as_numbers(c) for c in cells]
    for place, (column, part) in enumerate(zip(cells, parts, strict=True)):
        held = isinstance(column.dtype, TIMES) == isinstance(_first_known(cells).dtype, TIMES)
        if part is None or not (held or column.null_count() == len(column)):
            faults.append(
                f"Column '{name}' holds numbers or dates in one file and something else in {file_name(place)}."
                " Leave it out, or declare it nominal to compare its values as text."
            )
            return []
    values = np.concatenate([part for part in parts if part is not None])
    if np.isinf(values).any():
        faults.append(f"Column '{name}' holds infinite numbers. Make them missing, or leave it out.")
        return []
    codes = [number for code in (variable.missing if variable else ()) if (number := number_of(code)) is not None]
    gaps = np.isnan(values) | np.isin(values, codes)
    values[gaps] = 0.0
    found: list[_Part] = [] if gaps.all() else [(name, name, Numbers(values), ())]
    if gaps.any():
        found.append((f"{name} {MISSING}", name, Categories(gaps.astype(np.int32), 2), ("no", "yes")))
    return found


def _levels(cells: Sequence[pl.Series]) -> tuple[Categories, tuple[str, ...]]:
    """Codes in the order of the values; missing is the last level."""
    first, *others = (column.rechunk() for column in cells)
    codes, labels = codes_of_levels(first, _together(others) if others else first.head(0))
    return Categories(codes.astype(np.int32), len(labels)), tuple(labels.to_list())


def _together(cells: Sequence[pl.Series]) -> pl.Series:
    """One column after another, of the type they share, else as text."""
    same = len({column.dtype for column in cells}) == 1 and not isinstance(cells[0].dtype, pl.Categorical | pl.Enum)
    return pl.concat([column if same else column.cast(pl.String) for column in cells])
