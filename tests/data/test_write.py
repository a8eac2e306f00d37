"""Writing: what is written is read back the same, whole or not at all, and never over an input."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import lookalike as la
from lookalike.data import Microdata, whole_file, writable, write
from lookalike.data.variable import Kind
from lookalike.data.write import FORMATS

SECRET = "Rumpelstilzchen"
LABELLED = (".dta", ".sav")
LABELS = {1: "male", 2: "female"}
NOTE = "Column 'note': 1 cell holds NA, read as missing. If NA is a value there, keep it (--keep-words note)."


def people() -> Microdata:
    """A table with every kind of column and a gap in each."""
    frame = pl.DataFrame(
        {
            "age": [34, None, 51, 34],
            "sex": [1, 2, None, 1],
            "zip": ["01067", "10115", None, "80331"],
            "income": [1200.5, None, 3100.25, 0.0],
            "born": [date(1990, 5, 17), None, date(1931, 12, 31), date(1960, 1, 1)],
            "note": ['says "no", and\ngoes', None, "NA", "ü ; \t | 日本 = 1 + 1"],
        }
    )
    data = la.read(frame, quasi_identifiers=["age", "sex", "zip"])
    captions = {"sex": "Sex of the person"}
    described = (
        replace(v, labels=LABELS if v.name == "sex" else {}, caption=captions.get(v.name, "")) for v in data.variables
    )
    return replace(data, variables=tuple(described))


def without_na(frame: pl.DataFrame) -> pl.DataFrame:
    """A sheet has no quotes to tell the text NA from a missing text."""
    return frame.with_columns(pl.col(pl.String).replace("NA", None))


@pytest.mark.parametrize("ending", FORMATS)
def test_what_is_written_is_read_back_the_same(tmp_path: Path, ending: str) -> None:
    data = people()
    found = la.read(write(data, tmp_path / f"file{ending}"))
    assert found.head().rows() == (without_na(data.head()) if ending == ".xlsx" else data.head()).rows()
    assert found.head().dtypes == data.head().dtypes
    kinds = {v.name: v.kind for v in data.guesses} | ({"sex": Kind.NOMINAL} if ending in LABELLED else {})
    assert {v.name: v.kind for v in found.variables} == kinds
    assert found.notes == ((NOTE,) if ending == ".xlsx" else ())


@pytest.mark.parametrize("ending", LABELLED)
def test_labels_and_captions_survive_where_the_format_has_them(tmp_path: Path, ending: str) -> None:
    path = write(people(), tmp_path / f"one{ending}")
    found = la.read(write(la.read(path), tmp_path / f"two{ending}"))
    assert found.variable("sex").labels == LABELS
    assert found.variable("sex").caption == "Sex of the person"
    assert found.variable("sex").kind is Kind.NOMINAL
    assert found.variable("age").labels == {}


def test_captions_survive_in_a_sas_file(tmp_path: Path) -> None:
    assert la.read(write(people(), tmp_path / "file.xpt")).variable("sex").caption == "Sex of the person"


@pytest.mark.parametrize("ending", FORMATS)
def test_a_column_of_gaps_and_a_single_column_are_read_back(tmp_path: Path, ending: str) -> None:
    for name, frame in {
        "gaps": pl.DataFrame({"a": [1, 2], "n": pl.Series([None, None], dtype=pl.String)}),
        "one": pl.DataFrame({"a": [1, None, None, 2]}),
        "text": pl.DataFrame({"a": ["x", None, "y"]}),
    }.items():
        found = la.read(write(la.read(frame), tmp_path / f"{name}{ending}"))
        assert found.head().equals(frame)


@pytest.mark.parametrize("ending", FORMATS)
def test_types_that_a_format_lacks_are_turned_into_what_it_has(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame(
        {
            "yes": [True, False, None],
            "money": pl.Series(["1.50", "2.25", None]).cast(pl.Decimal(10, 2)),
            "at": [datetime(2020, 1, 2, 3, 4, 5), None, datetime(1999, 12, 31, 23, 59)],
        }
    )
    found = la.read(write(la.read(frame), tmp_path / f"file{ending}")).head()
    assert found["yes"].cast(pl.String).str.to_lowercase().to_list() in (["true", "false", None], ["1", "0", None])
    assert found["money"].cast(pl.Float64).to_list() == [1.5, 2.25, None]
    at = found["at"] if found["at"].dtype != pl.String else found["at"].str.to_datetime()
    assert at.cast(pl.Datetime("us")).to_list() == frame["at"].to_list()


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_records_are_written_in_their_order_by_every_engine(tmp_path: Path, ending: str, engine: str) -> None:
    frame = pl.DataFrame({"n": range(5000), "x": [str(i % 7) + "x" for i in range(5000)]})
    found = la.read(write(la.read(frame, engine=engine), tmp_path / f"file{ending}"))
    assert found.columns == ("n", "x")
    assert found.head(5000)["n"].to_list() == list(range(5000))


# --- whole or not at all --------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", FORMATS)
def test_an_output_is_for_its_owner_alone(tmp_path: Path, ending: str) -> None:
    path = write(people(), tmp_path / f"file{ending}")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError("no space left"), la.BadPlan("no")])
def test_work_that_fails_leaves_no_output_and_no_old_one_changed(
    tmp_path: Path, failure: BaseException | type[BaseException]
) -> None:
    old = tmp_path / "file.csv"
    old.write_text("old")

    def half() -> None:
        with whole_file(old) as target:
            target.write_text("half of")
            assert stat.S_IMODE(target.stat().st_mode) == 0o600
            raise failure

    with pytest.raises((KeyboardInterrupt, OSError, la.BadPlan)):
        half()
    assert os.listdir(tmp_path) == ["file.csv"]
    assert old.read_text() == "old"


@pytest.mark.parametrize("ending", FORMATS)
def test_an_interrupted_write_leaves_nothing(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interrupt comes when all is written and only the name is missing."""
    monkeypatch.setenv("LOOKALIKE_SCRATCH", str(tmp_path / "scratch"))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    (tmp_path / "out").mkdir()
    with pytest.raises(KeyboardInterrupt):
        write(people(), tmp_path / "out" / f"file{ending}")
    assert os.listdir(tmp_path / "out") == []
    assert not (tmp_path / "scratch").exists() or os.listdir(tmp_path / "scratch") == []


