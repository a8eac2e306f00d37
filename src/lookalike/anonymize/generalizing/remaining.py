"""What remains after generalization: cells suppressed instead of whole records, where that is enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.rebuilt import rebuilt
from lookalike.anonymize.suppressing.suppression import LocalSuppression
from lookalike.classes import Missing
from lookalike.engine import records

CLASS_WISE = ("l_diversity", "t_closeness", "attribute_disclosure")
"""Limits that fewer blanks than a whole record may break."""


def cell_faults(asked: Asked, *, drop: bool) -> list[str]:
    """Why cells cannot be suppressed instead of records."""
    faults = []
    if asked.until.k_anonymity is None:
        faults.append("cells: single cells are suppressed for k-anonymity. Set its limit (--k).")
    if drop:
        faults.append("cells: a record of which cells are suppressed stays. Take drop away, or cells.")
    if asked.missing is Missing.CONSERVATIVE:
        faults.append("cells: where a missing cell matches nothing, a suppressed one cannot give lookalikes.")
    faults += [
        f"cells: suppressed cells do not keep the limit of {name}. Let whole records be suppressed."
        for name in CLASS_WISE
        if getattr(asked.until, name) is not None
    ]
    return faults


def by_cells(asked: Asked, whole: Mapping[str, pl.Series], made: Changed) -> Changed:
    """The same levels with as few cells suppressed as k needs; whole records, as `made` has it, if that takes fewer.

    `whole` are the columns at their levels, before anything was suppressed.
    """
    coarse = rebuilt(asked.file, whole)
    found = LocalSuppression().change(replace(asked, file=coarse))
    before = {name: records(coarse.table, [name])[name] for name in coarse.quasi_identifiers}
    blanks = _blanks(found, before)
    if found.figures["records below k"] or blanks >= _blanks(made, before):
        return made
    touched = f"{blanks:,} cells of {int(found.figures['records changed']):,} records were suppressed."
    caveats = (*(c for c in made.caveats if "suppressed records stay" not in c), touched, *found.caveats)
    figures = {**made.figures, "suppressed_records": 0.0, "suppressed_cells": float(blanks)}
    return replace(made, columns={**whole, **found.columns}, caveats=caveats, figures=figures)


def _blanks(made: Changed, before: Mapping[str, pl.Series]) -> int:
    """Cells that are empty and were not."""
    columns = ((made.columns[name], cells) for name, cells in before.items() if name in made.columns)
    return int(sum(np.count_nonzero((new.is_null() & old.is_not_null()).to_numpy()) for new, old in columns))
