"""Reading formats other than text tables, and the real files beside the project."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
import xlsxwriter

import lookalike as la
from lookalike.data.variable import Kind
from lookalike.data.write import FORMATS

SECRET = "Rumpelstilzchen"


def refused(path: Path, content: bytes) -> str:
    """The whole message with which a file of this content is refused; no cell is ever in it."""
    path.write_bytes(content)
    with pytest.raises(la.BadFile) as caught:
        la.read(path)
    assert SECRET not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table in two Parquet files."""
    made = tmp_path / "parts"
    made.mkdir()
    pl.DataFrame({"a": [1, 2]}).write_parquet(made / "1.parquet")
    pl.DataFrame({"a": [3]}).write_parquet(made / "2.parquet")
    return made


def test_parquet_is_one_file_a_folder_or_a_glob(folder: Path) -> None:
    assert la.read(folder / "1.parquet").head()["a"].to_list() == [1, 2]
    assert la.read(folder).head()["a"].to_list() == [1, 2, 3]
    assert la.read(f"{folder}/*.parquet").head()["a"].to_list() == [1, 2, 3]
    assert la.read(folder).files == (folder / "1.parquet", folder / "2.parquet")


def test_parquet_is_known_by_its_content(folder: Path) -> None:
    shutil.copy(folder / "1.parquet", folder / "data.bin")
    assert la.read(folder / "data.bin").records == 2


def test_names_of_folders_are_not_columns_and_that_is_said(tmp_path: Path) -> None:
    for year in (2019, 2020):
        (tmp_path / "data" / f"year={year}").mkdir(parents=True)
        pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "data" / f"year={year}" / "part.parquet")
    assert la.read(tmp_path / "data").notes == (
        "data: 'year' stands in folder names only, and is not read as a column.",
    )


def test_parquet_files_of_different_columns_are_refused(folder: Path) -> None:
    pl.DataFrame({"b": [3]}).write_parquet(folder / "3.parquet")
    with pytest.raises(la.BadFile) as caught:
        la.read(folder)
    assert str(caught.value) == ("parts: 1 of 3 files have other columns or types than 1.parquet, such as 3.parquet.")


def test_several_files_that_are_not_parquet_are_refused(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("a\n1\n")
    with pytest.raises(la.BadFile, match=r"several files are read as one table only if all are Parquet\.$"):
        la.read(f"{tmp_path}/*.csv")


def test_parquet_without_records_is_refused(tmp_path: Path) -> None:
    pl.DataFrame({"a": []}, schema={"a": pl.Int64}).write_parquet(tmp_path / "file.parquet")
    with pytest.raises(la.BadFile, match=r"^file\.parquet has a header and no records\.$"):
        la.read(tmp_path / "file.parquet")


@pytest.mark.parametrize("keep", [20, -1, -100])
def test_parquet_that_was_cut_off_is_refused(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "file.parquet"
    pl.DataFrame({"a": [SECRET] * 1000}).write_parquet(path)
    assert refused(path, path.read_bytes()[:keep]) == (
        "file.parquet is not whole Parquet: it is damaged or was not written to its end."
    )


def test_parquet_with_damaged_pages_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    pl.DataFrame({"a": [f"{SECRET}{i}" for i in range(1000)]}).write_parquet(path)
    content = bytearray(path.read_bytes())
    content[200:260] = b"\xff" * 60
    assert refused(path, bytes(content)) == "file.parquet is damaged: its records cannot be read."


def test_columns_that_hold_only_nulls_are_text(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1], "n": [None]}).write_parquet(tmp_path / "file.parquet")
    assert la.read(tmp_path / "file.parquet").head().dtypes == [pl.Int64, pl.String]


@pytest.mark.parametrize("ending", ["arrow", "feather"])
def test_an_arrow_file_is_read_and_a_damaged_one_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"file.{ending}"
    pl.DataFrame({"a": [1, None], "s": pl.Series(["x", SECRET], dtype=pl.Categorical)}).write_ipc(path)
    assert la.read(path).head().rows() == [(1, "x"), (None, SECRET)]
    assert refused(path, path.read_bytes()[:-20]) == f"file.{ending} cannot be read as an Arrow file."


