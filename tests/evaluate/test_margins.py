"""Known margins: tables of counts of people that the population is raked to, and what is wrong with them."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.report import as_text

SECRET = "Zyxwv"
KEYS = ["age", "sex", "area"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def table(records: int, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 40, records),
            "sex": rng.choice(["F", "M"], records),
            "area": rng.choice(["n", "s", SECRET], records, p=[0.6, 0.3, 0.1]),
        }
    )


PEOPLE = table(4000)
FILE = PEOPLE[:150]


def assess(*margins: str, data: pl.DataFrame = FILE, population: int | None = 4000, **choices: object) -> la.Evaluation:
    chosen = {"quasi_identifiers": KEYS, "backtest": False, **choices}
    return la.assess(data, population=population, margins=list(margins), **chosen)


def margin(*variables: str, name: str = "people.csv", people: pl.DataFrame = PEOPLE) -> str:
    people.group_by(variables).len("people").sort(variables).write_csv(name)
    return name


def refused(*margins: str, **choices: object) -> str:
    with pytest.raises(la.BadPlan) as error:
        assess(*margins, **choices)
    assert SECRET not in str(error.value)
    return str(error.value)


# --- margins that are used ------------------------------------------------------------------------------


@pytest.mark.parametrize("variables", [("area",), ("area", "sex")])
def test_a_margin_moves_the_risk_of_those_it_counts_as_rarer(variables: tuple[str, ...]) -> None:
    """The same file in a population that has a tenth of the people in one area: their risk rises, the others' falls."""
    rare = PEOPLE.filter((pl.col("area") != SECRET) | (pl.int_range(pl.len()) % 10 == 0))
    held = FILE["area"].to_numpy() == SECRET
    known = assess(margin(*variables), records=True).records["sample_to_population_posterior"]
    rarer = assess(margin(*variables, people=rare), records=True).records["sample_to_population_posterior"]
    assert rarer[held].mean() > 2 * known[held].mean()
    assert rarer[~held].mean() < known[~held].mean()


def test_a_true_margin_leaves_the_estimate_near_the_truth() -> None:
    truth = la.assess(FILE, population=PEOPLE, quasi_identifiers=KEYS, backtest=False, estimators="entropy").risk.exact
    estimate = assess(margin("age"), margin("area", "sex", name="two.csv")).risk.sample_to_population
    assert estimate.value == pytest.approx(truth, rel=0.2)
    assert "does not use the known margins" not in estimate.caveats


def test_estimators_that_do_not_use_margins_say_so() -> None:
    found = assess(margin("sex"), estimators=["posterior", "entropy"]).risk.estimates.findings
    assert "does not use the known margins" in found["entropy"].match_rate.caveats
    assert "does not use the known margins" not in found["posterior"].match_rate.caveats


def test_values_that_the_file_lacks_and_missing_values_are_counted() -> None:
    with_holes = FILE.with_columns(area=pl.when(pl.col("area") == SECRET).then(None).otherwise(pl.col("area")))
    pl.DataFrame({"area": ["n", "s", None, "elsewhere"], "people": [2000, 1000, 500, 500]}).write_csv("people.csv")
    assert assess("people.csv", data=with_holes).risk.sample_to_population.value is not None


def test_missing_codes_count_for_a_margin_too() -> None:
    pl.DataFrame({"area": ["n", "s", "-9"], "people": [2400, 1200, 400]}).write_csv("people.csv")
    coded = FILE.with_columns(area=pl.col("area").replace(SECRET, "-9"))
    assert assess("people.csv", data=coded, missing_codes={"area": ("-9",)}).risk.sample_to_population.value is not None


def test_a_margin_of_numbers_fits_numbers() -> None:
    PEOPLE.group_by("age").len("people").with_columns(pl.col("age").cast(pl.String)).write_parquet("people.parquet")
    assert assess("people.parquet").risk.sample_to_population.value is not None


def test_a_margin_tells_of_values_that_no_two_records_share() -> None:
    people = pl.DataFrame({"number": range(4000), "sex": ["F", "M"] * 2000})
    file = people[::40]
    two = {"data": file, "quasi_identifiers": ["number", "sex"]}
    assert assess(**two).risk.sample_to_population.value is None
    assert assess(margin("number", people=people), **two).risk.sample_to_population.value > 0.9  # each one person


def test_a_margin_is_an_input_with_its_digest() -> None:
    document = assess(margin("sex")).to_dict()
    assert [source["name"] for source in document["inputs"]][1:] == ["people.csv"]
    assert len(document["inputs"][1]["sha256"]) == 64
    assert document["plan"]["population"]["margins"] == ["people.csv"]


