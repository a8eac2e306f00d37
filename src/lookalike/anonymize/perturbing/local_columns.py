"""One column under local differential privacy: which values it can have, randomized, and written as before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.kept_form import WIDEST, blanked, numbers_of

if TYPE_CHECKING:
    from lookalike.models.private.ledger import Ledger

_FINE = 6
"""Numbers are put on a grid whose step is so many powers of ten below the width of their bounds, or finer than that."""


@dataclass(frozen=True)
class Share:
    """What one column may spend, and where it is entered."""

    epsilon: float
    delta: float
    ledger: Ledger


def ends_of(cells: pl.Series, bounds: Sequence[float] | None) -> tuple[float, float] | None:
    """The bounds given, or else the lowest and the highest number; whole in a column of whole numbers; None: no room.

    >>> ends_of(pl.Series([3, 9]), None), ends_of(pl.Series([3, 9]), (0.5, 9.5)), ends_of(pl.Series([3, 3]), None)
    ((3, 9), (1, 9), None)
    """
    if bounds is None:
        numbers = numbers_of(cells)
        finite = numbers[np.isfinite(numbers)]
        if not len(finite):
            return None
        bounds = float(finite.min()), float(finite.max())
    low, high = (ceil(bounds[0]), floor(bounds[1])) if cells.dtype.is_integer() else (bounds[0], bounds[1])
    return (low, high) if low < high else None


def randomized_numbers(
    cells: pl.Series, ends: tuple[float, float], share: Share, *, inside: bool
) -> tuple[pl.Series, dict[str, Any]]:
    """Numbers clamped to their ends, put on a grid, with noise."""
    from lookalike.anonymize.perturbing.local_noise import noisy, scale_of

    low, high = ends
    cells = cells.fill_nan(None) if cells.dtype.is_float() else cells
    step = 1.0 if cells.dtype.is_integer() else 10.0 ** (floor(log10(high - low)) - _FINE)
    most = round((high - low) / step)
    clamped = np.clip(np.nan_to_num(numbers_of(cells), nan=low), low, high)
    places = np.rint((clamped - low) / step).astype(np.int64)
    new = noisy(
        places, most=most, epsilon=share.epsilon, delta=share.delta, ledger=share.ledger, what=f"'{cells.name}'"
    )
    new = np.clip(new, 0, most) if inside else new
    scale = scale_of(most, share.epsilon, share.delta) * step
    return _written(cells, new, low, step), {"epsilon": share.epsilon, "scale": scale}


def _written(cells: pl.Series, places: NDArray[np.int64], low: float, step: float) -> pl.Series:
    """Places on the grid as numbers of the column's type; whole numbers that it cannot hold widen it."""
    if cells.dtype.is_integer():
        made = pl.Series(cells.name, int(low) + np.clip(places, -WIDEST, WIDEST))
    else:
        made = pl.Series(cells.name, np.round(low + places * step, max(0, -floor(log10(step)))))
    typed = made.cast(cells.dtype, strict=False)
    return blanked(made if typed.null_count() else typed, cells)


def book_of(cells: pl.Series, levels: Sequence[str] | None) -> pl.Series:
    """The levels given, in the type of the column (null where they do not fit), or else those the column has."""
    if levels is None:
        return cells.drop_nulls().unique().sort()
    texts = pl.Series(cells.name, [str(level) for level in dict.fromkeys(levels)])
    if cells.dtype == pl.Boolean:
        answers = {"true": True, "false": False}
        return texts.str.to_lowercase().replace_strict(answers, default=None, return_dtype=pl.Boolean)
    return texts.cast(cells.dtype, strict=False)


def randomized_categories(cells: pl.Series, book: pl.Series, share: Share) -> tuple[pl.Series, dict[str, Any]]:
    """Categories by randomized response."""
    from lookalike.anonymize.perturbing.local_noise import answered, staying

    places = pl.DataFrame({"cell": book, "place": np.arange(len(book))})
    known = pl.DataFrame({"cell": cells}).join(places, on="cell", how="left", maintain_order="left")["place"]
    codes = known.fill_null(0).to_numpy().astype(np.int64)
    new = answered(codes, levels=len(book), epsilon=share.epsilon, ledger=share.ledger, what=f"'{cells.name}'")
    told = {"epsilon": share.epsilon, "levels": len(book), "stays": staying(share.epsilon, len(book))}
    return blanked(book.gather(new).alias(cells.name), cells), told
