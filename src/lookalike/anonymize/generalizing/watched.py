"""Sensitive variables that limits watch: their values counted class by class, once, on the finest table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.generalizing.class_table import FinestTable
from lookalike.anonymize.generalizing.roll_up import Counted
from lookalike.classes import EquivalenceClasses, Spread
from lookalike.data import Kind
from lookalike.engine import SIZE, column, histogram_by
from lookalike.errors import BadPlan, NotAssessable
from lookalike.target import Target

_ORDERED = (Kind.NUMERIC, Kind.DATE)


@dataclass(frozen=True)
class Watched:
    """One sensitive variable: its code book, whether it has an order, and which values' disclosure is limited."""

    name: str
    values: pl.Series
    ordered: bool
    sensitive: bool
    """Whether it is a sensitive variable of the file, not only one of a target."""
    targets: tuple[NDArray[np.bool_], ...]
    """The values of each target, marked among all."""
    counted: Counted


def watched_of(classes: EquivalenceClasses, finest: FinestTable, targets: Sequence[Target]) -> tuple[Watched, ...]:
    """The sensitive variables of a file and those of targets; raises with all that cannot be judged."""
    sensitive = classes.data.sensitive
    names = dict.fromkeys([*sensitive, *(target.variable for target in targets)])
    found, faults = [], []
    for name in names:
        own = [target for target in targets if target.variable == name]
        try:
            found.append(_watched(classes, finest, name, own, sensitive=name in sensitive))
        except NotAssessable as reason:
            faults.append(str(reason))
    if faults:
        raise BadPlan(faults)
    return tuple(found)


def _watched(
    classes: EquivalenceClasses, finest: FinestTable, name: str, targets: Sequence[Target], *, sensitive: bool
) -> Watched:
    spread = Spread.of(classes, name)
    kind = classes.data.variable(name).kind
    return Watched(
        name=name,
        values=spread.values,
        ordered=kind is Kind.ORDINAL or (kind in _ORDERED and spread.values.dtype != pl.String),
        sensitive=sensitive,
        targets=tuple(_wanted(spread, target) for target in targets),
        counted=_counted(classes, finest, spread),
    )


def _wanted(spread: Spread, target: Target) -> NDArray[np.bool_]:
    from lookalike.risk.attribute import equal_to, in_range  # late: most searches watch no variable

    marked = (
        equal_to(spread, *target.equals) if target.equals else in_range(spread, above=target.above, below=target.below)
    )
    if not spread.whole[marked].sum():
        raise NotAssessable(f"No record has the value of '{spread.name}' that was asked for.")
    return marked


def _counted(classes: EquivalenceClasses, finest: FinestTable, spread: Spread) -> Counted:
    """Counts by class of the finest table and value; classes set aside are left out."""
    rows, values, counts = _pairs(classes, spread.name)
    rows = finest.place[rows]
    book = pl.DataFrame({"value": spread.values, "code": np.arange(len(spread.values), dtype=np.int64)})
    coded = values.to_frame("value").join(book, on="value", how="left", maintain_order="left")["code"].to_numpy()
    width, inside = len(spread.values), rows >= 0
    pairs, at = np.unique(rows[inside] * width + coded[inside], return_inverse=True)
    total = np.bincount(at, weights=counts[inside], minlength=len(pairs)).astype(np.int64)
    starts = np.searchsorted(pairs // width, np.arange(len(finest.sizes) + 1))
    return Counted(starts.astype(np.int64), (pairs % width).astype(np.int32), total, width)


def _pairs(classes: EquivalenceClasses, name: str) -> tuple[NDArray[np.int64], pl.Series, NDArray[np.int64]]:
    """Class, value and count: a row a record, or a row a pair where the engine does the counting."""
    if classes.index is not None:
        cells = column(classes.data.table, name)
        known = cells.is_not_null()
        return (
            classes.index[known.to_numpy()].astype(np.int64),
            cells.filter(known),
            np.ones(int(known.sum()), np.int64),
        )
    keys = classes.keys.with_row_index("__class")
    counted = histogram_by(classes.data.table, classes.variables, name).filter(pl.col(name).is_not_null())
    joined = counted.join(keys, on=list(classes.variables), how="left", nulls_equal=True, maintain_order="left")
    return joined["__class"].to_numpy().astype(np.int64), counted[name], counted[SIZE].to_numpy()
