"""What a format can hold: types it lacks are turned, what would be lost is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import polars.selectors as cs

from lookalike.data.whole import EXACT
from lookalike.errors import BadPlan

_COLUMNAR = (".arrow", ".feather", ".parquet")


@dataclass(frozen=True)
class _Limits:
    """What a format holds; `name` is the expression a column name must have, `rule` says it in words."""

    name: str
    rule: str
    whole: int = EXACT
    rows: int | None = None


_WORD = "at most {} letters, digits and underscores, and do not begin with a digit"
_LIMITS = {
    ".dta": _Limits(r"[^\W\d]\w{0,31}", _WORD.format(32)),
    ".sav": _Limits(r"[^\W\d]\w{0,63}", _WORD.format(64)),
    ".xpt": _Limits(r"[A-Za-z_][A-Za-z0-9_]{0,31}", _WORD.format(32) + ", without accents"),
    ".xlsx": _Limits(r"(?s).+", "not empty", whole=10**15, rows=1_048_575),
}


def fit_to_write(table: pl.LazyFrame, path: Path) -> pl.LazyFrame:
    """The table as the format of the path can hold it; raises one `BadPlan` with all that it cannot."""
    suffix = path.suffix.lower()
    faults = [] if suffix in _COLUMNAR else list(_nested(table))
    limits = _LIMITS.get(suffix)
    if limits is None:
        if faults:
            raise BadPlan([f"{path.name}: {fault}" for fault in faults])
        return table
    faults += [*_bad_names(table, limits), *_too_large(table, limits), *_too_many(table, limits)]
    if faults:
        raise BadPlan([f"{path.name}: {fault}" for fault in faults])
    table = table.with_columns(cs.decimal().cast(pl.Float64), cs.duration().dt.total_seconds(fractional=True))
    return table.with_columns(cs.boolean().cast(pl.Int8)) if suffix != ".xlsx" else table


def _nested(table: pl.LazyFrame) -> Iterator[str]:
    names = [name for name, dtype in table.collect_schema().items() if dtype.is_nested() or dtype == pl.Binary]
    if names:
        yield f"{_quoted(names)} hold lists or bytes, which only Parquet and Arrow can."


def _bad_names(table: pl.LazyFrame, limits: _Limits) -> Iterator[str]:
    bad = [name for name in table.collect_schema().names() if not re.fullmatch(limits.name, name)]
    if bad:
        yield f"names of columns in this format are {limits.rule}. Rename {_quoted(bad)}."


def _too_large(table: pl.LazyFrame, limits: _Limits) -> Iterator[str]:
    """Whole numbers that the format would round: they name records, and two might become one."""
    large = _where(table, lambda whole: ((whole > limits.whole) | (whole < -limits.whole)).any())
    if large:
        yield f"{_quoted(large)} hold whole numbers too large for this format. Write CSV or Parquet."


def _too_many(table: pl.LazyFrame, limits: _Limits) -> Iterator[str]:
    if limits.rows is None:
        return
    rows = table.select(pl.len()).collect().item()
    if rows > limits.rows:
        yield f"{rows:,} records do not fit on one sheet ({limits.rows:,}). Write CSV or Parquet."
    last = table.tail(1).collect()
    if last.null_count().sum_horizontal().item() == last.width:
        yield "the last record is empty, and a sheet ends with its last filled cell. Write CSV or Parquet."


def _where(table: pl.LazyFrame, test: Callable[[pl.Expr], pl.Expr]) -> list[str]:
    found = table.select(test(cs.integer())).collect(engine="streaming")
    return [name for name, passes in found.row(0, named=True).items() if passes] if found.width else []


def _quoted(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
