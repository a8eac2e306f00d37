"""What is wrong is told: exit code 2, a sentence that helps, nothing written, no cell of the file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

SECRET = "Rumpelstilzchen"
FILE = f"age,sex,name\n30,F,{SECRET}\n31,M,{SECRET}\n30,F,{SECRET}\n"
QI = ("--qi", "age,sex", "--population", "1000")


@pytest.fixture
def refused(lookalike: Callable[..., Any], folder: Path) -> Callable[..., str]:
    """The message of a command that must be refused."""

    def run(*arguments: object) -> str:
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        result = lookalike(*arguments)
        assert result.code == 2, result
        assert result.out == ""
        assert SECRET not in result.err
        assert "Traceback" not in result.err
        assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
        return str(result.err).rstrip("\n")

    return run


def with_content(content: str | bytes, name: str = "file.csv") -> str:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def archive() -> bytes:
    """A zip archive that is no office document."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("data.txt", SECRET)
    return made.getvalue()


# --- the file -------------------------------------------------------------------------------------------

FILES: dict[str, tuple[str | bytes, str]] = {
    "empty": (b"", "file.csv is empty."),
    "header only": ("age,sex\n", "file.csv has a header and no records."),
    "binary": (
        bytes(range(256)) * 40,
        "file.csv is a binary file, not a text table. If it is UTF-16, say so (--encoding utf-16-le).",
    ),
    "short rows": (
        f"age,sex\n30,F\n{SECRET}\n31,M\n{SECRET}\n",
        "file.csv: 2 rows do not have the 2 cells of the header: 2 with fewer, 0 with more (rows 3, 5; the header is "
        "row 1). Check the delimiter and the quotes.",
    ),
    "long rows": (
        f"age,sex\n30,F\n31,{SECRET},F\n",
        "file.csv: 1 row does not have the 2 cells of the header: 0 with fewer, 1 with more (row 3; the header is "
        "row 1). Check the delimiter and the quotes.",
    ),
    "same names": (
        f"age,sex,age\n30,F,{SECRET}\n",
        "file.csv has columns of the same name: 'age'. Rename them.",
    ),
    "damaged utf-8": (
        "age,sex\n30,ä\n".encode() + b"31,\xc3\n" + SECRET.encode() + b",F\n",
        "file.csv: line 3 holds bytes that are not UTF-8. Give the file's encoding (--encoding), or save it as UTF-8.",
    ),
    "no header": (
        f"30,F,{SECRET},a\n31,M,b,c\n30,F,c,d\n",
        "file.csv: its first row does not look like a header: 2 of its 4 names look like values. Add a row with names.",
    ),
    "no header, cells alike": (
        f"30,30,{SECRET}\n31,31,b\n",
        "file.csv: its first row does not look like a header: 2 of its 3 names look like values. Add a row with names.",
    ),
    "too wide": (
        ",".join(f"c{i}" for i in range(10_000)) + "\n" + ",".join([SECRET] * 10_000) + "\n",
        "file.csv has 10,000 columns; at most 5,000 are read. One column a person? Then turn the table; else keep the "
        "columns you need.",
    ),
    "zip": (archive(), "file.csv is not a text table: it is a zip archive or an office document under another name."),
    "open quote": (
        f'age,sex\n30,"F\n31,{SECRET}\n',
        "file.csv: a quote is opened at line 2 and never closed. Close it or take it out.",
    ),
    "zero byte": (
        "age,sex\n" + "30,F\n" * 200 + f"3\x001,{SECRET}\n",
        "file.csv: line 202 holds a zero byte. The file is damaged, or not a text table.",
    ),
    "endless row": (
        f"age,sex\n30,{SECRET * 3_000_000}\n",
        "file.csv cannot be read as a text table: a row is longer than 16 MB. Check the quotes.",
    ),
}


@pytest.mark.parametrize("fault", FILES)
@pytest.mark.parametrize("command", ["assess", "plan"])
def test_a_file_that_is_no_whole_table_is_refused(refused: Callable[..., str], fault: str, command: str) -> None:
    content, message = FILES[fault]
    options = (*QI, "--json", "out.json", "--records", "out.csv") if command == "assess" else ("-o", "plan.toml")
    assert refused(command, with_content(content), *options) == message


def test_a_file_that_is_not_there_is_told(refused: Callable[..., str]) -> None:
    assert refused("assess", "nowhere.csv", *QI) == "nowhere.csv: there is no such file."
    assert refused("plan", "nowhere.csv") == "nowhere.csv: there is no such file."


