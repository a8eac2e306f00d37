"""Verification: the same evidence passes; every changed digit, file, plan or signature fails."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import lookalike as la
from lookalike.cli.releases import _release
from lookalike.evaluate import run
from lookalike.evaluate.digest import sha256
from lookalike.evaluate.protection import run_protection
from lookalike.evaluate.result import Outcome
from lookalike.plan import parse_plan
from lookalike.report import write_evidence
from lookalike.report.canonical import digest, sealed
from lookalike.report.verification import State, Verification, verify
from lookalike.report.verification.again import run_again
from lookalike.report.verification.claims import claims_of
from lookalike.report.verification.decided import decided_of
from lookalike.report.verification.leaves import compared, differences, is_figure, leaves
from lookalike.report.verification.sought import sought
from lookalike.report.verification.terminal import render_verification, verdict, verification_document

PLAN = {
    "roles": {
        "identifiers": ["id"],
        "quasi_identifiers": ["age", "sex", "area"],
        "sensitive": ["ill"],
        "household": "house",
    },
    "population": {"size": 9000, "estimators": ["chao", "zayatz"], "backtest": False},
    "protect": {"steps": [{"method": "mondrian", "k": 4}, {"method": "noise", "columns": ["pay"]}]},
    "thresholds": {"k_anonymity": 4},
    "seed": 7,
}


def people(rows: int = 160, seed: int = 5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(rows)],
            "age": rng.integers(18, 80, rows),
            "sex": rng.choice(["F", "M"], rows),
            "area": rng.choice(["0101", "0102", "0201"], rows),
            "ill": rng.choice(["a", "b", "c"], rows),
            "pay": rng.integers(1000, 5000, rows),
            "house": [i // 3 for i in range(rows)],
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs with their files: an assessment and a protection with a drawn seed."""
    folder = tmp_path_factory.mktemp("runs")
    people().write_csv(folder / "people.csv")
    plan = parse_plan(PLAN)
    write_evidence(run(folder / "people.csv", plan), folder / "assess.json")
    made = run_protection(folder / "people.csv", plan.changed(seed=1))
    release = _release(made.write(folder / "release.csv"), made.data)
    write_evidence(replace(made, outputs=(release,)), folder / "protect.json")
    return folder


