"""Protect a file: take the steps one after another, and tell from file and release what was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.anonymize.cells import Done, counted, done, is_emptied
from lookalike.anonymize.method import Asked, Changed, Method
from lookalike.anonymize.rebuilt import rebuilt
from lookalike.anonymize.release import Protected, Taken
from lookalike.data import Microdata, Role
from lookalike.engine import records, stage
from lookalike.errors import BadPlan, unknown


@dataclass(frozen=True)
class Work:
    """A file under protection: as it is now, and how it came there."""

    original: Microdata
    file: Microdata
    rows: NDArray[np.int64] | None = None
    taken: tuple[Taken, ...] = ()
    changed: frozenset[str] = frozenset()
    perturbed: frozenset[str] = frozenset()

    def step(self, method: Method, asked: Asked) -> Work:
        """The work after one more step."""
        with stage(f"protecting by {method.name}"):
            made = method.change(replace(asked, file=self.file))
        kept = None if made.stays is None or made.stays.all() else np.flatnonzero(made.stays)
        if kept is not None and not len(kept):
            raise BadPlan(f"{method.name} would leave no record. Ask for less, or generalize first.")
        return Work(
            self.original,
            rebuilt(self.file, made.columns, kept),
            self.rows if kept is None else kept if self.rows is None else self.rows[kept],
            (*self.taken, _taken(method, made, self.file)),
            self.changed | made.columns.keys(),
            self.perturbed | made.perturbed,
        )

    def release(self, *, drop: Sequence[str] = (), index: str | None = None, rng: Generator | None = None) -> Protected:
        """The release: without identifiers and these columns; with an index if it has a name; shuffled if `rng`."""
        out = tuple(n for n in self.file.columns if n in drop or n in self.file.with_role(Role.IDENTIFIER))
        faults = [
            unknown("Column", name, self.file.columns, where="in the data", listed="Columns")
            for name in drop
            if name not in self.file.columns
        ]
        if index in self.file.columns and index not in out:
            faults.append(f"The index cannot be called '{index}': the file has such a column.")
        if len(out) == len(self.file.columns):
            faults.append("The release would have no column.")
        if faults:
            raise BadPlan(faults)
        order = None if rng is None else rng.permutation(self.file.records)
        data = self.file if order is None and not out else rebuilt(self.file, {}, order, drop=out)
        rows = self.rows
        if order is not None:
            rows = order if rows is None else rows[order]
        cells = {name: self._fates(name) for name in self.file.columns if name in self.changed and name not in out}
        return Protected(
            original=self.original,
            data=replace(data if index is None else _indexed(data, index, rows), name=f"{self.original.name}, release"),
            taken=self.taken,
            rows=rows,
            left_out=out,
            perturbed=self.perturbed,
            cells=cells,
            emptied=tuple(name for name, fates in cells.items() if fates[Done.SUPPRESSED] and self._is_emptied(name)),
        )

    def _is_emptied(self, name: str) -> bool:
        return is_emptied(records(self.file.table, [name])[name])

    def _fates(self, name: str) -> Mapping[Done, int]:
        before = records(self.original.table, [name])[name]
        before = before if self.rows is None else before[self.rows]
        return counted(done(before, records(self.file.table, [name])[name], perturbed=name in self.perturbed))


def protect(
    asked: Asked,
    methods: Sequence[Method],
    *,
    drop: Sequence[str] = (),
    index: str | None = None,
    shuffle: bool = False,
) -> Protected:
    """The release that these methods make of a file, one after another.

    >>> import numpy as np
    >>> import polars as pl
    >>> from lookalike.anonymize.methods import Mondrian
    >>> from lookalike.data import read
    >>> file = read(pl.DataFrame({"age": [31, 34, 52, 58]}), quasi_identifiers=["age"])
    >>> release = protect(Asked(file=file, rng=np.random.default_rng(1)), [Mondrian(k=2)])
    >>> release.data.head()["age"].to_list()
    ['[31;34]', '[31;34]', '[52;58]', '[52;58]']
    """
    work = Work(asked.file, asked.file)
    for method, rng in zip(methods, asked.rng.spawn(len(methods)), strict=True):
        work = work.step(method, replace(asked, rng=rng))
    return work.release(drop=drop, index=index, rng=asked.rng.spawn(1)[0] if shuffle else None)


def _indexed(data: Microdata, name: str, rows: NDArray[np.int64] | None) -> Microdata:
    from lookalike.data import Kind, Variable

    numbers = np.arange(data.records) if rows is None else rows
    whole = records(data.table, list(data.columns)).with_columns(pl.Series(name, numbers + 1))
    named = replace(data, table=replace(data.table, frame=data.table.engine.adopt(whole)))
    return replace(named, variables=(*data.variables, Variable(name=name, kind=Kind.NUMERIC)))


def _taken(method: Method, made: Changed, file: Microdata) -> Taken:
    return Taken(
        method=method.name,
        settings=_plain(method),
        caveats=(*made.caveats, *_unnamed(method, made, file)),
        figures=made.figures,
        details=made.details,
        recode=made.recode,
    )


def _unnamed(method: Method, made: Changed, file: Microdata) -> list[str]:
    """Columns that a perturbation took because none were named."""
    named = getattr(method, "columns", None)
    if named or not made.perturbed or set(made.columns) == set(file.quasi_identifiers):
        return []
    return [f"No columns were named for {method.name}: it changed {', '.join(made.columns)}."]


def _plain(method: Method) -> dict[str, Any]:
    """The settings of a method that can be told: numbers, words, names of columns."""
    if not is_dataclass(method):
        return {}
    found = {f.name: getattr(method, f.name) for f in fields(method)}
    return {name: value for name, value in found.items() if _tellable(value)}


def _tellable(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(k, str) and _tellable(v) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return all(_tellable(v) for v in value)
    return value is None or isinstance(value, (str, int, float, bool))
