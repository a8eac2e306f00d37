"""How far each record moved, where row i of the release is row i of the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data import Variable
from lookalike.errors import BadPlan
from lookalike.estimate import Rate
from lookalike.utility.levels import codes_of_levels
from lookalike.utility.numbers import known_numbers
from lookalike.utility.pair import is_number, kind_faults, pair_faults

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One column of two linked files."""

    variable: str
    changed: Rate
    """Cells that are not what they were; a value lost or gained is a change."""
    compared: int
    """Records with a number in both files: what the errors are means over."""
    squared_error: float | None = None
    """MSE = mean (x − y)²; None if the column is not a number, or no record has both."""
    determination: float | None = None
    """R² = 1 − Σ (x − y)²/Σ (x − x̄)²; None if the original does not vary. Below 0: worse than the mean."""


def mean_squared_error(original: Floats, release: Floats) -> float:
    """MSE = (1/n) Σ (x_i − y_i)² (Qu 2024, section 4.4.1).

    >>> mean_squared_error(np.array([1.0, 2, 3]), np.array([1.0, 2, 6]))
    3.0
    """
    return float(((original - release) ** 2).mean())


def determination(original: Floats, release: Floats) -> float | None:
    """R² = 1 − Σ (x_i − y_i)²/Σ (x_i − x̄)² (Qu 2024, section 4.4.1).

    >>> determination(np.array([1.0, 2, 3]), np.array([1.0, 2, 3])), determination(np.ones(2), np.ones(2)) is None
    (1.0, True)
    """
    if (original == original[0]).all():
        return None
    total = float(((original - original.mean()) ** 2).sum())
    return 1 - float(((original - release) ** 2).sum()) / total


def moved(
    original: pl.DataFrame,
    release: pl.DataFrame,
    *,
    variables: Sequence[Variable] = (),
    columns: Sequence[str] | None = None,
) -> tuple[Moved, ...]:
    """Compare linked files cell by cell; an interval counts as its middle.

    >>> original = pl.DataFrame({"age": [30, 40, 50], "sex": ["F", "M", "F"]})
    >>> release = pl.DataFrame({"age": [30, 40, 56], "sex": ["F", "F", "F"]})
    >>> [(m.variable, str(m.changed), m.squared_error) for m in moved(original, release)]
    [('age', '1 of 3 cells', 12.0), ('sex', '1 of 3 cells', None)]
    """
    known = {variable.name: variable for variable in variables}
    faults = pair_faults(original, release, columns)
    if original.height != release.height:
        faults.append(
            f"The original has {original.height:,} records and the release {release.height:,}: "
            "linked files have as many."
        )
    names = list(columns) if columns is not None else original.columns
    faults += [] if faults else kind_faults(original, release, names, known)
    if faults:
        raise BadPlan(faults)
    return tuple(_moved(original[name], release[name], known.get(name)) for name in names)


def _moved(one: pl.Series, other: pl.Series, variable: Variable | None) -> Moved:
    if not is_number(one, variable):
        codes, _ = codes_of_levels(one, other)
        changed = int((codes[: len(one)] != codes[len(one) :]).sum())
        return Moved(variable=one.name, changed=Rate(count=changed, of=len(one), what="cells"), compared=0)
    x, y = known_numbers(one, variable), known_numbers(other, variable)
    use = np.isfinite(x) & np.isfinite(y)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    return Moved(
        variable=one.name,
        changed=Rate(count=int((~same).sum()), of=len(one), what="cells"),
        compared=int(use.sum()),
        squared_error=mean_squared_error(x[use], y[use]) if use.any() else None,
        determination=determination(x[use], y[use]) if use.any() else None,
    )