# --- what is refused ------------------------------------------------------------------------------------


def refused(data: Microdata, path: Path, *, force: bool = False) -> str:
    before = sorted(os.listdir(path.parent)) if path.parent.exists() else []
    with pytest.raises(la.BadPlan) as caught:
        write(data, path, force=force)
    assert (sorted(os.listdir(path.parent)) if path.parent.exists() else []) == before
    assert SECRET not in str(caught.value)
    return str(caught.value)


def test_an_output_that_exists_is_replaced_only_if_forced(tmp_path: Path) -> None:
    path = write(people(), tmp_path / "file.csv")
    assert (
        refused(people(), path) == "file.csv exists. Choose another name, or replace it by force (--force, force=True)."
    )
    assert la.read(write(people(), path, force=True)).records == 4


def test_the_input_is_never_replaced(tmp_path: Path) -> None:
    path = write(people(), tmp_path / "file.csv")
    (tmp_path / "link.csv").symlink_to(path)
    (tmp_path / "hard.csv").hardlink_to(path)
    for other in (path, tmp_path / "link.csv", tmp_path / "hard.csv", tmp_path / "." / "file.csv"):
        assert refused(la.read(path), other, force=True) == (
            f"{other.name} is the input; an input is never changed. Choose another output."
        )


def test_a_part_of_the_input_is_never_replaced(tmp_path: Path) -> None:
    for part in ("1", "2"):
        write(people(), tmp_path / f"{part}.parquet")
    assert "2.parquet is the input" in refused(la.read(tmp_path), tmp_path / "2.parquet", force=True)


