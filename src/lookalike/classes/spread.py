"""How a sensitive variable is spread inside each equivalence class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.classes.codes import encode
from lookalike.classes.equivalence import EquivalenceClasses
from lookalike.engine import SIZE, histogram_by, stage
from lookalike.errors import NotAssessable


@dataclass(frozen=True)
class Spread:
    """The counts of a sensitive variable's values in every class; missing values are left out.

    Class i holds the values `codes[starts[i]:starts[i + 1]]` (ascending) with `counts` beside them.
    `values` is the code book: `values[c]` is the value with code c. `order` has no meaning.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"sex": ["F", "F", "M"], "result": ["+", "-", "-"]})
    >>> data = la.read(table, quasi_identifiers=["sex"], sensitive=["result"])
    >>> spread = Spread.of(EquivalenceClasses.of(data), "result")
    >>> sorted(spread.distinct.tolist()), spread.whole.tolist()
    ([1, 2], [1, 2])
    """

    name: str
    starts: NDArray[np.int64]
    codes: NDArray[np.int64]
    counts: NDArray[np.int64]
    values: pl.Series
    without: int
    """Classes in which the variable is missing for all records."""

    @classmethod
    def of(cls, classes: EquivalenceClasses, name: str) -> Spread:
        """The spread of one variable over the classes."""
        with stage(f"spread of {name}"):
            counted = histogram_by(classes.data.table, classes.variables, name)
        columns = [c for c in counted.table.columns if c not in (SIZE, name)]
        known = counted.table.filter(pl.col(name).is_not_null())
        if known.height == 0:
            raise NotAssessable(f"'{name}' is missing in all records.")
        values = known[name].unique().sort()
        table = known.select(*columns, SIZE, pl.Series(name, _codes(known[name], values)))
        table = table.sort(*columns, name)
        label = table.select(pl.struct(columns).rle_id()).to_series().to_numpy()
        starts = np.flatnonzero(np.diff(label.astype(np.int64), prepend=-1))
        return cls(
            name,
            np.append(starts, table.height),
            table[name].to_numpy(),
            table[SIZE].to_numpy(),
            values,
            len(classes) - len(starts) if classes.missing != "conservative" else 0,
        )

    @property
    def distinct(self) -> NDArray[np.int64]:
        """The number of values in each class."""
        return np.diff(self.starts)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The records of each class that have a value."""
        return np.add.reduceat(self.counts, self.starts[:-1])

    @property
    def whole(self) -> NDArray[np.int64]:
        """The counts of the values in the whole file."""
        return np.bincount(self.codes, weights=self.counts, minlength=len(self.values)).astype(np.int64)

    def per_class(self, terms: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum over each class of a term per value."""
        return np.add.reduceat(terms, self.starts[:-1])

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each value in its class, p."""
        return self.counts / np.repeat(self.sizes, self.distinct)


def _codes(column: pl.Series, values: pl.Series) -> NDArray[np.int64]:
    """Positions in the sorted code book."""
    if len(values) == 1:
        return np.zeros(len(column), np.int64)
    codes = encode(pl.concat([column, values.alias(column.name)]))
    book = codes[len(column) :]
    return np.searchsorted(book, codes[: len(column)])
