"""How strongly columns go together in the original and in the release, whatever their kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import atanh, inf, sqrt, tanh

import numpy as np
import polars as pl

from lookalike.data import Variable
from lookalike.utility.association import correlation, correlation_ratio, cramer_of_cells, information_of_cells
from lookalike.utility.numbers import Floats, known_numbers
from lookalike.utility.pair import CodedPair, is_number
from lookalike.utility.tables import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """One figure of a pair of columns in both files; None where a file has no answer, as for a constant."""

    original: float | None
    release: float | None

    @property
    def difference(self) -> float | None:
        """Release less original."""
        return None if self.original is None or self.release is None else self.release - self.original


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDependence:
    """How two columns go together.

    `association`: Pearson's correlation of two numbers, the correlation ratio η of a number and a category, Cramér's
    V of two categories; `method` says which. `ranks`: Spearman's correlation, of numbers alone. `information`: mutual
    information in bits of the grouped columns, less its bias. Records with both values count, for information all.
    """

    variables: tuple[str, str]
    method: str
    association: Strength
    ranks: Strength | None
    information: Strength
    low: float | None = None
    """For correlations: the 95 % interval of the release's, by Fisher's z; what its number of records leaves open."""
    high: float | None = None


def dependence(
    original: pl.DataFrame,
    release: pl.DataFrame,
    *,
    variables: Sequence[Variable] = (),
    columns: Sequence[str] | None = None,
) -> tuple[PairDependence, ...]:
    """All pairs of columns, in the order of the file.

    >>> original = pl.DataFrame({"x": [1, 2, 3, 4], "y": [2, 4, 6, 8], "sex": ["F", "F", "M", "M"]})
    >>> release = pl.DataFrame({"x": [1, 2, 3, 4], "y": [8, 6, 4, 2], "sex": ["F", "M", "F", "M"]})
    >>> [(p.variables, p.method, round(p.association.difference, 2)) for p in dependence(original, release)][:2]
    [(('x', 'y'), 'correlation', -2.0), (('x', 'sex'), 'correlation ratio', -0.45)]
    """
    pair = CodedPair.of(original, release, variables=variables, columns=columns)
    known = {variable.name: variable for variable in variables}
    files = (original, release)
    numbers = {n: _numbers(files, n, known.get(n)) for n in pair.names if is_number(original[n], known.get(n))}
    ranks = {name: tuple(map(_ranks, values)) for name, values in numbers.items()}
    return tuple(_pair(pair, one, other, numbers, ranks) for one, other in combinations(pair.names, 2))


Both = tuple[Floats, ...]


def _numbers(files: tuple[pl.DataFrame, pl.DataFrame], name: str, variable: Variable | None) -> Both:
    return tuple(known_numbers(file[name], variable) for file in files)


def _ranks(values: Floats) -> Floats:
    """Mid-ranks among the known values."""
    ranked = pl.Series(values).fill_nan(None).rank("average")
    return np.array(ranked.fill_null(float("nan")).to_numpy(), np.float64)


def _pair(pair: CodedPair, one: str, other: str, numbers: dict[str, Both], ranks: dict[str, Both]) -> PairDependence:
    table = Table.of(pair, (one, other))
    rows, columns = table.codes().T
    files = [counts.astype(float) for counts in (table.original, table.release)]
    ranked, low, high = None, None, None
    if one in numbers and other in numbers:
        method = "correlation"
        found = [correlation(x, y) for x, y in zip(numbers[one], numbers[other], strict=True)]
        ranked = _strength([correlation(x, y) for x, y in zip(ranks[one], ranks[other], strict=True)])
        low, high = _interval(found[1], int(np.isfinite(numbers[one][1] + numbers[other][1]).sum()))
    elif one in numbers or other in numbers:
        method = "correlation ratio"
        number, category = (one, other) if one in numbers else (other, one)
        codes = pair[category].original, pair[category].release
        found = [correlation_ratio(c, y) for c, y in zip(codes, numbers[number], strict=True)]
    else:
        method = "Cramér's V"
        found = [cramer_of_cells(rows, columns, counts) for counts in files]
    return PairDependence(
        variables=(one, other),
        method=method,
        association=_strength(found),
        ranks=ranked,
        information=_strength([information_of_cells(rows, columns, counts) for counts in files]),
        low=low,
        high=high,
    )


def _strength(found: Sequence[float | None]) -> Strength:
    return Strength(original=found[0], release=found[1])


def _interval(r: float | None, records: int) -> tuple[float | None, float | None]:
    if r is None or records < 4:
        return None, None
    middle, half = atanh(r) if abs(r) < 1 else inf * r, 1.959964 / sqrt(records - 3)
    return tanh(middle - half), tanh(middle + half)
