from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.data.guess import guess
from lookalike.data.variable import Kind, Role, Variable, in_order, is_range

KNOWN_TO_OTHERS = """
age PatAge AGE_GROUP Alter Âge edad Età leeftijd idade sex Geschlecht sexe sexo sesso geslacht PLZ
ZipCode code_postal código_postal CAP CEP postcode birthDate Geburtsdatum date_de_naissance
fecha_nacimiento nascita geboortedatum Familienstand état_civil estado_civil stato_civile
burgerlijke_staat Beruf métier occupazione beroep profissão Staatsangehörigkeit nationalité cittadinanza
raça situation_familiale Wohnort commune municipio gemeente Größe admission_date DISCHARGE length_of_stay household_size
religion Muttersprache escolaridad opleiding hospital region county PUMA workclass maritalStatus
relationship bmi
"""
WANTED = """
income Einkommen salaire ingresos reddito inkomen renda TOTAL_CHARGES cost Diagnose ICD10 drg
hivPositive drug_use medication mental_illness benefit criminal_record mortality severity wealth
test_result santé Gesundheitszustand Krankheit maladie enfermedad malattia ziekte doença
"""
QUASI, SENSITIVE, OTHER = Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER


def one(name: str, values: Sequence[object], **others: Sequence[object]) -> Variable:
    """The guess for the first column of a table."""
    return guess(pl.DataFrame({name: values, **others}, strict=False))[0]


def by_name(table: pl.DataFrame, records: int | None = None) -> dict[str, Variable]:
    return {variable.name: variable for variable in guess(table, records=records)}


def read(path: Path, **options: object) -> pl.DataFrame:
    return pl.read_csv(path, infer_schema_length=None, null_values=["", "NA"], **options)  # type: ignore[arg-type]


# --- names ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KNOWN_TO_OTHERS.split())
def test_a_name_that_tells_what_others_may_know_is_a_quasi_identifier(name: str) -> None:
    assert one(name, ["a", "b", "a", "b"]).role is QUASI


@pytest.mark.parametrize("name", WANTED.split())
def test_a_name_that_tells_what_an_attacker_wants_is_sensitive(name: str) -> None:
    assert one(name, ["a", "b", "a", "b"]).role is SENSITIVE


@pytest.mark.parametrize(
    "name",
    [
        "first_name",
        "Nachname",
        "prénom",
        "e-mail",
        "Telefonnummer",
        "SSN",
        "patient_id",
        "PatientenNr",
        "IBAN",
    ],
)
def test_a_name_that_names_a_person_is_an_identifier(name: str) -> None:
    assert one(name, ["a", "b", "a", "b"]).role is Role.IDENTIFIER


@pytest.mark.parametrize("name", ["agent", "staging", "placebo", "transport", "several", "discount", "zipper"])
def test_a_word_inside_a_longer_word_is_not_heard(name: str) -> None:
    assert one(name, ["a", "b", "a", "b"]).role is OTHER


def test_a_name_wins_over_the_values() -> None:
    variable = one("region", ["m", "f", "m", "f"])
    assert (variable.role, variable.why) == (
        QUASI,
        "named like a place; holds what looks like a sex; 2 distinct values",
    )
    assert one("diagnosis", ["m", "f", "m", "f"]).why == "named like a diagnosis; 2 distinct values"


def test_name_and_values_that_agree_are_both_told() -> None:
    assert one("sex", ["m", "f", "f", "f"]).why == "named like a sex and holds such values; 2 distinct values"


def test_a_count_by_name_is_not_an_age_by_its_values() -> None:
    hours = list(range(20, 80)) * 3
    assert one("hours", hours).role is OTHER
    assert one("x", hours).role is QUASI


# --- identifiers, households, weights -------------------------------------------------------------------


