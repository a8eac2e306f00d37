"""From the values of a quasi-identifier to what they say of values the file lacks: a line, or groups of codes."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.classes import EquivalenceClasses
from lookalike.classes.axis import axis
from lookalike.data import Kind, Variable
from lookalike.models.domain import Domain, prefix_groups

MAX_DECIMALS = 6
FINE = 2.0**40  # steps of a line of numbers without a common unit
MIN_CODES = 30  # values; fewer codes have no groups worth the name
CODED = 0.9  # share of values with a digit from which text is read as codes


def domains_of(classes: EquivalenceClasses) -> tuple[Domain, ...]:
    """The domain of each variable of a file's classes, its levels in the order of `classes.codes`: missing first."""
    return tuple(_of_column(classes.data.variable(name), classes.keys[name]) for name in classes.variables)


def _of_column(variable: Variable, cells: pl.Series) -> Domain:
    domain = domain_of(variable, cells.drop_nulls().unique().sort())
    return with_missing(domain, 0) if cells.null_count() else domain


def domain_of(variable: Variable, values: pl.Series) -> Domain:
    """Where distinct values lie: numbers, dates and ordered categories on a line, codes in groups by prefix.

    >>> domain_of(Variable(name="year", kind=Kind.NUMERIC), pl.Series([1990, 2001])).line.tolist()
    [1990, 2001]
    >>> domain_of(Variable(name="sex", kind=Kind.NOMINAL), pl.Series(["F", "M"])).line is None
    True
    """
    if not len(values):
        return Domain()
    if variable.kind in (Kind.NUMERIC, Kind.DATE, Kind.ORDINAL):
        where = axis(variable, values)
        return Domain(_whole(where.positions)[where.codes], np.zeros(len(values), bool))
    return Domain(groups=prefix_groups(_as_codes(values)))


def with_missing(domain: Domain, place: int) -> Domain:
    """The domain with one level more, at this place, that has no place on the line and is a group of its own.

    >>> with_missing(Domain(line=np.array([5, 7]), off_line=np.array([False, False])), 0).off_line.tolist()
    [True, False, False]
    """
    if domain.line is None:
        return Domain(groups=tuple(np.insert(group, place, group.max() + 1) for group in domain.groups))
    off = np.zeros(len(domain.line), bool) if domain.off_line is None else domain.off_line
    return Domain(np.insert(domain.line, place, 0), np.insert(off, place, True))


def _whole(positions: NDArray[np.float64]) -> NDArray[np.int64]:
    """Positions as whole numbers, at the fewest decimals that tell them apart as they are written."""
    for decimals in range(MAX_DECIMALS + 1):
        scaled = positions * 10.0**decimals
        if np.abs(scaled).max() < 2**52 and np.allclose(scaled, np.round(scaled), rtol=0, atol=1e-4):
            return np.round(scaled).astype(np.int64)
    width = max(float(np.ptp(positions)), 1e-300)
    return np.asarray(np.round((positions - positions.min()) / width * FINE), np.int64)


def _as_codes(values: pl.Series) -> list[str]:
    """Values as codes of letters and digits, numbers with leading zeros; nothing if they are none."""
    if len(values) < MIN_CODES or not (values.dtype.is_integer() or values.dtype == pl.String):
        return []
    texts = values.cast(pl.String)
    if values.dtype.is_integer():
        texts = texts.str.zfill(max(map(len, texts.to_list())))
    return texts.to_list() if int(texts.str.contains(r"\d").sum()) >= CODED * len(texts) else []
