"""Read known margins: tables that count the people of the population by some of the quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.classes import EquivalenceClasses, group
from lookalike.classes.codes import encode_together
from lookalike.data import Microdata
from lookalike.errors import BadPlan
from lookalike.population import Margin, Sample

LEAST, MOST = 0.5, 1.9
"""What a margin may count, in parts of N. A row with the total makes it about twice N."""


def count_column(table: Microdata, quasi_identifiers: Sequence[str]) -> tuple[str | None, list[str]]:
    """The column that counts people, and what is wrong with the table."""
    others = [name for name in table.columns if name not in quasi_identifiers]
    named = [name for name in table.columns if name in quasi_identifiers]
    meant = _meant(others, [name for name in quasi_identifiers if name not in named])
    if not named:
        return None, [f"Margin {table.name}: no column is a quasi-identifier of the file.{meant}"]
    if len(others) != 1:
        return None, [
            f"Margin {table.name}: besides quasi-identifiers it must have one column, the number of people; "
            f"it has {len(others)}.{meant}"
        ]
    if not table.table.schema[others[0]].is_numeric():
        return None, [f"Margin {table.name}: column '{others[0]}' must hold numbers of people."]
    return others[0], []


def _meant(others: Sequence[str], free: Sequence[str]) -> str:
    """A hint for each column whose name is near that of a quasi-identifier the table lacks."""
    hints = []
    for name in others:
        close = get_close_matches(name, free, n=1, cutoff=0.6) or [f for f in free if f.lower() == name.lower()]
        hints += [f" Did you mean '{close[0]}' by '{name}'?"] if close else []
    return "".join(hints)


def margin_of(table: Microdata, classes: EquivalenceClasses, sample: Sample, people: str) -> Margin:
    """The margin in the codes of the sample; raises with all faults."""
    frame = table.table.engine.collect(table.table.frame)
    counts = frame[people].cast(pl.Float64)
    if counts.null_count() or bool((counts < 0).any()):
        raise BadPlan(f"Margin {table.name}: column '{people}' has missing or negative numbers of people.")
    if bool((counts != counts.round()).any()):
        raise BadPlan(f"Margin {table.name}: column '{people}' holds parts of people. Give whole numbers of people.")
    names = [name for name in classes.variables if name in frame.columns]
    columns = tuple(classes.variables.index(name) for name in names)
    coded = [_in_codes_of(sample, j, classes.keys[n], frame[n]) for j, n in zip(columns, names, strict=True)]
    theirs = np.column_stack(coded)
    known = (theirs >= 0).all(axis=1)
    weights = counts.to_numpy()
    ours = sample.table.codes[:, list(columns)]
    labels = group(list(np.concatenate([ours, theirs[known]]).astype(np.int64).T))
    mine, yours = labels[: len(ours)], labels[len(ours) :]
    total = np.bincount(yours, weights=weights[known], minlength=int(labels.max()) + 1)
    lacking = total[mine] <= 0
    if lacking.any():
        raise BadPlan(_not_counted(table.name, sample.sizes[lacking], _missing(classes, names)[lacking]))
    cells, first, place = np.unique(yours, return_index=True, return_inverse=True)
    where = np.zeros(len(total), np.int64)
    where[cells] = np.arange(len(cells))
    return Margin(
        name=table.name,
        variables=columns,
        cells=theirs[known][first].astype(np.int32),
        people=np.bincount(place, weights=weights[known]).astype(np.float64),
        elsewhere=float(weights[~known].sum()),
        of_class=where[mine],
    )


def check_total(margin: Margin, population: int) -> None:
    """Refuse a table that counts another population: about twice as many people and more, or less than half."""
    if LEAST * population <= margin.total <= MOST * population:
        return
    than = "about twice, or more than twice," if margin.total > population else "less than half"
    raise BadPlan(
        f"Margin {margin.name}: it counts {than} the people of the population. A decimal point between thousands, or "
        "a row with the total, may be the cause."
    )


def _missing(classes: EquivalenceClasses, names: Sequence[str]) -> NDArray[np.bool_]:
    """The classes with a missing value in one of the variables."""
    return classes.keys.select(pl.any_horizontal(pl.col(names).is_null())).to_series().to_numpy()


def _not_counted(name: str, sizes: NDArray[np.int64], missing: NDArray[np.bool_]) -> str:
    """Records whose values a margin lacks; those with a missing value need a row with an empty cell."""
    records, empty = int(sizes.sum()), int(sizes[missing].sum())
    held = "1 record of the file holds a value" if records == 1 else f"{records:,} records of the file hold values"
    said = f"Margin {name}: {held} that it does not count"
    if empty:
        many = "all" if empty == records else f"{empty:,}"
        said += f", {many} of them because a value is missing (a row with an empty cell would count them)"
    return said + (". Do both write their values alike?" if empty < records else ".")


def _in_codes_of(sample: Sample, j: int, ours: pl.Series, theirs: pl.Series) -> NDArray[np.int64]:
    """Values of a margin as codes of the sample's table; -1 for values that the sample lacks."""
    mine, yours = encode_together(ours, theirs)
    book = np.full(int(max(mine.max(), yours.max())) + 2, -1, np.int64)
    book[mine + 1] = sample.table.codes[:, j]  # a missing value has the code -1: it stands first
    return book[yours + 1]
