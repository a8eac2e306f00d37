"""The 5 % sample of the adult file that the reference figures are for."""

import polars as pl
import pytest

import lookalike as la
from lookalike.population import Sample

KEY7 = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass"]


@pytest.fixture(scope="session")
def adult(shared) -> pl.DataFrame:
    return pl.read_csv(shared / "data" / "adult_arx.csv")


@pytest.fixture(scope="session")
def adult_rows(shared):
    return pl.read_csv(shared / "reference" / "sample_idx_f0.05.csv").to_series().to_numpy()


@pytest.fixture(scope="session")
def adult_sample(adult, adult_rows) -> tuple[Sample, int]:
    """n = 1,508 of N = 30,162 on seven quasi-identifiers: B = 0.36800, 387 of 955 sample uniques are unique."""
    return Sample.of(la.EquivalenceClasses.of(la.read(adult[adult_rows]), KEY7)), adult.height
