"""The file format of seed 004."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.anonymize.grouping.clustering import Microaggregation
from lookalike.anonymize.method import Asked
from lookalike.anonymize.seed_format import read_seed_format, write_seed_format
from lookalike.errors import BadFile, BadPlan

SPD = """oshpd_id,age_yrs,sex,ethncty,race,patzip,patcnty,los,adm_qtr,charge
380929,25,1,2,1,94928,49,18,4,220449
380929,[25;30],*,2,1,949**,49,18,4,220450
"""


def test_the_papers_example_is_read_and_written_again(tmp_path: Path) -> None:
    path = tmp_path / "spd.txt"
    path.write_text(SPD)
    file = read_seed_format(path)
    assert file.sensitive == ("charge",)
    assert file.quasi_identifiers == tuple(SPD.splitlines()[0].split(",")[:-1])
    assert file.head()["sex"].to_list() == [1, None]
    assert file.head()["age_yrs"].to_list() == ["25", "[25;30]"]
    again = write_seed_format(file, tmp_path / "again.txt")
    assert again.read_text() == SPD


def test_a_file_without_confidential_column_is_all_quasi_identifiers(tmp_path: Path) -> None:
    path = tmp_path / "spd.txt"
    path.write_text("age,sex\n30,1\n31,2\n")
    file = read_seed_format(path, confidential=False)
    assert (file.quasi_identifiers, file.sensitive) == (("age", "sex"), ())


def test_a_release_is_written_in_the_order_of_the_file_without_other_columns(tmp_path: Path) -> None:
    table = pl.DataFrame({"charge": [5, 6, 7, 8], "note": ["x"] * 4, "age": [60, 30, 61, None]})
    file = la.read(table, quasi_identifiers=["age"], sensitive=["charge"])
    made = Microaggregation(k=2).change(Asked(file=file, rng=np.random.default_rng(1)))
    release = la.read(table.with_columns(**made.columns), quasi_identifiers=["age"], sensitive=["charge"])
    path = write_seed_format(release, tmp_path / "release.txt")
    # The mean age, 50.3, stands for the missing one: groups 30 with it, 60 with 61.
    assert path.read_text() == "age,charge\n[60;61],5\n*,6\n[60;61],7\n*,8\n"


def test_it_refuses_what_cannot_be_told_without_quotes(tmp_path: Path) -> None:
    table = pl.DataFrame({"a,b": [1], "area": ["Zanzibar, north"], "x": [1], "y": [2]})
    file = la.read(table, quasi_identifiers=["a,b", "area"], sensitive=["x"])
    with pytest.raises(BadPlan) as caught:
        write_seed_format(file, tmp_path / "out.txt")
    assert caught.value.faults == (
        "out.txt: 1 names of columns have a comma, a quote or a line break. Rename them.",
        "out.txt: 'area' has 1 cells with a comma, a quote or a line break. Recode them.",
    )
    two = la.read(table, quasi_identifiers=["area"], sensitive=["x", "y"])
    with pytest.raises(BadPlan, match=r"one confidential column, and the file has 2\. Choose one"):
        write_seed_format(two, tmp_path / "out.txt")
    with pytest.raises(BadPlan, match="There is no quasi-identifier to write"):
        write_seed_format(la.read(table), tmp_path / "out.txt")
    assert not (tmp_path / "out.txt").exists()


def test_it_refuses_to_overwrite_and_files_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "spd.txt"
    path.write_text(SPD)
    with pytest.raises(BadPlan, match=r"spd\.txt is the input"):
        write_seed_format(read_seed_format(path), path)
    with pytest.raises(BadFile, match="cannot be read"):
        read_seed_format(tmp_path / "none.txt")
    path.write_text("age\n1\n")
    with pytest.raises(BadFile, match="the first line names fewer than two columns"):
        read_seed_format(path)
