"""Released cells as an analyst reads them."""

from datetime import date

import numpy as np
import polars as pl
import pytest

from lookalike.data import Kind, Variable
from lookalike.errors import BadPlan
from lookalike.utility.readable import Coarse, Read, has_generalized_cells, readable


def test_ranges_open_ends_and_wildcards_of_numbers() -> None:
    file = pl.DataFrame({"age": [31, 48, 52, 90, 3, 7]})
    made = pl.DataFrame({"age": ["[30;40]", "48", "*", "85+", "<5", None]})
    found = readable(file, made)
    assert found.release["age"].to_list() == [35.0, 48.0, None, 85.0, 4.0, None]
    assert found.counted["age"].to_list() == [35.0, 48.0, 52.0, 85.0, 4.0, 7.0]
    assert found.coarse["age"] == Coarse(read=Read.RANGES, values=6, classes=6)
    assert "'age': released in ranges. What is counted is counted in these ranges in both files" in found.notes[0]


def test_a_number_beside_the_range_that_holds_it_leaves_nothing_to_count_in() -> None:
    found = readable(pl.DataFrame({"age": [31, 38]}), pl.DataFrame({"age": ["[30;40]", "38"]}))
    assert found.coarse["age"].read is Read.MIDDLES
    assert found.counted["age"].to_list() == [31, 38]
    assert "overlap" in found.notes[0]


def test_ranges_with_a_dash_are_ranges_and_codes_for_missing_stay() -> None:
    variables = [Variable(name="age", kind=Kind.NUMERIC, missing=("-8",))]
    file, made = pl.DataFrame({"age": [31, 38, -8]}), pl.DataFrame({"age": ["30-39", "30 to 39", "-8"]})
    found = readable(file, made, variables=variables)
    assert found.release["age"].to_list() == [34.5, 34.5, -8.0]
    assert found.counted["age"].to_list() == [34.5, 34.5, -8.0]


def test_days_are_counted_in_the_quarters_of_the_release() -> None:
    file = pl.DataFrame({"on": [date(2024, 1, 3), date(2024, 3, 31), date(2024, 4, 1), None]})
    found = readable(file, pl.DataFrame({"on": ["2024-Q1", "2024-Q1", "2024-Q2", None]}))
    assert found.counted["on"].to_list() == found.release["on"].to_list()
    assert found.coarse["on"] == Coarse(read=Read.RANGES, values=3, classes=2)


def test_codes_are_put_under_their_masks_without_links() -> None:
    found = readable(pl.DataFrame({"zip": ["01107", "01250", "44001"]}), pl.DataFrame({"zip": ["011**", "012**", "*"]}))
    assert found.original["zip"].to_list() == ["011**", "012**", "44001"]
    assert found.coarse["zip"].read is Read.GROUPS


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-02-03", date(2024, 2, 3)),
        ("2024-02", date(2024, 2, 15)),
        ("2024-Q1", date(2024, 2, 15)),
        ("2023", date(2023, 7, 2)),
        ("[2020;2029]", date(2024, 12, 31)),
        ("[2024-01-01;2024-01-31]", date(2024, 1, 16)),
        ("*", None),
    ],
)
def test_periods_are_read_as_the_day_in_their_middle(text: str, day: date | None) -> None:
    file = pl.DataFrame({"on": [date(2024, 1, 1)] * 2})
    found = readable(file, pl.DataFrame({"on": [text, "2024-01-01"]}))
    assert found.release["on"].to_list() == [day, date(2024, 1, 1)]


@pytest.mark.parametrize("cells", [["soon", "2024"], ["2024-13", "2024"], ["2024-02-31", "2024"]])
def test_dates_that_became_something_else_are_refused(cells: list[str]) -> None:
    with pytest.raises(BadPlan, match="'on' holds dates in the original and something else in the release"):
        readable(pl.DataFrame({"on": [date(2024, 1, 1)] * 2}), pl.DataFrame({"on": cells}))


