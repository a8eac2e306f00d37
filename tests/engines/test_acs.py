"""The same figures from every engine on a real file: 3.4 million people of the American Community Survey 2024."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import lookalike as la
from lookalike import risk

KNOWN = ["STATE", "PUMA", "AGEP", "SEX", "RAC1P", "HISP", "SCHL", "CIT", "DIS"]
PLACE_AGE_SEX = ["STATE", "PUMA", "AGEP", "SEX"]

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def people(shared: Path) -> Path:
    return shared / "data" / "acs2024_person_us12.parquet"


@pytest.fixture(scope="module")
def lookalikes(people: Path) -> NDArray[np.int64]:
    """For every person the number of people alike, by a plain window of Polars."""
    sizes = pl.scan_parquet(people).select(pl.len().over(KNOWN).cast(pl.Int64)).collect().to_series().to_numpy()
    assert len(sizes) == 3_422_888
    assert (sizes == 1).sum() == 2_059_848
    return sizes


@pytest.fixture(scope="module")
def diversity(people: Path) -> pl.DataFrame:
    """Values of disability in each class of place, age and sex, by a plain group-by of Polars."""
    grouped = pl.scan_parquet(people).group_by(PLACE_AGE_SEX)
    return grouped.agg(pl.len(), pl.col("DIS").n_unique().alias("values")).collect()


def test_every_engine_gives_the_same_figures(
    people: Path, lookalikes: NDArray[np.int64], diversity: pl.DataFrame, reading: dict[str, Any]
) -> None:
    n = len(lookalikes)
    data = la.read(people, quasi_identifiers=KNOWN, **reading)
    classes = la.EquivalenceClasses.of(data)
    assert (classes.size_per_record() == lookalikes).all()
    assert classes.records == n
    assert len(classes) == round((1 / lookalikes).sum()) == 2_557_688
    assert risk.k_anonymity(classes) == 1
    assert risk.unique_records(classes).count == (lookalikes == 1).sum()
    assert risk.records_below(classes, 3).count == (lookalikes < 3).sum()
    assert risk.records_below(classes, 5).count == (lookalikes < 5).sum()
    assert risk.prosecutor(classes).mean == pytest.approx((1 / lookalikes).sum() / n, rel=1e-12)

    spread = la.Spread.of(la.EquivalenceClasses.of(data, PLACE_AGE_SEX), "DIS")
    found = risk.distinct_diversity(spread)
    assert len(found.per_class) == diversity.height
    assert (found.per_class == 1).sum() == (diversity["values"] == 1).sum()
    assert found.mean == pytest.approx((diversity["values"] * diversity["len"]).sum() / n, rel=1e-12)
    assert risk.any_disclosure(spread).count == diversity.filter(pl.col("values") == 1)["len"].sum()
