from __future__ import annotations

import polars as pl
import pytest

from lookalike.data import demo
from lookalike.errors import BadPlan


@pytest.fixture(scope="module")
def stays() -> pl.DataFrame:
    return demo.population(50_000)


def mean_by(stays: pl.DataFrame, by: str, of: str) -> dict[str, float]:
    return dict(stays.drop_nulls(by).group_by(by).agg(pl.col(of).mean()).rows())


def test_the_same_seed_gives_the_same_hospital_and_another_seed_another():
    first, again, other = (demo.hospital(100, population_records=2_000, seed=s) for s in (7, 7, 8))
    assert first.file.equals(again.file)
    assert first.population.equals(again.population)
    assert not first.file.equals(other.file)
    for column in first.population.columns[1:]:
        assert not first.population[column].equals(other.population[column]), column


def test_a_larger_population_begins_with_the_smaller_one(stays):
    assert demo.population(1_000).equals(stays.head(1_000))


def test_the_columns_have_natural_types(stays):
    assert dict(stays.schema) == {
        "patient_id": pl.String,
        "age": pl.Int64,
        "sex": pl.String,
        "area": pl.String,
        "ethnicity": pl.String,
        "marital_status": pl.String,
        "admission_date": pl.Date,
        "length_of_stay": pl.Int64,
        "diagnosis": pl.String,
        "charges": pl.Float64,
    }


def test_a_sample_is_a_part_of_its_population_in_its_order(stays):
    drawn = demo.sample(5_000, population=stays)
    kept = stays.filter(pl.col("patient_id").is_in(drawn["patient_id"].implode()))
    assert drawn.height == 5_000
    assert drawn.equals(kept)


def test_a_sample_without_a_population_is_drawn_from_the_default_one():
    drawn = demo.sample(20, seed=3)
    assert drawn.equals(demo.sample(20, population=demo.population(seed=3), seed=3))


def test_a_sample_of_everyone_is_everyone(stays):
    assert demo.sample(stays.height, population=stays).equals(stays)


def test_a_sample_favours_no_record():
    everyone = pl.DataFrame({"row": range(20)})
    drawn = pl.concat([demo.sample(5, population=everyone, seed=s) for s in range(2_000)])
    # Each row is expected in 2,000 * 5 / 20 = 500 samples, with a deviation of sqrt(2000 / 4 * 3 / 4) = 19.4.
    counts = drawn["row"].value_counts()["count"]
    assert counts.len() == 20
    assert counts.is_between(500 - 5 * 20, 500 + 5 * 20).all()


@pytest.mark.parametrize("records", [0, -1, 11])
def test_a_sample_of_none_or_of_more_than_everyone_is_refused(records):
    message = f"The sample asks for {records} records: ask for 1 to 10."
    with pytest.raises(BadPlan, match=message):
        demo.sample(records, population=demo.population(10))


def test_a_population_of_none_is_refused():
    with pytest.raises(BadPlan, match="The population asks for 0 records: ask for at least 1"):
        demo.population(0)


def test_one_patient_is_a_population():
    assert demo.population(1).height == 1


def test_only_ethnicity_and_marital_status_have_holes_about_three_in_a_hundred(stays):
    holes = stays.null_count().row(0, named=True)
    assert {name for name, count in holes.items() if count} == {"ethnicity", "marital_status"}
    assert all(0.025 < holes[name] / stays.height < 0.035 for name in ("ethnicity", "marital_status"))


def test_identifiers_are_text_and_differ(stays):
    assert stays["patient_id"].str.contains(r"^P\d{7}$").all()
    assert stays["patient_id"].is_unique().all()


def test_area_codes_are_five_digits_keep_their_zeros_and_differ_in_size(stays):
    sizes = stays["area"].value_counts()
    assert sizes["area"].str.contains(r"^\d{5}$").all()
    assert sizes.height == demo.REGIONS * demo.AREAS_OF_A_REGION
    assert sizes["area"].str.starts_with("0").mean() == 9 / 12
    assert sizes["area"].str.head(2).n_unique() == demo.REGIONS
    assert sizes["count"].max() > 10 * sizes["count"].min()


def test_newborn_codes_are_for_age_zero(stays):
    newborn = stays.filter(pl.col("diagnosis").str.contains("^(P|Z38)"))
    assert newborn.height > 1_000
    assert newborn["age"].unique().to_list() == [0]


def test_pregnancies_are_of_women_from_15_to_49(stays):
    pregnant = stays.filter(pl.col("diagnosis").str.starts_with("O"))
    assert pregnant.height > 1_000
    assert pregnant["sex"].unique().to_list() == ["F"]
    assert pregnant["age"].is_between(15, 49).all()


def test_prostates_are_of_men(stays):
    assert stays.filter(pl.col("diagnosis").is_in(["C61", "N40"]))["sex"].unique().to_list() == ["M"]


def test_every_diagnosis_keeps_to_its_ages_and_sexes(stays):
    for d in demo.DIAGNOSES:
        having = stays.filter(pl.col("diagnosis") == d.code)
        assert having.height > 0, d.code
        assert having["age"].is_between(d.first, d.last).all(), d.code
        assert having["sex"].is_in(list(d.sexes)).all(), d.code


def test_marital_status_follows_age_and_children_are_single(stays):
    age = mean_by(stays, "marital_status", "age")
    assert age["Single"] + 20 < age["Married"] < age["Widowed"] - 10
    assert stays.filter(pl.col("age") < 16)["marital_status"].drop_nulls().unique().to_list() == ["Single"]


def test_ethnicity_depends_on_the_area(stays):
    white = mean_by(stays.with_columns(white=pl.col("ethnicity") == "White"), "area", "white").values()
    assert max(white) - min(white) > 0.4


def test_fewer_are_admitted_at_weekends_and_more_lungs_in_winter(stays):
    date = pl.col("admission_date")
    assert stays["admission_date"].dt.year().unique().to_list() == [2024]
    assert 0.17 < stays.select((date.dt.weekday() > 5).mean()).item() < 0.23
    winter = stays.with_columns(winter=date.dt.month().is_in([12, 1, 2]), lungs=pl.col("diagnosis").str.head(1))
    share = mean_by(winter, "lungs", "winter")
    assert share["J"] > share["I"] + 0.05


def test_stays_are_skewed_and_grow_with_age(stays):
    days = stays["length_of_stay"]
    assert days.is_between(0, demo.LONGEST_STAY).all()
    assert days.mean() > days.median()
    of_old = pl.col("age") >= 65
    pneumonia = stays.filter(pl.col("diagnosis") == "J18")
    assert pneumonia.filter(of_old)["length_of_stay"].mean() > pneumonia.filter(~of_old)["length_of_stay"].mean()


def test_charges_are_positive_and_grow_with_the_stay(stays):
    by_days = stays.filter(pl.col("length_of_stay") <= 10).group_by("length_of_stay").agg(pl.col("charges").mean())
    assert (stays["charges"] > 0).all()
    assert by_days.sort("length_of_stay")["charges"].diff().drop_nulls().gt(0).all()


def test_many_are_alone_with_their_quasi_identifiers(stays):
    keys = ["age", "sex", "area", "ethnicity", pl.col("admission_date").dt.month().alias("month")]
    unique = stays.group_by(keys).len().filter(pl.col("len") == 1).height / stays.height
    assert 0.5 < unique < 0.95