def test_a_folder_without_parquet_is_told(refused: Callable[..., str], folder: Path) -> None:
    (folder / "data").mkdir()
    assert refused("assess", "data", *QI) == "data is a folder without Parquet files. Name a file."


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("file.xlsx", "file.xlsx cannot be read as a workbook."),
        (
            "file.parquet",
            "file.parquet is not a text table: it is a zip archive or an office document under another name.",
        ),
        (
            "file.sav",
            "file.sav cannot be read as a file of SPSS. It is damaged, another format, or in an encoding to be given "
            "(--encoding).",
        ),
        ("file.feather", "file.feather cannot be read as an Arrow file."),
    ],
)
def test_an_archive_under_another_name_is_told(refused: Callable[..., str], name: str, message: str) -> None:
    assert refused("assess", with_content(archive(), name), *QI) == message


def test_damaged_parquet_is_told(refused: Callable[..., str]) -> None:
    pl.DataFrame({"age": [30, 31], "sex": [SECRET, "F"]}).write_parquet("file.parquet")
    with_content(Path("file.parquet").read_bytes()[:-9], "file.parquet")
    assert refused("assess", "file.parquet", *QI) == (
        "file.parquet is not whole Parquet: it is damaged or was not written to its end."
    )


def test_western_letters_are_accepted_with_a_note(lookalike: Callable[..., Any], folder: Path) -> None:
    name = with_content("age,town\n30,Köln\n30,Köln\n".encode("cp1252"))
    result = lookalike("plan", name, "-o", "plan.toml")
    assert (result.code, result.err) == (
        0,
        "Note: file.csv: read as cp1252; give the encoding if letters look wrong.\n",
    )


# --- the options ----------------------------------------------------------------------------------------


@pytest.fixture
def file(folder: Path) -> str:
    return with_content(FILE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--qi", "agee,sex"), "Column 'agee' is not in the data. Did you mean 'age'? Columns: age, sex, name."),
        (("--qi", "age", "--sensitive", "Sex"), "Column 'Sex' is not in the data. Did you mean 'sex'? Columns: age, "),
        (
            ("--qi", "age", "--id", "case"),
            "Column 'case' is not in the data. Columns: age, sex, name. If this is a release, which has no "
            "identifiers, take it from the list of them.",
        ),
        (
            ("--qi", "age,sex", "--sensitive", "sex"),
            "Column 'sex' has two roles: quasi-identifier and sensitive. Choose one.",
        ),
        (
            ("--qi", "age", "--population", "2"),
            "The population (2 people, given) is smaller than the file (3 records).",
        ),
        (("--qi", "age", "--population", "0"), "The population must have at least 1 person."),
        (("--qi", "age", "--population", "-5"), "The population must have at least 1 person."),
        (
            ("--qi", "age", "--population", "10.5"),
            "The population must be a whole number of people, or a file of them.",
        ),
        (
            ("--qi", "age", "--population", "60.000"),
            "The population: 60.000 was read as 60: write 60000 or 60,000.",
        ),
        (
            ("--qi", "age", "--population", "1.250.000"),
            "The population: 1.250.000 is not read as a number: write 1250000 or 1,250,000.",
        ),
        (
            ("--qi", "age", "--keep-words", "regoin,sxe"),
            "2 faults:\n- In words to keep: column 'regoin' is not in the data. Columns: age, sex, name.\n"
            "- In words to keep: column 'sxe' is not in the data. Did you mean 'sex'? Columns: age, sex, name.",
        ),
        (("--qi", "age", "--population", "nan"), "The population must be a whole number of people, or a file of them."),
        (("--qi", "age", "--population", "many.csv"), "many.csv: there is no such file."),
        (("--qi", "age", "--threshold", "0"), "Threshold sample_to_population must lie in (0, 1], not 0."),
        (("--qi", "age", "--threshold", "-1"), "Threshold sample_to_population must lie in (0, 1], not -1."),
        (("--qi", "age", "--threshold", "1.5"), "Threshold sample_to_population must lie in (0, 1], not 1.5."),
        (("--qi", "age", "--threshold", "nan"), "Threshold sample_to_population must lie in (0, 1], not nan."),
        (("--qi", "age", "--k", "0"), "Threshold k_anonymity must be at least 1, not 0."),
        (("--qi", "age", "--seed", "-1"), "The seed must be at least 0."),
        (("--qi", "age", "--engine", "sql"), "Engine 'sql' is not known. Engines: auto, polars, duckdb, spark."),
        (
            ("--qi", "age", "--missing", "wild"),
            "Missing mode 'wild' is not known. Did you mean 'wildcard'? Modes: own, wildcard, conservative.",
        ),
        (
            ("--qi", "age", "--kind", "age=number"),
            "Column 'age': kind 'number' is not known. Did you mean 'numeric'? Kinds: numeric, ordinal, nominal, date, "
            "text code.",
        ),
        (("--qi", "age", "--kind", "age"), "--kind 'age' must look like COLUMN=VALUE."),
        (
            ("--qi", "age", "--kind", "sex=numeric"),
            "Column 'sex' is said to be numeric and holds text. Say ordinal or nominal, or mend its cells.",
        ),
        (
            ("--qi", "age", "--missing-code", "old=-8"),
            "In missing codes: column 'old' is not in the data. Columns: age, sex, name.",
        ),
        (
            ("--qi", "age", "--target", "nonsense"),
            "--target must look like COLUMN>NUMBER, COLUMN<NUMBER or COLUMN=VALUE.",
        ),
        (
            ("--qi", "age", "--target", "sex>many"),
            "--target must look like COLUMN>NUMBER, COLUMN<NUMBER or COLUMN=VALUE.",
        ),
        (("--qi", "age", "--target", "sex>5"), "Target 'sex' is a range of numbers, but the column is not numeric."),
        (
            ("--qi", "age", "--target", "wage>5"),
            "In targets: column 'wage' is not in the data. Did you mean 'age'? Columns: age, sex, name.",
        ),
        (("--qi", "age", "--weight", "sex"), "Weight 'sex' is not numeric."),
        (("--qi", "age", "--delimiter", "ab"), "file.csv: the delimiter must be one character such as , ; | or \\t, "),
        (("--qi", "age", "--encoding", "klingon"), "file.csv: 'klingon' is not an encoding this computer knows."),
        (("--qi", "age", "--nonsense", "1"), "No such option: --nonsense"),
        (("--qi", "age", "--seed", "x"), "Invalid value for '--seed'"),
    ],
)
def test_a_wrong_option_is_told(refused: Callable[..., str], file: str, options: tuple[str, ...], message: str) -> None:
    told = refused("assess", file, *options, "--json", "out.json", "--records", "out.csv")
    assert told.startswith(message)
    assert not told.startswith("2 faults") or message.startswith("2 faults")