def test_all_columns_of_another_kind_are_told_at_once() -> None:
    file = pl.DataFrame({"age": [1, 2], "on": [date(2024, 1, 1)] * 2, "pay": [1.0, 2.0]})
    made = pl.DataFrame({"age": ["young", "old"], "on": [1, 2], "pay": [date(2024, 1, 1)] * 2})
    with pytest.raises(BadPlan) as error:
        readable(file, made)
    assert len(error.value.faults) == 3
    assert "young" not in str(error.value)


def test_groups_of_a_linked_release_are_given_to_the_original() -> None:
    file = pl.DataFrame({"town": ["Bern", "Genf", "Lyon", None]})
    made = pl.DataFrame({"town": ["CH", "CH", "FR", None]})
    found = readable(file, made, linked=True)
    assert found.original["town"].to_list() == ["CH", "CH", "FR", None]
    assert found.notes == ("'town': the original is grouped as in the release before it is compared.",)


def test_groups_are_learned_from_the_rows_that_stayed() -> None:
    file = pl.DataFrame({"town": ["Bern", "Genf", "Lyon", "Bern", "Lyon"]})
    made = pl.DataFrame({"town": ["FR", "CH", "FR", "CH"]})
    found = readable(file, made, linked=True, rows=np.array([2, 0, 4, 3]))
    assert found.original["town"].to_list() == ["CH", None, "FR", "CH", "FR"]


def test_a_value_released_under_two_names_is_left_as_it_is() -> None:
    file = pl.DataFrame({"town": ["Bern", "Bern"]})
    found = readable(file, pl.DataFrame({"town": ["CH", "North"]}), linked=True)
    assert found.original["town"].to_list() == ["Bern", "Bern"]
    assert len(found.notes) == 2


def test_a_column_of_single_values_that_was_perturbed_is_not_taken_for_renamed() -> None:
    file = pl.DataFrame({"code": [f"a{i}" for i in range(40)]})
    found = readable(file, pl.DataFrame({"code": [f"b{i}" for i in range(40)]}), linked=True)
    assert found.original["code"][0] == "a0"
    assert len(found.notes) == 2


def test_values_seen_again_may_be_renamed_one_by_one() -> None:
    file = pl.DataFrame({"sex": ["F", "M", "F", "M"]})
    found = readable(file, pl.DataFrame({"sex": ["female", "male", "female", "male"]}), linked=True)
    assert found.original["sex"].to_list() == ["female", "male", "female", "male"]


def test_without_links_other_values_are_told_and_kept() -> None:
    file = pl.DataFrame({"town": ["Bern", "Genf"], "code": [1, 2]})
    made = pl.DataFrame({"town": ["Bern", "Basel"], "code": [1.0, 2.0]})
    variables = [Variable(name="code", kind=Kind.NOMINAL)]
    found = readable(file, made, variables=variables)
    assert found.notes == (
        "'town': the release has values that the original does not have.",
        "'town': the original has values that the release does not have.",
    )


def test_a_wildcard_among_categories_is_a_missing_value() -> None:
    found = readable(pl.DataFrame({"sex": ["F", "M"]}), pl.DataFrame({"sex": ["F", "*"]}))
    assert found.release["sex"].to_list() == ["F", None]


def test_a_column_without_values_stays() -> None:
    file = pl.DataFrame({"age": [1, 2], "on": [date(2024, 1, 1)] * 2})
    made = pl.DataFrame({"age": [None, None], "on": [None, None]}, schema={"age": pl.String, "on": pl.String})
    found = readable(file, made)
    assert found.release.null_count().row(0) == (2, 2)
    assert found.notes == ("'age', 'on': no value is left in the release.",)
    emptied = readable(pl.DataFrame({"sex": ["F", "M"]}), pl.DataFrame({"sex": ["*", "*"]}))
    assert emptied.notes == ("'sex': no value is left in the release.",)


def test_cells_that_were_generalized_are_seen() -> None:
    assert has_generalized_cells(pl.DataFrame({"zip": ["937**", "93701"]}))
    assert not has_generalized_cells(pl.DataFrame({"zip": ["93702", "93701"], "n": [1, 2]}))
