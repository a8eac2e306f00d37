"""How a sensitive variable is spread inside each equivalence class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.classes.codes import distinct_and_codes, encode, group
from lookalike.classes.equivalence import EquivalenceClasses, Missing
from lookalike.data import Kind, Variable
from lookalike.data.variable import in_order
from lookalike.engine import SIZE, column, histogram_by, stage
from lookalike.errors import NotAssessable


@dataclass(frozen=True)
class Spread:
    """The counts of a sensitive variable's values in every class; missing values are left out.

    Class i holds the values `codes[starts[i]:starts[i + 1]]` (ascending) with `counts` beside them.
    `values` is the code book: `values[c]` is the value with code c, ordinal values in their order. The order of
    classes has no meaning. A record that a conservative reading sets alone is a class here too; wildcards are not
    followed: a missing quasi-identifier is then a value of its own, which hides less, not more.

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

    @classmethod
    def of(cls, classes: EquivalenceClasses, name: str) -> Spread:
        """The spread of one variable over the classes."""
        with stage(f"spread of {name}"):
            label, known, counts = _records(classes, name) if classes.index is not None else _groups(classes, name)
        if not len(known):
            raise NotAssessable(f"'{name}' is missing in all records.")
        values, places = _book(known, classes.data.variable(name))
        # One number for class and value: sorting it brings equal pairs together, in order.
        pairs = label
        pairs *= len(values)
        pairs += places
        if counts is None:
            pairs.sort()
            at = _starts(pairs)
            pairs, counts = pairs[at], np.diff(np.append(at, len(pairs)))
        else:
            order = np.argsort(pairs)
            pairs, counts = pairs[order], counts[order]
        label = pairs // len(values)
        starts = _starts(label)
        codes = np.subtract(pairs, np.multiply(label, len(values), out=label), out=pairs)
        return cls(name, np.append(starts, len(pairs)), codes, counts, values)

    @property
    def distinct(self) -> NDArray[np.int64]:
        """The number of values in each class."""
        return np.diff(self.starts)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The records of each class that have a value."""
        return np.add.reduceat(self.counts, self.starts[:-1])

    @cached_property
    def whole(self) -> NDArray[np.int64]:
        """The counts of the values in the whole file."""
        return np.bincount(self.codes, weights=self.counts, minlength=len(self.values)).astype(np.int64)

    def per_class(self, terms: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum over each class of a term per value."""
        return np.add.reduceat(terms, self.starts[:-1])

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of each value in its class, p."""
        return self.counts / np.repeat(self.sizes, self.distinct)


def _starts(ordered: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where a stretch of equal numbers begins."""
    new = np.empty(len(ordered), bool)
    new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return np.flatnonzero(new)


def _records(classes: EquivalenceClasses, name: str) -> tuple[NDArray[np.int64], pl.Series, None]:
    """Class and value of every record that has a value."""
    assert classes.index is not None
    values = column(classes.data.table, name)
    index = classes.index
    if values.null_count():
        known = values.is_not_null()
        index, values = index[known.to_numpy()], values.filter(known)
    return index.astype(np.int64), values, None


def _groups(classes: EquivalenceClasses, name: str) -> tuple[NDArray[np.int64], pl.Series, NDArray[np.int64]]:
    """Class, value and count of every pair that occurs, counted by the engine."""
    counted = histogram_by(classes.data.table, classes.variables, name).filter(pl.col(name).is_not_null())
    # One column of codes at a time: all together would be the largest thing in memory.
    label = group(encode(counted[key]) for key in classes.variables).astype(np.int64)
    counts = counted[SIZE].to_numpy()
    if classes.missing is not Missing.CONSERVATIVE:
        return label, counted[name], counts
    alone = counted.select(pl.any_horizontal(pl.col(classes.variables).is_null())).to_series().to_numpy()
    times = np.where(alone, counts, 1)
    rows = np.repeat(np.arange(len(counts)), times)
    split = alone[rows]
    label = np.where(split, len(counts) + np.arange(len(rows)), label[rows])
    return label, counted[name].gather(rows), np.where(split, 1, counts[rows])


def _book(values: pl.Series, variable: Variable) -> tuple[pl.Series, NDArray[np.int32]]:
    """The distinct values in order, and each value's place among them."""
    distinct, codes = distinct_and_codes(values)
    if variable.kind is not Kind.ORDINAL or distinct.dtype != pl.String:
        return distinct, codes
    texts = distinct.to_list()
    levels = variable.levels if set(texts) <= set(variable.levels) else in_order(texts)
    order = np.argsort([levels.index(text) for text in texts])
    return distinct.gather(order), np.argsort(order).astype(np.int32)[codes]
