"""A file says nothing of when it was written: the same data is the same bytes, on any day."""

import zipfile
from datetime import datetime
from pathlib import Path

import polars as pl
import pyreadstat
import pytest

import lookalike as la
from lookalike.data import write

FRAME = pl.DataFrame({"age": [30, 31, None], "sex": ["F", "M", "F"], "pay": [1.5, 2.5, 3.5]})
TIME = {".sav": b"01 Jan 8000:00:00", ".dta": b"01 Jan 1980 00:00", ".xpt": b"01JAN80:00:00:00"}


@pytest.mark.parametrize("ending", TIME)
def test_the_header_holds_a_fixed_time_and_the_file_reads_as_before(tmp_path: Path, ending: str) -> None:
    path = write(la.read(FRAME), tmp_path / f"f{ending}")
    header = path.read_bytes()[:800]
    assert header.count(TIME[ending]) == (4 if ending == ".xpt" else 1)
    now = datetime.now()
    for said in (f"{now:%d %b %y}", f"{now:%d %b %Y}", f"{now:%d%b%y}".upper()):
        assert said.encode() not in header
    assert la.read(path).records == 3
    reader = {".sav": pyreadstat.read_sav, ".dta": pyreadstat.read_dta, ".xpt": pyreadstat.read_xport}[ending]
    frame, _ = reader(path, output_format="dict")
    assert list(frame["pay"]) == [1.5, 2.5, 3.5]


def test_a_workbook_was_created_at_a_fixed_time(tmp_path: Path) -> None:
    path = write(la.read(FRAME), tmp_path / "f.xlsx")
    with zipfile.ZipFile(path) as book:
        assert b"1980-01-01T00:00:00Z" in book.read("docProps/core.xml")
        assert {entry.date_time[0] for entry in book.infolist()} == {1980}
    assert la.read(path).records == 3


def test_a_long_label_moves_the_time_in_stata(tmp_path: Path) -> None:
    from lookalike.data.timeless import without_time

    path = tmp_path / "f.dta"
    pyreadstat.write_dta(FRAME, path, file_label="x" * 80)
    without_time(path)
    assert TIME[".dta"] in path.read_bytes()[:400]
    before = path.read_bytes()
    other = tmp_path / "f.csv"
    other.write_bytes(before)
    without_time(other)
    assert other.read_bytes() == before
