from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.suppressing.rare_people import RarePeople
from lookalike.errors import BadPlan

CENSUS = pl.DataFrame(
    {
        "area": ["A", "A", "A", "B", "B"],
        "sex": ["F", "M", "F", "F", "M"],
        "people": [90, 10, 5, 11, 0],
    }
)
QUASI = ["area", "sex"]


def rows(*pairs: tuple[str | None, str | None]) -> pl.DataFrame:
    return pl.DataFrame(list(pairs), schema={"area": pl.String, "sex": pl.String}, orient="row")


def run(method: RarePeople, table: pl.DataFrame, missing: str = "own", **options: object) -> Changed:
    roles = {"quasi_identifiers": QUASI, **options}
    file = la.read(table, **roles)  # type: ignore[arg-type]
    return method.change(Asked(file=file, rng=np.random.default_rng(1), missing=la.Missing(missing)))


def told(method: RarePeople, table: pl.DataFrame, missing: str = "own", **options: object) -> list[str]:
    with pytest.raises(BadPlan) as caught:
        run(method, table, missing, **options)
    return list(caught.value.faults)


FEW = rows(("A", "F"), ("A", "M"), ("B", "F"), ("B", "M"))


def test_records_with_too_few_people_are_dropped() -> None:
    done = run(RarePeople(table=CENSUS), FEW)
    # A F has 90 + 5 people, A M 10, B F 11, B M nobody.
    assert done.stays is not None
    assert done.stays.tolist() == [True, False, True, False]
    assert done.columns == {}
    assert done.figures == {"rare_records": 2, "not_in_the_table": 0, "fewest_people_left": 11.0}
    assert done.caveats == (
        "2 of 4 records have fewer than 11 people by area, sex; they were dropped.",
        "Each other record has at least 11 people who share area, sex: by these alone a match is right at most 1 "
        "time in that many. Other quasi-identifiers narrow it down, and the table must be of the time and the people "
        "of the file.",
    )


def test_or_they_lose_their_values() -> None:
    done = run(RarePeople(table=CENSUS, how="suppress"), FEW)
    assert done.stays is None
    assert done.columns["area"].to_list() == ["A", None, "B", None]
    assert done.columns["sex"].to_list() == ["F", None, "F", None]
    assert done.caveats[0] == (
        "2 of 4 records have fewer than 11 people by area, sex; they lost their values in these columns."
    )


def test_a_table_from_a_file_and_numbers_kept_as_text_match(tmp_path: Path) -> None:
    path = tmp_path / "census.csv"
    pl.DataFrame({"age": [30, 31], "n": [50, 3]}).write_csv(path)
    table = pl.DataFrame({"age": ["30", "31", "30"]})
    done = run(RarePeople(table=path), table, quasi_identifiers=["age"])
    assert done.stays is not None
    assert done.stays.tolist() == [True, False, True]
    again = run(RarePeople(table=la.read(str(path))), table, quasi_identifiers=["age"])
    assert again.stays is not None
    assert again.stays.tolist() == done.stays.tolist()


def test_combinations_that_the_table_lacks_are_nobodys_and_counted() -> None:
    table = pl.concat([rows(("A", "F"))] * 38 + [rows(("C", "F")), rows(("B", "X"))])
    done = run(RarePeople(table=CENSUS), table)
    assert done.figures["not_in_the_table"] == 2
    assert done.stays is not None
    assert done.stays.tolist() == [True] * 38 + [False] * 2
    assert done.caveats[1] == (
        "2 of them hold values that the table does not count. They were taken for nobody's; they may be errors of the "
        "file or of the table."
    )


def test_a_table_that_lacks_many_is_refused_by_column_and_count() -> None:
    table = pl.concat([rows(("A", "F"))] * 10 + [rows(("a", "F")), rows(("a", None)), rows(("A", "X"))])
    assert told(RarePeople(table=CENSUS), table) == [
        "Table frame: 3 of 13 records hold values that it does not count, more than 5%. 1 because a value is missing: "
        "a row with an empty cell, or missing = 'wildcard', would count them. Records with a value that the table "
        "never has: 'area' 2, 'sex' 1. Do both write their values alike?"
    ]


