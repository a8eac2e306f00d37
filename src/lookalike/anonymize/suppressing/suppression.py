"""Local suppression: as few cells as possible are blanked until every record has k lookalikes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.chosen import chosen
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.suppressing.blanks import MOST, Blanks, Cells
from lookalike.classes import Missing, encode, matching
from lookalike.data import Microdata
from lookalike.engine import records
from lookalike.errors import unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSuppression:
    """Blank cells of quasi-identifiers, one record at a time, until each record has k lookalikes.

    How a blank is read is the reading of missing values asked for. `own`: blanks are equal to each other and to
    nothing else, so every class of the release has k records. `wildcard`: a blank matches all, as sdcMicro counts.
    The docs tell what each is worth. `columns` are those that may be blanked; all quasi-identifiers are compared.
    Finding the fewest cells is NP-hard (Meyerson and Williams 2004): the result is small, and no single cell of it
    can come back.

    >>> import lookalike as la
    >>> table = pl.DataFrame({"age": [30, 30, 30, 61, 62], "sex": ["F", "F", "M", "M", "M"]})
    >>> file = la.read(table, quasi_identifiers=["age", "sex"])
    >>> made = LocalSuppression(k=2).change(Asked(file=file, rng=np.random.default_rng(1)))
    >>> made.columns["age"].to_list(), made.columns["sex"].to_list()
    ([30, 30, None, None, None], ['F', 'F', 'M', 'M', 'M'])
    >>> made.details["cells"]
    {'age': 3, 'sex': 0}
    """

    name: ClassVar[str] = "suppress"
    k: int | None = None
    """None: the limit of k-anonymity asked for."""
    columns: tuple[str, ...] = ()
    max_cells: float | None = None
    """The largest share of the quasi-identifiers' cells that may be blanked."""
    importance: Mapping[str, float] = field(default_factory=dict, hash=False)
    """What a cell of a column is worth; 1 if it is not named. The least worth is blanked first."""
    others: bool = True
    """With wildcards: whether the blanks of other records count for a record that keeps all its cells."""

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        found = [f"suppress: k must be at least 2, not {self.k}."] if self.k is not None and self.k < 2 else []
        if self.max_cells is not None and not 0 <= self.max_cells <= 1:
            found.append(f"suppress: max_cells is a share and must lie in [0, 1], not {self.max_cells:g}.")
        found += [
            f"suppress: the importance of '{name}' must be a number above 0."
            for name, worth in self.importance.items()
            if not (worth > 0 and isfinite(worth))
        ]
        return found

    def change(self, asked: Asked) -> Changed:
        """The columns with blanks; `figures` and `details` count them."""
        file = asked.file
        k = self.k if self.k is not None else asked.until.k_anonymity
        names = chosen(file, self.columns, [*self.faults(), *self._misfits(asked, k)], k=k)
        further = [name for name in file.quasi_identifiers if name not in names]
        table = records(file.table, [*names, *further])
        codes = np.stack([encode(column).astype(np.int32) for column in table])
        assert k is not None
        cells = Cells(
            codes=codes,
            prices=[float(self.importance.get(name, 1.0)) for name in names],
            k=k,
            limit=codes.size if self.max_cells is None else int(self.max_cells * codes.size),
        )
        found = self._found(cells, asked.missing)
        columns = {name: _without(table[name], found.cells[i]) for i, name in enumerate(names)}
        return _told(cells, found, columns, self._narrowed(cells, found, asked.missing))

    def _misfits(self, asked: Asked, k: int | None) -> list[str]:
        """What does not go with the file."""
        file, named = asked.file, dict.fromkeys(self.columns)
        found = [] if k is not None else ["suppress: k is not given. Set k, or a limit of k-anonymity."]
        if asked.missing is Missing.CONSERVATIVE:
            found.append(
                "suppress: where a missing cell matches nothing, a suppressed one cannot give lookalikes. Read missing "
                "values as a value of their own, or as wildcards."
            )
        found += _not_keys(file, [*named])
        keys = file.quasi_identifiers or tuple(named)
        if len(named or keys) > MOST:
            found.append(
                f"suppress: at most {MOST} columns can be weighed against each other, and there are "
                f"{len(named or keys)}. Name those in which cells may be suppressed (columns)."
            )
        found += [
            unknown("Column", name, keys, where="a quasi-identifier (importance)", listed="Quasi-identifiers")
            for name in self.importance
            if name not in keys
        ]
        return found

    def _found(self, cells: Cells, missing: Missing) -> Blanks:
        from lookalike.anonymize.suppressing.blanks_own import blanks_as_values
        from lookalike.anonymize.suppressing.blanks_wildcard import blanks_with_wildcards

        if missing is Missing.WILDCARD:
            return blanks_with_wildcards(cells, others=self.others)
        return blanks_as_values(cells)

    def _narrowed(self, cells: Cells, found: Blanks, missing: Missing) -> int | None:
        """With wildcards: the records that fit fewer than k released ones, for who knows all that was blanked."""
        if missing is not Missing.WILDCARD:
            return None
        released = cells.codes.copy()
        released[: cells.columns][found.cells] = -1
        new = Cells(codes=released, prices=cells.prices, k=cells.k, limit=cells.limit)
        fit = matching(_tall(cells.rows), _tall(new.rows), new.sizes)
        return int(cells.sizes[fit < cells.k].sum())


def _tall(rows: NDArray[np.int32]) -> NDArray[np.int64]:
    return np.asfortranarray(rows.T.astype(np.int64))


def _not_keys(file: Microdata, names: Sequence[str]) -> list[str]:
    keys = file.quasi_identifiers
    return [
        f"suppress: column '{name}' is not a quasi-identifier: blanking it gives no lookalikes."
        for name in names
        if keys and name in file.columns and name not in keys
    ]


def _without(cells: pl.Series, blank: NDArray[np.bool_]) -> pl.Series:
    return pl.select(pl.when(pl.Series(~blank)).then(cells).alias(cells.name)).to_series()


def _told(cells: Cells, found: Blanks, columns: Mapping[str, pl.Series], narrowed: int | None) -> Changed:
    blank, k = found.cells, cells.k
    figures: dict[str, float] = {
        "cells suppressed": int(blank.sum()),
        "share of cells": float(blank.sum() / cells.codes.size),
        "records changed": int(blank.any(axis=0).sum()),
        "records below k": found.below,
    }
    caveats = []
    if found.below:
        caveats.append(
            f"Still with fewer than {k} lookalikes: {_records(found.below)}. The limit of cells or the columns named "
            "do not allow more. Allow more, or generalize first."
        )
    if narrowed is not None:
        figures["records that fit fewer than k"] = narrowed
    if narrowed:
        caveats.append(
            f"Blank cells count as any value here. Who knows all quasi-identifiers of the person can still narrow "
            f"{_records(narrowed)} to fewer than {k}; with missing values as a value of their own nobody can."
        )
    if found.blocks > 1:
        caveats.append(f"The file was looked at in {found.blocks:,} parts: more cells may be blank than are needed.")
    told = {"k": k, "cells": {name: int(blank[i].sum()) for i, name in enumerate(columns)}}
    return Changed(columns=columns, caveats=tuple(caveats), figures=figures, details=told)


def _records(count: int) -> str:
    return f"{count:,} record{'s' if count != 1 else ''}"
