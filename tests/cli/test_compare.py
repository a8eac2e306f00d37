"""`lookalike compare`: what a release keeps, evidence, page, bad input."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

Run = Callable[..., Any]
FAST = ("--models", "logistic", "--draws", "0", "--ways", "1,2")


def people(rows: int = 400, seed: int = 5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, rows)
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(rows)],
            "age": age,
            "sex": rng.choice(["F", "M"], rows),
            "area": rng.choice(["0101", "0102", "0201", "0203"], rows),
            "ill": np.where(rng.random(rows) < age / 100, "yes", "no"),
            "pay": age * 40 + rng.integers(0, 900, rows),
        }
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    people().write_csv(path)
    return path


def save(frame: pl.DataFrame, folder: Path, name: str = "release.csv") -> Path:
    frame.write_csv(folder / name)
    return folder / name


def ask(lookalike: Run, file: Path, release: Path, *more: str) -> tuple[int, str]:
    done = lookalike("compare", file, release, "--id", "id", *FAST, *more)
    return done.code, " ".join((done.out + done.err).replace("│", " ").split())


def test_another_sample_keeps_what_it_should(lookalike: Run, file: Path, tmp_path: Path) -> None:
    release, evidence = save(people(seed=6), tmp_path), tmp_path / "e.json"
    formula = ("--formula", "ill ~ age", "--formula", "pay ~ age + sex")
    more = ("--how", "independent", *formula, "--targets", "pay", "--json", str(evidence))
    code, said = ask(lookalike, file, release, *more)
    assert code == 0
    assert "The logistic model ill ~ age keeps its conclusions: all 2 coefficients" in said
    assert "pay is learned from the release as well as from the original" in said
    assert "another sample of the same people (as was told)" in said
    document = json.loads(evidence.read_text())
    assert document["command"] == "compare"
    assert [i["name"] for i in document["inputs"]] == ["people.csv", "release.csv"]
    assert document["comparison"]["columns"] == ["age", "sex", "area", "ill", "pay"]
    utility = document["utility"]
    assert 0.2 < utility["propensity"]["logistic"]["ratio"] < 3
    assert {"pmse", "expected", "sd", "ratio", "p_value", "specks", "auc"} <= set(utility["propensity"]["logistic"])
    assert utility["propensity"]["logistic"]["expectations"]["auc"]["p_value"] > 0.001
    assert utility["tables"]["2"]["tables"] == 10
    assert utility["permutation_tests"]["age"]["p_value"] > 0.001
    assert utility["regressions"][0]["family"] == "logistic"
    assert document["plan"]["compare"]["formulas"] == ["ill ~ age", "pay ~ age + sex"]


def test_the_evidence_of_a_synthesis_tells_its_origin(lookalike: Run, file: Path, tmp_path: Path) -> None:
    out, made = tmp_path / "copies", tmp_path / "made.json"
    lookalike("synthesize", file, "-o", out, "--id", "id", "--model", "independent", "--copies", "3", "--json", made)
    code, said = ask(lookalike, file, out, "--made", str(made), "--formula", "pay ~ age")
    assert code == 0
    assert "3 copies" in said
    assert "a synthetic file, all columns drawn (says made.json)" in said
    assert "pay ~ age loses its conclusions" in said
    assert "Nobody said" not in said
    (out / "copy-1.csv").write_text((out / "copy-2.csv").read_text())
    assert ask(lookalike, file, out, "--made", str(made))[0] == 0, "a copy of a copy has a digest that is known"
    save(people(seed=9), out, "copy-1.csv")
    code, said = ask(lookalike, file, out, "--made", str(made))
    assert code == 2
    assert "made.json is the evidence of other files" in said


def test_the_evidence_of_a_protection_tells_links_and_losses(lookalike: Run, file: Path, tmp_path: Path) -> None:
    out, made, evidence = tmp_path / "out.csv", tmp_path / "made.json", tmp_path / "e.json"
    known = ("--qi", "age,sex,area")
    lookalike("protect", file, "-o", out, "--id", "id", *known, "--k", "5", "--json", made)
    code, said = ask(lookalike, file, out, "--made", str(made), *known, "--json", str(evidence))
    assert code == 0
    assert "the original with its records changed (says made.json)" in said
    document, made_document = json.loads(evidence.read_text()), json.loads(made.read_text())
    assert document["comparison"]["linked"] is True
    lost = made_document["release"]["information_loss"]
    assert document["utility"]["information_loss"] == pytest.approx(lost, abs=1e-12)
    assert document["utility"]["losses"]["granularity"] == pytest.approx(
        made_document["release"]["losses"]["granularity"]
    )
    assert document["utility"]["propensity"]["logistic"]["expected"] is None


def test_roles_people_and_thresholds_come_from_the_evidence_of_the_release(
    lookalike: Run, file: Path, tmp_path: Path
) -> None:
    release, made, evidence = tmp_path / "release.csv", tmp_path / "made.json", tmp_path / "e.json"
    roles = ("--id", "id", "--qi", "age,sex,area", "--sensitive", "ill", "--population", "4000", "--threshold", "0.2")
    counts = ("--population-counts", "eligible")
    assert lookalike("protect", file, "-o", release, *roles, *counts, "--drop", "pay", "--json", made).code == 0
    done = lookalike("compare", file, release, "--made", made, *FAST, "--sensitive", "ill,pay", "--json", evidence)
    assert done.code == 0
    document = json.loads(evidence.read_text())
    assert document["plan"]["roles"]["quasi_identifiers"] == ["age", "sex", "area"]
    assert document["plan"]["roles"]["sensitive"] == ["ill", "pay"], "an option goes before it"
    assert document["verdict"]["threshold"] == 0.2
    assert document["attacks"]["matching"]["expected_match_risk"] > 0


def test_evidence_whose_plan_cannot_be_read_is_told(lookalike: Run, file: Path, tmp_path: Path) -> None:
    release, made = tmp_path / "release.csv", tmp_path / "made.json"
    assert lookalike("protect", file, "-o", release, "--id", "id", "--qi", "age", "--k", "3", "--json", made).code == 0
    document = json.loads(made.read_text())
    made.write_text(json.dumps(document | {"plan": {"roles": 3}}))
    done = lookalike("compare", file, release, "--made", made, *FAST)
    assert done.code == 2
    assert "made.json: its plan cannot be read; say the roles themselves (--qi, --sensitive)." in done.err


def test_the_page_is_one_file_without_network_or_script(lookalike: Run, file: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, _ = ask(lookalike, file, save(people(seed=6), tmp_path), "--how", "independent", "--html", str(page))
    text = page.read_text()
    assert code == 0
    assert text.count("<svg") >= 5
    assert "<script" not in text
    assert "src=" not in text
    assert "Where this came from" in text
    assert ask(lookalike, file, tmp_path / "release.csv", "--html", str(page))[0] == 2, "it exists"
    assert ask(lookalike, file, tmp_path / "release.csv", "--html", str(page), "--force")[0] == 0


def test_a_guess_of_the_origin_is_told(lookalike: Run, file: Path, tmp_path: Path) -> None:
    _, said = ask(lookalike, file, save(people(seed=6), tmp_path))
    assert "Nobody said how the release was made; it was taken as complete, improper" in said
    ranges = people().with_columns(age=pl.lit("[18;80]"))
    _, said = ask(lookalike, file, save(ranges, tmp_path))
    assert "it was taken as changed" in said


def test_standard_output_holds_the_evidence_alone(lookalike: Run, file: Path, tmp_path: Path) -> None:
    done = lookalike("compare", file, save(people(seed=6), tmp_path), *FAST, "--id", "id", "--json", "-")
    assert json.loads(done.out)["command"] == "compare"


def test_a_formula_and_a_target_on_a_column_that_the_release_lacks_are_lost(
    lookalike: Run, file: Path, tmp_path: Path
) -> None:
    release = save(people(seed=6).drop("pay"), tmp_path)
    code, said = ask(lookalike, file, release, "--how", "independent", "--formula", "pay ~ age", "--targets", "pay")
    assert code == 0
    assert "lost pay ~ age cannot be had from the release" in said
    assert "lost pay cannot be had from the release: The release does not have this column." in said


def test_a_control_that_holds_the_original_is_refused(lookalike: Run, file: Path, tmp_path: Path) -> None:
    code, said = ask(lookalike, file, save(people(seed=6), tmp_path), "--how", "independent", "--control", str(file))
    assert code == 2
    assert "records of the control are records of the original" in said


def test_a_partial_release_in_another_order_is_refused(lookalike: Run, file: Path, tmp_path: Path) -> None:
    shuffled = people().sample(fraction=1, shuffle=True, seed=1)
    code, said = ask(lookalike, file, save(shuffled, tmp_path), "--how", "partial", "--drawn", "pay")
    assert code == 2
    assert "Column 'age' was not drawn, as is said, and differs in" in said


def test_a_folder_of_files_is_a_folder_of_copies(lookalike: Run, file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    for name in ("first.csv", "second.csv"):
        save(people(seed=len(name)), folder, name)
    code, said = ask(lookalike, file, folder, "--how", "complete")
    assert code == 0
    assert "2 copies" in said


def test_columns_that_one_file_lacks_are_told(lookalike: Run, file: Path, tmp_path: Path) -> None:
    release = people(seed=6).drop("pay").with_columns(extra=pl.lit(1))
    code, said = ask(lookalike, file, save(release, tmp_path), "--how", "independent")
    assert code == 0
    assert "The release lacks 'pay': what rests on them is lost." in said
    assert "The original lacks 'extra' of the release: not compared." in said


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--formula", "pay ~ wage"), "The formula 'pay ~ wage': column 'wage' is not in the data"),
        (("--formula", "pay ="), "formula"),
        (("--targets", "wage"), "Target 'wage' is not in the original"),
        (("--keys", "wage"), "Key 'wage' is not in the original"),
        (("--columns", "wage"), "Column 'wage' is not in the original"),
        (("--how", "drawn"), "Origin 'drawn' is not known"),
        (("--how", "partial"), "needs the names of the columns that were drawn"),
        (("--how", "partial", "--drawn", "wage"), "Drawn column 'wage' is not in the original"),
        (("--how", "populations"), "set proper to true"),
        (("--how", "complete", "--made", "x.json"), "told twice"),
        (("--made", "x.json"), "there is no such evidence"),
        (("--models", "oracle"), "Model 'oracle' is not known"),
        (("--terms", "age*wage"), "column 'wage' is not in the data"),
        (("--folds", "1"), "Folds are 0, or at least 2."),
        (("--ways", "1,4"), "Ways must be different numbers of 1, 2 and 3"),
        (("--ways", "two"), "--ways must be numbers"),
        (("--sample", "5"), "at least 100 records"),
        (("--draws", "-1"), "cannot be fewer than 0"),
        (("--keys", "age", "--targets", "age"), "both a key and a target"),
        (("--json", "same", "--html", "same"), "name the same file"),
        (("--control", "nothing.csv"), "nothing.csv"),
        (("--seed", "-1"), "seed must be at least 0"),
    ],
)
def test_bad_requests_end_with_2_and_write_nothing(
    lookalike: Run, file: Path, tmp_path: Path, more: tuple[str, ...], told: str
) -> None:
    release, page = save(people(seed=6), tmp_path), tmp_path / "page.html"
    if "--html" not in more:
        more = (*more, "--html", str(page))
    code, said = ask(lookalike, file, release, *more)
    assert code == 2
    assert told in said
    assert not page.exists()


def test_faults_are_told_together(lookalike: Run, file: Path, tmp_path: Path) -> None:
    release = save(people(seed=6), tmp_path)
    code, said = ask(lookalike, file, release, "--formula", "pay ~ wage", "--formula", "cost ~ age", "--targets", "x")
    assert code == 2
    assert all(name in said for name in ("'wage'", "'cost'", "'x'"))


def test_files_that_cannot_be_compared(lookalike: Run, file: Path, tmp_path: Path) -> None:
    other = pl.DataFrame({"weight": [1, 2]})
    assert "no column in common" in ask(lookalike, file, save(other, tmp_path))[1]
    words = people().with_columns(age=pl.lit("young"), pay=pl.lit("low"))
    code, said = ask(lookalike, file, save(words, tmp_path))
    assert code == 2
    assert "'age' holds numbers in the original" in said
    assert "'pay' holds numbers in the original" in said
    assert "young" not in said
    code, said = ask(lookalike, file, save(people(300), tmp_path), "--linked")
    assert code == 2
    assert "300 rows and 400 records" in said
    code, said = ask(lookalike, file, tmp_path / "nothing.csv")
    assert code == 2
    control = save(people(50, seed=8).drop("pay"), tmp_path, "control.csv")
    code, said = ask(lookalike, file, save(people(seed=6), tmp_path), "--control", str(control))
    assert code == 2
    assert "The control lacks 'pay'" in said


def test_several_copies_of_a_changed_file_are_refused(lookalike: Run, file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    for number in (1, 2):
        save(people(seed=number), folder, f"copy-{number}.csv")
    code, said = ask(lookalike, file, folder, "--how", "changed")
    assert code == 2
    assert "Compare several one by one" in said


def test_a_level_absent_from_one_file_and_a_column_all_missing(lookalike: Run, file: Path, tmp_path: Path) -> None:
    release = people(seed=6).with_columns(
        sex=pl.lit("F"), area=pl.lit("0909"), ill=pl.lit(None, pl.String), pay=pl.lit(None, pl.Int64)
    )
    code, said = ask(lookalike, file, save(release, tmp_path), "--how", "complete", "--formula", "pay ~ age")
    assert code == 0
    assert "the release has values that the original does not have" in said
    assert "lost pay ~ age cannot be had from the release" in said
    assert "of 5 columns are distributed otherwise" in said


def test_one_row(lookalike: Run, file: Path, tmp_path: Path) -> None:
    code, said = ask(lookalike, file, save(people(1, seed=6), tmp_path), "--how", "complete", "--formula", "pay ~ age")
    assert code == 0
    assert "lost pay ~ age cannot be had from the release" in said


def test_names_that_look_like_markup_are_escaped(lookalike: Run, tmp_path: Path) -> None:
    def odd(seed: int) -> pl.DataFrame:
        named = people(seed=seed).rename({"sex": "<b>sex</b>", "area": "{{ 7*7 }}"})
        return named.with_columns(pl.col("<b>sex</b>").replace({"F": "<script>alert(1)</script>"}))

    page = tmp_path / "page.html"
    file, release = save(odd(1), tmp_path, "file.csv"), save(odd(2), tmp_path)
    code, _ = ask(
        lookalike, file, release, "--how", "independent", "--html", str(page), "--formula", "pay ~ `<b>sex</b>`"
    )
    text = page.read_text()
    assert code == 0
    assert "<script" not in text
    assert "<b>sex" not in text
    assert "{{ 7*7 }}" in text