def test_a_command_that_does_not_exist_is_told(refused: Callable[..., str]) -> None:
    assert refused("asses", "file.csv") == "No such command 'asses'. Did you mean 'assess'?"
    assert refused("assess") == "Missing argument 'file'."


def test_several_faults_are_told_together(refused: Callable[..., str], file: str) -> None:
    with_content("", "there.json")
    told = refused(
        *("assess", file, "--qi", "age,sexx", "--threshold", "2", "--population", "2", "--target", "nonsense"),
        *("--json", "there.json", "--records", "out.docx"),
    )
    assert told.split("\n") == [
        "6 faults:",
        "- --target must look like COLUMN>NUMBER, COLUMN<NUMBER or COLUMN=VALUE.",
        "- there.json exists. Choose another name, or replace it by force (--force, force=True).",
        "- 'out.docx' has an ending that cannot be written. Endings: .csv, .tsv, .parquet, .arrow, .feather, .xlsx, "
        ".dta, .sav, .xpt.",
        "- Threshold sample_to_population must lie in (0, 1], not 2.",
        "- Column 'sexx' is not in the data. Did you mean 'sex'? Columns: age, sex, name.",
        "- The population (2 people, given) is smaller than the file (3 records).",
    ]


def test_faults_of_two_files_are_told_together(refused: Callable[..., str]) -> None:
    with_content("age\n", "people.csv")
    assert refused("assess", "nowhere.csv", "--qi", "age", "--population", "people.csv").split("\n") == [
        "2 faults:",
        "- nowhere.csv: there is no such file.",
        "- people.csv has a header and no records.",
    ]


# --- quasi-identifiers ----------------------------------------------------------------------------------


def test_without_quasi_identifiers_the_guessed_ones_are_offered(
    refused: Callable[..., str], lookalike: Callable[..., Any], file: str
) -> None:
    ask = "No quasi-identifier is named: which columns may an attacker know?"
    told = refused("assess", file)
    assert told == f"{ask} Guessed from names and contents: age, sex. To take these: --qi age,sex"
    option = told.rsplit("To take these: ", 1)[1].split(" ")
    assert lookalike("assess", file, *option, "--quiet").code in (0, 1, 3, 4)
    assert refused("assess", file, "--sensitive", "sex").endswith("To take these: --qi age")


