"""Put levels of hierarchies into the columns of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data import Microdata
from lookalike.data.hierarchy import Laid
from lookalike.engine import records


def recoded(
    file: Microdata, names: Sequence[str], laid: Sequence[Laid], levels: Sequence[int], gone: NDArray[np.bool_] | None
) -> Mapping[str, pl.Series]:
    """The columns that change: cells of their level, null in the records marked as gone."""
    columns = {}
    for name, hierarchy, level in zip(names, laid, levels, strict=True):
        if level > 0 or gone is not None:
            cells = at_level(records(file.table, [name])[name], hierarchy, level)
            columns[name] = cells if gone is None else blanked(cells, gone)
    return columns


def at_level(cells: pl.Series, laid: Laid, level: int) -> pl.Series:
    """A column at a level: each distinct value is looked up once; missing cells stay missing.

    >>> from lookalike.data.hierarchy import Intervals, lay
    >>> at_level(pl.Series("age", [21, None, 30]), lay(Intervals(widths=(10,)), pl.Series([21, 30])), 1).to_list()
    ['[20;29]', None, '[30;39]']
    """
    if level == 0:
        return cells
    if not len(laid.values):
        return cells.cast(pl.String)
    return cells.replace_strict(laid.values, laid.cells[level - 1], default=None, return_dtype=pl.String)


def blanked(cells: pl.Series, gone: NDArray[np.bool_]) -> pl.Series:
    """A column without the cells of some records."""
    return pl.select(pl.when(~pl.Series(gone)).then(cells).alias(cells.name)).to_series()
