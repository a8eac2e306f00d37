"""Reading files: text tables of every dialect, and what is refused. Cells are in test_cells, frames in test_frames."""

from __future__ import annotations

import csv
import tempfile
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.data import csv_file, statistical
from lookalike.data.read import GUESS_FROM
from lookalike.data.shapes import NULLS

SECRET = "Rumpelstilzchen"
ROWS = [(34, "F", "01067"), (51, "M", "10115"), (None, "F", "80331")]


def table(path: Path, content: str | bytes, **options: object) -> pl.DataFrame:
    """What a text file with this content is read as."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return la.read(path, **options).head(100)  # type: ignore[arg-type]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file.csv"


def refused(path: Path, content: str | bytes, **options: object) -> str:
    """The whole message with which a file of this content is refused; no cell is ever in it."""
    with pytest.raises(la.LookalikeError) as caught:
        table(path, content, **options)
    message = str(caught.value)
    assert SECRET not in message
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return message


# --- the dialect ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_table_is_the_same_whatever_its_delimiter_line_ends_and_encoding(
    file: Path, delimiter: str, end: str, encoding: str
) -> None:
    lines = [("age", "sex", "größe"), ("34", "F", "01067"), ("51", "M", "10115"), ("", "F", "80331")]
    text = end.join(delimiter.join(cells) for cells in lines) + end
    found = table(file, text.encode(encoding))
    assert found.columns == ["age", "sex", "größe"]
    assert found.rows() == ROWS


def test_a_last_line_without_an_end_is_a_row(file: Path) -> None:
    assert table(file, "a,b\n1,2\n3,4").rows() == [(1, 2), (3, 4)]


def test_a_delimiter_can_be_given(file: Path) -> None:
    assert table(file, "a:b\n1:2\n", delimiter=":").rows() == [(1, 2)]
    assert table(file, "a\tb\n1\t2\n", delimiter=r"\t").rows() == [(1, 2)]


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "x", "§", "\n"])
def test_a_delimiter_that_cannot_be_one_is_refused(file: Path, delimiter: str) -> None:
    assert (
        refused(file, "a,b\n1,2\n", delimiter=delimiter)
        == f"file.csv: the delimiter must be one character such as , ; | or \\t, not '{delimiter}'."
    )


def test_quoted_cells_may_hold_delimiters_quotes_and_line_ends(file: Path) -> None:
    found = table(file, 'a,"b, ""c"""\n1,"x, y"\n2,"says ""no""\nand\r\ngoes"\n3,5" pipe\n')
    assert found.columns == ["a", 'b, "c"']
    assert found.rows() == [(1, "x, y"), (2, 'says "no"\nand\r\ngoes'), (3, '5" pipe')]


def test_delimiters_inside_quotes_do_not_count_when_the_delimiter_is_sniffed(file: Path) -> None:
    found = table(file, 'name;town\n"a,b,c,d";"x,y,z,w"\n"e,f,g,h";"i,j,k,l"\n')
    assert found.shape == (2, 2)


def test_empty_lines_are_passed_over_where_a_row_has_several_cells(file: Path) -> None:
    found = table(file, "\n\na,b\n1,2\n\n3,4\n\n")
    assert (found.columns, found.rows()) == (["a", "b"], [(1, 2), (3, 4)])


def test_a_table_of_one_column_is_read_and_said(file: Path) -> None:
    file.write_text("age\n34\n\n51\n")
    data = la.read(file)
    assert data.head()["age"].to_list() == [34, None, 51]
    assert data.notes == ("file.csv has one column. If it should have more, give the delimiter (--delimiter).",)


def test_a_column_without_a_name_is_called_by_its_place(file: Path) -> None:
    file.write_text(",age,\n1,34,x\n")
    data = la.read(file)
    assert data.columns == ("column_1", "age", "column_3")
    assert data.notes == (
        "file.csv: column 1 has no name; it is called column_1.",
        "file.csv: column 3 has no name; it is called column_3.",
    )


def test_names_are_stripped_and_stand_on_one_line(file: Path) -> None:
    assert table(file, ' age ,"size\n(cm)"\n1,2\n').columns == ["age", "size (cm)"]


