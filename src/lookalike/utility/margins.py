"""Each column alone: its distribution in the original and in the release, as data for a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data import Variable
from lookalike.estimate import Rate
from lookalike.utility.ecdf import EcdfPair, ecdf_pair
from lookalike.utility.histograms import HistogramPair, histogram_pair
from lookalike.utility.numbers import Floats, known_numbers
from lookalike.utility.pair import CodedPair, is_number
from lookalike.utility.table_measures import Cells, total_variation
from lookalike.utility.tables import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberMargin:
    """A number in both files. Values in it are for the custodian alone; `distance` and `missing` hold none."""

    variable: str
    ecdf: EcdfPair | None
    """None if a file has no value."""
    histogram: HistogramPair | None
    means: tuple[float | None, float | None]
    deviations: tuple[float | None, float | None]
    missing: tuple[Rate, Rate]
    days: bool = False
    """Whether the numbers are days since 1970."""

    @property
    def distance(self) -> float | None:
        """Kolmogorov–Smirnov, of the records with a value."""
        return None if self.ecdf is None else self.ecdf.distance


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryMargin:
    """A category in both files: records at each level, a missing value as a level of its own."""

    variable: str
    labels: tuple[str, ...]
    """The levels' values, for the custodian alone."""
    original: NDArray[np.int64]
    release: NDArray[np.int64]
    missing: tuple[Rate, Rate]

    @property
    def distance(self) -> float:
        """Total variation."""
        return float(total_variation(Cells.of(self.original, self.release)))


Margin = NumberMargin | CategoryMargin


def margins(
    original: pl.DataFrame,
    release: pl.DataFrame,
    *,
    variables: Sequence[Variable] = (),
    columns: Sequence[str] | None = None,
    bins: int | None = None,
) -> tuple[Margin, ...]:
    """Every column of both files.

    >>> original = pl.DataFrame({"age": [30, 40, 50, None], "sex": ["F", "M", "F", "F"]})
    >>> release = pl.DataFrame({"age": [30, 40, 60, 70], "sex": ["F", "M", "M", "F"]})
    >>> [(m.variable, round(m.distance, 4), str(m.missing[0])) for m in margins(original, release)]
    [('age', 0.5, '1 of 4 records'), ('sex', 0.25, '0 of 4 records')]
    """
    pair = CodedPair.of(original, release, variables=variables, columns=columns)
    known = {variable.name: variable for variable in variables}
    found: list[Margin] = []
    for name in pair.names:
        one, other = original[name], release[name]
        variable = known.get(name)
        if is_number(one, variable):
            number = _number(name, known_numbers(one, variable), known_numbers(other, variable), bins)
            found.append(replace(number, days=isinstance(one.dtype, pl.Date | pl.Datetime)))
        else:
            found.append(_category(pair, name, one, other))
    return tuple(found)


def _number(name: str, one: Floats, other: Floats, bins: int | None) -> NumberMargin:
    files = [values[np.isfinite(values)] for values in (one, other)]
    some = all(len(values) for values in files)
    return NumberMargin(
        variable=name,
        ecdf=ecdf_pair(one, other) if some else None,
        histogram=histogram_pair(one, other, bins=bins) if some else None,
        means=(_mean(files[0]), _mean(files[1])),
        deviations=(_deviation(files[0]), _deviation(files[1])),
        missing=(_rate(int(np.isnan(one).sum()), len(one)), _rate(int(np.isnan(other).sum()), len(other))),
    )


def _category(pair: CodedPair, name: str, one: pl.Series, other: pl.Series) -> CategoryMargin:
    table = Table.of(pair, [name])
    return CategoryMargin(
        variable=name,
        labels=tuple(pair[name].labels.gather(table.places).to_list()),
        original=table.original,
        release=table.release,
        missing=(_rate(one.null_count(), len(one)), _rate(other.null_count(), len(other))),
    )


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def _deviation(values: Floats) -> float | None:
    return float(values.std(ddof=1)) if len(values) > 1 else None


def _rate(count: int, of: int) -> Rate:
    return Rate(count=count, of=of, what="records")
