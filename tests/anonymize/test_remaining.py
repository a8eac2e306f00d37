"""Cells instead of records, for what remains after generalization."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.anonymize import Asked
from lookalike.data.hierarchy import Intervals
from lookalike.errors import BadPlan

QUASI = ["age", "sex", "area"]


def asked(**limits: Any) -> Asked:
    rng = np.random.default_rng(8)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 300),
            "sex": rng.choice(["F", "M"], 300, p=[0.9, 0.1]),
            "area": rng.choice(list("abcd"), 300, p=[0.7, 0.2, 0.07, 0.03]),
        }
    )
    file = la.read(frame, quasi_identifiers=QUASI)
    until = la.Threshold(**{"sample_to_population": None, "k_anonymity": 4, **limits})
    return Asked(file=file, rng=rng, until=until)


def method(**settings: Any) -> la.Generalization:
    ages = {"age": Intervals(widths=(10, 20))}
    return la.Generalization(hierarchies=ages, levels={"age": 1}, max_suppression=0.5, **settings)


def test_fewer_cells_are_lost_and_every_class_has_k() -> None:
    records, cells = method().change(asked()), method(cells=True).change(asked())
    blanks = [sum(column.null_count() for column in made.columns.values()) for made in (records, cells)]
    assert 0 < blanks[1] < blanks[0]
    assert cells.figures["suppressed_cells"] == blanks[1]
    file = asked().file
    released = pl.DataFrame([cells.columns.get(n, file.head(300)[n]) for n in QUASI])
    assert released.group_by(QUASI).len()["len"].min() >= 4  # type: ignore[operator]


def test_what_cells_cannot_keep_is_refused() -> None:
    with pytest.raises(BadPlan, match="Set its limit"):
        method(cells=True).change(asked(k_anonymity=None, unique_records=0.5))
    with pytest.raises(BadPlan, match="Take drop away"):
        method(cells=True, drop=True).change(asked())
