"""What a release has lost of the original: seed 004's information loss, and the losses other tools report."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.classes import EquivalenceClasses
from lookalike.classes.axis import axis_of
from lookalike.data import Kind, Microdata, Variable
from lookalike.engine import records
from lookalike.utility.covers import Covers, Floats


def covers_of(original: Microdata, release: Microdata, name: str, rows: NDArray[np.int64] | None = None) -> Covers:
    """One column of the original with its released cells; all are suppressed if the release lacks the column.

    >>> import polars as pl
    >>> from lookalike.data import read
    >>> original = read(pl.DataFrame({"age": [31, 34, 52]}))
    >>> release = read(pl.DataFrame({"age": ["[30;39]", "[30;39]", "52"]}))
    >>> covers = covers_of(original, release, "age")
    >>> [end.tolist() for end in covers.ends()]
    [[30.0, 30.0, 52.0], [39.0, 39.0, 52.0]]
    """
    cells = records(release.table, [name])[name] if name in release.columns else None
    return Covers.of(axis_of(original, name), cells, rows)


def information_loss(
    original: Microdata,
    release: Microdata,
    columns: Sequence[str] | None = None,
    *,
    rows: NDArray[np.int64] | None = None,
) -> float:
    """Mean distance of a record to its released form: (1/(nm)) Σ_i √(Σ_j ((a_ij − a'_ij)/σ_j)²).

    a' is the end of the released range that is farther from a; a suppressed cell has the range of the whole column, and
    so has every cell of a record that is not released. σ is the original's standard deviation; a constant column
    adds 0, and so does a missing value. Values without sizes lie at their ranks. Source: seed 004, equations 2 to 4.

    >>> import lookalike as la
    >>> file = la.read(pl.DataFrame({"age": [0, 2, 0, 2]}), quasi_identifiers=["age"])  # σ = 1
    >>> information_loss(file, la.read(pl.DataFrame({"age": ["[0;2]", "[0;2]", "0", "2"]})))
    1.0
    """
    names = tuple(columns) if columns is not None else original.quasi_identifiers
    total = np.zeros(original.records)
    for name in names:
        total += squared_distances(covers_of(original, release, name, rows))
    return float(np.sqrt(total).mean() / len(names))


def squared_distances(covers: Covers) -> Floats:
    """((a − a')/σ)² of every record of the original, a' the farther end of its released range (equation 4).

    >>> import polars as pl
    >>> from lookalike.data import read
    >>> original = read(pl.DataFrame({"age": [31, 34, 52]}))
    >>> release = read(pl.DataFrame({"age": ["[30;39]", "[30;39]", "52"]}))
    >>> squared_distances(covers_of(original, release, "age")).round(3).tolist()
    [0.744, 0.291, 0.0]
    """
    axis = covers.axis
    if not axis.deviation:
        return np.zeros(len(axis.codes))
    low, high = covers.ends()
    at = axis.spread(axis.positions, np.nan)
    farther = np.maximum(np.abs(high - at), np.abs(at - low)) / axis.deviation
    return np.where(axis.codes < 0, 0.0, farther**2)


def granularity(variable: Variable, covers: Covers, *, perturbed: bool = False) -> float:
    """The share of its column that a cell stands for, mean over the cells that had a value; 0 a value, 1 suppressed.

    Numbers and dates: the width of the range over the width of the column. Other values: (v − 1)/(d − 1) with d the
    distinct values of the column and v those that the cell stands for: the ones that were released as it, and all that
    lie in its range. In a `perturbed` column a value stands for itself. Like ARX's "loss" (Iyengar 2002).

    >>> import lookalike as la
    >>> from lookalike.classes.axis import axis_of
    >>> file = la.read(pl.DataFrame({"area": ["a", "b", "c", "d", "e"]}))
    >>> found = Covers.of(axis_of(file, "area"), pl.Series(["west", "west", "west", "d", None]))
    >>> granularity(file.variable("area"), found)  # (3 × 2/4 + 0 + 1) / 5
    0.5
    """
    axis = covers.axis
    had = axis.codes >= 0
    if not had.any():
        return 0.0
    if variable.kind in (Kind.NUMERIC, Kind.DATE) and axis.metric:
        width = float(np.ptp(axis.positions))
        share = (covers.high - covers.low) / width if width else np.zeros(len(covers.low))
    else:
        one = max(len(axis.values) - 1, 1)
        share = (np.zeros(len(covers.low)) if perturbed else covers.distinct() - 1) / one
    lost: Floats = np.append(np.clip(share, 0.0, 1.0), 1.0)[covers.codes]
    return float(lost[had].mean())


def average_class_size(classes: EquivalenceClasses, k: int = 1) -> float:
    """n / (classes · k): how much larger classes are than k demands (LeFevre et al. 2006).

    >>> import lookalike as la
    >>> average_class_size(la.EquivalenceClasses.of(la.read(pl.DataFrame({"sex": ["F", "F", "M"]})), ["sex"]))
    1.5
    """
    return classes.records / (len(classes) * k)


def discernibility(classes: EquivalenceClasses, records: int | None = None) -> int:
    """Σ f² over the classes, and n for each suppressed record (Bayardo and Agrawal 2005).

    Suppressed are records that have no quasi-identifier left, and those of the `records` of the original that are not
    released.

    >>> import lookalike as la
    >>> classes = la.EquivalenceClasses.of(la.read(pl.DataFrame({"sex": ["F", "F", None]})), ["sex"])
    >>> discernibility(classes), discernibility(classes, records=4)  # 2² + 1 × 3; 2² + 2 × 4
    (7, 12)
    """
    n = classes.records if records is None else records
    empty = classes.empty_records()
    squares = int((classes.sizes**2).sum())
    if empty:
        blank = classes.keys.select(pl.all_horizontal(pl.all().is_null())).to_series().to_numpy()
        squares -= int((classes.sizes[blank] ** 2).sum())
    return squares + (empty + n - classes.records) * n