def test_missing_values_are_read_as_asked() -> None:
    table = pl.concat([rows(("A", "F"))] * 30 + [rows(("A", None))])
    own = run(RarePeople(table=CENSUS), table)
    assert own.stays is not None
    assert not own.stays[30]
    wild = run(RarePeople(table=CENSUS), table, "wildcard")
    assert wild.stays is not None
    assert wild.stays[30]
    assert wild.figures["not_in_the_table"] == 0
    alone = run(RarePeople(table=CENSUS), table, "conservative")
    assert alone.figures["not_in_the_table"] == 1
    counted = pl.concat([CENSUS, pl.DataFrame({"area": ["A"], "sex": [None], "people": [70]}, schema=CENSUS.schema)])
    row = run(RarePeople(table=counted), table)
    assert row.stays is not None
    assert row.stays.all()


def test_columns_and_the_count_can_be_named() -> None:
    wide = CENSUS.with_columns(year=2020, households=pl.lit(3))
    assert told(RarePeople(table=wide), FEW) == [
        "Table frame: besides area, sex it must have one column, the number of people; it has 3. Name the one that "
        "counts (people)."
    ]
    done = run(RarePeople(table=wide, people="people", columns=("sex",)), FEW)
    assert done.stays is not None
    assert done.stays.tolist() == [True, False, True, False]  # 106 women, 10 men
    assert done.details["columns"] == ["sex"]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("FM")), min_size=1, max_size=40),
    st.lists(st.integers(0, 30), min_size=6, max_size=6),
    st.integers(2, 20),
)
def test_who_stays_is_what_looking_up_one_by_one_tells(
    pairs: list[tuple[str, str]], counts: list[int], at_least: int
) -> None:
    keys = [(area, sex) for area in "ABC" for sex in "FM"]
    census = rows(*keys).with_columns(people=pl.Series(counts))
    done = run(RarePeople(table=census, at_least=at_least), rows(*pairs))
    book = dict(zip(keys, counts, strict=True))
    assert done.stays is not None
    assert done.stays.tolist() == [book[pair] >= at_least for pair in pairs]


def test_all_rare_is_an_answer_too() -> None:
    done = run(RarePeople(table=CENSUS, at_least=1000), FEW)
    assert done.stays is not None
    assert not done.stays.any()
    assert done.figures["fewest_people_left"] == 0
    assert len(done.caveats) == 1


def test_all_faults_are_told_together() -> None:
    wrong = RarePeople(at_least=1, how="hide")  # type: ignore[arg-type]
    assert told(wrong, FEW) == [
        "rare-people: give the table that counts people (table).",
        "rare-people: at_least must be at least 2, not 1.",
        "rare-people: how must be one of drop, suppress.",
    ]
    assert told(RarePeople(table=CENSUS, columns=("sexx",), people="persons"), FEW) == [
        "Column 'sexx' is not in the data. Did you mean 'sex'? Columns: area, sex.",
        "Column 'sexx' is not in table frame. Did you mean 'sex'? Columns: area, sex, people.",
        "Column 'persons' is not in table frame. Columns: area, sex, people.",
    ]
    assert told(RarePeople(table=CENSUS), FEW, quasi_identifiers=[]) == [
        "Table frame: no column is a quasi-identifier of the file. Name the columns (columns)."
    ]


@pytest.mark.parametrize(
    ("people", "fault"),
    [
        (["many"] * 5, "must hold numbers of people."),
        ([1, 2, None, 3, 4], "has missing or negative numbers of people."),
        ([1, 2, -1, 3, 4], "has missing or negative numbers of people."),
        ([1.5, 2, 1, 3, 4], "holds parts of people. Give whole numbers of people."),
    ],
)
def test_numbers_of_people_are_checked(people: list[object], fault: str) -> None:
    census = CENSUS.with_columns(people=pl.Series(people, strict=False))
    assert told(RarePeople(table=census), FEW) == [f"Table frame: column 'people' {fault}"]
