"""Frames of other libraries as one in memory, each column of one type."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import polars as pl

from lookalike.data.text_file import check_names
from lookalike.errors import BadFile

_AS_TEXT = ("interval", "period")
"""Types of pandas that no other library has."""


def in_memory(frame: Any) -> pl.DataFrame:
    """A pandas, Polars or Arrow table as a Polars frame.

    >>> in_memory(pl.LazyFrame({"age": [30, 31]})).shape
    (2, 1)
    """
    if isinstance(frame, pl.LazyFrame):
        return _without_objects(frame.collect(engine="streaming"))
    try:
        eager = nw.from_native(_plain(frame), eager_only=True)
    except TypeError:
        raise BadFile(
            f"Microdata cannot be made from a {type(frame).__name__}: give a pandas, Polars, Arrow, DuckDB or "
            "Spark table."
        ) from None
    try:
        table: pl.DataFrame = eager.to_polars()
    except (TypeError, ValueError, pl.exceptions.PolarsError):
        mixed = [f"'{name}'" for name, dtype in eager.schema.items() if dtype == nw.Object]
        which = f" Look at {', '.join(mixed)}." if mixed else ""
        raise BadFile(f"The frame has columns of mixed types: give each column one type.{which}") from None
    return _without_objects(table)


def check_frame(frame: Any) -> None:
    """Raise if a frame has names twice, or stays on its own engine and has what cannot be taken from there."""
    if not isinstance(frame, pl.LazyFrame):
        check_names("The frame", [str(name) for name in _names(frame)])
    lazy = nw.from_native(frame, pass_through=True)
    if not isinstance(lazy, nw.LazyFrame) or lazy.implementation.is_polars():
        return
    intervals = [f"'{name}'" for name, dtype in lazy.collect_schema().items() if dtype == nw.Duration]
    if intervals:
        raise BadFile(f"The frame has columns of intervals of time: {', '.join(intervals)}. Turn them into numbers.")


def _names(frame: Any) -> list[Any]:
    """The names of the columns, whether Arrow's or another library's."""
    return list(getattr(frame, "column_names" if hasattr(frame, "column_names") else "columns", ()))


def _plain(frame: Any) -> Any:
    """A pandas frame with its intervals and periods as text; any other as it is."""
    if not type(frame).__module__.startswith("pandas") or not hasattr(frame, "columns"):
        return frame
    odd = [name for name in frame.columns if _odd(frame[name].dtype)]
    return frame.assign(**{name: frame[name].astype("string") for name in odd}) if odd else frame


def _odd(dtype: Any) -> bool:
    inner = dtype.categories.dtype if hasattr(dtype, "categories") and dtype.categories is not None else dtype
    return str(inner).startswith(_AS_TEXT)


def _without_objects(table: pl.DataFrame) -> pl.DataFrame:
    objects = [f"'{name}'" for name, dtype in table.schema.items() if dtype == pl.Object]
    if objects:
        raise BadFile(f"The frame has columns of Python objects: {', '.join(objects)}. Give each column one type.")
    return table
