"""Which rows of a release fit a target, when cells are numbers with a radius or stand for several values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.columns import alike, numbered
from lookalike.attacks.periods import as_numbers, holds_days, is_period
from lookalike.data.cells import is_generalized, spans
from lookalike.data.dashes import is_dashed, undashed
from lookalike.data.variable import is_number

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Radius:
    """How far a number of the release may lie from what the attacker knows: a distance, or a share of the known value.

    >>> Radius(value=2).around(np.array([10.0])), Radius(value=0.1, share=True).around(np.array([-20.0]))
    (array([2.]), array([2.]))
    """

    value: float
    share: bool = False

    def around(self, known: Floats) -> Floats:
        """The radius around each known value."""
        return np.abs(known) * self.value if self.share else np.full(len(known), float(self.value))


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Records as boxes: `block` numbers their exact columns, `low` and `high` are the ends on the others."""

    block: Ints
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.block)

    def take(self, which: Ints) -> Boxes:
        """Some of the boxes."""
        return Boxes(self.block[which], self.low[which], self.high[which])

    def meets(self, rows: Boxes) -> NDArray[np.bool_]:
        """Whether box i fits row i."""
        meets = (self.block == rows.block) & (self.low <= rows.high).all(axis=1) & (self.high >= rows.low).all(axis=1)
        return np.asarray(meets, bool)


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """The boxes of a release laid out for the kernels (see `_ranges`)."""

    low: Floats
    high: Floats
    reach: Floats
    order: Ints
    starts: Ints

    @classmethod
    def of(cls, rows: Boxes, room: int) -> Ordered:
        """Lay out rows whose blocks are below `room`."""
        from lookalike.attacks import _ranges as kernel

        order = np.lexsort((rows.low[:, 0], rows.block))
        starts = np.searchsorted(rows.block[order], np.arange(room + 1)).astype(np.int64)
        low, high = np.ascontiguousarray(rows.low[order]), np.ascontiguousarray(rows.high[order])
        return cls(low, high, kernel.reach(high, starts), order.astype(np.int64), starts)


def fitting(targets: Boxes, rows: Boxes, room: int) -> Ints:
    """How many rows fit each target; blocks are below `room`.

    >>> people = Boxes(np.array([0, 0]), np.array([[18.0], [30.0]]), np.array([[18.0], [30.0]]))
    >>> release = Boxes(np.array([0, 0]), np.array([[15.0], [18.0]]), np.array([[20.0], [29.0]]))
    >>> fitting(people, release, 1).tolist()
    [2, 0]
    """
    from lookalike.attacks import _ranges as kernel

    laid = Ordered.of(rows, room)
    found: Ints = kernel.count(laid.low, laid.high, laid.reach, laid.starts, targets.block, targets.low, targets.high)
    return found


def boxes(
    targets: Sequence[pl.DataFrame],
    rows: Sequence[pl.DataFrame],
    exact: Sequence[str],
    ranged: Mapping[str, Radius | None],
) -> tuple[list[Boxes], int]:
    """The targets, then the rows, as boxes in one code book, and the room of their blocks.

    A radius widens the targets; None reads cells as ranges. In a column of ranges a missing cell may be anything;
    within a radius and in exact columns it equals a missing cell."""
    files = [*targets, *rows]
    ends = [_ends([file[name] for file in files], radius, len(targets)) for name, radius in ranged.items()]
    radii = [name for name, radius in ranged.items() if radius is not None]
    blocks = [_exact(file, exact, radii) for file in files]
    found = numbered(blocks if blocks[0].width else files, blocks[0].columns)
    return [
        Boxes(block, _beside([e[i][0] for e in ends], len(block)), _beside([e[i][1] for e in ends], len(block)))
        for i, block in enumerate(found.files)
    ], found.room


def _exact(file: pl.DataFrame, exact: Sequence[str], radii: Sequence[str]) -> pl.DataFrame:
    """The columns that must be equal: the exact ones, and whether a number is missing."""
    gaps = [is_missing(file[name]).alias(f"missing {name}") for name in radii]
    return pl.DataFrame([*(file[name] for name in exact), *gaps])


def is_missing(column: pl.Series) -> pl.Series:
    """Whether a cell holds nothing, or no number."""
    return column.is_null() | column.is_nan() if column.dtype.is_float() else column.is_null()


def _beside(columns: Sequence[Floats], records: int) -> Floats:
    return np.column_stack(columns) if columns else np.empty((records, 0))


def _ends(columns: Sequence[pl.Series], radius: Radius | None, targets: int) -> list[tuple[Floats, Floats]]:
    if radius is None:
        return spans_of(columns)
    values = [c.cast(pl.Float64).fill_nan(None).fill_null(0.0).to_numpy() for c in columns]
    return [_around(v, radius) if i < targets else (v, v) for i, v in enumerate(values)]


def _around(known: Floats, radius: Radius) -> tuple[Floats, Floats]:
    around = radius.around(known)
    # 0.8 − 0.1 is a little above 0.7 in floating point: the edge must not decide.
    around = around + 1e-9 * (around + np.abs(known))
    return known - around, known + around


def spans_of(columns: Sequence[pl.Series]) -> list[tuple[Floats, Floats]]:
    """The ends of each cell on one grid for all files (see `lookalike.data.cells.spans`)."""
    texts = _as_days(columns) or alike(columns)
    if all(is_number(cell) for cell in _texts(columns[0])):
        texts = [undashed(c) for c in texts]
    low, high = spans(pl.concat([t.cast(pl.String) for t in texts]))
    cuts = np.cumsum([len(c) for c in columns])[:-1]
    lows, highs = np.split(low.astype(np.float64), cuts), np.split(high.astype(np.float64), cuts)
    return list(zip(lows, highs, strict=True))


def _as_days(columns: Sequence[pl.Series]) -> list[pl.Series] | None:
    """Columns of days, of which some are written as months, quarters or years, as numbers of days."""
    if not holds_days(columns[0]) or all(holds_days(c) for c in columns[1:]):
        return None
    return as_numbers(columns)


def is_coarse(release: pl.Series, original: pl.Series) -> bool:
    """Whether a release's column has cells that stand for several values, where the original's are single values.

    >>> is_coarse(pl.Series(["[20;30]", "25"]), pl.Series([21, 25])), is_coarse(pl.Series(["18-21"]), pl.Series([19]))
    (True, True)
    >>> is_coarse(pl.Series(["<5", "5+"]), pl.Series(["<5", "5+"])), is_coarse(pl.Series([1, 2]), pl.Series([1, 2]))
    (False, False)
    >>> is_coarse(pl.Series(["2024-Q1", "2024-05"]), pl.Series(["2024-02-29", "2024-05-01"]))
    True
    """
    cells = _texts(release)
    if any(is_period(cell) for cell in cells) and holds_days(original):
        return as_numbers([release]) is not None
    several = {cell for cell in cells if is_generalized(cell) or is_dashed(cell)}
    if not several:
        return False
    own = _texts(original)
    numeric = all(is_number(cell) for cell in own)
    coarse = {cell for cell in several if numeric or is_generalized(cell)}
    return bool(coarse) and not coarse <= own


def _texts(column: pl.Series) -> set[str]:
    """The distinct cells as texts; of numbers a few will do, for none stands for several values."""
    if column.dtype.is_numeric():
        return {"0"}
    return {text.strip() for text in column.cast(pl.String).drop_nulls().unique().to_list()}