def test_a_record_number_is_an_identifier_where_it_is_nearly_unique() -> None:
    assert one("claim_no", [7 * i for i in range(100)]).role is Role.IDENTIFIER
    assert one("claim_no", [i % 10 for i in range(100)]).role is OTHER
    assert one("visit_id", [i // 3 for i in range(300)]).role is Role.IDENTIFIER


def test_values_that_differ_from_record_to_record_are_identifiers() -> None:
    rng = np.random.default_rng(1)
    assert one("x", [f"q{i}z" for i in range(40)]).role is Role.IDENTIFIER
    assert one("x", list(range(1, 41))).role is Role.IDENTIFIER
    assert one("x", rng.integers(10**8, 10**9, 100).tolist()).role is Role.IDENTIFIER
    assert one("x", rng.normal(size=100).tolist()).role is OTHER
    assert one("rank", [f"{i}@b.org" for i in range(3)]).role is Role.IDENTIFIER


def test_a_household_number_repeats() -> None:
    household = one("HouseholdID", [i // 2 for i in range(100)])
    assert (household.role, household.kind) == (Role.HOUSEHOLD, Kind.NOMINAL)
    assert one("HouseholdID", list(range(100))).role is Role.IDENTIFIER


def test_a_household_number_that_is_unique_in_a_part_of_the_file_stays_one() -> None:
    table = pl.DataFrame({"hhid": [f"H{i}" for i in range(100)]})
    assert guess(table)[0].role is Role.IDENTIFIER
    household = guess(table, records=10_000)[0]
    assert household.role is Role.HOUSEHOLD
    assert household.why == "named like a household number; 100 distinct values in 100 of 10,000 records"


@pytest.mark.parametrize("name", ["sampling_weight", "PWGTP", "fnlwgt", "Gewicht", "poids", "weight", "ponderación"])
def test_positive_numbers_named_like_a_weight_are_weights(name: str) -> None:
    weight = one(name, [412.25, 1300.5, 88.125, 650.75])
    assert (weight.role, weight.kind) == (Role.WEIGHT, Kind.NUMERIC)


def test_a_weight_beside_a_height_is_a_body_weight() -> None:
    body = one("weight", [61, 75, 82, 58], height=[165, 180, 178, 160])
    assert (body.role, body.why) == (QUASI, "named like a body weight; 4 distinct values")
    assert one("weight", [6100, 7500, 8200], height=[165, 180, 178]).role is Role.WEIGHT


def test_numbers_spread_like_body_weights_are_body_weights_without_a_height() -> None:
    alone = one("weight", [55.0 + i for i in range(50)])
    assert alone.role is QUASI
    assert "if it is a sampling weight, say so (weight)" in alone.why
    assert one("weight", [55.0 + 40 * i for i in range(50)]).role is Role.WEIGHT


def test_a_weight_below_zero_or_in_words_is_none() -> None:
    assert one("sampling_weight", [-1.5, 2.0, 3.0]).role is OTHER
    assert one("sampling_weight", ["a", "b", "a"]).role is not Role.WEIGHT


def test_one_weight_is_kept_and_a_persons_before_a_households() -> None:
    found = by_name(pl.DataFrame({"household_weight": [1.5, 2.5], "person_weight": [3.5, 4.5]}))
    assert [v.role for v in found.values()] == [OTHER, Role.WEIGHT]
    assert found["household_weight"].why.endswith("; 'person_weight' is taken as the weight")


# --- values ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [["w", "m"], ["H", "F"], ["male", "female", "unknown"], ["männlich", "weiblich"]])
def test_two_sexes_are_known_by_their_values(values: list[object]) -> None:
    assert one("q7", values * 5).why.startswith("holds what looks like a sex;")


@pytest.mark.parametrize(
    ("values", "role", "kind"),
    [
        ([f"{c}{i}@mail.example" for c in "ab" for i in range(3)] * 2, Role.IDENTIFIER, Kind.NOMINAL),
        ([f"+49 30 {1000000 + 77 * i}" for i in range(40)], Role.IDENTIFIER, Kind.NOMINAL),
        ([f"{i:02}/0{1 + i % 9}/2020" for i in range(1, 29)], QUASI, Kind.DATE),
        ([date(2020, 1, 1) + timedelta(i) for i in range(9)], QUASI, Kind.DATE),
        ([f"0{1000 + i}" for i in range(60)] * 3, QUASI, Kind.TEXT_CODE),
        ([f"{c}{i:02}.{i % 7}" for c in "ABC" for i in range(40)] * 2, SENSITIVE, Kind.TEXT_CODE),
        (["DE", "FR", "IT", "US", "PL", "AT"] * 3, QUASI, Kind.NOMINAL),
        (["ja", "nein"] * 5, OTHER, Kind.NOMINAL),
        ([True, False] * 5, OTHER, Kind.NOMINAL),
        (["0-17", "18-39", "40-64", "65+"] * 5, QUASI, Kind.ORDINAL),
        ([1950 + i for i in range(50)], QUASI, Kind.NUMERIC),
        ([19500101 + i % 28 for i in range(50)], QUASI, Kind.NUMERIC),
        ([1, 2, 3] * 10, OTHER, Kind.NOMINAL),
        ([i * i for i in range(50)], OTHER, Kind.NUMERIC),
    ],
)
def test_values_tell_where_the_name_is_silent(values: list[object], role: Role, kind: Kind) -> None:
    variable = one("q7", values)
    assert (variable.role, variable.kind) == (role, kind)


def test_ages_are_known_by_their_spread() -> None:
    ages = np.random.default_rng(2).normal(45, 17, 3000).clip(0, 95).astype(int).tolist()
    assert one("q7", ages).why.startswith("holds what looks like an age;")
    assert one("q7", [100 * i // 3000 for i in range(3000)]).role is OTHER  # a percentage


# --- kinds ----------------------------------------------------------------------------------------------


def test_bands_are_ordered_by_their_first_number() -> None:
    bands: list[object] = ["100_110", "20_30", "0_10", "10_20", "unknown", "20_30"]
    age = one("age", bands)
    assert (age.kind, age.levels) == (Kind.ORDINAL, ("0_10", "10_20", "20_30", "100_110", "unknown"))


@pytest.mark.parametrize("low_to_high", [("<5", "5-9", "10+"), ("20 to 29", "30 to 39"), ("unter 20", "20 bis 30")])
def test_open_and_worded_bands_have_an_order(low_to_high: tuple[str, ...]) -> None:
    assert all(is_range(band) for band in low_to_high)
    assert in_order(reversed(low_to_high)) == low_to_high


def test_few_whole_numbers_named_like_a_scale_are_ordinal() -> None:
    assert one("education_num", [3, 1, 2, 10] * 9).levels == ("1", "2", "3", "10")
    assert one("pain_score", [3.0, 1.0, 2.0] * 9).levels == ("1.0", "2.0", "3.0")
    assert one("illness_severity", ["2", "0", "1"] * 9).kind is Kind.ORDINAL


def test_codes_of_a_place_are_never_amounts() -> None:
    assert one("region", list(range(182)) * 9).kind is Kind.NOMINAL
    assert one("zip", [f"{i:05}" for i in range(90)] * 2).kind is Kind.TEXT_CODE
    assert one("zip", [10_115 + i for i in range(90)] * 2).kind is Kind.TEXT_CODE
    assert one("zip", [10_115 + i for i in range(9)] * 20).kind is Kind.NOMINAL  # few: no prefix is needed
    assert one("region", [10_115 + i for i in range(90)] * 2).kind is Kind.NOMINAL


# --- edges ----------------------------------------------------------------------------------------------


def test_a_column_without_values_is_guessed_by_its_name() -> None:
    found = by_name(pl.DataFrame({"age": [None, None], "x": ["", " "], "weight": [None, None]}))
    assert [v.role for v in found.values()] == [QUASI, OTHER, QUASI]
    assert found["age"].why == "named like an age; no values"
    assert found["x"].why == "neither name nor values tell its role; no values"


def test_a_table_without_rows_or_columns_is_no_fault() -> None:
    assert guess(pl.DataFrame()) == ()
    empty = pl.DataFrame(schema={"age": pl.Int64, "d": pl.Date, "s": pl.String, "f": pl.Float64})
    assert [v.kind for v in guess(empty)] == [Kind.NUMERIC, Kind.DATE, Kind.NOMINAL, Kind.NUMERIC]


def test_one_row_is_enough() -> None:
    found = by_name(pl.DataFrame({"id": [1], "age": [30], "education_num": [3], "note": ["so"], "income": [1.5]}))
    assert [v.role for v in found.values()] == [Role.IDENTIFIER, QUASI, QUASI, OTHER, SENSITIVE]


def test_every_type_of_column_gets_a_guess() -> None:
    table = pl.DataFrame(
        {
            "list": [[1], [2]],
            "category": pl.Series(["u", "v"], dtype=pl.Categorical),
            "decimal": pl.Series(["1.5", "2.5"]).cast(pl.Decimal(10, 2)),
            "span": [timedelta(1), timedelta(2)],
            "nan": [float("nan"), float("inf")],
            "bytes": [b"u", b"v"],
        }
    )
    assert [v.name for v in guess(table)] == table.columns
    assert guess(table)[0].why == "holds lists or objects, not single values"
    assert guess(table)[4].why == "neither name nor values tell its role; no values"


def test_empty_cells_are_told_as_a_share() -> None:
    assert one("age", [1, 2, None, None]).why == "named like an age; 2 distinct values; 50% empty"
    assert one("age", [1] * 999 + [None]).why == "named like an age; 1 distinct value; under 1% empty"


_CELLS = st.text(alphabet="ΑΒΓΔЖЩ", min_size=2, max_size=6)
_NAMES = st.lists(st.text(alphabet="agesxidnoWT_ 1", max_size=8), min_size=1, max_size=4, unique=True)


@given(names=_NAMES, cells=st.lists(st.none() | _CELLS, min_size=1, max_size=40))
def test_no_reason_quotes_a_value_and_no_column_is_lost(names: list[str], cells: list[str | None]) -> None:
    table = pl.DataFrame({name: pl.Series(cells, dtype=pl.String) for name in names})
    found = guess(table)
    assert [v.name for v in found] == names
    assert all(v.why and not any(cell in v.why for cell in cells if cell) for v in found)
    assert found == guess(table)


# --- real files -----------------------------------------------------------------------------------------


def test_adult(shared: Path) -> None:
    found = by_name(read(shared / "data" / "adult.csv"))
    quasi = "age workclass education marital_status occupation relationship race sex native_country"
    assert {name for name, v in found.items() if v.role is QUASI} == {*quasi.split(), "education_num"}
    assert {name for name, v in found.items() if v.role is SENSITIVE} == {
        "income",
        "capital_gain",
        "capital_loss",
    }
    assert found["fnlwgt"].role is Role.WEIGHT
    assert found["education_num"].kind is Kind.ORDINAL


def test_texas(shared: Path) -> None:
    found = by_name(read(shared / "data" / "texas.csv", schema_overrides={"PAT_AGE": pl.String}))
    quasi = """DISCHARGE PAT_STATE SEX_CODE RACE ETHNICITY ADMIT_WEEKDAY PAT_AGE LENGTH_OF_STAY
    TYPE_OF_ADMISSION PAT_STATUS"""
    assert {name for name, v in found.items() if v.role is QUASI} == set(quasi.split())
    assert {v.role for name, v in found.items() if "CHARGES" in name or "RISK" in name} == {SENSITIVE}
    assert found["DISCHARGE"].levels[0] == "2012Q4"
    assert found["PAT_AGE"].kind is Kind.ORDINAL


def test_nexoid(shared: Path) -> None:
    found = by_name(read(shared / "data" / "nexoid_subset.csv"))
    for name in ("country", "gender", "age", "height", "weight", "blood_type", "region"):
        assert found[name].role is QUASI, name
    assert found["income"].role is SENSITIVE
    assert found["age"].levels[:2] == ("0_10", "10_20")
    assert found["survey_date"].kind is Kind.DATE


def test_patient_surveys(shared: Path) -> None:
    found = by_name(read(shared / "data" / "pcs2015_complete_cases.csv"))
    for name in ("Age Group", "Sex", "Race", "Hispanic Ethnicity", "Veteran Status"):
        assert found[name].role is QUASI, name
    for name in (
        "Alcohol Related Disorder",
        "Drug Substance Disorder",
        "Obesity",
        "Diabetes",
        "High Blood Pressure",
    ):
        assert found[name].role is SENSITIVE, name
    later = by_name(pl.read_parquet(shared / "data" / "pcs2019_recoded.parquet"))
    assert {name for name, v in later.items() if v.role is OTHER} == {"Program_Category", "Hours_Category"}


def test_american_community_survey(shared: Path) -> None:
    table = pl.scan_parquet(shared / "data" / "acs2024_person_us12.parquet").head(100_000).collect()
    found = by_name(table, records=3_422_888)
    assert (found["PWGTP"].role, found["SERIALNO"].role) == (Role.WEIGHT, Role.HOUSEHOLD)
    assert {found[n].role for n in ("STATE", "PUMA", "AGEP", "RAC1P", "HISP", "SCHL", "SEX", "CIT")} == {QUASI}
    assert found["PUMA"].kind is Kind.TEXT_CODE


def test_example_data_of_other_tools(shared: Path) -> None:
    test = by_name(read(shared / "data" / "sdcMicro_testdata.csv"))
    assert (test["sampling_weight"].role, test["ori_hid"].role) == (Role.WEIGHT, Role.HOUSEHOLD)
    assert {test[n].role for n in ("income", "expend", "savings")} == {SENSITIVE}
    free = by_name(read(shared / "data" / "sdcMicro_free1.csv"))
    assert (free["WEIGHT"].role, free["INCOME"].role, free["REGION"].kind) == (
        Role.WEIGHT,
        SENSITIVE,
        Kind.NOMINAL,
    )
    polish = by_name(read(shared / "data" / "synthpop_SD2011.csv"))
    assert {polish[n].role for n in ("height", "weight", "bmi", "agegr", "region", "edu")} == {QUASI}
    assert not [n for n, v in polish.items() if v.role is Role.WEIGHT]
    assert polish["agegr"].levels == ("16-24", "25-34", "35-44", "45-59", "60-64", "65+")