@pytest.mark.parametrize("ending", ["xlsx", "xls", "ods"])
def test_a_file_that_is_no_workbook_is_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"file.{ending}"
    for content in (b"PK\x03\x04" + bytes(200), SECRET.encode()):
        assert refused(path, content) == f"file.{ending} cannot be read as a workbook."


@pytest.mark.parametrize(("ending", "maker"), [("dta", "Stata"), ("sav", "SPSS"), ("sas7bdat", "SAS"), ("xpt", "SAS")])
def test_a_file_that_is_not_of_its_package_is_refused(tmp_path: Path, ending: str, maker: str) -> None:
    assert refused(tmp_path / f"file.{ending}", SECRET.encode() * 100) == (
        f"file.{ending} cannot be read as a file of {maker}. It is damaged, another format, or in an encoding to be "
        "given (--encoding)."
    )


class Book:
    """A workbook written cell by cell."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sheets: dict[str, list[list[object]]] = {}

    def save(self) -> Path:
        with xlsxwriter.Workbook(self.path, {"default_date_format": "yyyy-mm-dd hh:mm"}) as book:
            for name, rows in self.sheets.items():
                sheet = book.add_worksheet(name)
                for number, row in enumerate(rows):
                    sheet.write_row(number, 0, row)
        return self.path


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path / "file.xlsx")


def test_a_sheet_is_typed_by_all_its_rows(book: Book) -> None:
    """By default the reader looks at the first thousand rows and drops later cells of another type."""
    book.sheets = {"one": [["n", "late"], *([i, i] for i in range(1500)), [1500, "word"]]}
    data = la.read(book.save())
    assert data.head(2000).dtypes == [pl.Int64, pl.String]
    assert data.head(2000)["late"].null_count() == 0
    assert data.mixed == {"late": 1}


def test_a_sheet_keeps_codes_and_gives_days_and_whole_numbers_back(book: Book) -> None:
    rows = [
        ["code", "day", "time", "n", "x", "text"],
        ["01067", datetime(2020, 1, 2), datetime(2020, 1, 2, 3, 4), 5, 1.5, "NA"],
        ["10115", datetime(2020, 1, 3), datetime(2020, 1, 2), None, 2, "7"],
    ]
    book.sheets = {"one": rows}
    found = la.read(book.save()).head()
    assert found.dtypes == [pl.String, pl.Date, pl.Datetime("ms"), pl.Int64, pl.Float64, pl.Int64]
    assert found.rows()[0][:2] == ("01067", date(2020, 1, 2))
    assert found["n"].to_list() == [5, None]
    assert found["text"].to_list() == [None, 7]


def test_missing_codes_are_left_out_of_a_sheet_before_it_is_typed(book: Book) -> None:
    book.sheets = {"one": [["age"], *([i] for i in range(30)), ["unknown"]]}
    found = la.read(book.save(), missing={"age": ["unknown"]}).head(40)
    assert found["age"].to_list() == [*range(30), None]


def test_a_sheet_can_be_chosen_and_the_first_is_taken_with_a_note(book: Book) -> None:
    book.sheets = {
        "one": [["a"], [1]],
        "two": [["b"], [2]],
        "none": [],
        "head": [["a", "b"]],
        "twice": [["a", "a"], [1]],
    }
    path = book.save()
    assert la.read(path).notes == ("file.xlsx: sheet 'one', the first of 5, is read.",)
    assert la.read(path, sheet="two").columns == ("b",)
    for sheet, message in {
        "three": "file.xlsx has no sheet 'three'. Sheets: one, two, none, head, twice.",
        "none": "file.xlsx: sheet 'none' is empty.",
        "head": "file.xlsx has a header and no records.",
        "twice": "file.xlsx has columns of the same name: 'a'. Rename them.",
    }.items():
        with pytest.raises(la.BadFile) as caught:
            la.read(path, sheet=sheet)
        assert str(caught.value) == message


def test_a_record_batch_of_arrow_with_odd_types_is_read(tmp_path: Path) -> None:
    table = pa.table({"l": pa.array([["a"], None]), "n": pa.nulls(2), "s": pa.array(["x", None], pa.large_string())})
    with pa.OSFile(str(tmp_path / "file.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    assert la.read(tmp_path / "file.arrow").columns == ("l", "n", "s")


@pytest.mark.parametrize("ending", FORMATS)
def test_a_damaged_file_is_refused_or_read_and_nothing_else(tmp_path: Path, ending: str) -> None:
    """Readers of formats stumble in many ways; each is told as a file that cannot be read."""
    table = pl.DataFrame(
        {
            "age": range(50),
            "code": [f"{i:05d}" for i in range(50)],
            "x": [i / 7 for i in range(50)],
            "day": [date(2020, 1, 1 + i % 28) for i in range(50)],
            "note": ['a "b", c\nä'] * 50,
        }
    )
    path = la.write(la.read(table), tmp_path / f"file{ending}")
    whole, rng = path.read_bytes(), random.Random(1)
    outcomes = Counter[str]()
    for _ in range(40):
        content = bytearray(whole)
        for _ in range(rng.randint(1, 5)):
            content[rng.randrange(len(content))] = rng.choice([0, 10, 34, 44, 255, rng.randrange(256)])
        path.write_bytes(content[: rng.choice([len(content), rng.randrange(len(content))])])
        outcomes[_outcome(path)] += 1
    assert outcomes["read"] + outcomes["refused"] == 40
    assert outcomes["refused"] > 0 or ending in (".csv", ".tsv")


def _outcome(path: Path) -> str:
    """Any other error than a refusal goes through."""
    try:
        la.read(path).head()
    except la.LookalikeError:
        return "refused"
    return "read"


# --- the real files -------------------------------------------------------------------------------------


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "records", "columns"),
    [
        ("adult.csv", 48_842, 15),
        ("adult_arx.csv", 30_162, 9),
        ("texas.csv", 50_000, 18),
        ("nexoid_subset.csv", 5_789, 34),
        ("pcs2015_complete_cases.csv", 43_810, 18),
        ("synthpop_SD2011.csv", 5_000, 35),
        ("sdcMicro_testdata.csv", 4_580, 15),
        ("sdcMicro_francdat.csv", 8, 8),
        ("sdcMicro_free1.csv", 4_000, 34),
        ("sdcMicro_CASCrefmicrodata.csv", 1_080, 13),
        ("pcs2019_recoded.parquet", 194_117, 34),
    ],
)
def test_real_files_have_their_shapes(shared: Path, name: str, records: int, columns: int) -> None:
    data = la.read(shared / "data" / name)
    assert (data.records, len(data.columns)) == (records, columns)


@pytest.mark.shared
def test_codes_of_the_texas_file_stay_text(shared: Path) -> None:
    ages = la.read(shared / "data" / "texas.csv").head(50_000)["PAT_AGE"]
    assert ages.dtype == pl.String
    assert {"00", "01", "06", "21"} <= set(ages)


@pytest.mark.shared
def test_missing_codes_of_the_sd2011_file_are_left_out(shared: Path) -> None:
    path = shared / "data" / "synthpop_SD2011.csv"
    plain, coded = la.read(path), la.read(path, missing={"income": ["-8"]})
    assert plain.head(5000)["income"].dtype == coded.head(5000)["income"].dtype == pl.Float64
    coded_out = int((plain.head(5000)["income"] == -8).sum())
    assert coded_out > 0
    assert coded.head(5000)["income"].null_count() == plain.head(5000)["income"].null_count() + coded_out
    assert coded.variable("income").missing == ("-8",)


@pytest.mark.shared
def test_numbers_of_the_adult_file_are_numbers_and_its_gaps_are_missing(shared: Path) -> None:
    data = la.read(shared / "data" / "adult.csv")
    kinds = {v.name: v.kind for v in data.variables}
    assert kinds["age"] is Kind.NUMERIC
    assert data.head(50_000)["workclass"].null_count() == 2_799