def test_one_margin_may_be_named_alone() -> None:
    plan = la.assess(FILE, population=4000, margins=Path(margin("sex")), quasi_identifiers=KEYS, backtest=False).plan
    assert plan.margins == ("people.csv",)


def test_a_margin_that_counts_fewer_people_than_records_is_a_caveat() -> None:
    pl.DataFrame({"area": ["n", "s", SECRET], "people": [3995, 1, 4]}).write_csv("people.csv")
    caveats = assess("people.csv").risk.sample_to_population.caveats
    assert "in 2 cells a known margin counts fewer people than the file has records" in caveats


def test_a_margin_of_another_number_of_people_is_scaled_and_told() -> None:
    caveats = assess(margin("sex"), population=8000).risk.sample_to_population.caveats
    assert "margin people.csv counts 4,000 people, not the 8,000 told: scaled to them" in caveats
    assert not any("scaled" in c for c in assess(margin("sex"), population=4200).risk.sample_to_population.caveats)


def test_margins_that_were_used_are_told_in_the_report() -> None:
    text = as_text(assess(margin("area", "sex"), estimators=["posterior", "entropy"], backtest=True), width=200)
    assert "Known margins, used by posterior: people.csv, by sex, area, 4,000 people\n" in text
    assert "The backtest does not use the known margins: they are not those of the file." in text
    unused = as_text(assess(margin("sex"), estimators=["entropy"], backtest=True), width=200)
    assert "Known margins, used by" not in unused
    assert "The backtest does not use" not in unused


def test_a_margin_may_count_words_that_are_kept() -> None:
    Path("file.csv").write_text("area,age\n" + "NA,30\nEU,31\nNA,31\n" * 30)
    Path("people.csv").write_text("area,people\nNA,3000\nEU,1000\n")
    kept = la.assess(
        "file.csv",
        population=4000,
        margins="people.csv",
        quasi_identifiers=["area", "age"],
        keep_words="area",
        backtest=False,
    )
    assert kept.plan.keep_words == ("area",)
    assert kept.risk.sample_to_population.value is not None


# --- margins that are refused ---------------------------------------------------------------------------


def test_a_margin_without_a_quasi_identifier_is_refused() -> None:
    pl.DataFrame({"region": [SECRET], "people": [4000]}).write_csv("people.csv")
    assert refused("people.csv") == "Margin people.csv: no column is a quasi-identifier of the file."


@pytest.mark.parametrize(("others", "count"), [({"a": [1], "b": [2]}, 2), ({}, 0)])
def test_a_margin_has_one_column_of_counts(others: dict[str, list[int]], count: int) -> None:
    pl.DataFrame({"area": [SECRET], **others}).write_csv("people.csv")
    assert refused("people.csv") == (
        f"Margin people.csv: besides quasi-identifiers it must have one column, the number of people; it has {count}."
    )


def test_counts_must_be_numbers() -> None:
    pl.DataFrame({"area": ["n", "s"], "people": [SECRET, "many"]}).write_csv("people.csv")
    assert refused("people.csv") == "Margin people.csv: column 'people' must hold numbers of people."


@pytest.mark.parametrize("bad", [-1, None])
def test_counts_must_not_be_negative_or_missing(bad: int | None) -> None:
    pl.DataFrame({"area": ["n", "s", SECRET], "people": [2400, bad, 400]}).write_csv("people.csv")
    assert refused("people.csv") == "Margin people.csv: column 'people' has missing or negative numbers of people."


def test_values_of_the_file_that_a_margin_lacks_are_counted_and_not_shown() -> None:
    pl.DataFrame({"area": ["n", "s"], "people": [3000, 1000]}).write_csv("people.csv")
    lacking = int((FILE["area"] == SECRET).sum())
    told = f"Margin people.csv: {lacking:,} records of the file hold values that it does not count. "
    assert refused("people.csv") == told + "Do both write their values alike?"
    pl.DataFrame({"area": ["n", "s", SECRET], "people": [3000, 1000, 0]}).write_csv("people.csv")
    assert refused("people.csv") == told + "Do both write their values alike?"


def test_records_with_a_missing_value_that_a_margin_lacks_are_counted() -> None:
    holes = FILE.with_columns(area=pl.when(pl.int_range(pl.len()) < 3).then(None).otherwise(pl.col("area")))
    empty = "of them because a value is missing (a row with an empty cell would count them)"
    pl.DataFrame({"area": ["n", "s", SECRET], "people": [2000, 1000, 1000]}).write_csv("people.csv")
    told = refused("people.csv", data=holes)
    assert told == f"Margin people.csv: 3 records of the file hold values that it does not count, all {empty}."
    pl.DataFrame({"area": ["n", "s"], "people": [3000, 1000]}).write_csv("people.csv")
    lacking = int((holes["area"].fill_null(SECRET) == SECRET).sum())
    told = refused("people.csv", data=holes)
    assert told == (
        f"Margin people.csv: {lacking} records of the file hold values that it does not count, 3 {empty}. Do both "
        "write their values alike?"
    )
    one = FILE.with_columns(area=pl.when(pl.int_range(pl.len()) < 1).then(pl.lit(SECRET)).otherwise(pl.lit("n")))
    assert refused("people.csv", data=one).startswith("Margin people.csv: 1 record of the file holds a value that ")


