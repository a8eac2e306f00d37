"""A population file recoded as a release was, so that B of the release can be counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from lookalike.anonymize import Asked, Protected
from lookalike.anonymize.generalizing.recode import Recode
from lookalike.anonymize.rebuilt import rebuilt
from lookalike.data import Microdata, Role
from lookalike.engine import records


def recoded_people(people: Microdata, release: Protected, variables: Sequence[str]) -> Microdata | None:
    """The people with the released values of their own; None if a value of the file has several in the release.

    By the recode of the release where it has one, else by what each value of the file became. A value that neither
    knows stays as it is, or is missing: its people then count as nobody's lookalikes, and B is rather too high than
    too low. A suppressed cell of the release says nothing of its value's code.
    """
    people = rebuilt(people, {}, drop=tuple(n for n in people.columns if n not in variables))
    recodes = [step.recode for step in release.taken]
    if all(recode is not None for recode in recodes):
        for recode in recodes:
            people = rebuilt(people, _by_recode(recode, people))
        return people
    columns = {}
    for name in variables:
        if name not in release.cells:
            continue
        codes = _codes(*release.pair(name))
        if codes is None:
            return None
        columns[name] = _mapped(records(people.table, [name])[name], codes)
    return rebuilt(people, columns)


def _by_recode(recode: Recode, people: Microdata) -> Mapping[str, pl.Series]:
    plain = replace(recode, unseen="suppress", max_suppression=0.0, limits={})
    everyone = people.assign(dict.fromkeys(people.columns, Role.QUASI_IDENTIFIER))
    return plain.change(Asked(file=everyone, rng=np.random.default_rng(0))).columns


def _codes(before: pl.Series, after: pl.Series) -> pl.DataFrame | None:
    """Each value of the file with its value in the release; None if one has two."""
    pairs = pl.DataFrame({"value": before, "code": after}).drop_nulls().unique()
    return None if pairs["value"].n_unique() < pairs.height else pairs


def _mapped(cells: pl.Series, codes: pl.DataFrame) -> pl.Series:
    frame = pl.DataFrame({"value": cells})
    types = {"value": pl.String, "code": pl.String}
    if cells.dtype != codes["value"].dtype:
        frame, codes = frame.cast({"value": pl.String}), codes.cast(types)  # type: ignore[arg-type]
    joined = frame.join(codes, on="value", how="left", maintain_order="left")
    found = joined.select(pl.coalesce(pl.col("code").cast(pl.String), pl.col("value").cast(pl.String)))
    return found.to_series().alias(cells.name)
