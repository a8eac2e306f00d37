"""Negative codes for no answer: guessed where nothing else is negative, told where nobody named them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import lookalike as la
from lookalike.data import Kind, Variable
from lookalike.data.missing_codes import codes_notes, missing_codes
from lookalike.data.missing_words import NAMED, ONE_BY_ONE
from lookalike.evaluate.request import open_file
from lookalike.plan import Plan, load_plan, starter


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        ([30, 41, 52, -9], ("-9",)),
        ([30, 41, 52, 60, 70, -9, -8, -1], ("-1", "-8", "-9")),
        ([1.5, 2.5, -99.0, None], ("-99",)),
        ([30, 41, 52, -1], ()),  # the low end of a scale, for all we know
        ([30, 41, 52, -9, -3.5], ()),  # other values are negative too
        ([30, 41, -9, -8], ()),  # half of the cells: no code
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, *range(-9, -3)], ()),  # more than five: a scale
        ([1, 2, 3, 99, 999], ()),
        ([], ()),
    ],
)
def test_codes_are_negative_known_few_and_alone_below_0(cells: list[float | None], codes: tuple[str, ...]) -> None:
    assert missing_codes(pl.Series(cells, dtype=pl.Float64)) == codes


def test_text_and_dates_have_no_codes() -> None:
    assert missing_codes(pl.Series(["-9", "3", "4"])) == ()
    assert missing_codes(pl.Series(["2020-01-01"]).str.to_date()) == ()


def survey(codes: int = 1) -> pl.DataFrame:
    ages = [20 + i % 50 if i % 20 else -9 for i in range(400)]
    return pl.DataFrame({"sex": ["f", "m"] * 200, **{f"age{i}" if i else "age": ages for i in range(codes)}})


def test_a_plan_lists_the_codes_and_runs_with_them(tmp_path: Path) -> None:
    survey().write_csv(tmp_path / "survey.csv")
    data = la.read(tmp_path / "survey.csv").guessed()
    assert data.notes == ()
    age = data.variable("age")
    assert (age.kind, age.missing) == (Kind.NUMERIC, ("-9",))
    assert age.why == "named like an age and holds such values; 50 distinct values; 5% empty; -9 taken as missing"
    (tmp_path / "plan.toml").write_text(starter(data), encoding="utf-8")
    plan = load_plan(tmp_path / "plan.toml")
    assert plan.missing_codes == {"age": ("-9",)}
    found = la.assess(tmp_path / "survey.csv", plan=plan.changed(population=10_000))
    assert found.warnings == ()


def test_who_names_no_codes_is_told_of_them(tmp_path: Path) -> None:
    survey().write_parquet(tmp_path / "survey.parquet")
    said = (
        "Column 'age' has nothing below 0 but -9, taken as a number. If that means missing, name it (--missing-code "
        '"age=-9", or [missing.codes] in the plan).'
    )
    data = la.read(tmp_path / "survey.parquet")
    assert data.notes == (said,)
    assert data.variable("age").missing == ()
    assert la.read(tmp_path / "survey.parquet", missing={"age": ["-9"]}).notes == ()
    assert la.read(tmp_path / "survey.parquet", missing={"age": ["-8"]}).notes == (said,)


def test_codes_that_stay_in_the_cells_but_are_named_are_not_told(tmp_path: Path) -> None:
    survey().write_csv(tmp_path / "survey.csv")
    plan = Plan(missing_codes={"age": ("-9",)})
    kept = open_file(tmp_path / "survey.csv", plan, [])
    assert (kept.notes, kept.head(1)["age"].to_list()) == ((), [-9])
    assert len(open_file(tmp_path / "survey.csv", Plan(), []).notes) == 1


def test_many_columns_have_one_note() -> None:
    many = [Variable(name=f"q{i}", kind=Kind.NUMERIC, missing=("-8", "-9")) for i in range(NAMED + 3)]
    names = ", ".join(f"q{i}" for i in range(NAMED))
    assert codes_notes(many, {}) == [
        f"{NAMED + 3} columns have nothing below 0 but codes such as -9, taken as numbers: {names} and 3 more. If they "
        "mean missing, name them; lookalike plan writes them under [missing.codes]."
    ]
    assert len(codes_notes(many[: ONE_BY_ONE + 1], {})) == 1
    assert len(codes_notes(many[:ONE_BY_ONE], {})) == ONE_BY_ONE


def test_the_codes_of_a_real_survey_are_found(shared: Path) -> None:
    data = la.read(shared / "data" / "synthpop_SD2011.csv").guessed()
    found = {v.name: v.missing for v in data.variables if v.missing}
    assert found == {"unempdur": ("-8",), "income": ("-8",), "nofriend": ("-8",)}


@pytest.mark.parametrize("name", ["adult.csv", "texas.csv", "pcs2015_complete_cases.csv", "sdcMicro_francdat.csv"])
def test_files_without_such_codes_have_none(shared: Path, name: str) -> None:
    assert [v.name for v in la.read(shared / "data" / name).guesses if v.missing] == []