def test_offered_names_are_quoted_so_that_they_can_be_pasted(refused: Callable[..., str], folder: Path) -> None:
    name = with_content(f'"Age, years","Sex (m/f)",note\n30,F,{SECRET}\n31,M,{SECRET}\n')
    assert refused("assess", name).endswith("""To take these: --qi '"Age, years",Sex (m/f)'""")
    assert refused("assess", name, "--qi", '"Age, years",Sexx').startswith("Column 'Sexx' is not in the data.")


def test_without_a_guess_the_names_are_asked_for(refused: Callable[..., str], folder: Path) -> None:
    name = with_content("q1,q2\n1,2\n3,4\n")
    assert refused("assess", name) == (
        "No quasi-identifier is named: which columns may an attacker know? Name them (--qi)."
    )


def test_records_without_any_quasi_identifier_are_counted(refused: Callable[..., str], folder: Path) -> None:
    name = with_content(f"age,sex,name\n30,F,{SECRET}\n,NA,{SECRET}\n?,,{SECRET}\n")
    said = (
        "all quasi-identifiers missing: nothing is known there, so no risk can be measured. Remove what is empty, or "
        "name quasi-identifiers that are filled."
    )
    assert refused("assess", name, *QI) == f"2 records have {said}"
    with_content(f"age,sex,name\n30,F,{SECRET}\n,,{SECRET}\n")
    assert refused("assess", name, *QI) == f"1 record has {said}"


# --- mixed types ----------------------------------------------------------------------------------------


@pytest.fixture
def mixed(folder: Path) -> str:
    ages = "".join(f"{i + 20},F\n" for i in range(60))
    return with_content(f"age,sex\n{ages}{SECRET},F\n{SECRET},F\nold,M\n")


def test_words_between_numbers_are_counted_in_a_column_that_is_used(refused: Callable[..., str], mixed: str) -> None:
    advice = (
        ' If they mean missing, name them (--missing-code "age=CODE", or [missing.codes] in the plan); if the column '
        'is text, say so (--kind "age=nominal", or [kinds] in the plan).'
    )
    told = refused("assess", mixed, *QI)
    assert told == f"Column 'age' mixes numbers with 3 cells that are not numbers.{advice}"
    told = refused("assess", mixed, *QI, "--missing-code", "age=old,dead")
    assert told == f"Column 'age' mixes numbers with 2 cells that are not numbers.{advice}"
    told = refused("assess", mixed, *QI, "--missing-code", f"age={SECRET}")
    assert told == f"Column 'age' mixes numbers with 1 cell that is not a number.{advice}"


def test_words_between_numbers_can_be_explained(lookalike: Callable[..., Any], mixed: str) -> None:
    assert lookalike("assess", mixed, "--qi", "sex", "--quiet").code in (0, 1, 3, 4)
    assert lookalike("assess", mixed, *QI, "--kind", "age=nominal", "--quiet").code in (0, 1, 3, 4)
    assert lookalike("assess", mixed, *QI, "--missing-code", f"age={SECRET},old", "--quiet").code in (0, 1, 3, 4)


# --- the population file --------------------------------------------------------------------------------


def test_a_population_file_that_does_not_fit_is_told(refused: Callable[..., str], file: str) -> None:
    with_content(f"age,town\n30.5,{SECRET}\n31,{SECRET}\n", "people.csv")
    told = refused("assess", file, "--qi", "age,sex", "--population", "people.csv").split("\n")
    assert told == [
        "2 faults:",
        "- The population file lacks the quasi-identifiers 'sex'.",
        "- The population (2 people, people.csv) is smaller than the file (3 records).",
    ]
    with_content("age,sex\n" + "30.5,F\nold,F\n" * 5, "people.csv")
    with_content(f"age,sex,name\n30.5,F,{SECRET}\n30.5,F,{SECRET}\n")
    assert refused("assess", file, "--qi", "age,sex", "--population", "people.csv") == (
        "Quasi-identifier 'age' is numbers in the file and text in the population file: no value of one would equal "
        "one of the other. Give both the same form."
    )


def test_missing_codes_count_for_the_population_file_too(lookalike: Callable[..., Any], folder: Path) -> None:
    with_content("age,sex\n30,F\nunknown,F\n")
    with_content("sex,age\n" + "F,30\nF,unknown\n" * 20, "people.csv")
    result = lookalike(
        *("assess", "file.csv", "--qi", "age,sex", "--population", "people.csv"),
        *("--missing-code", "age=unknown", "--quiet"),
    )
    assert result.code == 0, result


