"""Released cells as an analyst reads them: ranges as numbers or days, groups beside the original grouped alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data import Variable
from lookalike.data.cells import WILDCARD, is_generalized
from lookalike.errors import BadPlan
from lookalike.utility.numbers import TIMES, as_numbers
from lookalike.utility.pair import is_number

MIDDLES = "{names}: ranges are read by their middle, open ends by the number they name, * as missing."
GROUPED = "{names}: the original is grouped as in the release before it is compared."
ELSEWHERE = "{names}: the release has values that the original does not have."
ONLY_IN_FILE = "{names}: the original has values that the release does not have."
SEEN_AGAIN, FEWER = 0.5, 0.75
"""Values to a record, and groups to a value, below which names of groups are learned from linked cells."""
_RANGE = re.compile(r"^\[\s*([^;\[\]]+?)\s*;\s*([^;\[\]]+?)\s*\]$")
_PARTS = re.compile(r"^(\d{4})(?:-(\d{2})(?:-(\d{2}))?|-Q([1-4]))?")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Readable:
    """Both files with columns that can be compared, and what was done to get there."""

    original: pl.DataFrame
    release: pl.DataFrame
    notes: tuple[str, ...]


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
    >>> found.release["age"].to_list(), found.original["town"].to_list()
    ([35.0, 35.0, None], ['CH', 'CH', 'FR'])
    """
    known = {v.name: v for v in variables}
    faults: list[str] = []
    told: dict[str, list[str]] = {MIDDLES: [], GROUPED: [], ELSEWHERE: [], ONLY_IN_FILE: []}
    columns = []
    for name in original.columns:
        one, other = original[name], release[name]
        if is_number(one, known.get(name)):
            columns.append((one, _numbers(one, other, told[MIDDLES], faults)))
        else:
            columns.append(_categories(one, other, _beside(one, rows) if linked else None, told))
    if faults:
        raise BadPlan(faults)
    notes = tuple(text.format(names=", ".join(f"'{n}'" for n in names)) for text, names in told.items() if names)
    ones, others = zip(*columns, strict=True)
    return Readable(original=pl.DataFrame(list(ones)), release=pl.DataFrame(list(others)), notes=notes)


def has_generalized_cells(frame: pl.DataFrame, original: pl.DataFrame | None = None) -> bool:
    """Whether some column of text holds ranges, masks or wildcards that the original does not have.

    >>> made = pl.DataFrame({"age": ["[30;40]", "52"], "sex": ["F", "M"]})
    >>> has_generalized_cells(made), has_generalized_cells(made, made)
    (True, False)
    """
    for column in frame:
        if column.dtype == pl.String:
            known = set() if original is None or column.name not in original.columns else _values(original[column.name])
            if any(is_generalized(text) for text in _values(column) - known):
                return True
    return False


def _values(column: pl.Series) -> set[str]:
    return set(column.cast(pl.String).drop_nulls().unique().to_list())


def _numbers(one: pl.Series, other: pl.Series, middles: list[str], faults: list[str]) -> pl.Series:
    """A column of numbers or dates of the release, in the type of the original's if it was text."""
    days = isinstance(one.dtype, TIMES)
    if other.dtype != pl.String or other.null_count() == len(other):
        if isinstance(other.dtype, TIMES) != days and other.null_count() < len(other):
            faults.append(_another_kind(one))
        return other
    found = _days(other) if days else as_numbers(other)
    if found is None:
        faults.append(_another_kind(one))
        return other
    middles.append(one.name)
    return pl.Series(one.name, found).fill_nan(None) if not isinstance(found, pl.Series) else found


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
    match = _RANGE.match(text)
    ends = [_period(end) for end in (match.groups() if match else (text,))]
    if None in ends:
        return None
    days = [day for end in ends if end is not None for day in end]
    return min(days) + (max(days) - min(days)) // 2


def _period(text: str) -> tuple[date, date] | None:
    """The first and the last day of a day, month, quarter or year."""
    match = _PARTS.match(text)
    if match is None:
        return None
    year, month, day, quarter = (int(part) if part else None for part in match.groups())
    assert year is not None
    first = month if month else 3 * quarter - 2 if quarter else 1
    last = month if month else 3 * quarter if quarter else 12
    try:
        begin = date(year, first, day or 1)
        end = begin if day else (date(year, last, 28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    except ValueError:
        return None
    return begin, end


def _beside(column: pl.Series, rows: NDArray[np.int64] | None) -> pl.Series:
    """The cells of the original that the rows of the release are."""
    return column if rows is None else column[rows]


def _categories(
    one: pl.Series, other: pl.Series, beside: pl.Series | None, told: dict[str, list[str]]
) -> tuple[pl.Series, pl.Series]:
    """A category of both files; if its linked cells are known, the original's values under their new names."""
    if other.dtype == pl.String:
        other = other.replace({WILDCARD: None})
    texts = [column.cast(pl.String) for column in (one, other)]
    levels = [set(text.drop_nulls().unique().to_list()) for text in texts]
    if levels[1] - levels[0] and beside is not None:
        names = renamed(beside.cast(pl.String), texts[1])
        if names is not None:
            told[GROUPED].append(one.name)
            return texts[0].replace_strict(names, default=None, return_dtype=pl.String), texts[1]
    if levels[1] - levels[0] and not _same_numbers(one, other):
        told[ELSEWHERE].append(one.name)
    if levels[0] - levels[1] and not _same_numbers(one, other):
        told[ONLY_IN_FILE].append(one.name)
    return one, other


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
