"""What single cells become: numbers, dates, codes, missing and generalized cells."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.data import is_generalized, spans
from lookalike.data.shapes import Shape, look
from lookalike.data.variable import Kind

GENERALIZED = ["*", "[20;30]", "937**", "85+", "<5", ">=80", "[a;b]", "A1*"]


def column(path: Path, cells: Sequence[str], *, delimiter: str = ";", **options: object) -> pl.Series:
    """What a column of these cells is read as; a second column keeps empty cells rows."""
    (path / "file.csv").write_text("\n".join([f"x{delimiter}y", *(f"{cell}{delimiter}1" for cell in cells)]))
    return la.read(path / "file.csv", **options).head(1000)["x"]  # type: ignore[arg-type]


def notes(path: Path) -> tuple[str, ...]:
    return la.read(path / "file.csv").notes


# --- numbers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "-2", "+3", " 4 "], [1, -2, 3, 4]),
        (["1", "2.5", "-.5", "1e3"], [1.0, 2.5, -0.5, 1000.0]),
        (["1,5", "2", "-0,25"], [1.5, 2.0, -0.25]),
        (["1.234,5", "12", "1.234.567"], [1234.5, 12.0, 1234567.0]),
        (["1,234.5", "12", "1,234,567"], [1234.5, 12.0, 1234567.0]),
        (["9223372036854775807"], [9223372036854775807]),
    ],
)
def test_numbers_are_numbers_in_whatever_form(tmp_path: Path, cells: list[str], values: list[float]) -> None:
    found = column(tmp_path, cells)
    assert found.to_list() == values
    assert found.dtype == (pl.Int64 if isinstance(values[0], int) else pl.Float64)
    assert notes(tmp_path) == ()


def test_a_comma_that_may_be_either_is_read_as_the_delimiter_suggests_and_told(tmp_path: Path) -> None:
    assert column(tmp_path, ["1,234", "12,500"]).to_list() == [1.234, 12.5]
    assert notes(tmp_path) == ("Column 'x': the comma in its numbers is read as a decimal comma.",)
    assert column(tmp_path, ['"1,234"', '"12,500"'], delimiter=",").to_list() == [1234.0, 12500.0]
    assert notes(tmp_path) == ("Column 'x': the comma in its numbers is read between thousands.",)
    assert column(tmp_path, ["0,234", "12,500"]).to_list() == [0.234, 12.5]
    assert notes(tmp_path) == ()


@pytest.mark.parametrize(
    "cells",
    [
        ["01067", "10115"],
        ["1", "007"],
        ["-01", "5"],
        ["12345678901234567890", "12345678901234567891"],
        ["1", "2020-01-01"],
        ["inf", "1.5"],
        ["1e999", "2"],
        ["0x1F", "7"],
        ["1_000", "7"],
        ["１２", "7"],
    ],
)
def test_codes_and_what_only_looks_like_numbers_stay_text(tmp_path: Path, cells: list[str]) -> None:
    """A number too long to be held exactly would make two people one."""
    found = column(tmp_path, cells)
    assert found.dtype == pl.String
    assert found.to_list() == cells


def test_zero_and_decimals_below_one_are_numbers(tmp_path: Path) -> None:
    assert column(tmp_path, ["0", "0.5", "-0.25"]).to_list() == [0.0, 0.5, -0.25]


# --- missing cells --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "?", "  ", " NA ", " ?"])
@pytest.mark.parametrize("other", ["7", "word", "2020-01-31"])
def test_cells_that_mean_missing_are_missing_everywhere(tmp_path: Path, cell: str, other: str) -> None:
    assert column(tmp_path, [other, cell]).is_null().to_list() == [False, True]


@pytest.mark.parametrize("cell", [".", "-"])
def test_dots_and_dashes_are_missing_among_numbers_and_dates_only(tmp_path: Path, cell: str) -> None:
    assert column(tmp_path, ["7", cell]).to_list() == [7, None]
    assert column(tmp_path, ["31.01.2020", cell]).to_list() == [date(2020, 1, 31), None]
    assert column(tmp_path, ["word", cell]).to_list() == ["word", cell]


def test_a_word_in_quotes_is_a_word_among_words(tmp_path: Path) -> None:
    """R writes a missing text as NA, and the text NA (Namibia) as "NA"."""
    assert column(tmp_path, ['"DE"', '"NA"', "NA", '""']).to_list() == ["DE", "NA", None, None]
    assert column(tmp_path, ['"1"', '"NA"', '""']).to_list() == [1, None, None]


def test_a_column_without_a_value_is_text_of_missing_cells(tmp_path: Path) -> None:
    assert column(tmp_path, ["", "NA", "?"]).to_list() == [None, None, None]


def test_codes_named_as_missing_are_left_out_before_a_column_gets_its_type(tmp_path: Path) -> None:
    ages = [str(age) for age in range(20, 50)]
    numbers = column(tmp_path, [*ages, "-8", " -8", "-8.0"], missing={"x": ["-8"]})
    assert (numbers.dtype, numbers.null_count()) == (pl.Float64, 3)
    words = column(tmp_path, [*ages, "unknown", "refused"], missing={"x": ["unknown", "refused"]})
    assert words.to_list() == [*range(20, 50), None, None]
    codes = column(tmp_path, ["01067", "99999", "10115"], missing={"x": ["99999"]})
    assert codes.to_list() == ["01067", None, "10115"]
    dates = column(tmp_path, ["2020-01-31", "9999-12-31", "none"], missing={"x": ["9999-12-31", "none"]})
    assert dates.to_list() == [date(2020, 1, 31), None, None]


@pytest.mark.parametrize(
    ("values", "codes", "left"),
    [
        ([1, -8, 3], ["-8", "word"], [1, None, 3]),
        ([1, -8, 3], [-8, 3.5], [1, None, 3]),
        ([1.5, -8.0, None], ["-8"], [1.5, None, None]),
        (["a", "-8", None], [-8], ["a", None, None]),
        ([date(2020, 1, 1), date(9999, 12, 31)], ["9999-12-31"], [date(2020, 1, 1), None]),
        ([True, False], ["false"], [True, None]),
    ],
)
def test_codes_named_as_missing_are_left_out_of_a_frame(
    values: list[object], codes: list[str], left: list[object]
) -> None:
    data = la.read(pl.DataFrame({"x": values}), missing={"x": codes})
    assert data.head()["x"].to_list() == left
    assert data.variable("x").missing == tuple(str(code) for code in codes)


def test_codes_for_a_column_that_is_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(la.BadPlan, match=r"^Column 'z' is not in the data\. Columns: x, y\.$"):
        column(tmp_path, ["1"], missing={"z": ["1"]})


# --- dates ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["{0:%Y-%m-%d}", "{0:%d.%m.%Y}", "{0.day}.{0.month}.{0.year}", "{0:%Y/%m/%d}"])
def test_dates_whose_order_is_known_are_dates(tmp_path: Path, form: str) -> None:
    days = [date(2020, 1, 2), date(1931, 12, 3)]
    assert column(tmp_path, [form.format(day) for day in days]).to_list() == days


@pytest.mark.parametrize("form", ["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"])
def test_the_order_of_day_and_month_is_told_by_a_day_after_the_twelfth(tmp_path: Path, form: str) -> None:
    days = [date(2020, 1, 2), date(1931, 12, 31)]
    assert column(tmp_path, [day.strftime(form) for day in days]).to_list() == days
    assert notes(tmp_path) == ()


def test_dates_whose_order_nothing_tells_stay_text_with_a_note(tmp_path: Path) -> None:
    assert column(tmp_path, ["01/02/2020", "12/11/1999"]).to_list() == ["01/02/2020", "12/11/1999"]
    assert notes(tmp_path) == ("Column 'x' holds dates whose day and month cannot be told apart: kept as text.",)


@pytest.mark.parametrize("cells", [["01.02.20", "03.04.21"], ["2020-02-30"], ["2020-01-01", "soon"], ["2020-01"]])
def test_what_is_not_a_whole_date_stays_text(tmp_path: Path, cells: list[str]) -> None:
    assert column(tmp_path, cells).to_list() == cells


# --- mixed columns --------------------------------------------------------------------------------------


def test_words_between_numbers_are_counted(tmp_path: Path) -> None:
    column(tmp_path, [*(str(age) for age in range(20, 80)), "old", "old", '"[20;30]"'])
    assert la.read(tmp_path / "file.csv").mixed == {"x": 2}


@pytest.mark.parametrize(
    "cells",
    [[*"123", "a", "b"], [*"12345" * 9, "X"], [*"1234567890", "85+"], [*"1234567890" * 2, "word", "007"], ["a", "b"]],
)
def test_codes_words_and_generalized_numbers_are_not_mixed(tmp_path: Path, cells: list[str]) -> None:
    column(tmp_path, cells)
    assert la.read(tmp_path / "file.csv").mixed == {}


# --- generalized cells ----------------------------------------------------------------------------------


def test_generalized_cells_are_known_and_kept_as_text(tmp_path: Path) -> None:
    assert all(is_generalized(cell) for cell in GENERALIZED)
    assert column(tmp_path, [f'"{cell}"' for cell in GENERALIZED]).to_list() == GENERALIZED
    assert column(tmp_path, ["20", "30", '"[20;30]"', "*"]).to_list() == ["20", "30", "[20;30]", "*"]


@pytest.mark.parametrize("cell", ["", "42", "-8", "word", "[x]", "a*b", "+", "<", "5-9", "**x"])
def test_other_cells_are_not_generalized(cell: str) -> None:
    assert not is_generalized(cell)


def test_bands_of_ages_have_an_order(tmp_path: Path) -> None:
    column(tmp_path, ["<20", "20-39", "40-64", "65+"] * 5)
    variable = la.read(tmp_path / "file.csv").variable("x")
    assert variable.kind is Kind.ORDINAL
    assert variable.levels == ("<20", "20-39", "40-64", "65+")


def grid(cells: Sequence[str | None]) -> list[tuple[int, int]]:
    """The spans of cells, from 0."""
    low, high = spans(pl.Series(cells, dtype=pl.String))
    return [(int(a - low.min()), int(b - low.min())) for a, b in zip(low, high, strict=True)]


def test_spans_lie_on_the_whole_numbers_between_the_ends() -> None:
    cells = ["20", "[20;30]", "[30;20]", "25+", "<25", "<=25", ">25", "*", None, "2*"]
    everything = (0, 10)
    assert grid(cells) == [
        (0, 0),
        everything,
        everything,
        (5, 10),
        (0, 4),
        (0, 5),
        (6, 10),
        everything,
        everything,
        (0, 9),
    ]


def test_spans_of_reals_lie_on_the_values_that_occur() -> None:
    assert grid(["1.5", "[0.5;2,5]", "*"]) == [(1, 1), (0, 2), (0, 2)]


def test_spans_of_words_lie_on_their_sorted_values() -> None:
    assert grid(["b", "a", "c", "*", None, "[a;b]", "[c;b]"]) == [
        (1, 1),
        (0, 0),
        (2, 2),
        (0, 2),
        (0, 2),
        (0, 1),
        (1, 2),
    ]


def test_a_mask_spans_the_codes_that_begin_so() -> None:
    cells = ["A10", "A19", "B20", "A1*", "B2*"]
    low, high = spans(pl.Series(cells))
    at = {cell: (int(a), int(b)) for cell, a, b in zip(cells, low, high, strict=True)}
    assert at["A1*"][0] <= at["A10"][0] <= at["A19"][1] <= at["A1*"][1] < at["B20"][0]


@settings(deadline=None)
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=20), st.integers(-50, 50), st.integers(0, 20))
def test_an_interval_covers_exactly_the_numbers_between_its_ends(values: list[int], start: int, width: int) -> None:
    low, high = spans(pl.Series([f"[{start};{start + width}]", *map(str, values)]))
    inside = (low[0] <= low[1:]) & (high[1:] <= high[0])
    assert inside.tolist() == [start <= value <= start + width for value in values]


# --- the type of a column -------------------------------------------------------------------------------

CELLS = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(str),
    st.dates().map(str),
    st.sampled_from(["", "NA", "?", "-", "word", "007", "85+", "1,5", "1,234", "1.234,5", " 5"]),
)


@settings(deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=30), st.integers(1, 29), st.sampled_from([",", ";"]))
def test_a_column_has_one_type_however_it_is_cut(cells: list[str], cut: int, delimiter: str) -> None:
    """No cell is lost: what is null in the end means missing, or the column is text."""
    whole, cut_up = Shape("x", delimiter), Shape("x", delimiter)
    look([whole], [(pl.Series(cells), np.ones(len(cells), np.int64))])
    for part in (cells[:cut], cells[cut:]):
        look([cut_up], [(pl.Series(part, dtype=pl.String), np.ones(len(part), np.int64))])
    table = pl.DataFrame({"x": cells})
    typed = table.select(whole.typed())["x"]
    assert typed.equals(table.select(cut_up.typed())["x"])
    assert whole.mixed == cut_up.mixed
    lost = [cell for cell, value in zip(cells, typed, strict=True) if value is None]
    assert {cell.strip() for cell in lost} <= {"", "NA", "?", "-"}
