"""A first row that is a record, not a header, is refused: its cells would be shown as names."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import lookalike as la


def read(path: Path, text: str) -> tuple[str, ...]:
    (path / "file.csv").write_text(text)
    return la.read(path / "file.csv").columns


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("30,F,a,b\n31,M,c,d\n", "1 of its 4 names looks like a value"),
        ("1.5,x\n2.5,y\n", "1 of its 2 names looks like a value"),
        ("2020-01-31,x\n2020-02-01,y\n", "1 of its 2 names looks like a value"),
        ("31.01.2020 10:30,x\n01.02.2020 10:30,y\n", "1 of its 2 names looks like a value"),
        ("F,north\nM,south\nF,south\n", "1 of its 2 names looks like a value"),
        ("1985,F\n1990,M\n1985,F\n", "2 of its 2 names look like values"),
        ("1,30,F\n2,31,M\n3,32,F\n", "3 of its 3 names look like values"),
    ],
)
def test_a_first_row_of_values_is_refused_without_showing_them(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(la.BadFile) as error:
        read(tmp_path, text)
    assert str(error.value) == (f"file.csv: its first row does not look like a header: {said}. Add a row with names.")


@pytest.mark.parametrize(
    "header",
    [
        "age,sex",
        "0,1,2,3",
        "1,2,3",
        ",0",
        "2019,2020,2021",
        "id,a,b,c,7",
        "q1,q2,1st",
        "NA,x",
    ],
)
def test_a_header_is_a_header(tmp_path: Path, header: str) -> None:
    """Running numbers and years may be names; so may one odd name among many."""
    row = ",".join("x" for _ in header.split(","))
    assert len(read(tmp_path, f"{header}\n{row}\n")) == len(header.split(","))


def test_a_workbook_is_asked_for_a_header_too(tmp_path: Path) -> None:
    pl.DataFrame({"30": [31, 32], "F": ["M", "F"]}).write_excel(tmp_path / "file.xlsx")
    with pytest.raises(la.BadFile, match=r"2 of its 2 names look like values"):
        la.read(tmp_path / "file.xlsx")


def test_running_numbers_may_stand_in_their_columns_too(tmp_path: Path) -> None:
    assert read(tmp_path, "0,1,2\n0,1,0\n1,0,2\n") == ("0", "1", "2")


def test_an_answer_that_was_ticked_may_repeat_its_name(tmp_path: Path) -> None:
    assert read(tmp_path, "id,Bus,Train\n1,Bus,\n2,,Train\n3,Bus,Train\n") == ("id", "Bus", "Train")


def test_a_name_is_looked_for_in_the_first_thousand_records_only(tmp_path: Path) -> None:
    assert read(tmp_path, "F,x\n" + "M,1\n" * 1000 + "F,1\n") == ("F", "x")
    with pytest.raises(la.BadFile):
        read(tmp_path, "F,x\n" + "M,1\n" * 999 + "F,1\n")
