"""How far the copies of a release repeat the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.random import Generator

from lookalike.classes import EquivalenceClasses
from lookalike.data import Microdata
from lookalike.engine import Table, engine_for, records, stage
from lookalike.estimate import Rate

BLOCK = 32
"""Columns that are in memory at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How far a copy repeats the file."""

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
    """What `repeated_uniques` would be if the drawn columns knew nothing of the others: each shuffled by itself."""
    known_uniques_by_chance: Rate | None = None


def likenesses(
    file: Microdata, copies: Sequence[Microdata], drawn: tuple[str, ...], *, linked: bool, rng: Generator
) -> tuple[Likeness, ...]:
    """Compare copies with the file, column by column and record by record; `rng` shuffles, to tell what is chance."""
    with stage("comparing with the file", total=len(copies)) as running:
        shared = tuple(name for name in copies[0].columns if name in file.columns)
        known = tuple(name for name in file.quasi_identifiers if name in shared)
        ours = EquivalenceClasses.of(file, shared)
        by_known = EquivalenceClasses.of(file, known) if known else None
        found = []
        for copy in copies:
            cells = _Cells.of(file, copy, drawn, linked=linked)
            repeated, uniques = _repeats(ours, copy)
            shuffled = _shuffled(copy, drawn, rng)
            found.append(
                Likeness(
                    equal_cells=cells.equal,
                    most_frequent=cells.most_frequent,
                    single_values=cells.single,
                    repeated=repeated,
                    repeated_uniques=uniques,
                    known_uniques=_repeats(by_known, copy)[1] if by_known else None,
                    repeated_uniques_by_chance=_repeats(ours, shuffled)[1],
                    known_uniques_by_chance=_repeats(by_known, shuffled)[1] if by_known else None,
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


def _shuffled(copy: Microdata, drawn: tuple[str, ...], rng: Generator) -> Microdata:
    """The copy with each drawn column in another order."""
    frame = records(copy.table, list(copy.columns))
    mixed = [frame[name].gather(rng.permutation(frame.height)) for name in frame.columns if name in drawn]
    engine = engine_for("polars")
    return replace(copy, table=Table(engine.adopt(frame.with_columns(mixed)), engine), scratch=None)


def _repeats(ours: EquivalenceClasses, copy: Microdata) -> tuple[Rate, Rate | None]:
    """Records of the copy that stand in the file, and records unique in both."""
    found = ours.sizes_in(EquivalenceClasses.of(copy, ours.variables))
    single = ours.sizes == 1
    again = int(np.count_nonzero(single & (found == 1)))
    uniques = Rate(count=again, of=int(single.sum()), what="unique records") if single.any() else None
    return Rate(count=int(found.sum()), of=copy.records, what="records"), uniques
