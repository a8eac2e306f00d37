"""Released cells as an analyst reads them, beside the original in the words of the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data import Variable
from lookalike.data.cells import WILDCARD, is_generalized
from lookalike.data.dashes import is_dashed, undashed
from lookalike.errors import BadPlan
from lookalike.utility.in_ranges import has_ranges, in_ranges, middle_of, under_masks
from lookalike.utility.numbers import TIMES, as_numbers, missing_codes
from lookalike.utility.pair import is_number

RANGED = (
    "{names}: released in ranges. What is counted is counted in these ranges in both files; where one calculates with "
    "it, a range is its middle, an open end the number it names."
)
MIDDLES = (
    "{names}: released in ranges that overlap, so the original cannot be put in them: a range is read by its middle, "
    "an open end by the number it names, and looks farther from the original than it is."
)
GROUPED = "{names}: the original is grouped as in the release before it is compared."
ELSEWHERE = "{names}: the release has values that the original does not have."
ONLY_IN_FILE = "{names}: the original has values that the release does not have."
NONE_LEFT = "{names}: no value is left in the release."
SEEN_AGAIN, FEWER = 0.5, 0.75
"""Values to a record, and groups to a value, below which names of groups are learned from linked cells."""


class Read(StrEnum):
    """How a column is compared.

    >>> Read.RANGES.value
    'in the ranges of the release'
    """

    AS_IT_IS = "as it is"
    RANGES = "in the ranges of the release"
    MIDDLES = "by the middles of ranges that overlap"
    GROUPS = "in the groups of the release"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coarse:
    """A column that the release has in ranges or groups: how it is compared, its values before and after."""

    read: Read
    values: int
    """Distinct ones in the original."""
    classes: int
    """What is left of them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Readable:
    """Both files with columns that can be compared, and what was done to get there."""

    original: pl.DataFrame
    """For what one calculates with: numbers as they are."""
    counted: pl.DataFrame
    """For what is counted: the original with numbers in the ranges of the release, where it has such."""
    release: pl.DataFrame
    notes: tuple[str, ...]
    coarse: Mapping[str, Coarse] = field(default_factory=dict)
    """By column; those that are compared as they are, are not there."""


def readable(
    original: pl.DataFrame,
    release: pl.DataFrame,
    *,
    variables: Sequence[Variable] = (),
    linked: bool = False,
    rows: NDArray[np.int64] | None = None,
) -> Readable:
    """Make the columns of a release comparable with the original's; a number that became something else is refused.

    With `linked`, row i of the release is row i of the original, or row `rows[i]`: where every value of a category was
    released as one other value, the original gets these values too.

    >>> file = pl.DataFrame({"age": [31, 38, 52], "town": ["Bern", "Genf", "Lyon"]})
    >>> made = pl.DataFrame({"age": ["[30;40]", "[30;40]", "*"], "town": ["CH", "CH", "FR"]})
    >>> found = readable(file, made, linked=True)
    >>> found.release["age"].to_list(), found.counted["age"].to_list(), found.original["town"].to_list()
    ([35.0, 35.0, None], [35.0, 35.0, 52.0], ['CH', 'CH', 'FR'])
    """
    known = {v.name: v for v in variables}
    faults: list[str] = []
    texts = (NONE_LEFT, RANGED, MIDDLES, GROUPED, ELSEWHERE, ONLY_IN_FILE)
    told: dict[str, list[str]] = {text: [] for text in texts}
    columns, coarse = [], {}
    for name in original.columns:
        one, other = original[name], release[name]
        if is_number(one, known.get(name)):
            columns.append(_numbers(one, other, known.get(name), faults))
        else:
            columns.append(_categories(one, other, _beside(one, rows) if linked else None, told))
        if _is_gone(columns[-1]):
            told[NONE_LEFT].append(name)
        if found := columns[-1].coarse:
            coarse[name] = found
            told[_NOTES[found.read]].append(name)
    if faults:
        raise BadPlan(faults)
    notes = tuple(text.format(names=", ".join(f"'{n}'" for n in names)) for text, names in told.items() if names)
    return Readable(
        original=pl.DataFrame([column.original for column in columns]),
        counted=pl.DataFrame([column.counted for column in columns]),
        release=pl.DataFrame([column.release for column in columns]),
        notes=notes,
        coarse=coarse,
    )


_NOTES = {Read.RANGES: RANGED, Read.MIDDLES: MIDDLES, Read.GROUPS: GROUPED}


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """One column of both files."""

    original: pl.Series
    counted: pl.Series
    release: pl.Series
    coarse: Coarse | None = None


def has_generalized_cells(frame: pl.DataFrame, original: pl.DataFrame | None = None) -> bool:
    """Whether some column of text holds ranges, masks or wildcards that the original does not have.

    >>> made = pl.DataFrame({"age": ["[30;40]", "52"], "sex": ["F", "M"]})
    >>> has_generalized_cells(made), has_generalized_cells(made, made)
    (True, False)
    """
    for column in frame:
        if column.dtype == pl.String:
            own = None if original is None or column.name not in original.columns else original[column.name]
            new = _values(column) - (set() if own is None else _values(own))
            numbers = own is not None and own.dtype.is_numeric()
            if any(is_generalized(text) or (numbers and is_dashed(text)) for text in new):
                return True
    return False


