"""From a column of a file to columns of a model and back: types, missing values, codes and rounding stay."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data import Kind, Variable, number_of
from lookalike.errors import BadPlan
from lookalike.models.mixed import UNKNOWN, Categories, Column, Numbers
from lookalike.synthesis.rounding import step_of

_TIMES = (pl.Date, pl.Datetime, pl.Time, pl.Duration)


class Coding(ABC):
    """How one column of the file is put into a model."""

    name: str
    places: int
    """How many columns of the model it takes."""

    @abstractmethod
    def encode(self, cells: pl.Series) -> tuple[Column, ...]:
        """The cells as columns of a model."""

    @abstractmethod
    def decode(self, columns: Sequence[Column]) -> pl.Series:
        """Columns of a model, every cell known, as cells."""


def coding_of(
    variable: Variable, cells: pl.Series, *, impute: bool = False, levels: Sequence[str] | None = None
) -> Coding:
    """The coding that the kind and the type of a column ask for; `levels` are those of a code book, as text.

    >>> age = pl.Series("age", [30, None, 41])
    >>> coding = coding_of(Variable(name="age", kind=Kind.NUMERIC), age)
    >>> coding.decode(coding.encode(age)).to_list()
    [30, None, 41]
    """
    if levels:
        return AsCategory.by_book(variable, cells, levels, impute=impute)
    if cells.dtype == pl.String and (form := form_of(cells)) is not None:
        return AsTextTime.of(variable, cells, form, impute=impute)
    number = cells.dtype.is_numeric() and variable.kind is Kind.NUMERIC
    as_number = number or isinstance(cells.dtype, _TIMES)
    return (AsNumber if as_number else AsCategory).of(variable, cells, impute=impute)


@dataclass(frozen=True)
class AsCategory(Coding):
    """Every value is a level; a missing value that is kept is the last level."""

    name: str
    values: pl.Series
    """The values in the order of their codes."""
    ordered: bool
    own_missing: bool
    places: int = 1

    @classmethod
    def of(cls, variable: Variable, cells: pl.Series, *, impute: bool = False) -> AsCategory:
        """Levels in the order of the variable, else of the values."""
        values = cells.drop_nulls().unique().sort()
        if variable.levels:
            texts, place = values.cast(pl.String), {level: i for i, level in enumerate(variable.levels)}
            order = sorted(range(len(values)), key=lambda i: (place.get(texts[i], len(place)), i))
            values = values.gather(order)
        missing = cells.null_count() > 0 and not impute
        return cls(variable.name, values, variable.kind is Kind.ORDINAL, missing)

    @classmethod
    def by_book(cls, variable: Variable, cells: pl.Series, levels: Sequence[str], *, impute: bool) -> AsCategory:
        """The levels of a code book, and one for missing values whether the file has any or not."""
        values = pl.Series(variable.name, [str(level) for level in levels]).cast(cells.dtype, strict=False)
        outside = int((~cells.is_in(values.implode()) & cells.is_not_null()).sum())
        if values.null_count() or outside:
            raise BadPlan(
                f"Column '{variable.name}': {outside:,} records hold another value than the levels given for it, or a "
                "level is not of its type."
            )
        return cls(variable.name, values, variable.kind is Kind.ORDINAL, not impute)

    @property
    def levels(self) -> int:
        """How many levels there are, a missing value that is kept among them."""
        return len(self.values) + self.own_missing

    def encode(self, cells: pl.Series) -> tuple[Column, ...]:
        """See `Coding`."""
        table = pl.DataFrame({"value": self.values, "code": np.arange(len(self.values), dtype=np.int32)})
        found = pl.DataFrame({"value": cells}).join(table, on="value", how="left", maintain_order="left")
        empty = len(self.values) if self.own_missing else UNKNOWN
        codes = found["code"].fill_null(empty).to_numpy()
        return (Categories(np.ascontiguousarray(codes, np.int32), self.levels, self.ordered),)

    def decode(self, columns: Sequence[Column]) -> pl.Series:
        """See `Coding`."""
        (column,) = columns
        assert isinstance(column, Categories)
        codes = pl.Series(column.codes).cast(pl.UInt32)
        if self.own_missing:
            codes = codes.to_frame("c").select(pl.when(pl.col("c") < len(self.values)).then(pl.col("c"))).to_series()
        if not len(self.values):
            return pl.Series(self.name, [None] * len(codes), dtype=self.values.dtype)
        return self.values.gather(codes).alias(self.name)

    def code_of(self, text: str) -> int | None:
        """The code of a value written as text; None if the column has no such value."""
        texts = self.values.cast(pl.String).to_list()
        return texts.index(text) if text in texts else None


@dataclass(frozen=True)
class AsNumber(Coding):
    """Numbers, dates and times; where some cells hold none, a second column says which."""

    name: str
    dtype: pl.DataType
    step: float
    """All numbers of the file are multiples of it; 0 if there is no such step."""
    codes: tuple[float, ...]
    """Numbers that stand for a missing value; they come back as they are."""
    own_missing: bool
    impute: bool = False
    """Whether a number is drawn where there is none."""

    @classmethod
    def of(cls, variable: Variable, cells: pl.Series, *, impute: bool = False) -> AsNumber:
        """Read off the step, the codes in use and whether cells are missing."""
        numbers = _numbers(cells)
        named = np.array([c for text in variable.missing if (c := number_of(text)) is not None])
        codes = tuple(float(c) for c in np.unique(named) if (numbers == c).any()) if len(named) else ()
        coded = np.isin(numbers, codes)
        real = numbers[~np.isnan(numbers) & ~coded]
        missing = bool(np.isnan(numbers).any()) and not impute
        return cls(
            name=variable.name,
            dtype=cells.dtype,
            step=step_of(real, whole=not cells.dtype.is_float()),
            codes=codes,
            own_missing=missing,
            impute=impute,
        )

    @property
    def places(self) -> int:  # type: ignore[override]
        """The numbers, and what stands where there is none."""
        return 2 if (self.codes or self.own_missing) and not self.impute else 1

    def encode(self, cells: pl.Series) -> tuple[Column, ...]:
        """See `Coding`."""
        numbers = _numbers(cells)
        which = np.zeros(len(numbers), np.int32)
        for place, code in enumerate(self.codes):
            which[numbers == code] = place + 1
        which[np.isnan(numbers)] = len(self.codes) + 1 if self.own_missing else UNKNOWN
        values = Numbers(np.where(which == 0, numbers, np.nan))
        levels = 1 + len(self.codes) + self.own_missing
        return (values, Categories(which, levels)) if self.places == 2 else (values,)

    def decode(self, columns: Sequence[Column]) -> pl.Series:
        """See `Coding`."""
        assert isinstance(columns[0], Numbers)
        numbers = columns[0].values
        if self.step:
            # Divided, not multiplied, by a fraction such as 0.01: 3 / 100 is 0.03, 3 · 0.01 is not.
            numbers = np.rint(numbers / self.step)
            numbers = numbers * self.step if self.step >= 1 else numbers / round(1 / self.step)
        if self.places == 2:
            assert isinstance(columns[1], Categories)
            others = np.array([0.0, *self.codes, np.nan])
            numbers = np.where(columns[1].codes == 0, numbers, others[columns[1].codes])
        return _cells(self.name, numbers, self.dtype)


FORMS = tuple(
    f"%Y-%m-%d{between}{clock}" if clock else "%Y-%m-%d"
    for clock in ("", "%H:%M:%S", "%H:%M", "%H:%M:%S%.3f", "%H:%M:%S%.6f")
    for between in "T "
)
"""How dates and times are written as text."""
_YEAR = re.compile(r"\d{4}-")


def form_of(cells: pl.Series) -> str | None:
    """The form in which all cells of a column of text are dates or times; None if they are none."""
    some = cells.drop_nulls()
    if not len(some) or not _YEAR.match(some[0]):
        return None
    for form in FORMS:
        parsed = some.str.to_datetime(form, strict=False, time_unit="us")
        if not parsed.null_count() and parsed.dt.strftime(form).equals(some.alias(parsed.name)):
            return form
    return None


@dataclass(frozen=True)
class AsTextTime(Coding):
    """Dates and times that a file holds as text: drawn as times, written in the same form."""

    name: str
    form: str
    inner: AsNumber

    @classmethod
    def of(cls, variable: Variable, cells: pl.Series, form: str, *, impute: bool = False) -> AsTextTime:
        """By the times that the texts tell."""
        return cls(variable.name, form, AsNumber.of(variable, _times(cells, form), impute=impute))

    @property
    def places(self) -> int:  # type: ignore[override]
        """As many as the times take."""
        return self.inner.places

    def encode(self, cells: pl.Series) -> tuple[Column, ...]:
        """See `Coding`."""
        return self.inner.encode(_times(cells, self.form))

    def decode(self, columns: Sequence[Column]) -> pl.Series:
        """See `Coding`."""
        return self.inner.decode(columns).dt.strftime(self.form).alias(self.name)


def _times(cells: pl.Series, form: str) -> pl.Series:
    return cells.str.to_datetime(form, strict=False, time_unit="us")


def _numbers(cells: pl.Series) -> NDArray[np.float64]:
    plain = cells if cells.dtype.is_numeric() else cells.to_physical()
    return plain.cast(pl.Float64).fill_null(np.nan).to_numpy(writable=True)


def _cells(name: str, numbers: NDArray[np.float64], dtype: pl.DataType) -> pl.Series:
    found = pl.Series(name, numbers, nan_to_null=True)
    if dtype.is_float() or dtype.is_decimal():
        return found.cast(dtype)
    low, high = (-(2.0**63), 2.0**63 - 1024)
    if dtype.is_integer():
        ends = pl.select(dtype.min().cast(pl.Float64).alias("low"), dtype.max().cast(pl.Float64).alias("high"))  # type: ignore[attr-defined]
        low, high = max(low, ends["low"][0]), min(high, ends["high"][0])
    whole = found.clip(low, high).round().cast(pl.Int64)
    return whole.cast(dtype if dtype.is_integer() else _physical(dtype)).cast(dtype)


def _physical(dtype: pl.DataType) -> pl.DataType:
    return pl.Series([], dtype=dtype).to_physical().dtype