# --- the plan -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("[roles\n", "plan.toml: plan.toml is not valid TOML:"),
        ('[roles]\nquasi = ["age"]\n', "plan.toml: Key 'quasi' is not in [roles]."),
        ("[role]\n", "plan.toml: Key 'role' is not in a plan. Did you mean 'roles'?"),
        ('[roles]\nquasi_identifiers = "age"\n', "plan.toml: quasi_identifiers must be a list of texts."),
        ('[population]\nsize = "many"\n', "plan.toml: size must be a whole number."),
        ("[thresholds]\nk_anonymity = true\n", "plan.toml: k_anonymity must be a number."),
        ("roles = 5\n", "plan.toml: roles must be a table."),
        (b"\xff\xfe", "plan.toml is not a plan in TOML."),
    ],
)
def test_a_wrong_plan_is_told(refused: Callable[..., str], file: str, plan: str | bytes, message: str) -> None:
    with_content(plan, "plan.toml")
    assert refused("assess", file, "--plan", "plan.toml", "--json", "out.json").startswith(message)


def test_a_plan_that_is_not_there_is_told(refused: Callable[..., str], file: str, folder: Path) -> None:
    assert refused("assess", file, "--plan", "plan.toml") == "plan.toml: there is no such plan."
    (folder / "plan.d").mkdir()
    assert refused("assess", file, "--plan", "plan.d") == "plan.d is not a plan in TOML."


def test_faults_of_a_plan_and_of_options_are_told_together(refused: Callable[..., str], file: str) -> None:
    with_content('seed = "x"\n[role]\n', "plan.toml")
    told = refused("assess", file, "--plan", "plan.toml", "--kind", "age", "--json", "no/out.json").split("\n")
    assert told[0] == "4 faults:"
    assert told[1].startswith("- plan.toml: Key 'role' is not in a plan.")
    assert told[2:] == [
        "- plan.toml: seed must be a whole number.",
        "- --kind 'age' must look like COLUMN=VALUE.",
        "- out.json: the folder to write it in does not exist.",
    ]


# --- the outputs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--json", "--records"])
def test_an_output_that_exists_is_refused(refused: Callable[..., str], file: str, option: str) -> None:
    with_content("old", "old.csv")
    assert refused("assess", file, *QI, option, "old.csv") == (
        "old.csv exists. Choose another name, or replace it by force (--force, force=True)."
    )


def test_no_input_is_ever_an_output(refused: Callable[..., str], file: str) -> None:
    with_content("[roles]\nquasi_identifiers = ['age']\n", "plan.toml")
    with_content("age\n30\n31\n30\n30\n", "people.csv")
    plan = ("assess", file, "--plan", "plan.toml", "--population", "people.csv", "--force")
    for name in (file, "plan.toml", "people.csv"):
        assert refused(*plan, "--json", name) == (
            f"{name} is the input; an input is never changed. Choose another output."
        )
    assert "file.csv is the input" in refused("plan", file, "-o", file, "--force")


def test_a_file_of_an_input_folder_is_never_an_output(refused: Callable[..., str], folder: Path) -> None:
    (folder / "data").mkdir()
    pl.DataFrame({"age": [30, 31]}).write_parquet("data/part.parquet")
    for source in ("data", "data/*.parquet"):
        told = refused("assess", source, "--qi", "age", "--records", "data/part.parquet", "--force")
        assert told.startswith("part.parquet is the input;")


def test_one_file_cannot_be_two_outputs(refused: Callable[..., str], file: str) -> None:
    assert refused("assess", file, *QI, "--json", "out.csv", "--records", "out.csv") == (
        "Two outputs name the same file. Choose another name for one of them."
    )


def test_a_plan_that_exists_is_kept(refused: Callable[..., str], file: str) -> None:
    with_content("mine", "plan.toml")
    assert refused("plan", file, "-o", "plan.toml") == (
        "plan.toml exists. Choose another name, or replace it by force (--force, force=True)."
    )


def test_a_demonstration_replaces_no_file_of_yours(refused: Callable[..., str], folder: Path) -> None:
    (folder / "mine").mkdir()
    with_content("mine", "mine/hospital.csv")
    assert refused("demo", "mine") == "mine holds hospital.csv. Choose another folder, or --force to replace them."
    assert refused("demo", "mine/hospital.csv") == "hospital.csv is a file. Name a folder for the demonstration."


def test_a_folder_that_takes_no_file_is_told(refused: Callable[..., str], file: str) -> None:
    assert refused("assess", file, *QI, "--quiet", "--json", "/proc/out.json").startswith(
        ("out.json cannot be written there:", "out.json: you may not write in its folder.")
    )