def test_parts_of_people_are_refused() -> None:
    pl.DataFrame({"area": ["n", "s", SECRET], "people": [2400.5, 1200, 399.5]}).write_csv("people.csv")
    assert refused("people.csv") == (
        "Margin people.csv: column 'people' holds parts of people. Give whole numbers of people."
    )


@pytest.mark.parametrize(("times", "than"), [(2, "about twice, or more than twice,"), (0.1, "less than half")])
def test_a_margin_of_quite_another_population_is_refused(times: float, than: str) -> None:
    people = [int(2400 * times), int(1200 * times), int(400 * times)]
    pl.DataFrame({"area": ["n", "s", SECRET], "people": people}).write_csv("people.csv")
    assert refused("people.csv") == (
        f"Margin people.csv: it counts {than} the people of the population. A decimal point between thousands, or a "
        "row with the total, may be the cause."
    )


def test_a_row_with_the_total_is_refused() -> None:
    rows = {"area": ["n", "s", SECRET, "total"], "people": [2400, 1200, 400, 4000]}
    pl.DataFrame(rows).write_csv("people.csv")
    assert "a row with the total, may be the cause" in refused("people.csv")


def test_a_column_that_is_nearly_a_quasi_identifier_is_asked_for() -> None:
    pl.DataFrame({"aera": [SECRET], "people": [4000]}).write_csv("people.csv")
    assert refused("people.csv") == (
        "Margin people.csv: no column is a quasi-identifier of the file. Did you mean 'area' by 'aera'?"
    )
    pl.DataFrame({"sex": ["F"], "Area": [SECRET], "people": [4000]}).write_csv("people.csv")
    assert refused("people.csv").endswith("; it has 2. Did you mean 'area' by 'Area'?")


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [(FILE, "DataFrame"), ([FILE], "DataFrame"), ({"area": [SECRET]}, "dict"), ([{"area": SECRET}], "dict")],
)
def test_margins_that_are_no_paths_are_refused_by_their_type(wrong: object, kind: str) -> None:
    with pytest.raises(la.BadPlan) as error:
        la.assess(FILE, population=4000, margins=wrong, quasi_identifiers=KEYS)
    assert str(error.value) == f"margins must be paths of tables, not {kind}."


@pytest.mark.parametrize("population", ["4000", "4,000", np.int64(4000)])
def test_a_population_may_be_digits_in_a_text(population: object) -> None:
    found = la.assess(FILE, population=population, quasi_identifiers=KEYS, estimators="entropy", backtest=False)
    assert (found.plan.population, found.plan.population_file) == (4000, None)


def test_two_margins_that_share_a_variable_are_refused() -> None:
    assert refused(margin("area"), margin("area", "sex", name="two.csv")) == (
        "Margins 'people.csv' and 'two.csv' both count by 'area': give one table that counts by all their variables "
        "together, or keep one of the two."
    )


def test_margins_need_the_size_of_the_population() -> None:
    assert refused(margin("area"), population=None) == (
        "Known margins need the size of the population (--population N)."
    )


def test_margins_beside_a_population_file_are_refused() -> None:
    PEOPLE.write_csv("all.csv")
    with pytest.raises(la.BadPlan, match="Known margins are of no use with a population file"):
        la.assess(FILE, population="all.csv", margins=[margin("area")], quasi_identifiers=KEYS)
    with pytest.raises(la.BadPlan, match="Known margins are of no use with a population file"):
        la.assess(FILE, population=PEOPLE, margins=[margin("area")], quasi_identifiers=KEYS)


def test_all_faults_of_margins_are_told_at_once() -> None:
    pl.DataFrame({"area": ["n", "s", SECRET], "people": [2400, -5, 400]}).write_csv("one.csv")
    pl.DataFrame({"sex": ["F"], "people": [3000]}).write_csv("two.csv")
    told = refused("one.csv", "two.csv").split("\n")
    assert told[0] == "2 faults:"
    assert "- Margin one.csv: column 'people'" in told[1]
    assert "- Margin two.csv:" in told[2]
    assert refused("nowhere.csv") == "nowhere.csv: there is no such file."
