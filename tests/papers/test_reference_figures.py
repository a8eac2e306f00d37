"""Figures of other tools on fixed data (shared/reference/README.md): counts, k, ℓ, household and population risk."""

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike import risk as r

KEY7 = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass"]


@pytest.fixture(scope="module")
def adult(shared) -> la.EquivalenceClasses:
    return la.EquivalenceClasses.of(la.read(shared / "data" / "adult_arx.csv"), KEY7)


def test_adult_classes_and_uniques(adult) -> None:
    assert len(adult) == 11_089
    assert r.unique_records(adult).count == 7_653
    assert [r.records_below(adult, k).count for k in (2, 3, 5)] == [7_653, 10_409, 13_657]


def test_adult_sample_against_its_population(adult, shared) -> None:
    rows = pl.read_csv(shared / "reference" / "sample_idx_f0.05.csv").to_series()
    sample = la.read(pl.read_csv(shared / "data" / "adult_arx.csv")[rows.to_numpy()])
    classes = la.EquivalenceClasses.of(sample, KEY7)
    people = classes.sizes_in(adult)
    unique = classes.sizes == 1
    assert classes.records == 1_508
    assert unique.sum() == 955
    assert (classes.sizes / people).sum() == pytest.approx(554.951, abs=5e-4)
    assert r.sample_to_population(classes, people) == pytest.approx(0.36800, abs=5e-6)
    assert (people[unique] == 1).sum() == 387
    assert r.relative_frequency_of_uniques(classes, adult).count == 387
    assert (1 / people[unique]).sum() == pytest.approx(527.495, abs=5e-4)


def test_adult_diversity_agrees_with_sdcmicro(adult) -> None:
    occupation = la.Spread.of(adult, "occupation")
    distinct = r.distinct_diversity(occupation)
    assert distinct.minimum == 1
    assert distinct.mean == pytest.approx(4.68371, abs=5e-6)
    assert occupation.sizes[distinct.per_class < 2].sum() == 8_819
    assert occupation.sizes[distinct.per_class < 3].sum() == 12_364
    assert r.entropy_diversity(occupation).mean == pytest.approx(3.69059, abs=5e-6)
    salary = la.Spread.of(adult, "salary-class")
    assert r.distinct_diversity(salary).mean == pytest.approx(1.41261, abs=5e-6)
    assert r.any_disclosure(salary).count == 17_717


def test_testdata_classes_and_household_risk(shared) -> None:
    data = la.read(
        shared / "data" / "sdcMicro_testdata.csv",
        quasi_identifiers=["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"],
        weight="sampling_weight",
        household="ori_hid",
    )
    classes = la.EquivalenceClasses.of(data, sums=["sampling_weight"])
    assert [r.records_below(classes, k).count for k in (2, 3, 5)] == [157, 281, 458]
    reference = pl.read_csv(shared / "reference" / "testdata_individual_risk.csv")
    assert classes.size_per_record().tolist() == reference["fk"].to_list()
    assert classes.per_record(classes.sums("sampling_weight")).tolist() == reference["Fk"].to_list()
    household = r.household_risk(reference["risk"].to_numpy(), r.households(data))
    assert household == pytest.approx(reference["hier_risk"].to_numpy(), abs=1e-12)
    assert household.sum() == pytest.approx(51.8129274, abs=5e-7)


def test_francdat_classes(shared) -> None:
    """Eight records, keys Key1 to Key4: sdcMicro's own documentation example, counted by hand."""
    data = la.read(shared / "data" / "sdcMicro_francdat.csv", quasi_identifiers=["Key1", "Key2", "Key3", "Key4"])
    classes = la.EquivalenceClasses.of(data, sums=["w"])
    assert classes.size_per_record().tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
    # Σw of the classes: risk.md's vectors (f, Σw) = (2, 110), (2, 84.5) and the singles.
    sums = np.array([110.0, 84.5, 84.5, 17.0, 541.0, 8.0, 5.0, 110.0])
    assert classes.per_record(classes.sums("w")).tolist() == sums.tolist()