def test_an_output_that_cannot_be_is_refused(tmp_path: Path) -> None:
    assert refused(people(), tmp_path / "file.docx") == (
        "'file.docx' has an ending that cannot be written. Endings: .csv, .tsv, .parquet, .arrow, .feather, .xlsx, "
        ".dta, .sav, .xpt."
    )
    assert refused(people(), tmp_path / "no" / "file.csv") == "file.csv: the folder to write it in does not exist."
    (tmp_path / "folder.csv").mkdir()
    assert refused(people(), tmp_path / "folder.csv", force=True) == "folder.csv is a folder. Name a file to write."


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".sav"])
def test_lists_are_refused_where_only_single_values_go(tmp_path: Path, ending: str) -> None:
    data = la.read(pl.DataFrame({"a": [1], "codes": [[SECRET]]}))
    said = f"file{ending}: 'codes' hold lists or bytes, which only Parquet and Arrow can."
    assert refused(data, tmp_path / f"file{ending}") == said
    assert la.read(write(data, tmp_path / "file.parquet")).columns == ("a", "codes")


@pytest.mark.parametrize("ending", [".xlsx", ".dta", ".sav", ".xpt"])
def test_numbers_that_would_be_rounded_are_refused(tmp_path: Path, ending: str) -> None:
    data = la.read(pl.DataFrame({"id": [2**60 + 1, 2**60]}))
    said = f"file{ending}: 'id' hold whole numbers too large for this format. Write CSV or Parquet."
    assert refused(data, tmp_path / f"file{ending}") == said
    assert la.read(write(data, tmp_path / "file.csv")).head()["id"].to_list() == [2**60 + 1, 2**60]


@pytest.mark.parametrize(("ending", "most"), [(".dta", 32), (".sav", 64), (".xpt", 32)])
def test_names_that_a_format_cannot_hold_are_told_at_once(tmp_path: Path, ending: str, most: int) -> None:
    data = la.read(pl.DataFrame({"age group": [1], "2nd": [SECRET], "fine": [3], "x" * 65: [1]}))
    message = refused(data, tmp_path / f"file{ending}")
    assert f"names of columns in this format are at most {most} letters" in message
    assert message.endswith(f"Rename 'age group', '2nd', '{'x' * 65}'.")


def test_a_name_that_stata_keeps_for_itself_is_refused(tmp_path: Path) -> None:
    assert refused(la.read(pl.DataFrame({"if": [1]})), tmp_path / "file.dta") == (
        "This data cannot be written as .dta: the name of a column is a word the format keeps for itself, or a label "
        "does not fit. Write CSV or Parquet."
    )


def test_more_records_than_a_sheet_holds_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {**writable._LIMITS, ".xlsx": replace(writable._LIMITS[".xlsx"], rows=3)}
    monkeypatch.setattr(writable, "_LIMITS", limits)
    assert refused(people(), tmp_path / "file.xlsx") == (
        "file.xlsx: 4 records do not fit on one sheet (3). Write CSV or Parquet."
    )


def test_a_sheet_that_would_lose_its_last_record_is_refused(tmp_path: Path) -> None:
    data = la.read(pl.DataFrame({"a": [1, None], "b": [SECRET, None]}))
    assert refused(data, tmp_path / "file.xlsx") == (
        "file.xlsx: the last record is empty, and a sheet ends with its last filled cell. Write CSV or Parquet."
    )


def test_formulas_are_written_as_the_texts_they_are(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["=1+1", "{=A1}", "http://a.b", "@x"]})
    assert la.read(write(la.read(frame), tmp_path / "file.xlsx")).head().equals(frame)


@pytest.mark.shared
def test_a_real_file_survives_every_format(shared: Path, tmp_path: Path) -> None:
    data = la.read(shared / "data" / "synthpop_SD2011.csv")
    whole = data.head(5000)
    for ending in FORMATS:
        found = la.read(write(data, tmp_path / f"file{ending}")).head(5000)
        # A sheet holds 15 digits of a number.
        assert_frame_equal(found.cast(whole.schema), whole, check_exact=ending != ".xlsx", rel_tol=1e-14)
