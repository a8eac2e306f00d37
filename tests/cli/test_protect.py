"""`lookalike protect`: releases, evidence, exit codes, bad input."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

Run = Callable[..., Any]
QUASI = "age,sex,area"


def people(rows: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(rows)],
            "age": rng.integers(18, 80, rows),
            "sex": rng.choice(["F", "M"], rows),
            "area": rng.choice(["0101", "0102", "0201", "0203"], rows),
            "illness": rng.choice(["a", "b", "c"], rows),
            "pay": rng.integers(1000, 5000, rows),
        }
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    people().write_csv(path)
    return path


def ask(lookalike: Run, file: Path, out: Path, *more: str) -> tuple[int, str]:
    done = lookalike("protect", file, "-o", out, "--id", "id", "--qi", QUASI, *more)
    return done.code, done.out + done.err


def smallest_class(path: Path) -> int:
    frame = pl.read_csv(path, infer_schema_length=0)
    return int(frame.group_by(QUASI.split(",")).len()["len"].min())  # type: ignore[arg-type]


def test_generalize_reaches_k_and_tells_before_and_after(lookalike: Run, file: Path, tmp_path: Path) -> None:
    out, evidence = tmp_path / "out.csv", tmp_path / "e.json"
    code, said = ask(lookalike, file, out, "--k", "5", "--json", str(evidence))
    assert code == 0
    assert "Before and after" in said
    assert "B was not decided on" in said
    assert smallest_class(out) >= 5
    assert "id" not in pl.read_csv(out).columns
    document = json.loads(evidence.read_text())
    release = document["release"]
    assert document["command"] == "protect"
    assert document["before"]["k_anonymity"] == 1
    assert document["risk"]["k_anonymity"] >= 5
    assert release["cells_generalized"] == sum(c["generalized"] for c in release["cells"].values()) > 0
    assert 0 < release["losses"]["granularity"] < 1
    assert document["thresholds"] == [
        {
            "measure": "k_anonymity",
            "value": document["risk"]["k_anonymity"],
            "threshold": 5,
            "meets": True,
            "outcome": "holds",
            "reason": "",
            "doubts": [],
        }
    ]


def test_generalize_reaches_b_and_the_verdict_is_that_of_the_release(
    lookalike: Run, file: Path, tmp_path: Path
) -> None:
    evidence = tmp_path / "e.json"
    code, _ = ask(lookalike, file, tmp_path / "out.csv", "--population", "3000", "--json", str(evidence))
    document = json.loads(evidence.read_text())
    assert code == 0
    assert document["verdict"]["measure"] == "sample_to_population"
    assert (
        document["verdict"]["value"]
        <= 0.09
        < document["before"]["sample_to_population"]["estimates"]["posterior"]["value"]
    )


def test_the_next_command_can_be_pasted(lookalike: Run, file: Path, folder: Path) -> None:
    Path("my work").mkdir()
    out, evidence = Path("my work/out.csv"), "my work/e.json"
    line = f"To paste: lookalike compare {file} 'my work/out.csv' --made 'my work/e.json'\n"
    assert ask(lookalike, file, out, "--k", "5", "--json", evidence)[1].endswith(line)
    assert "--made 'my" not in ask(lookalike, file, out, "--k", "5", "--force")[1]
    assert ask(lookalike, file, out, "--k", "5", "--json", evidence, "--force", "--quiet")[1] == ""
    json.loads(ask(lookalike, file, out, "--k", "5", "--json", "-", "--force", "--quiet")[1])
    failed = ask(lookalike, file, out, "--method", "rank-swap", "--k", "5", "--json", evidence, "--force")
    assert failed[0] == 1
    assert "To paste: lookalike compare" not in failed[1]


def test_files_that_are_written_are_named_and_a_column_of_single_values_comes_first(
    lookalike: Run, tmp_path: Path
) -> None:
    file, out = tmp_path / "single.csv", tmp_path / "out.csv"
    single = pl.Series("cost", [1.5, 1.5, *(2.5 + i for i in range(498))])
    people(500).with_columns(single).write_csv(file)
    written = ("--html", str(tmp_path / "r.html"), "--json", str(tmp_path / "e.json"))
    code, said = ask(lookalike, file, out, "--k", "5", *written)
    said = " ".join(said.replace("│", " ").split())
    assert code == 0
    assert "'cost' (99.6 % of records): left as it is" in said
    assert "Next: First see to the columns left as they are (notes): they say more of a record than what" in said
    assert "Report: " in said
    assert "Evidence: " in said
    assert "signed" not in said.partition("Evidence: ")[2]


def test_a_column_that_tells_what_was_changed_comes_first(lookalike: Run, tmp_path: Path) -> None:
    file, out = tmp_path / "born.csv", tmp_path / "out.csv"
    people(500).with_columns(born=2020 - pl.col("age"), noted=pl.int_range(500) % 7).write_csv(file)
    code, said = ask(lookalike, file, out, "--k", "5")
    said = " ".join(said.replace("│", " ").split())
    assert code == 0
    assert "Note: 'born' (age): left as it is, and tells the column in brackets, which was changed" in said
    assert "Next: First see to the columns left as they are" in said
    code, said = ask(lookalike, file, tmp_path / "again.csv", "--k", "5", "--drop", "born,pay")
    assert code == 0
    assert "in brackets" not in said
    assert "First see" not in said


def test_a_recode_is_saved_and_applied_to_the_next_file(lookalike: Run, file: Path, tmp_path: Path) -> None:
    recode, out = tmp_path / "recode.json", tmp_path / "out.csv"
    assert ask(lookalike, file, out, "--k", "5", "--save-recode", str(recode))[0] == 0
    following = tmp_path / "next.csv"
    people(600).write_csv(following)
    code, said = ask(lookalike, following, tmp_path / "next-out.csv", "--k", "5", "--recode", str(recode))
    assert code in (0, 1)
    assert "changed by recode" in said
    ages = pl.read_csv(out, infer_schema_length=0)["age"].unique()
    assert pl.read_csv(tmp_path / "next-out.csv", infer_schema_length=0)["age"].is_in(ages.implode()).mean() > 0.9  # type: ignore[operator]


@pytest.mark.parametrize("method", ["microaggregate", "mondrian", "suppress"])
def test_methods_by_name_take_k_from_the_limit(lookalike: Run, file: Path, tmp_path: Path, method: str) -> None:
    out = tmp_path / "out.csv"
    code, _ = ask(lookalike, file, out, "--k", "4", "--method", method)
    assert code == 0
    assert smallest_class(out) >= 4


def test_steps_of_a_plan_are_taken_in_their_order(lookalike: Run, file: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        "[thresholds]\nsample_to_population = false\nk_anonymity = 3\n"
        "[[protect.steps]]\nmethod = 'top-bottom'\ncolumns = { age = [25, 70] }\n"
        "[[protect.steps]]\nmethod = 'suppress'\n"
    )
    code, said = ask(lookalike, file, tmp_path / "out.csv", "--plan", str(plan))
    assert code == 0
    assert "changed by top-bottom + suppress" in " ".join(said.replace("│", " ").split())


def test_an_index_and_a_shuffle(lookalike: Run, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert ask(lookalike, file, out, "--k", "2", "--method", "mondrian", "--shuffle", "--index", "record")[0] == 0
    release = pl.read_csv(out)
    assert release["record"].sort().to_list() == list(range(1, 301))
    assert release["record"].to_list() != list(range(1, 301))
    assert release.sort("record")["pay"].to_list() == people()["pay"].to_list()


BAD: dict[str, tuple[list[str], str]] = {
    "k larger than n": (["--k", "301", "--method", "mondrian"], "300"),
    "k of 1": (["--k", "1"], "k of 1 asks for nothing"),
    "t of 0": (["--k", "3", "--t", "0", "--sensitive", "pay"], "Threshold t_closeness must lie in (0, 1], not 0."),
    "an unknown method": (["--method", "generalise"], "Did you mean 'generalize'?"),
    "an unknown option": (["--k", "3", "--method", "mondrian", "--option", "kk=3"], "Option 'kk' is not in mondrian."),
    "a method without its settings": (
        ["--uniques", "0.5", "--method", "mondrian"],
        "mondrian needs k (--k or",
    ),
    "no hierarchies": (["--k", "3", "--hierarchies", "nowhere"], "there is no such folder of hierarchies"),
    "no recode": (["--k", "3", "--recode", "nowhere.json"], "nowhere.json: there is no such recode."),
    "a recode and a method": (["--k", "3", "--recode", "r.json", "--method", "suppress"], "it goes without --method"),
    "no recode to save": (
        ["--k", "3", "--method", "mondrian", "--save-recode", "r.json"],
        "There is no recode to save",
    ),
    "a limit without what it is about": (["--l", "2"], "sensitive"),
}


@pytest.mark.parametrize("case", list(BAD))
def test_bad_input_is_told_and_nothing_is_written(lookalike: Run, file: Path, tmp_path: Path, case: str) -> None:
    options, words = BAD[case]
    code, said = ask(lookalike, file, tmp_path / "out.csv", *options)
    assert code == 2
    assert words in said.replace("\n", " ")
    assert not (tmp_path / "out.csv").exists()


def test_a_hierarchy_that_lacks_values_is_told_by_column_and_count(lookalike: Run, file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "hierarchies"
    folder.mkdir()
    (folder / "area.csv").write_text("0101;01;*\n0102;01;*\n")
    code, said = ask(lookalike, file, tmp_path / "out.csv", "--k", "5", "--hierarchies", str(folder))
    assert code == 2
    assert "'area'" in said
    assert "2" in said
    assert "0201" not in said


def test_a_limit_that_cannot_be_reached_gives_the_best_point_and_exit_code_1(
    lookalike: Run, file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    code, said = ask(lookalike, file, out, "--k", "5", "--sensitive", "illness", "--l", "4")
    assert code == 1
    assert "No version of the file keeps the limits" in said.replace("\n", " ")
    assert out.exists()


def test_a_time_limit_of_one_second_is_kept_and_told_if_it_ended_the_search(
    lookalike: Run, file: Path, tmp_path: Path
) -> None:
    code, _ = ask(lookalike, file, tmp_path / "out.csv", "--k", "5", "--time-limit", "1")
    assert code in (0, 1)


def test_the_report_is_written_beside_the_release_and_stands_in_the_evidence(
    lookalike: Run, file: Path, tmp_path: Path
) -> None:
    out, page, evidence = tmp_path / "out.csv", tmp_path / "page.html", tmp_path / "e.json"
    more = ("--method", "mondrian", "--k", "5", "--html", str(page))
    code, _ = ask(lookalike, file, out, *more, "--json", str(evidence), "--quiet")
    text = page.read_text(encoding="utf-8")
    assert code == 0
    assert "out.csv, made from people.csv" in text
    assert "<script" not in text
    assert "page.html" in [output["name"] for output in json.loads(evidence.read_text())["outputs"]]
    code, said = ask(lookalike, file, tmp_path / "other.csv", *more)
    assert code == 2
    assert "page.html exists" in said
    assert not (tmp_path / "other.csv").exists()
    code, said = ask(lookalike, file, tmp_path / "same.csv", "--k", "5", "--html", str(tmp_path / "same.csv"))
    assert code == 2
    assert "Two outputs name the same file" in said
