"""`lookalike synthesize`: files and folders, evidence, exit codes, nothing half-written."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lookalike.report.release import AS_IF_REAL
from lookalike.report.synthesis import words

Run = Callable[..., Any]
PEOPLE = pl.DataFrame(
    {
        "id": [f"p{i}" for i in range(120)],
        "age": [20 + i % 40 for i in range(120)],
        "sex": ["F", "M", "F"] * 40,
        "pay": [None if i % 9 == 0 else 1000 + 50 * (i % 17) for i in range(120)],
    }
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    PEOPLE.write_csv(path)
    return path


def ask(lookalike: Run, file: Path, *more: str) -> tuple[int, str]:
    done = lookalike("synthesize", file, "--id", "id", "--model", "gaussian-copula", *more)
    return done.code, done.out + done.err


def test_one_copy_is_a_file_and_has_no_identifier(lookalike: Run, file: Path, tmp_path: Path) -> None:
    code, said = ask(lookalike, file, "-o", str(tmp_path / "out.csv"), "--rows", "50")
    assert code == 0
    assert "drawn by gaussian-copula" in said
    assert pl.read_csv(tmp_path / "out.csv").shape == (50, 3)


def test_copies_are_a_folder_in_the_format_of_the_input(lookalike: Run, file: Path, tmp_path: Path) -> None:
    assert ask(lookalike, file, "-o", str(tmp_path / "out"), "--copies", "3")[0] == 0
    assert sorted(f.name for f in (tmp_path / "out").iterdir()) == ["copy-1.csv", "copy-2.csv", "copy-3.csv"]


def test_of_many_copies_the_lowest_and_the_highest_are_shown(lookalike: Run, file: Path, tmp_path: Path) -> None:
    code, said = ask(lookalike, file, "-o", str(tmp_path / "out"), "--copies", "5", "--drop", "pay")
    assert code == 0
    assert "lowest of the copies" in said
    assert "copy 1" not in said
    assert "Left out: id, pay." in said


def test_a_sequence_shows_its_order_methods_and_predictors(lookalike: Run, file: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        "[roles]\nidentifiers = ['id']\n[synthesize]\nmodel = 'sequential'\n"
        "[synthesize.options]\norder = ['sex']\nmethods = { pay = 'norm' }\npredictors = { pay = ['age', 'sex'] }\n"
    )
    evidence = tmp_path / "e.json"
    done = lookalike("synthesize", file, "-o", tmp_path / "out.csv", "--plan", plan, "--json", evidence)
    assert done.code == 0, done.err
    assert "One column after another" in done.out
    told = json.loads(evidence.read_text())["release"]["details"]
    assert told["order"] == ["sex", "age", "pay"]
    assert told["methods"] == {"sex": "sample", "age": "cart", "pay": "norm"}
    assert told["predictors_used"] == [[0, 1, 0], [0, 0, 0], [1, 1, 0]]
    refused = lookalike(
        "synthesize", file, "-o", tmp_path / "no.csv", "--id", "id", "--model", "sequential", "--option", "method=magic"
    )
    assert refused.code == 2
    assert "Method 'magic' is not known." in refused.err
    assert not (tmp_path / "no.csv").exists()


def test_the_same_seed_gives_the_same_bytes(lookalike: Run, file: Path, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        ask(lookalike, file, "-o", str(tmp_path / name), "--seed", "5")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_the_evidence_holds_the_release_its_digest_and_its_risk(lookalike: Run, file: Path, tmp_path: Path) -> None:
    out, evidence = tmp_path / "out.parquet", tmp_path / "evidence.json"
    more = ("--qi", "age,sex", "--population", "100000", "--json", str(evidence), "--columns", "pay", "--quiet")
    code, _ = ask(lookalike, file, "-o", str(out), *more)
    found = json.loads(evidence.read_text())
    assert code == 0
    assert found["command"] == "synthesize"
    assert found["outputs"][0]["name"] == "out.parquet"
    assert len(found["outputs"][0]["sha256"]) == 64
    assert found["release"]["linked"] is True
    assert found["release"]["kept"] == ["age", "sex"]
    assert found["risk"]["records"] == 120
    assert found["plan"]["synthesize"]["columns"] == ["pay"]


def test_the_terminal_says_what_the_page_says_and_sends_nobody_to_protect(
    lookalike: Run, file: Path, folder: Path
) -> None:
    """Also where B of the drawn records fails: they are no people."""
    asked = ("-o", "new file.csv", "--qi", "age,sex,pay", "--population", "121", "--json", "e.json")
    code, said = ask(lookalike, file, *asked)
    told = " ".join(said.replace("│", " ").split())
    assert code == 1
    assert words.SAYS["fails"] in told
    assert told.index("B reads the drawn records as if each were a person") < told.index(AS_IF_REAL)
    assert "must not leave the house" not in told
    assert "lookalike protect" not in told
    assert said.endswith(f"To paste: lookalike compare {file} 'new file.csv' --made e.json\n")


def test_where_kept_columns_are_real_the_verdict_is_on_people(lookalike: Run, file: Path, tmp_path: Path) -> None:
    asked = ("-o", str(tmp_path / "out.csv"), "--columns", "pay", "--qi", "age,sex", "--population", "121")
    code, said = ask(lookalike, file, *asked)
    told = " ".join(said.replace("│", " ").split())
    assert code == 1
    assert told.count(words.LINKED_SAYS["fails"]) == 2
    assert AS_IF_REAL not in told
    assert "--made" not in told  # there is no evidence to name


def test_a_plan_can_hold_rules(lookalike: Run, tmp_path: Path) -> None:
    young, old = pl.col("age") < 30, pl.col("age") > 50
    file, plan, out = tmp_path / "people.csv", tmp_path / "plan.toml", tmp_path / "out.csv"
    PEOPLE.filter(~((young & (pl.col("sex") == "M")) | (old & (pl.col("sex") == "F")))).write_csv(file)
    plan.write_text(
        '[roles]\nidentifiers = ["id"]\n[synthesize]\nmodel = "independent"\nimpossible = '
        "[\"sex = 'F' AND age > 50\"]\n"
        '[[synthesize.rules]]\nwhen = "age < 30"\nthen = { sex = "F" }\n'
    )
    assert lookalike("synthesize", file, "--plan", plan, "-o", out, "--rows", "2000").code == 0
    drawn = pl.read_csv(out)
    assert drawn.filter(young & (pl.col("sex") != "F")).height == 0
    assert drawn.filter(old & (pl.col("sex") == "F")).height == 0


REFUSED = [
    (("--copies", "0"), "At least 1 copy"),
    (("--rows", "0"), "At least 1 row"),
    (("--columns", "income"), "Column 'income' is not in the data."),
    (("--impossible", "age > 21"), "contradicts the file"),
    (("--option", "klasses=3"), "Option 'klasses'"),
    (("--given", "sex"), "must look like"),
    (("--model", "gausian-copula"), "Did you mean 'gaussian-copula'?"),
]


@pytest.mark.parametrize(("more", "message"), REFUSED, ids=[" ".join(m) for m, _ in REFUSED])
def test_refusals_write_nothing(
    lookalike: Run, file: Path, tmp_path: Path, more: tuple[str, ...], message: str
) -> None:
    out = tmp_path / "out.csv"
    code, said = ask(lookalike, file, "-o", str(out), *more)
    assert code == 2
    assert message in said
    assert sorted(f.name for f in tmp_path.iterdir()) == ["people.csv"]


def test_the_input_and_what_exists_are_never_overwritten(lookalike: Run, file: Path, tmp_path: Path) -> None:
    before = file.read_bytes()
    assert ask(lookalike, file, "-o", str(file), "--force")[0] == 2
    assert file.read_bytes() == before
    (tmp_path / "out.csv").write_text("mine")
    assert ask(lookalike, file, "-o", str(tmp_path / "out.csv"))[0] == 2
    assert (tmp_path / "out.csv").read_text() == "mine"
    assert ask(lookalike, file, "-o", str(tmp_path), "--copies", "2")[0] == 2


def test_a_folder_with_other_files_or_the_input_is_left_alone(lookalike: Run, tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    PEOPLE.write_csv(folder / "people.csv")
    code, said = ask(lookalike, folder / "people.csv", "-o", str(folder), "--copies", "2", "--force")
    assert code == 2
    assert "holds an input" in said
    other = tmp_path / "e"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    assert ask(lookalike, folder / "people.csv", "-o", str(other), "--copies", "2", "--force")[0] == 2
    assert [f.name for f in other.iterdir()] == ["mine.txt"]
    assert [f.name for f in folder.iterdir()] == ["people.csv"]


def test_copies_of_a_former_run_are_replaced_by_force_alone(lookalike: Run, file: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    assert ask(lookalike, file, "-o", out, "--copies", "3")[0] == 0
    assert ask(lookalike, file, "-o", out, "--copies", "2")[0] == 2
    assert ask(lookalike, file, "-o", out, "--copies", "2", "--force")[0] == 0
    assert sorted(f.name for f in (tmp_path / "out").iterdir()) == ["copy-1.csv", "copy-2.csv"]


def test_without_a_seed_every_release_is_another(lookalike: Run, file: Path, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        _, said = ask(lookalike, file, "-o", str(tmp_path / name))
        assert "keep it secret" not in said
    assert (tmp_path / "a.csv").read_bytes() != (tmp_path / "b.csv").read_bytes()
    assert "keep it secret" in " ".join(ask(lookalike, file, "-o", str(tmp_path / "c.csv"), "--seed", "5")[1].split())


def test_a_release_of_more_records_than_people_is_refused_not_said_to_hold(
    lookalike: Run, file: Path, tmp_path: Path
) -> None:
    more = ("--qi", "age,sex", "--population", "500", "--rows", "600")
    code, said = ask(lookalike, file, "-o", str(tmp_path / "out.csv"), *more)
    assert code == 2
    assert "no risk that could be measured" in " ".join(said.split())
    assert not (tmp_path / "out.csv").exists()


def test_more_copies_than_the_disk_holds_are_refused(lookalike: Run, file: Path, tmp_path: Path) -> None:
    code, said = ask(lookalike, file, "-o", str(tmp_path / "out"), "--copies", "2", "--rows", str(10**15))
    assert code == 2
    assert "GB are free there" in said
    assert not (tmp_path / "out").exists()


def test_the_report_of_copies_is_one_page_without_the_seed(lookalike: Run, file: Path, tmp_path: Path) -> None:
    page, evidence = tmp_path / "page.html", tmp_path / "e.json"
    more = ("--copies", "2", "--seed", "987654321", "--html", str(page), "--quiet")
    assert ask(lookalike, file, "-o", str(tmp_path / "out"), *more, "--json", str(evidence))[0] == 0
    text = page.read_text(encoding="utf-8")
    assert "2 copies drawn from a model of people.csv" in text
    assert "987654321" not in text
    assert "page.html" in [output["name"] for output in json.loads(evidence.read_text())["outputs"]]
    code, said = ask(lookalike, file, "-o", str(tmp_path / "other"), *more)
    assert code == 2
    assert "page.html exists" in said
    assert not (tmp_path / "other").exists()