def _values(column: pl.Series) -> set[str]:
    return set(column.cast(pl.String).drop_nulls().unique().to_list())


def _is_gone(column: _Column) -> bool:
    """Whether the original has values and the release none."""
    return column.release.null_count() == len(column.release) and column.original.null_count() < len(column.original)


def _numbers(one: pl.Series, other: pl.Series, variable: Variable | None, faults: list[str]) -> _Column:
    """A column of numbers or dates: the release's in the type of the original's if it was text."""
    days = isinstance(one.dtype, TIMES)
    if other.dtype != pl.String or other.null_count() == len(other):
        if isinstance(other.dtype, TIMES) != days and other.null_count() < len(other):
            faults.append(_another_kind(one))
        return _Column(one, one, other)
    other = other if days else undashed(other)
    found = _days(other) if days else as_numbers(other)
    if found is None:
        faults.append(_another_kind(one))
        return _Column(one, one, other)
    read = found if isinstance(found, pl.Series) else pl.Series(one.name, found).fill_nan(None)
    counted = in_ranges(one, other, missing_codes(variable))
    if counted is not None:
        return _Column(one, counted, read, _coarse(Read.RANGES, one, counted))
    return _Column(one, one, read, _coarse(Read.MIDDLES, one, read) if has_ranges(other, days=days) else None)


def _coarse(read: Read, one: pl.Series, after: pl.Series) -> Coarse:
    return Coarse(read=read, values=one.drop_nulls().n_unique(), classes=after.drop_nulls().n_unique())


def _another_kind(column: pl.Series) -> str:
    kind = "dates" if isinstance(column.dtype, TIMES) else "numbers"
    return (
        f"Column '{column.name}' holds {kind} in the original and something else in the release. Leave it out "
        f"(--columns), or compare its values as names (--kind {column.name}=nominal)."
    )


def _days(column: pl.Series) -> pl.Series | None:
    """Days, months, quarters, years and ranges of them as the day in their middle; None if a cell is none of these."""
    texts = column.unique().drop_nulls().to_list()
    found = {text: _middle_day(text.strip()) for text in texts}
    if any(day is None and text.strip() != WILDCARD for text, day in found.items()):
        return None
    return column.replace_strict(list(found), list(found.values()), default=None, return_dtype=pl.Date)


def _middle_day(text: str) -> date | None:
    middle = middle_of(text)
    return None if middle is None else date(1970, 1, 1) + timedelta(days=middle)


def _beside(column: pl.Series, rows: NDArray[np.int64] | None) -> pl.Series:
    """The cells of the original that the rows of the release are."""
    return column if rows is None else column[rows]


def _categories(one: pl.Series, other: pl.Series, beside: pl.Series | None, told: dict[str, list[str]]) -> _Column:
    """A category of both files, the original's values under their new names where links or masks tell these."""
    if other.dtype == pl.String:
        other = other.replace({WILDCARD: None})
    texts = [column.cast(pl.String) for column in (one, other)]
    levels = [set(text.drop_nulls().unique().to_list()) for text in texts]
    if levels[1] - levels[0]:
        names = None if beside is None else renamed(beside.cast(pl.String), texts[1])
        names = under_masks(texts[0], texts[1]) if names is None else names
        if names is not None:
            grouped = texts[0].replace_strict(names, default=None, return_dtype=pl.String)
            return _Column(grouped, grouped, texts[1], _coarse(Read.GROUPS, one, grouped))
    if levels[1] - levels[0] and not _same_numbers(one, other):
        told[ELSEWHERE].append(one.name)
    if levels[1] and levels[0] - levels[1] and not _same_numbers(one, other):
        told[ONLY_IN_FILE].append(one.name)
    return _Column(one, one, other)


def renamed(one: pl.Series, other: pl.Series) -> dict[str, str] | None:
    """By value of linked cells the one value it was released as; None if some value was released as several.

    Values that occur once can be paired with anything: unless values are seen again, or groups are clearly fewer than
    values, nothing is learned. Else a column that was perturbed would look as if it had been renamed.

    >>> sorted(renamed(pl.Series(["Bern", "Lyon"] * 2), pl.Series(["CH", "FR"] * 2)).items())
    [('Bern', 'CH'), ('Lyon', 'FR')]
    >>> renamed(pl.Series(["Bern", "Lyon"]), pl.Series(["CH", "FR"])) is None
    True
    """
    pairs = pl.DataFrame({"from": one, "to": other}).drop_nulls().unique()
    values, groups = pairs["from"].n_unique(), pairs["to"].n_unique()
    if values < pairs.height or (values > SEEN_AGAIN * len(one) and groups > FEWER * values):
        return None
    return dict(pairs.iter_rows())


def _same_numbers(one: pl.Series, other: pl.Series) -> bool:
    """Whether both hold numbers, whose texts may differ (1 and 1.0)."""
    return one.dtype.is_numeric() and other.dtype.is_numeric()
