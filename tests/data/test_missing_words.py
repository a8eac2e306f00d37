"""Words such as NA that are read as missing are told, and can be kept as values."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import lookalike as la
from lookalike.data import csv_file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file.csv"


def test_a_word_read_as_missing_is_told_with_its_column_and_count(file: Path) -> None:
    file.write_text("region,age\nNA,30\nEU,?\n NA ,31\n,32\n")
    assert la.read(file).notes == (
        "Column 'region': 2 cells hold NA, read as missing. If NA is a value there, keep it (--keep-words region).",
        "Column 'age': 1 cell holds ?, read as missing. If ? is a value there, keep it (--keep-words age).",
    )


def test_empty_cells_are_no_words(file: Path) -> None:
    file.write_text('region,age\n,30\n"",31\n  ,32\nEU,\n')
    assert la.read(file).notes == ()


def test_several_words_of_a_column_are_told_together(file: Path) -> None:
    file.write_text('"my, region",age\nNA,30\nNULL,31\nNA,32\n')
    assert la.read(file).notes == (
        "Column 'my, region': 3 cells hold NA or NULL, read as missing. If NA or NULL is a value there, keep it "
        '(--keep-words "my, region").',
    )


def test_many_columns_with_words_share_a_note(file: Path) -> None:
    pl.DataFrame({f"c{i}": ["x", None] for i in range(12)}).write_csv(file, null_value="NA")
    shown = ", ".join(f"c{i} (1)" for i in range(10))
    assert la.read(file).notes == (
        f"NA is read as missing in 12 columns (cells): {shown} and 2 more. If it is a value in one of them, keep it "
        "(--keep-words COLUMN).",
    )


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("quote", ["", '"'])
def test_words_that_are_kept_are_values(file: Path, monkeypatch: pytest.MonkeyPatch, large: bool, quote: str) -> None:
    """The column beside it keeps its missing words; with a word in quotes elsewhere the file is read as written too."""
    if large:
        monkeypatch.setattr(csv_file, "IN_MEMORY", 0)
    file.write_text(f"region,area,x\nNA,NA,1\nEU,EU,2\n,,3\nNULL,{quote}NA{quote},4\n")
    data = la.read(file, keep_words=["region"])
    assert data.head()["region"].to_list() == ["NA", "EU", None, "NULL"]
    assert data.head()["area"].to_list() == [None, "EU", None, "NA" if quote else None]
    count = "1 cell holds" if quote else "2 cells hold"
    told = f"Column 'area': {count} NA, read as missing. If NA is a value there, keep it (--keep-words area)."
    assert data.notes == (told,)


def test_a_word_in_quotes_is_missing_and_told_among_numbers_only(file: Path) -> None:
    file.write_text('region,age\n"NA",30\n"EU","NA"\n"AS",NA\n')
    data = la.read(file)
    assert data.head().rows() == [("NA", 30), ("EU", None), ("AS", None)]
    assert data.notes == (
        "Column 'age': 2 cells hold NA, read as missing. If NA is a value there, keep it (--keep-words age).",
    )


@pytest.mark.parametrize("cut", range(14, 22))
def test_a_word_in_quotes_is_seen_wherever_the_file_is_cut(
    file: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    monkeypatch.setattr("lookalike.data.encoding.BLOCK", cut)
    file.write_text('region,age\nEU,30\n"NA",31\nNA,32\n')
    assert la.read(file).head()["region"].to_list() == ["EU", "NA", None]


def test_a_word_named_as_missing_is_not_told(file: Path) -> None:
    for quoted in ("", '"NA",33\n'):
        file.write_text("region,age\nNA,30\nEU,31\n" + quoted)
        data = la.read(file, missing={"region": ["NA"]})
        assert data.head()["region"].to_list()[:2] == [None, "EU"]
        assert data.notes == ()


def test_words_do_not_change_what_a_column_of_codes_is(file: Path) -> None:
    """Thirty distinct cells, one of them no number, are codes; the word that means missing does not count."""
    cells = [*(str(i) for i in range(29)), "X", *("NA" for _ in range(3))]
    file.write_text("code,x\n" + "".join(f"{cell},1\n" for cell in cells))
    data = la.read(file)
    assert data.mixed == {}
    assert data.notes[0] == "Column 'code' holds numbers and other cells (1): read as codes."


def test_a_sheet_keeps_words_too(tmp_path: Path) -> None:
    path = tmp_path / "file.xlsx"
    pl.DataFrame({"region": ["NA", "EU"], "age": [30, 31]}).write_excel(path)
    assert la.read(path).head()["region"].to_list() == [None, "EU"]
    kept = la.read(path, keep_words=["region"])
    assert (kept.head()["region"].to_list(), kept.notes) == (["NA", "EU"], ())


def test_a_column_to_keep_that_is_not_there_is_told(file: Path) -> None:
    file.write_text("region,age\nNA,30\n")
    with pytest.raises(la.BadPlan, match=r"Column 'regoin' is not in the data. Did you mean 'region'\?"):
        la.read(file, keep_words=["regoin"])


def test_north_america_is_told_and_can_be_kept(shared: Path) -> None:
    file = shared / "data" / "nexoid_subset.csv"
    told = "Column 'region': 4,225 cells hold NA, read as missing. If NA is a value there, keep it"
    assert any(note.startswith(told) for note in la.read(file).notes)
    kept = la.read(file, keep_words=["region"])
    assert not any("region" in note for note in kept.notes)
    assert (kept.head(6000)["region"] == "NA").sum() == 4225