@pytest.fixture
def there(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same files to be spoiled."""
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def changed_digit(value: float, rng: random.Random, *, leading: bool) -> float:
    """The number with one digit changed; `leading`: one that counts for more than the tolerance."""
    text = repr(value)
    places = [i for i, c in enumerate(text) if c.isdigit()]
    if leading:
        first = next((i for i in places if text[i] != "0"), places[0])
        places = [i for i in places if i >= first][:6]
    place = rng.choice(places)
    digit_ = rng.choice([d for d in "123456789" if d != text[place]])
    return type(value)(text[:place] + digit_ + text[place + 1 :])


def put(document: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """A copy of nested data with another value at one place."""
    copy = json.loads(json.dumps(document))
    inner = copy
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    return copy


def figures(document: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], float]]:
    return ((path, value) for path, value in leaves(document) if is_figure(value))


def save(document: Any, path: Path) -> Path:
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("name", ["assess", "protect"])
def test_the_same_run_has_the_same_figures(folder: Path, name: str) -> None:
    found = verify(folder / f"{name}.json")
    assert found.outcome is Outcome.HOLDS, found.differences
    assert found.figures is not None
    assert found.figures > 100
    assert found.differences == found.failed == ()
    assert {file.state for file in (*found.inputs, *found.outputs)} == {State.SAME}


@pytest.mark.parametrize("name", ["assess", "protect"])
def test_one_changed_digit_of_any_figure_is_found_without_a_rerun(there: Path, name: str) -> None:
    rng = random.Random(3)
    document = json.loads((there / f"{name}.json").read_text())
    for path, value in figures(document):
        other = put(document, path, changed_digit(value, rng, leading=False))
        save(other, there / "other.json")
        try:
            changed = claims_of(there / "other.json").changed
        except la.BadPlan:  # another schema, or no plan any more
            assert path[0] in ("schema", "plan")
            continue
        assert changed[-1:] == (
            "The evidence was changed after it was written: it does not fit its digest (sha256).",
        ), path
        assert len(changed) == (2 if path[0] == "plan" else 1)
    assert verify(there / "other.json", rerun=False).outcome is Outcome.FAILS


@pytest.mark.parametrize("name", ["assess", "protect"])
def test_who_also_writes_new_digests_is_found_by_the_rerun_at_every_figure(folder: Path, name: str) -> None:
    rng = random.Random(4)
    claims = claims_of(folder / f"{name}.json")
    new = run_again(claims, sought(claims.inputs, [folder]))
    seen = set()
    for path, value in figures(dict(claims.document)):
        if path[0] in ("plan", "seconds") or path[-1] == "seconds":  # a changed plan is run: below
            continue
        was, now = compared(put(claims.document, path, changed_digit(value, rng, leading=True)), new)
        assert [d.path for d in differences(was, now)] == [path]
        seen.add(path[0])
    assert seen >= {"schema", "seed", "inputs", "risk", "verdict", "thresholds"}


@pytest.mark.parametrize("path", [("risk", "records"), ("risk", "drivers", 0, "prosecutor_mean_without"), ("seed",)])
def test_the_whole_way_finds_and_names_a_changed_figure(there: Path, path) -> None:
    document = json.loads((there / "assess.json").read_text())
    value = dict(leaves(document))[path]
    found = verify(save(sealed(put(document, path, value + 1)), there / "other.json"))
    assert found.outcome is Outcome.FAILS
    assert [d.path for d in found.differences] == [path]
    assert (found.differences[0].was, found.differences[0].now) == (value + 1, value)


def test_a_changed_text_or_a_lacking_key_is_found_too(there: Path) -> None:
    document = json.loads((there / "assess.json").read_text())
    other = put(document, ("warnings",), ["all is well"])
    del other["risk"]["suda"]
    found = verify(save(sealed(other), there / "other.json"))
    assert found.outcome is Outcome.FAILS
    assert {d.path[:2] for d in found.differences} == {("warnings", 0), ("warnings",), ("risk", "suda")}


def test_a_changed_plan_does_not_fit_its_digest_even_if_no_figure_moves(there: Path) -> None:
    document = json.loads((there / "assess.json").read_text())
    other = put(document, ("plan", "compare", "draws"), 50)
    found = verify(save(other, there / "other.json"))
    assert found.failed[0] == "The plan was changed after the run: it does not fit its digest (plan_sha256)."
    assert found.figures is None


@pytest.mark.parametrize(
    ("path", "value"),
    [(("plan", "population", "size"), 9001), (("plan", "seed"), 8), (("plan", "thresholds", "k_anonymity"), 5)],
)
def test_a_plan_changed_with_its_digests_gives_other_figures(there: Path, path, value) -> None:
    other = put(json.loads((there / "assess.json").read_text()), path, value)
    other["plan_sha256"] = digest(other["plan"])
    assert verify(save(sealed(other), there / "other.json")).outcome is Outcome.FAILS


@pytest.mark.parametrize(("file", "role"), [("people.csv", "data"), ("release.csv", "release")])
def test_one_changed_byte_of_a_file_is_found(there: Path, file: str, role: str) -> None:
    content = bytearray((there / file).read_bytes())
    content[-3] ^= 1
    (there / file).write_bytes(content)
    found = verify(there / "protect.json")
    assert found.failed == (f"{file} ({role}) has another content than in the run: its digest differs.",)
    assert found.outcome is Outcome.FAILS
    assert found.figures is None


OTHER = "{file}: another file of this name differs: {where}."
MEANT = (
    "{file}: the one {where} is meant, and it differs. One with the content of the run lies {right}: if you mean that "
    "one, {do}."
)
IN = "name its folder (--in)"


def spoil(path: Path) -> Path:
    """Change one byte."""
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    return path


def taken(there: Path, folder: str, *names: str) -> Path:
    """Copies of these files in a folder."""
    (there / folder).mkdir(exist_ok=True)
    for name in names:
        (there / folder / name).write_bytes((there / name).read_bytes())
    return there / folder


def shown(found: Verification) -> str:
    out = StringIO()
    Console(file=out, width=400).print(render_verification(found))
    return out.getvalue()


@pytest.mark.parametrize(("name", "role"), [("people.csv", "data"), ("release.csv", "release")])
@pytest.mark.parametrize("rerun", [True, False])
def test_a_changed_file_beside_the_evidence_fails_though_the_working_folder_has_a_good_copy(
    there: Path, name: str, role: str, rerun: bool
) -> None:
    away = taken(there, "t", "protect.json", "people.csv", "release.csv")
    spoil(away / name)
    found = verify("t/protect.json", rerun=rerun)
    file = f"{name} ({role})"
    assert found.outcome is Outcome.FAILS
    assert found.failed == (f"{file} has another content than in the run: its digest differs.",)
    do = "put the evidence beside it" if role == "release" else IN
    assert found.notes == (MEANT.format(file=file, where="beside the evidence", right="in the working folder", do=do),)
    assert f"{file}: another content\n" in shown(found)
    assert found.figures is None


@pytest.mark.parametrize("content", [b"", b"age\n1\n"])
def test_a_copy_below_the_folder_of_the_evidence_does_not_make_a_changed_file_good(there: Path, content) -> None:
    taken(there, "below", "people.csv")
    (there / "people.csv").write_bytes(content)
    assert verify(there / "assess.json").outcome is Outcome.FAILS


def test_a_folder_that_was_named_is_taken_and_the_file_beside_the_evidence_is_noted(there: Path) -> None:
    below = taken(there, "below", "people.csv")
    spoil(there / "people.csv")
    found = verify(there / "assess.json", folders=[below])
    assert found.outcome is Outcome.HOLDS
    assert found.inputs[0].path == below / "people.csv"
    assert found.notes == (OTHER.format(file="people.csv (data)", where="beside the evidence"),)
    assert "people.csv (data): unchanged; found in below\n" in shown(found)
    assert verification_document(found)["inputs"][0]["where"] == "in below"
    away = taken(there, "t", "assess.json", "people.csv")
    taken(there, "t/old", "people.csv")
    (there / "people.csv").write_bytes((below / "people.csv").read_bytes())
    found = verify(away / "assess.json", folders=["."], rerun=False)
    assert found.outcome is Outcome.HOLDS, "the working folder was named"
    assert "people.csv (data): unchanged; found in the working folder\n" in shown(found)


def test_a_folder_that_holds_both_names_neither(there: Path) -> None:
    away = taken(there, "t", "assess.json", "people.csv")
    taken(there, "good", "people.csv")
    (there / "people.csv").unlink()
    spoil(away / "people.csv")
    assert verify(away / "assess.json", folders=[there], rerun=False).outcome is Outcome.FAILS
    assert verify(away / "assess.json", folders=[away], rerun=False).outcome is Outcome.FAILS
    assert verify(away / "assess.json", folders=[there / "good"], rerun=False).outcome is Outcome.HOLDS


def test_a_changed_file_in_a_folder_that_was_named_fails_though_there_is_a_good_copy(there: Path) -> None:
    mail = taken(there, "mail", "protect.json")
    named = taken(there, "named", "release.csv")
    spoil(named / "release.csv")
    found = verify(mail / "protect.json", folders=[named], rerun=False)
    assert found.outcome is Outcome.FAILS
    assert found.notes == (
        MEANT.format(file="release.csv (release)", where="in named", right="in the working folder", do=IN),
    )
    assert "release.csv (release): another content; found in named\n" in shown(found)
    found = verify(mail / "protect.json", rerun=False)
    assert found.outcome is Outcome.HOLDS
    assert found.notes == (OTHER.format(file="release.csv (release)", where="in named"),)


@pytest.mark.parametrize("more", [b"", b"more"])
def test_another_file_of_the_name_is_noted_wherever_the_right_one_lies(there: Path, more: bytes) -> None:
    for number in range(6):
        old = spoil(taken(there, f"old{number}", "people.csv") / "people.csv")
        old.write_bytes(old.read_bytes() + more)
    taken(there, "same", "people.csv")
    found = verify(there / "assess.json", rerun=False)
    where = "in old0, in old1, in old2, in old3, in old4 and 1 more"
    assert found.notes == (OTHER.format(file="people.csv (data)", where=where),)
    assert "people.csv (data): unchanged\n" in shown(found)
    assert verification_document(found)["inputs"][0]["where"] is None


def parts_assessed(place: Path, source: str) -> Path:
    """The evidence of an assessment of a folder or a pattern, beside two copies of what it read."""
    for folder in ("parts", "good/parts"):
        (place / folder).mkdir(parents=True)
        for number in (0, 1):
            people(80, number).write_parquet(place / folder / f"{number}.parquet")
    return la.assess(place / source, quasi_identifiers=["age"]).to_json(place / "e.json")


@pytest.mark.parametrize("empty", [True, False])
def test_a_changed_part_of_a_folder_fails_though_there_is_a_good_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty: bool
) -> None:
    path = parts_assessed(tmp_path, "parts")
    monkeypatch.chdir(tmp_path / "good")
    assert verify(path, rerun=False).notes == ()
    part = spoil(tmp_path / "parts" / "1.parquet")
    part.write_bytes(b"" if empty else part.read_bytes())
    found = verify(path, rerun=False)
    assert found.outcome is Outcome.FAILS
    right = "in the working folder"
    assert found.notes == (MEANT.format(file="parts (data)", where="beside the evidence", right=right, do=IN),)
    for named in (tmp_path / "good", tmp_path / "good" / "parts"):
        found = verify(path, folders=[named], rerun=False)
        assert found.outcome is Outcome.HOLDS
        assert found.notes == (OTHER.format(file="parts (data)", where="beside the evidence"),)


def test_files_of_a_pattern_are_known_by_their_own_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = parts_assessed(tmp_path, "parts/*.parquet")
    path = path.rename(tmp_path / "parts" / "e.json")
    monkeypatch.chdir(tmp_path / "good" / "parts")
    assert verify(path, rerun=False).notes == ()
    people(9).write_parquet(tmp_path / "parts" / "more.parquet")
    found = verify(path, rerun=False)
    assert found.outcome is Outcome.HOLDS, "no file was changed"
    more = "beside the evidence (more files or fewer)"
    assert found.notes == (OTHER.format(file="*.parquet (data)", where=more),)
    spoil(tmp_path / "parts" / "1.parquet")
    found = verify(path, rerun=False)
    assert found.outcome is Outcome.FAILS
    part, right = "beside the evidence (1.parquet)", "in the working folder"
    assert found.notes == (MEANT.format(file="*.parquet (data)", where=part, right=right, do=IN),)
    for number in (0, 1):
        (tmp_path / "parts" / f"{number}.parquet").unlink()
    found = verify(path, rerun=False)
    assert (found.outcome, found.notes) == (Outcome.HOLDS, ()), "another file only fits the pattern"


def test_the_folder_of_the_evidence_may_have_the_name_of_an_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = parts_assessed(tmp_path, "parts")
    path = path.rename(tmp_path / "parts" / "e.json")
    assert "parts (data): unchanged\n" in shown(verify(path, rerun=False))
    monkeypatch.chdir(tmp_path / "good")
    spoil(tmp_path / "parts" / "1.parquet")
    assert verify(path, rerun=False).outcome is Outcome.FAILS
    (tmp_path / "parts" / "1.parquet").rename(tmp_path / "parts" / "release.parquet")
    (tmp_path / "parts" / "0.parquet").unlink()
    assert verify(path, rerun=False).outcome is Outcome.HOLDS


def test_an_input_and_an_output_of_one_name_are_told_apart(there: Path) -> None:
    document = json.loads((there / "protect.json").read_text())
    document["outputs"][0]["name"] = "people.csv"
    (there / "data").mkdir()
    (there / "people.csv").rename(there / "data" / "people.csv")
    (there / "release.csv").rename(there / "people.csv")
    path = save(sealed(document), there / "protect.json")
    found = verify(path)
    assert found.outcome is Outcome.HOLDS, found.failed
    assert found.notes == (
        OTHER.format(file="people.csv (data)", where="beside the evidence (the evidence has it as release)"),
        OTHER.format(file="people.csv (release)", where="in data (the evidence has it as data)"),
    )
    (there / "people.csv").write_bytes((there / "data" / "people.csv").read_bytes())
    assert verify(path, rerun=False).failed == (
        "people.csv (release) has another content than in the run: its digest differs.",
    )


def test_the_evidence_is_not_an_input_of_its_own_name(there: Path) -> None:
    below = taken(there, "below", "assess.json")
    entry = {"name": "assess.json", "role": "made", "sha256": sha256([below / "assess.json"])}
    (there / "assess.json").write_text("{}")
    (found,) = sought([entry], [there], evidence=there / "assess.json")
    assert (found.state, found.path, found.wrong) == (State.SAME, below / "assess.json", ())


def test_the_headline_tells_outputs_that_were_only_made_again(there: Path) -> None:
    document = json.loads((there / "protect.json").read_text())
    page = {**document["outputs"][0], "name": "report.html", "role": "report"}
    document["outputs"] += [page, {**page, "name": "other.html"}]
    (there / "other.html").write_bytes((there / "release.csv").read_bytes())
    (there / "release.csv").unlink()
    found = verify(save(sealed(document), there / "protect.json"))
    assert found.outcome is Outcome.HOLDS, found.differences
    assert verdict(found) == (
        f"Verified: {found.figures} figures, 1 input, same. Outputs: 1 of 3 found, unchanged; "
        "1 not found but made again, the same; 1 not found and not checked."
    )


def test_a_release_that_is_gone_is_made_again_and_compared(there: Path) -> None:
    (there / "release.csv").unlink()
    found = verify(there / "protect.json")
    assert found.outcome is Outcome.HOLDS
    assert found.remade
    assert found.outputs[0].state is State.MISSING
    assert verdict(found).endswith(
        " figures, 1 input, same. Outputs: 0 of 1 found; 1 not found but made again, the same."
    )
    other = put(json.loads((there / "protect.json").read_text()), ("outputs", 0, "sha256"), "0" * 64)
    found = verify(save(sealed(other), there / "other.json"))
    assert [d.where for d in found.differences] == ["outputs[0].sha256"]


def test_missing_inputs_are_told_together(there: Path) -> None:
    for file in ("people.csv", "release.csv"):
        (there / file).unlink()
    with pytest.raises(la.BadPlan) as told:
        verify(there / "protect.json")
    assert told.value.faults == ("people.csv (data): there is no such file.",)
    assert str(told.value) == (
        "people.csv (data): there is no such file.\nLooked for in the folder of the evidence, the working folder and "
        "those named by --in. Name the folder (--in), or check the signature and the files that are there alone "
        "(--no-rerun)."
    )
    found = verify(there / "protect.json", rerun=False)
    assert found.outcome is Outcome.NOT_ASSESSABLE, "nothing was checked"
    assert found.unchecked == (*found.inputs, *found.outputs)
    assert [file.state for file in (*found.inputs, *found.outputs)] == [State.MISSING, State.MISSING]


def test_files_are_looked_for_in_folders_that_are_named(there: Path) -> None:
    for place in ("data", "kept"):
        (there / place).mkdir()
    (there / "people.csv").rename(there / "data" / "people.csv")
    (there / "assess.json").rename(there / "kept" / "assess.json")
    assert verify(there / "kept" / "assess.json", folders=[there / "data"]).outcome is Outcome.HOLDS
    with pytest.raises(la.BadPlan, match=r"^nowhere: there is no such folder \(--in\)\.$"):
        verify(there / "kept" / "assess.json", folders=["nowhere"])


def test_data_in_memory_cannot_be_verified(tmp_path: Path) -> None:
    found = la.assess(people(), quasi_identifiers=["age"])
    with pytest.raises(la.BadPlan, match=r"^frame \(data\): data in memory has no digest, so nobody can tell"):
        verify(found.to_json(tmp_path / "e.json"))
    by_digests = verify(tmp_path / "e.json", rerun=False)
    assert by_digests.outcome is Outcome.NOT_ASSESSABLE
    assert verdict(by_digests).endswith("of 1 file that it names none could be compared.")
    out = StringIO()
    Console(file=out, width=200).print(render_verification(by_digests))
    assert "frame (data): data in memory has no digest, so nobody can tell" in out.getvalue()


def test_the_verdict_of_the_evidence_is_repeated(there: Path) -> None:
    found = verify(there / "assess.json", rerun=False)
    assert found.decided.outcome == "fails"
    assert found.decided.says == "Its verdict: fails (k 1, threshold 4)."
    out = StringIO()
    Console(file=out, width=200).print(render_verification(found))
    assert found.decided.says in out.getvalue()
    assert verification_document(found)["decided"] == {"outcome": "fails", "says": found.decided.says}


def test_evidence_of_schema_1_still_verifies_and_an_interval_beyond_the_limit_leaves_it_undecided(there: Path) -> None:
    document = json.loads((there / "assess.json").read_text())
    document["schema"] = 1
    at = {"measure": "sample_to_population", "value": 0.08, "threshold": 0.09, "meets": True, "reason": ""}
    for decided in (document["verdict"], *document["thresholds"]):
        del decided["outcome"], decided["doubts"]
    old = save(sealed(document), there / "old.json")
    assert verify(old).outcome is Outcome.HOLDS
    assert verify(old).decided.outcome == "fails"
    inner = {"exact": None, "chosen": "posterior", "estimates": {"posterior": {"high": 0.1}}}
    found = decided_of({"verdict": at, "thresholds": [at], "risk": {"sample_to_population": inner}})
    assert found.outcome == "undecided"


def test_the_verdict_of_spoiled_evidence_is_not_repeated(there: Path) -> None:
    (there / "people.csv").write_text("a\n1\n")
    found = verify(there / "assess.json", rerun=False)
    assert found.outcome is Outcome.FAILS
    out = StringIO()
    Console(file=out, width=200).print(render_verification(found))
    assert "Its verdict" not in out.getvalue()


def test_figures_that_cannot_be_assessed_again_are_not_differences_of_value(there: Path) -> None:
    document = json.loads((there / "assess.json").read_text())
    assert document["risk"]["population_file"] is None
    found = verify(save(sealed(put(document, ("risk", "population_file"), 0.5)), there / "other.json"))
    assert found.outcome is Outcome.NOT_ASSESSABLE


def test_another_version_is_told_and_its_new_figures_are_not_compared(there: Path) -> None:
    document = json.loads((there / "assess.json").read_text())
    document["lookalike"], document["versions"]["numpy"] = "0.0.1", "1.0"
    del document["risk"]["suda"]
    found = verify(save(sealed(document), there / "other.json"))
    assert found.outcome is Outcome.HOLDS
    assert found.versions[0].endswith("(in the run 0.0.1)")
    assert found.versions[1].endswith("(in the run 1.0)")
    assert "figures are new in this version: not compared." in found.notes[0]


def test_the_tolerance_is_relative_and_counts_are_exact(there: Path) -> None:
    document = json.loads((there / "assess.json").read_text())
    mean = document["risk"]["prosecutor"]["mean"]
    other = save(sealed(put(document, ("risk", "prosecutor", "mean"), mean * (1 + 1e-6))), there / "other.json")
    assert verify(other).outcome is Outcome.FAILS
    assert verify(other, tolerance=1e-5).outcome is Outcome.HOLDS
    other = save(sealed(put(document, ("risk", "records"), 161)), there / "other.json")
    assert verify(other, tolerance=0.5).outcome is Outcome.FAILS
    for wrong in (-1.0, 1.0, float("nan")):
        with pytest.raises(la.BadPlan, match=r"^The tolerance must lie between 0 and 1: it is relative\.$"):
            verify(other, tolerance=wrong)


def test_another_engine_gives_the_same_figures_and_is_noted(there: Path) -> None:
    found = verify(there / "assess.json", engine="duckdb")
    assert found.outcome is Outcome.HOLDS, found.differences
    assert found.notes == ("Run again with the engine duckdb; the evidence was made with polars.",)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(schema=3), "other.json: its schema is not 1 or 2: it was written by another version."),
        (lambda d: d.update(command="study"), "other.json: only evidence of assess, protect"),
        (lambda d: d["inputs"][0].update(name="../people.csv"), "other.json: inputs must be files with name, role and"),
        (lambda d: d["inputs"][0].update(sha256=3), "other.json: inputs must be files with name, role and sha256."),
        (lambda d: d.update(outputs=[1]), "other.json: outputs must be files with name, role and sha256."),
        (lambda d: d["plan"].update(rolls={}), "The plan in other.json: Key 'rolls' is not in a plan."),
        (lambda d: d["plan"].update(seed=-1), "The plan in other.json: The seed must be at least 0."),
        (
            lambda d: d.pop("plan"),
            "other.json is not evidence of assess, protect, synthesize, compare, repair: it lacks pl",
        ),
        (lambda d: d.update(versions=3), "it lacks versions."),
        (lambda d: d.pop("plan_sha256"), "which did not keep all that a rerun needs. Make new evidence."),
    ],
)
def test_evidence_from_outside_is_checked_before_anything_runs(there: Path, change, said: str) -> None:
    document = json.loads((there / "assess.json").read_text())
    change(document)
    with pytest.raises(la.LookalikeError) as told:
        verify(save(document, there / "other.json"))
    assert said in str(told.value)


def test_all_faults_of_an_evidence_are_told_together(there: Path) -> None:
    document = json.loads((there / "assess.json").read_text())
    document["schema"], document["plan"]["seed"], document["plan"]["rolls"] = 3, -1, {}
    with pytest.raises(la.BadPlan) as told:
        verify(save(document, there / "other.json"))
    assert len(told.value.faults) == 3


@pytest.mark.parametrize("what", [[1, 2], "text", {"schema": 1}, None])
def test_other_json_is_no_evidence(tmp_path: Path, what) -> None:
    with pytest.raises(
        la.LookalikeError, match=r"is not evidence of assess, protect, synthesize, compare, repair: it lacks"
    ):
        verify(save(what, tmp_path / "e.json"))


def test_noise_without_a_seed_can_be_checked_by_digests_alone(there: Path) -> None:
    document = json.loads((there / "protect.json").read_text())
    document["plan"]["protect"]["steps"] = [{"method": "local-dp"}]
    document["plan_sha256"] = digest(document["plan"])
    path = save(sealed(document), there / "other.json")
    with pytest.raises(la.BadPlan, match=r"^local-dp has noise from the system, which no seed repeats"):
        verify(path)
    assert verify(path, rerun=False).outcome is Outcome.HOLDS


def test_a_search_that_was_cut_short_is_told(there: Path) -> None:
    document = json.loads((there / "protect.json").read_text())
    document["release"]["steps"][0]["details"]["complete"] = False
    found = verify(save(sealed(document), there / "other.json"))
    assert found.outcome is Outcome.FAILS
    assert found.notes == ("The time limit ended a search of the run: on another day it may come farther or less far.",)


def test_the_evidence_holds_no_path_of_the_machine(there: Path) -> None:
    for name in ("assess", "protect"):
        assert str(there.parent) not in (there / f"{name}.json").read_text()


def test_a_verification_without_differences_holds() -> None:
    found = Verification(evidence="e", command="assess", signature=None, inputs=(), outputs=())
    assert found.outcome is Outcome.HOLDS


def test_what_python_was_asked_is_in_the_plan_and_verifies(folder: Path, tmp_path: Path) -> None:
    roles = {"identifiers": ["id"], "quasi_identifiers": ["age", "sex"]}
    methods = (la.Mondrian(k=3), la.Noise(columns=("pay",)))
    made = la.protect(folder / "people.csv", *methods, until=la.Threshold(k_anonymity=3), **roles)
    path = write_evidence(made, tmp_path / "e.json")
    steps = json.loads(path.read_text())["plan"]["protect"]["steps"]
    assert steps == [{"method": "mondrian", "k": 3}, {"method": "noise", "columns": ["pay"]}]
    assert verify(path, folders=[folder]).outcome is Outcome.HOLDS


def test_a_session_draws_as_a_protection_does(folder: Path, tmp_path: Path) -> None:
    roles = {"identifiers": ["id"], "quasi_identifiers": ["age", "sex"]}
    session = la.Session(folder / "people.csv", until=la.Threshold(k_anonymity=3), **roles)
    session.apply(la.Mondrian(k=3))
    session.apply(la.Noise(columns=("pay",)))
    path = write_evidence(session.release(), tmp_path / "e.json")
    found = verify(path, folders=[folder])
    assert found.outcome is Outcome.HOLDS, found.differences


def test_settings_that_are_no_plain_data_are_told(folder: Path) -> None:
    counts = people().group_by("area").len("people").with_columns(pl.col("people") * 20)
    made = la.protect(
        folder / "people.csv",
        la.RarePeople(table=counts),
        until=la.Threshold(k_anonymity=2),
        identifiers=["id"],
        quasi_identifiers=["area"],
    )
    assert any("no plain data: table of rare-people. The release cannot be verified" in text for text in made.warnings)


def test_the_working_folder_has_a_name_in_the_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    people().write_parquet(folder / "one.parquet")
    monkeypatch.chdir(folder)
    found = la.assess(".", quasi_identifiers=["age"])
    assert found.inputs[0].name == "parts"
    assert verify(found.to_json("e.json")).outcome is Outcome.HOLDS