def test_western_letters_are_guessed_with_a_note(file: Path) -> None:
    file.write_bytes("name,town\nJürgen,Köln\nFrançois,Besançon\n".encode("cp1252"))
    data = la.read(file)
    assert data.head().rows() == [("Jürgen", "Köln"), ("François", "Besançon")]
    assert data.notes == ("file.csv: read as cp1252; give the encoding if letters look wrong.",)
    assert la.read(file, encoding="Latin-1").notes == ()


def test_a_text_guessed_as_western_is_guessed_so_wherever_its_letters_stand(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lookalike.data.encoding.BLOCK", 7)
    assert table(file, "name,town\nJürgen,Köln\nRené,Genève\n".encode("cp1252"))["town"].to_list() == ["Köln", "Genève"]
    assert table(file, "name,town\nJürgen,Köln\n€,日本\n".encode())["town"].to_list() == ["Köln", "日本"]


# --- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b"  \r\n"])
def test_an_empty_file_is_refused(file: Path, content: bytes) -> None:
    assert refused(file, content) == "file.csv is empty."


def test_a_header_alone_is_refused(file: Path) -> None:
    assert refused(file, "age,sex\n") == "file.csv has a header and no records."
    assert refused(file, "age,sex") == "file.csv has a header and no records."


def test_ragged_rows_are_counted_and_placed(file: Path) -> None:
    assert refused(file, f'a,b\n1,"x\ny"\n{SECRET}\n4,{SECRET},6\n7,8\n') == (
        "file.csv: 2 rows do not have the 2 cells of the header: 1 with fewer, 1 with more (rows 3, 4; the header is "
        "row 1). Check the delimiter and the quotes."
    )
    assert refused(file, "a,b\n1\n2,3\n") == (
        "file.csv: 1 row does not have the 2 cells of the header: 1 with fewer, 0 with more (row 2; the header is "
        "row 1). Check the delimiter and the quotes."
    )
    assert "9 with fewer, 0 with more (rows 2, 3, 4, 5, 6, …;" in refused(file, "a,b\n" + "1\n" * 9)


def test_row_names_without_a_header_of_their_own_are_told(file: Path) -> None:
    assert refused(file, f"a,b\n1,{SECRET},3\n2,5,6\n") == (
        "file.csv: every row has 3 cells and the header has 2. Does the first column hold row names? Then give it a "
        "name in the header."
    )


def test_columns_of_the_same_name_are_refused(file: Path) -> None:
    assert refused(file, "a,b,a,b \n1,2,3,4\n") == "file.csv has columns of the same name: 'a', 'b'. Rename them."


def test_names_kept_for_the_engines_are_refused(file: Path) -> None:
    assert refused(file, "__row,b\n1,2\n") == (
        "file.csv has columns with names that Lookalike keeps for itself: '__row'. Rename them."
    )
    assert table(file, "__index_level_0__,b\n1,2\n").width == 2


def test_ten_thousand_columns_are_refused_at_once(file: Path) -> None:
    assert refused(file, ",".join(f"c{i}" for i in range(10_000)) + "\n" + ",".join("1" * 10_000) + "\n") == (
        "file.csv has 10,000 columns; at most 5,000 are read. One column a person? Then turn the table; else keep the "
        "columns you need."
    )


def test_a_quote_that_is_never_closed_is_refused_with_its_line(file: Path) -> None:
    """The rows after it would otherwise vanish inside one cell."""
    assert refused(file, f'a,b\n1,2\n3,"{SECRET}\n5,6\n7,8\n') == (
        "file.csv: a quote is opened at line 3 and never closed. Close it or take it out."
    )
    assert "opened at line 1 " in refused(file, 'a,"b\n1,2\n')
    assert "opened at line 2 " in refused(file, 'a\tb\n1\t"x\n2\ty\n')


def test_text_after_a_closing_quote_is_refused_with_its_line(file: Path) -> None:
    """A stray quote that meets the next one swallows the rows between them."""
    assert refused(file, f'a,b\n1,"{SECRET}\n3,4\n5,"six"\n') == (
        "file.csv: line 4 has text after a closing quote. A quote inside a quoted cell must be written twice; a quote "
        "at the start of a cell must be closed at its end."
    )


def test_quotes_are_followed_from_block_to_block(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.data.encoding.BLOCK", 5)
    assert table(file, 'a,b\n1,"x ""y"""\n2,"p\nq"\n')["b"].to_list() == ['x "y"', "p\nq"]
    assert "opened at line 3 " in refused(file, 'a,b\n1,"x ""y"""\n2,"p\nq\n')


def test_a_zero_byte_is_refused_with_its_line(file: Path) -> None:
    assert refused(file, "a,b\n" + "1,2\n" * 300 + f"{SECRET}\0,2\n") == (
        "file.csv: line 302 holds a zero byte. The file is damaged, or not a text table."
    )


def test_a_cell_may_be_long_but_not_endless(file: Path) -> None:
    assert table(file, "a,b\n1," + "x" * 200_000 + "\n2,y\n")["b"].str.len_chars().to_list() == [200_000, 1]
    assert refused(file, "a,b\n1," + "x" * (40 << 20) + "\n2,y\n") == (
        "file.csv cannot be read as a text table: a row is longer than 16 MB. Check the quotes."
    )
    assert refused(file, "x" * (2 << 20)) == (
        "file.csv: the first row is no header: it is longer than 1 MB, or a name in it is."
    )


def test_damaged_utf_8_is_refused_with_its_line(file: Path) -> None:
    whole = f"name,town\nJürgen,Köln\n{SECRET},Düren\n".encode()
    assert refused(file, whole + b"J\xc3rgen,K\xf6ln\n") == (
        "file.csv: line 4 holds bytes that are not UTF-8. Give the file's encoding (--encoding), or save it as UTF-8."
    )
    assert "line 2 holds bytes that are not UTF-8" in refused(file, b"a,b\n\xff\x81,1\n")


def test_an_encoding_that_does_not_fit_is_refused(file: Path) -> None:
    said = "Give the file's encoding (--encoding)."
    assert refused(file, "a,b\n1,ü\n".encode("cp1252"), encoding="utf8") == (
        f"file.csv holds bytes that are not utf-8. {said}"
    )
    assert refused(file, "a,b\n1,ü\n".encode("utf-16")[:-1]) == f"file.csv holds bytes that are not utf-16. {said}"
    long = "a,b\n" + "1,2\n" * 300_000
    assert refused(file, long.encode() + b"1,\x81\n", encoding="cp1252") == (
        f"file.csv holds bytes that are not cp1252. {said}"
    )


@pytest.mark.parametrize("name", ["klingon", "hex"])
def test_an_encoding_nobody_knows_is_refused(file: Path, name: str) -> None:
    assert refused(file, "a,b\n1,2\n", encoding=name) == (
        f"file.csv: '{name}' is not an encoding this computer knows. Give another (--encoding)."
    )


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (b"PK\x03\x04", "a zip archive or an office document"),
        (b"\x1f\x8b\x08", "gzip-compressed"),
        (b"%PDF-1.7", "a PDF"),
        (b"ARROW1", "Arrow"),
        (b"$FL2@(#)", "an SPSS file"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_of_another_kind_under_a_wrong_name_is_told(
    tmp_path: Path, start: bytes, what: str, ending: str
) -> None:
    path = tmp_path / f"file.{ending}"
    assert refused(path, start + bytes(range(256)) * 4) == (
        f"file.{ending} is not a text table: it is {what} under another name."
    )


def test_a_binary_file_is_told(file: Path) -> None:
    assert refused(file, bytes(range(256)) * 8) == (
        "file.csv is a binary file, not a text table. If it is UTF-16, say so (--encoding utf-16-le)."
    )


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(la.BadFile, match=r"^nowhere\.csv: there is no such file\.$"):
        la.read(tmp_path / "nowhere.csv")
    with pytest.raises(la.BadFile, match=r"^file\*\.parquet: there is no such file\.$"):
        la.read(tmp_path / "file*.parquet")


def test_a_folder_without_parquet_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(la.BadFile, match=r"^folder is a folder without Parquet files\. Name a file\.$"):
        la.read(tmp_path / "folder")


def test_wide_tables_are_read_in_reasonable_time(file: Path) -> None:
    names = [f"c{i}" for i in range(400)]
    assert table(file, ",".join(names) + "\n" + ",".join("1" * 400) + "\n").width == 400


# --- large files ----------------------------------------------------------------------------------------


def test_a_large_file_goes_through_a_private_scratch_file_that_is_removed(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    monkeypatch.setenv("LOOKALIKE_SCRATCH", str(scratch))
    monkeypatch.setattr(csv_file, "IN_MEMORY", 10)
    monkeypatch.setattr(csv_file, "_BLOCK", 64)
    lines = [f"{i},{'FM'[i % 2]},{i:05d},{i / 4},{date(2020, 1, 1 + i % 28)},{'?' if i % 3 else i}" for i in range(500)]
    file.write_text("\n".join(["n,sex,code,x,day,gaps", *lines]))
    data = la.read(file, missing={"n": ["7"]})
    [holder] = scratch.iterdir()
    assert holder.stat().st_mode & 0o777 == 0o700
    assert [p.name for p in holder.iterdir() if not p.name.startswith(".")] == ["typed.parquet"]
    staged = data.head(500)
    monkeypatch.undo()
    assert staged.equals(la.read(file, missing={"n": ["7"]}).head(500))
    assert staged.dtypes == [pl.Int64, pl.String, pl.String, pl.Float64, pl.Date, pl.Int64]
    assert staged["n"].null_count() == 1
    assert data.files == (file,)
    del data
    assert list(scratch.iterdir()) == []


def test_a_large_file_that_is_refused_leaves_nothing_behind(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKALIKE_SCRATCH", str(tmp_path / "scratch"))
    monkeypatch.setattr(csv_file, "IN_MEMORY", 10)
    monkeypatch.setattr(csv_file, "_BLOCK", 64)
    assert "1 row does not have the 2 cells" in refused(file, "a,b\n" + "1,2\n" * 100 + "1\n")
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_large_statistical_file_is_staged_and_typed_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first piece has no missing value, the second one has: pieces would differ in type."""
    ages = [float(i) for i in range(30)]
    frame = pl.DataFrame({"age": [*ages[:29], None], "x": [a / 2 for a in ages], "town": ["", *["ä"] * 29]})
    path = la.write(la.read(frame), tmp_path / "file.sav")
    whole = la.read(path).head(30)
    monkeypatch.setattr(statistical, "IN_MEMORY", 10)
    monkeypatch.setattr(statistical, "_CHUNK", 10)
    staged = la.read(path).head(30)
    assert staged.equals(whole)
    assert staged.dtypes == [pl.Int64, pl.Float64, pl.String]
    assert staged["town"][0] is None


def test_guesses_know_how_many_records_the_whole_file_has(file: Path) -> None:
    records = GUESS_FROM + 1
    file.write_text("n,sex\n" + "".join(f"{i},{'FM'[i % 2]}\n" for i in range(records)))
    assert la.read(file).variable("sex").why.endswith(f"2 distinct values in {GUESS_FROM:,} of {records:,} records")


def test_reading_tells_its_progress(file: Path) -> None:
    from lookalike.engine import listening

    class Listener:
        said: list[object]

        def __init__(self) -> None:
            self.said = []

        def begin(self, what: str, total: int | None) -> None:
            self.said.append((what, total))

        def advance(self, steps: int) -> None:
            self.said.append(steps)

        def end(self) -> None:
            self.said.append("end")

    listener = Listener()
    with listening(listener):
        table(file, "a,b\n1,2\n")
    assert listener.said == [("reading file.csv", 8), 8, "end"]


def test_reading_leaves_the_input_as_it_was(file: Path) -> None:
    file.write_text("a,b\n1,2\n")
    before = (file.read_bytes(), file.stat().st_mtime_ns)
    la.read(file).head()
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


# --- any text -------------------------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n\r\t",;|?NA '), max_size=8)


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=8), st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]))
def test_any_text_in_quotes_is_read_back(rows: list[tuple[str, str]], delimiter: str, end: str) -> None:
    """All but blanks, and words for missing with blanks around them: those are missing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
            writer.writerows([("one", "two"), ("word", "word"), *rows])
        found = la.read(path, delimiter=delimiter).head(100)
    assert found.rows()[1:] == [tuple(_kept(cell) for cell in row) for row in rows]


def _kept(cell: str) -> str | None:
    plain = cell.strip()
    return None if not plain or (plain != cell and plain in NULLS) else cell
