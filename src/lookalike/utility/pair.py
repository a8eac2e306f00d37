"""Original and release in one book of codes: what all tables are counted from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data import Kind, Variable
from lookalike.errors import BadPlan, unknown
from lookalike.utility.grouping import GROUPS, number_groups
from lookalike.utility.levels import codes_of_levels
from lookalike.utility.numbers import TIMES, as_numbers, missing_codes

Codes = NDArray[np.uint16] | NDArray[np.int64]

SMALL = 2**16
"""A column with at most so many levels has codes of 16 bits."""


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """One column of both files in codes from 0."""

    name: str
    original: Codes
    release: Codes
    labels: pl.Series
    """What each code means: values of the file, for its custodian alone."""

    @property
    def levels(self) -> int:
        """How many codes there are."""
        return len(self.labels)


@dataclass(frozen=True)
class CodedPair:
    """The columns of an original and a release, coded alike.

    >>> original = pl.DataFrame({"sex": ["F", "M", "F"], "age": [31, 45, None]})
    >>> release = pl.DataFrame({"sex": ["M", "X"], "age": [30, 50]})
    >>> pair = CodedPair.of(original, release)
    >>> pair.records, pair["sex"].original.tolist(), pair["sex"].release.tolist()
    ((3, 2), [0, 1, 0], [1, 2])
    """

    columns: tuple[CodedColumn, ...]

    @classmethod
    def of(
        cls,
        original: pl.DataFrame,
        release: pl.DataFrame,
        *,
        variables: Sequence[Variable] = (),
        columns: Sequence[str] | None = None,
        groups: int = GROUPS,
    ) -> CodedPair:
        """Code the columns, all of them if none are named; numbers and dates in groups.

        `variables` say which columns are numbers and which codes stand for missing values; a column without one goes
        by its type. All faults of the request are told together.
        """
        names = list(columns) if columns is not None else original.columns
        known = {variable.name: variable for variable in variables}
        faults = [*pair_faults(original, release, columns), *([] if groups > 1 else ["At least 2 groups are needed."])]
        faults += [] if faults else kind_faults(original, release, names, known)
        if faults:
            raise BadPlan(faults)
        with ThreadPoolExecutor(2) as pool:  # Polars sorts and finds levels on all cores by itself
            coded = pool.map(lambda name: _coded(original[name], release[name], known.get(name), groups), names)
            return cls(tuple(coded))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order of the request."""
        return tuple(column.name for column in self.columns)

    @property
    def records(self) -> tuple[int, int]:
        """The records of the original and of the release."""
        return len(self.columns[0].original), len(self.columns[0].release)

    def __getitem__(self, name: str) -> CodedColumn:
        """The column of that name."""
        if name not in self.names:
            raise BadPlan(unknown("Column", name, self.names, where="compared", listed="Columns"))
        return self.columns[self.names.index(name)]


def pair_faults(original: pl.DataFrame, release: pl.DataFrame, columns: Sequence[str] | None) -> list[str]:
    """Columns that one file lacks, and files without records or columns."""
    faults = []
    for file, frame, other in (("original", original, release), ("release", release, original)):
        if not frame.height:
            faults.append(f"The {file} has no records.")
        if columns is not None:
            lacking = [name for name in dict.fromkeys(columns) if name not in frame.columns]
            faults += [unknown("Column", n, frame.columns, where=f"in the {file}", listed="Columns") for n in lacking]
            continue
        lacking = [name for name in other.columns if name not in frame.columns]
        if lacking:
            listed = ", ".join(f"'{name}'" for name in lacking)
            faults.append(f"The {file} lacks columns of the other file: {listed}. Name the columns to compare.")
    if not faults and not (columns or (columns is None and original.columns)):
        faults.append("No column is named to compare.")
    if columns is not None and len(set(columns)) < len(columns):
        faults.append("A column is named twice.")
    return faults


def kind_faults(
    original: pl.DataFrame, release: pl.DataFrame, names: Sequence[str], known: Mapping[str, Variable]
) -> list[str]:
    """Columns that are numbers or dates in one file and something else in the other."""
    faults = []
    for name in names:
        one, other = original[name], release[name]
        if is_number(one, known.get(name)) and not _comparable(one, other):
            kind = "dates" if isinstance(one.dtype, TIMES) else "numbers"
            faults.append(f"Column '{name}' holds {kind} in the original and something else in the release.")
    return faults


def is_number(column: pl.Series, variable: Variable | None) -> bool:
    """Whether the values of a column have a size: by its kind if it is known, else by its type."""
    sized = column.dtype.is_numeric() or isinstance(column.dtype, TIMES)
    if variable is None:
        return sized
    return variable.kind in (Kind.NUMERIC, Kind.DATE) and (sized or as_numbers(column) is not None)


def _comparable(one: pl.Series, other: pl.Series) -> bool:
    if other.null_count() == len(other):
        return True
    if isinstance(one.dtype, TIMES) or isinstance(other.dtype, TIMES):
        return _sort_of_time(one) == _sort_of_time(other)
    return other.dtype.is_numeric() or as_numbers(other) is not None


def _sort_of_time(column: pl.Series) -> type[pl.DataType]:
    """Dates and points in time can be compared with each other; durations and times of day only with their like."""
    return pl.Date if isinstance(column.dtype, pl.Date | pl.Datetime) else type(column.dtype)


def _coded(original: pl.Series, release: pl.Series, variable: Variable | None, groups: int) -> CodedColumn:
    name, first = original.name, len(original)
    if is_number(original, variable):
        one, other = as_numbers(original), as_numbers(release)
        assert one is not None
        assert other is not None
        both = np.concatenate([one, other])
        cut = number_groups(both, groups, missing_codes(variable))
        codes, labels = cut.codes(both), pl.Series("level", cut.labels)
    else:
        codes, labels = codes_of_levels(original, release)
    small: Codes = codes.astype(np.uint16) if len(labels) <= SMALL else codes
    return CodedColumn(name, small[:first], small[first:], labels)
