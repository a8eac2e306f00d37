"""How far the copies of a release repeat the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.classes import EquivalenceClasses
from lookalike.data import Microdata
from lookalike.engine import records, stage
from lookalike.estimate import Rate

BLOCK = 32
"""Columns that are in memory at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How far a copy repeats the file.

    >>> import polars as pl
    >>> import lookalike as la
    >>> people = pl.DataFrame({"age": [34, 35, 51, 52] * 20, "sex": ["F", "M"] * 40})
    >>> likeness = la.synthesize(people, la.Bootstrap(), rows=10, seed=1).likeness[0]
    >>> str(likeness.repeated), likeness.repeated_uniques
    ('10 of 10 records', None)
    """

    equal_cells: Mapping[str, Rate]
    """By drawn column, of the cells that hold a value those that equal it; empty if records are not linked."""
    most_frequent: Mapping[str, float]
    """By the same columns, the share of the most frequent value among them: what guessing it would give."""
    single_values: Mapping[str, Rate]
    """By drawn column, values that one record of the file alone has, and how many of them stand in the copy."""
    repeated: Rate
    """Records of the copy that equal a record of the file in all columns."""
    repeated_uniques: Rate | None
    """Records unique in the file that stand in the copy again, unique there too; None if none is unique."""
    known_uniques: Rate | None
    """The same by the quasi-identifiers alone; None without them, or if none is unique."""
    repeated_uniques_by_chance: Rate | None = None
    """What `repeated_uniques` would be, about, if the drawn columns knew nothing of the others."""
    known_uniques_by_chance: Rate | None = None


def likenesses(
    file: Microdata, copies: Sequence[Microdata], drawn: tuple[str, ...], *, linked: bool
) -> tuple[Likeness, ...]:
    """Compare copies with the file, column by column and record by record."""
    with stage("comparing with the file", total=len(copies)) as running:
        shared = tuple(name for name in copies[0].columns if name in file.columns)
        known = tuple(name for name in file.quasi_identifiers if name in shared)
        ours = EquivalenceClasses.of(file, shared)
        by_known = EquivalenceClasses.of(file, known) if known else None
        found = []
        for copy in copies:
            cells = _Cells.of(file, copy, drawn, linked=linked)
            repeated, uniques = _repeats(ours, copy)
            found.append(
                Likeness(
                    equal_cells=cells.equal,
                    most_frequent=cells.most_frequent,
                    single_values=cells.single,
                    repeated=repeated,
                    repeated_uniques=uniques,
                    known_uniques=_repeats(by_known, copy)[1] if by_known else None,
                    repeated_uniques_by_chance=_by_chance(copy, ours, drawn),
                    known_uniques_by_chance=_by_chance(copy, by_known, drawn) if by_known else None,
                )
            )
            running.advance()
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Column by column."""

    equal: dict[str, Rate]
    most_frequent: dict[str, float]
    single: dict[str, Rate]

    @classmethod
    def of(cls, file: Microdata, copy: Microdata, drawn: Sequence[str], *, linked: bool) -> _Cells:
        found = cls({}, {}, {})
        for name, ours, theirs in _columns(file, copy, drawn):
            if linked:
                holds = _holds(file, name, ours)
                same = int((ours.eq_missing(theirs) & holds).sum())
                found.equal[name] = Rate(count=same, of=int(holds.sum()), what="cells that hold a value")
                found.most_frequent[name] = _most_frequent(ours.filter(holds))
            if (rate := _single(ours, theirs)) is not None:
                found.single[name] = rate
        return found


def _columns(file: Microdata, copy: Microdata, names: Sequence[str]) -> Iterator[tuple[str, pl.Series, pl.Series]]:
    """Columns of both, a block of them in memory at a time."""
    for start in range(0, len(names), BLOCK):
        some = list(names[start : start + BLOCK])
        ours, theirs = records(file.table, some), records(copy.table, some)
        for name in some:
            yield name, ours[name], theirs[name]


def _most_frequent(cells: pl.Series) -> float:
    counts = cells.value_counts()["count"]
    return float(counts.max()) / len(cells) if len(cells) else 0.0  # type: ignore[arg-type]


def _holds(file: Microdata, name: str, cells: pl.Series) -> pl.Series:
    """Where there is a value: neither empty nor a code that means missing."""
    codes = pl.Series(file.variable(name).missing, dtype=pl.String).cast(cells.dtype, strict=False).drop_nulls()
    return cells.is_not_null() & ~cells.is_in(codes.implode()).fill_null(False)


def _single(ours: pl.Series, theirs: pl.Series) -> Rate | None:
    """Values of one record alone that stand in the copy; None if there is no such value."""
    counts = ours.drop_nulls().value_counts()
    single = counts.filter(pl.col("count") == 1)[ours.name]
    if not len(single):
        return None
    there = single.is_in(theirs.unique().implode())
    return Rate(count=int(there.sum()), of=len(single), what="values of one record alone")


def _by_chance(copy: Microdata, ours: EquivalenceClasses, drawn: Sequence[str]) -> Rate | None:
    """Records unique in the file that would be so in the copy if its drawn columns knew nothing of the others.

    Such a copy holds the record λ = k Π p_j times on average, p_j the share of its value in the copy and k the records
    that have its kept values; once with chance λ e^−λ.
    """
    single = ours.keys.filter(pl.Series(ours.sizes == 1))
    if not single.height:
        return None
    times = np.full(single.height, float(copy.records))
    kept = [name for name in ours.variables if name not in drawn]
    if kept:
        rows = EquivalenceClasses.of(copy, kept)
        times = _looked_up(single, rows.keys.with_columns(pl.Series("__share", rows.sizes)), kept)
    some = [name for name in ours.variables if name in drawn]
    for start in range(0, len(some), BLOCK):
        for cells in records(copy.table, some[start : start + BLOCK]):
            shares = cells.value_counts().select(cells.name, __share=pl.col("count") / copy.records)
            times *= _looked_up(single, shares, [cells.name])
    expected = float((times * np.exp(-times)).sum())
    return Rate(count=round(expected), of=single.height, what="unique records")


def _looked_up(single: pl.DataFrame, shares: pl.DataFrame, names: list[str]) -> NDArray[np.float64]:
    """What stands beside the values of some columns; 0 where they do not occur."""
    found = single.select(names).join(shares, on=names, how="left", nulls_equal=True, maintain_order="left")
    return found["__share"].cast(pl.Float64).fill_null(0.0).to_numpy(writable=True)


def _repeats(ours: EquivalenceClasses, copy: Microdata) -> tuple[Rate, Rate | None]:
    """Records of the copy that stand in the file, and records unique in both."""
    found = ours.sizes_in(EquivalenceClasses.of(copy, ours.variables))
    single = ours.sizes == 1
    again = int(np.count_nonzero(single & (found == 1)))
    uniques = Rate(count=again, of=int(single.sum()), what="unique records") if single.any() else None
    return Rate(count=int(found.sum()), of=copy.records, what="records"), uniques
