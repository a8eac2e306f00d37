"""Equivalence classes: the records equal on all quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.classes.codes import MISSING, Codes, encode, encode_together, group, totals
from lookalike.data import Microdata
from lookalike.engine import Grouping, class_sizes, group_records, look_up, stage

MANY = 5_000_000
"""Classes above which subsets of variables are counted by the engine, not from the class table."""


class Missing(StrEnum):
    """What a missing quasi-identifier means when records are compared.

    >>> import lookalike as la
    >>> data = la.read(pl.DataFrame({"sex": ["F", "F", None]}))
    >>> [EquivalenceClasses.of(data, ["sex"], missing=way).lookalikes.tolist() for way in Missing]
    [[1, 2], [3, 3], [1, 2]]
    """

    OWN = "own"
    """A category of its own: equal to a missing value, to nothing else."""
    WILDCARD = "wildcard"
    """It may be any value, so it matches all."""
    CONSERVATIVE = "conservative"
    """It matches nothing: a record with a missing value counts as unique and lends no lookalikes."""


@dataclass(frozen=True)
class EquivalenceClasses:
    """The classes of a file with their sizes; every measure on one file starts here.

    One row a class: `keys` the values of its quasi-identifiers, `sizes` its records, `lookalikes` the records
    of the file that each of its records may be taken for (f): the size, except when missing values are
    wildcards. The order of classes has no meaning.

    >>> import lookalike as la, polars as pl
    >>> data = la.read(pl.DataFrame({"sex": ["F", "F", "M"]}), quasi_identifiers=["sex"])
    >>> sorted(EquivalenceClasses.of(data).sizes.tolist())
    [1, 2]
    >>> table = pl.DataFrame({"sex": ["F", "F", "M", None], "age": [30, 31, 30, None], "w": [10.0, 20.0, 5.0, 1.0]})
    >>> file = la.read(table, quasi_identifiers=["sex", "age"])
    >>> classes = EquivalenceClasses.of(file, sums=["w"])
    >>> classes.records, len(classes), classes.distinct("sex"), classes.incomplete, classes.empty_records()
    (4, 4, 3, True, 1)
    >>> sorted(classes.sizes_on(["sex"]).tolist()), classes.known(["sex"])
    ([1, 1, 2], (2, 0.75))
    >>> classes.sums("w")[classes.index].tolist(), classes.per_record(classes.sizes).tolist()
    ([10.0, 20.0, 5.0, 1.0], [1.0, 1.0, 1.0, 1.0])

    A missing value that may be anything makes lookalikes that are not in the class:

    >>> alike = EquivalenceClasses.of(file, missing=Missing.WILDCARD)
    >>> alike.lookalikes[alike.index].tolist()
    [2, 2, 2, 4]
    """

    data: Microdata
    variables: tuple[str, ...]
    missing: Missing
    _grouping: Grouping

    @classmethod
    def of(
        cls,
        data: Microdata,
        variables: Sequence[str] | None = None,
        *,
        missing: Missing = Missing.OWN,
        sums: Sequence[str] = (),
    ) -> EquivalenceClasses:
        """The classes of the data on its quasi-identifiers, or on the variables named."""
        names = tuple(variables) if variables is not None else data.quasi_identifiers
        with stage("counting classes"):
            return cls(data, names, missing, group_records(data.table, names, sums=sums))

    @cached_property
    def keys(self) -> pl.DataFrame:
        """The values of the quasi-identifiers, one row a class."""
        keys = self._grouping.keys
        return keys if self._alone is None else keys[np.repeat(np.arange(keys.height), self._alone)]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The records of each class, f."""
        if self._alone is None:
            return self._grouping.sizes
        return np.repeat(np.where(self._incomplete, 1, self._grouping.sizes), self._alone)

    @cached_property
    def lookalikes(self) -> NDArray[np.int64]:
        """For a record of each class, how many records of the file it may be taken for, itself included."""
        if self.missing is not Missing.WILDCARD or not self._incomplete.any():
            return self.sizes
        return matching(self.codes, self.codes, self.sizes)

    @cached_property
    def records(self) -> int:
        """The number of records, n."""
        return int(self.sizes.sum())

    @cached_property
    def index(self) -> NDArray[np.int32] | NDArray[np.int64] | None:
        """The class of every record, in the order of the file, if the engine holds the records in memory."""
        index = self._grouping.index
        if index is None or self._alone is None:
            return index
        # A conservative reading has split the incomplete groups: their records take the parts one after another.
        place = (np.cumsum(self._alone) - self._alone)[index]
        rows = np.flatnonzero(self._incomplete[index])
        rows = rows[np.argsort(index[rows], kind="stable")]
        first = np.flatnonzero(np.diff(index[rows], prepend=-1))
        place[rows] += np.arange(len(rows)) - np.repeat(first, np.diff(np.append(first, len(rows))))
        return place

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def codes(self) -> Codes:
        """The classes' values as whole numbers, a column a variable; -1 is missing."""
        return _columns([encode(self.keys[name]) for name in self.variables])

    def sums(self, name: str) -> NDArray[np.float64]:
        """The sum of a column per class, asked for when the classes were formed."""
        values = self._grouping.sums[name]
        return values if self._alone is None else np.repeat(values / self._alone, self._alone)

    def sizes_on(self, variables: Sequence[str]) -> NDArray[np.int64]:
        """The class sizes if only these of the variables were known; wildcards are read as a category (see `known`)."""
        if len(self) > MANY:
            return EquivalenceClasses.of(self.data, variables, missing=_plain(self.missing)).sizes
        at = [self.variables.index(name) for name in variables]
        columns = [self.codes[:, i] for i in at]
        if self.missing is not Missing.CONSERVATIVE:
            return totals(group(columns), self.sizes)
        whole = np.all([c != MISSING for c in columns], axis=0)
        single = np.ones(int(self.sizes[~whole].sum()), np.int64)
        if not whole.any():
            return single
        return np.concatenate([totals(group([c[whole] for c in columns]), self.sizes[whole]), single])

    def distinct(self, variable: str) -> int:
        """The values of one variable that occur, missing counted as one."""
        return int(self.keys[variable].n_unique())

    def known(self, variables: Sequence[str]) -> tuple[int, float]:
        """If only these of the variables were known: the unique records, and the mean of 1/f over all records."""
        if self.missing is Missing.WILDCARD and self._incomplete.any():
            part = self.codes[:, [self.variables.index(name) for name in variables]]
            alike = matching(part, part, self.sizes)
            return int(self.sizes[alike == 1].sum()), float((self.sizes / alike).sum() / self.records)
        sizes = self.sizes_on(variables)
        return int((sizes == 1).sum()), len(sizes) / self.records

    def per_record(self, values: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
        """A value per class spread to the records, in the order of the file."""
        if self.index is not None:
            return np.asarray(values, np.float64)[self.index]
        table = self.keys.with_columns(pl.Series("__value", values).cast(pl.Float64))
        if self._alone is not None:
            table = table.unique(subset=list(self.variables), keep="any")
        return look_up(self.data.table, self.variables, table, "__value")

    def size_per_record(self) -> NDArray[np.int64]:
        """The lookalikes f of every record, in the order of the file."""
        if self.missing is Missing.OWN and self.index is None:
            return class_sizes(self.data.table, self.variables)
        return self.per_record(self.lookalikes).astype(np.int64) if self.index is None else self.lookalikes[self.index]

    def sizes_in(self, population: EquivalenceClasses, variables: Sequence[str] | None = None) -> NDArray[np.int64]:
        """F: for each class, how many records of a population file share it, on all variables or on some.

        Nulls are read as in this file's classes. A class that the population lacks gets 0: the caller must say
        so, not hide it.
        """
        ours, theirs = self._codes_with(population)
        if variables is not None:
            at = [self.variables.index(name) for name in variables]
            ours, theirs = ours[:, at], theirs[:, at]
        if self.missing is Missing.WILDCARD:
            return matching(ours, theirs, population.sizes)
        found = _sum_equal(ours, theirs, population.sizes)
        if self.missing is Missing.CONSERVATIVE:
            return np.where((ours == MISSING).any(axis=1), 1, found)
        return found

    def _codes_with(self, population: EquivalenceClasses) -> tuple[Codes, Codes]:
        """The values of both files in one code book, kept for the population asked for last."""
        kept = self.__dict__.get("_kept_codes")
        if kept is None or kept[0] is not population:
            pairs = [encode_together(self.keys[v], population.keys[v]) for v in self.variables]
            ours, theirs = _columns([one for one, _ in pairs]), _columns([other for _, other in pairs])
            kept = self.__dict__["_kept_codes"] = (population, ours, theirs)
        return kept[1], kept[2]

    def empty_records(self) -> int:
        """The records that have all quasi-identifiers missing."""
        if not self._incomplete.any():
            return 0
        empty = self.keys.select(pl.all_horizontal(pl.all().is_null())).to_series().to_numpy()
        return int(self.sizes[empty].sum())

    @property
    def incomplete(self) -> bool:
        """Whether a record has a quasi-identifier missing."""
        return bool(self._incomplete.any())

    @cached_property
    def _incomplete(self) -> NDArray[np.bool_]:
        nulls = self._grouping.keys.select(pl.any_horizontal(pl.all().is_null()))
        return nulls.to_series().to_numpy()

    @cached_property
    def _alone(self) -> NDArray[np.int64] | None:
        """How often each counted group stands in the table: its size if its records count as unique."""
        if self.missing is not Missing.CONSERVATIVE or not self._incomplete.any():
            return None
        return np.where(self._incomplete, self._grouping.sizes, 1)


def _columns(codes: Sequence[Codes]) -> Codes:
    """Side by side, each column in one piece: they are read column by column."""
    return np.asfortranarray(np.column_stack(codes))


def _plain(missing: Missing) -> Missing:
    return Missing.OWN if missing is Missing.WILDCARD else missing


def matching(ours: Codes, theirs: Codes, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each row of `ours`, the records of `theirs` that agree wherever neither is missing.

    One pass per pair of missing patterns, on the columns both have; not one per pair of rows.

    >>> matching(np.array([[0, -1]]), np.array([[0, 3], [-1, 5], [1, 1]]), np.array([2, 3, 4])).tolist()
    [5]
    """
    found = np.zeros(len(ours), np.int64)
    for pattern, mine in _patterns(ours):
        for other, yours in _patterns(theirs):
            both = pattern & other
            if not both.any():
                found[mine] += sizes[yours].sum()
                continue
            found[mine] += _sum_equal(ours[np.ix_(mine, both)], theirs[np.ix_(yours, both)], sizes[yours])
    return found


def _patterns(codes: Codes) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Each pattern of present columns, with the rows that have it."""
    present = codes != MISSING
    labels = group([column.astype(np.int64) for column in present.T])
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    return [(present[rows[0]], rows) for rows in np.split(order, starts[1:])]


def _sum_equal(ours: Codes, theirs: Codes, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each row of `ours`, the sum of `sizes` over the rows of `theirs` equal to it."""
    labels = group(list(np.concatenate([ours, theirs]).T))
    split = len(ours)
    amounts = np.concatenate([np.zeros(split, np.int64), sizes])
    return totals(labels, amounts)[labels[:split]]
