"""`lookalike verify`, `keygen` and `--sign`: evidence of every command passes; spoiled evidence does not."""

import base64
import json
import stat
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from lookalike.report.canonical import sealed
from lookalike.report.signature import fingerprint

Run = Callable[..., Any]
ROLES = ("--id", "id", "--qi", "age,sex,area", "--sensitive", "ill,pay")
QUICK = ("--estimators", "zayatz", "--no-backtest")
LOOKED = (
    "Looked for in the folder of the evidence, the working folder and those named by --in. "
    "Say where {where}: --in FOLDER."
)
FAST = ("--models", "logistic", "--draws", "0", "--ways", "1")


def people(rows: int = 200, seed: int = 5) -> pl.DataFrame:
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
            "weight": rng.integers(5, 40, rows),
            "house": [i // 3 for i in range(rows)],
        }
    )


@pytest.fixture
def file(folder: Path) -> Path:
    people().write_csv(folder / "people.csv", separator=";")
    return folder / "people.csv"


def made(lookalike: Run, *arguments: object) -> Path:
    """The evidence of a run."""
    done = lookalike(*arguments, "--json", "e.json", "--quiet", "--force")
    assert done.code in (0, 1, 3, 4), done.err
    return Path("e.json")


def verified(lookalike: Run, *arguments: object) -> str:
    """What is said of evidence that passes."""
    done = lookalike("verify", *arguments)
    assert done.code == 0, done.out + done.err
    return " ".join(done.out.split())


def test_an_assessment_of_text_with_records_weights_and_households(lookalike: Run, file: Path) -> None:
    more = ("--weight", "weight", "--household", "house", "--target", "pay>2000", "--missing-code", "pay=-9", *QUICK)
    made(lookalike, "assess", file, *ROLES, *more, "--delimiter", ";", "--encoding", "utf-8", "--records", "r.parquet")
    said = verified(lookalike, "e.json")
    assert said.startswith("Verified: ")
    assert "figures, 1 input, 1 output, same. Its verdict: fails (B " in said
    assert "people.csv (data): unchanged" in said
    assert "r.parquet (records): unchanged, and made again the same" in said
    assert "Not signed: digests tell a change by accident, not one by somebody who also wrote new digests." in said


def test_an_assessment_of_parquet_files_with_margins_and_every_estimator(lookalike: Run, folder: Path) -> None:
    (folder / "parts").mkdir()
    frame = people()
    for place in (0, 1):
        frame[place * 100 : place * 100 + 100].write_parquet(folder / "parts" / f"{place}.parquet")
    known = frame.group_by("area").len("people").with_columns(pl.col("people") * 50).sort("area")
    known.write_csv(folder / "areas.csv")
    made(
        lookalike,
        *("assess", "parts", *ROLES, "--population", 10_000, "--population-counts", "eligible"),
        *("--margins", folder / "areas.csv", "--no-backtest"),
    )
    said = verified(lookalike, "e.json")
    assert "2 inputs, 0 outputs, same. Its verdict: holds (B " in said
    assert "parts (data): unchanged areas.csv (margins): unchanged" in said
    assert str(folder) not in Path("e.json").read_text()
    made(lookalike, "assess", "parts/*.parquet", *ROLES, "--population", 10_000, *QUICK)
    assert "*.parquet (data): unchanged" in verified(lookalike, "e.json")


def test_an_assessment_against_a_population_file_elsewhere(lookalike: Run, file: Path, folder: Path) -> None:
    (folder / "data").mkdir()
    people(2000, 9).write_parquet(folder / "data" / "all.parquet")
    made(lookalike, "assess", file, *ROLES, "--population", folder / "data" / "all.parquet")
    (folder / "away").mkdir()
    Path("e.json").rename(folder / "away" / "e.json")
    assert "all.parquet (population): unchanged" in verified(lookalike, "away/e.json")
    (folder / "data" / "all.parquet").rename(folder / "data" / "other.parquet")
    file.unlink()
    done = lookalike("verify", "away/e.json")
    assert done.code == 2
    assert done.err.splitlines() == [
        "2 faults:",
        "- people.csv (data): there is no such file.",
        "- all.parquet (population): there is no such file.",
        "Looked for in the folder of the evidence, the working folder and those named by --in. Name the folder (--in), "
        "or check the signature and the files that are there alone (--no-rerun).",
    ]


@pytest.mark.parametrize(
    "more",
    [
        ("--k", "3", "--save-recode", "recode.json"),
        ("--k", "3", "--population", "9000", "--shuffle", "--index", "row", "--drop", "house"),
        ("--method", "microaggregate", "--k", "3"),
        ("--method", "suppress", "--k", "2"),
        ("--method", "noise", "--option", 'columns=["pay"]', "--k", "1000"),
        ("--method", "pram", "--seed", "1", "--k", "2"),
        ("--method", "rare-people", "--option", "table=data/counts.csv", "--k", "2"),
        ("--hierarchies", "data/levels", "--k", "3"),
    ],
    ids=lambda more: "-".join(more[1:2] if more[0] == "--method" else more[:1]),
)
def test_a_protection(lookalike: Run, file: Path, folder: Path, more) -> None:
    (folder / "data" / "levels").mkdir(parents=True)
    counts = people().group_by("area").len("people").with_columns(pl.col("people") * 20).sort("area")
    counts.write_csv(folder / "data" / "counts.csv")
    (folder / "data" / "levels" / "area.csv").write_text("0101;01;*\n0102;01;*\n0201;02;*\n0203;02;*\n")
    made(lookalike, "protect", file, "-o", "release.csv", *ROLES, "--estimators", "zayatz", *more)
    assert "release.csv (release): unchanged, and made again the same" in verified(lookalike, "e.json")
    assert "data/" not in Path("e.json").read_text()
    Path("release.csv").unlink()
    said = verified(lookalike, "e.json")
    assert "not found; made again, it has the digest of the evidence" in said
    outputs, read = (len(json.loads(Path("e.json").read_text())[key]) for key in ("outputs", "inputs"))
    inputs = "1 input" if read == 1 else f"{read} inputs"
    there = f"{outputs - 1} of {outputs} found" + (", unchanged" if outputs > 1 else "")
    assert f" figures, {inputs}, same. Outputs: {there}; 1 not found but made again, the same. Its verdict: " in said


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx", "dta", "sav", "xpt"])
def test_a_recode_and_every_format_of_a_release(lookalike: Run, file: Path, ending: str) -> None:
    lookalike("protect", file, "-o", "first.csv", *ROLES, "--k", "3", "--save-recode", "levels.json", "--quiet")
    made(lookalike, "protect", file, "-o", f"release.{ending}", *ROLES, "--recode", "levels.json", "--k", "3")
    said = verified(lookalike, "e.json")
    assert "2 inputs, 1 output, same." in said
    assert "levels.json (recode): unchanged" in said


def test_a_synthesis_of_one_copy_with_a_seed_that_nobody_gave(lookalike: Run, file: Path) -> None:
    made(lookalike, "synthesize", file, "-o", "release.csv", *ROLES, "--model", "sequential", "--population", 9000)
    assert json.loads(Path("e.json").read_text())["seed_drawn"] is True
    assert "1 input, 1 output, same." in verified(lookalike, "e.json")


def test_a_synthesis_of_several_copies_and_its_comparison(lookalike: Run, file: Path) -> None:
    people(2000, 9).write_parquet("all.parquet")
    people(60, 8).write_csv("control.csv")
    people(80).write_csv(file)
    roles = ("--id", "id", "--qi", "age,sex", "--sensitive", "ill")
    draw = ("synthesize", file, "-o", "copies", "--copies", "2", *roles, "--population", "all.parquet", "--seed", "1")
    made(lookalike, *draw, "--model", "independent").rename("made.json")
    assert "2 inputs, 2 outputs, same." in verified(lookalike, "made.json")
    beside = ("--made", "made.json", "--control", "control.csv", "--population", "all.parquet")
    made(lookalike, "compare", file, "copies", *roles, *FAST, *beside, "--columns", "age,sex,ill")
    said = verified(lookalike, "e.json")
    assert "6 inputs, 0 outputs, same." in said
    for name in ("people.csv (original)", "copy-2.csv (release)", "control.csv (control)", "made.json (made)"):
        assert f"{name}: unchanged" in said


def test_a_repair(lookalike: Run, file: Path) -> None:
    roles = ("--id", "id", "--qi", "age,sex", "--sensitive", "ill")
    Path("plan.toml").write_text(
        "[compare]\nmodels = ['logistic']\ndraws = 0\nways = [1]\ncolumns = ['age', 'sex', 'ill']\n"
    )
    people(80).write_csv(file)
    people(80).drop("id").write_csv("release.csv")
    asked = ("repair", file, "release.csv", "-o", "out.csv", "--plan", "plan.toml", *roles, "--how", "changed")
    made(lookalike, *asked, "--linked", "--records", "rows.csv")
    said = verified(lookalike, "e.json")
    assert "2 inputs, 2 outputs, same." in said
    assert "out.csv (release): unchanged, and made again the same" in said
    assert "rows.csv (records): unchanged, and made again the same" in said


def test_a_figure_that_differs_is_named_with_both_values(lookalike: Run, file: Path) -> None:
    document = json.loads(made(lookalike, "assess", file, *ROLES, "--population", 9000, *QUICK).read_text())
    document["risk"]["k_anonymity"] = 77
    for k in document["risk"]["records_below_k"]:
        document["risk"]["records_below_k"][k] = 3
    Path("e.json").write_text(json.dumps(sealed(document)))
    done = lookalike("verify", "e.json", "--json", "v.json")
    assert done.code == 1
    assert done.out.startswith("Not verified: 5 values differ from another run.")
    line = next(line for line in done.out.splitlines() if "risk.k_anonymity" in line)
    assert line.split() == ["risk.k_anonymity", "77", "1"]
    assert "So the evidence was changed after the run" in " ".join(done.out.split())
    found = json.loads(Path("v.json").read_text())
    assert found["verdict"] == "differs"
    assert {"figure": "risk.k_anonymity", "evidence": 77, "run_again": 1} in found["differences"]


def test_many_differences_are_cut_and_versions_are_told_first(lookalike: Run, file: Path) -> None:
    document = json.loads(made(lookalike, "assess", file, *ROLES, "--population", 9000, *QUICK).read_text())
    document["versions"]["polars"] = "0.1"
    document["risk"]["drivers"] = [dict.fromkeys(driver, "x\x1b[31m") for driver in document["risk"]["drivers"] * 9]
    Path("e.json").write_text(json.dumps(sealed(document)))
    done = lookalike("verify", "e.json")
    assert done.code == 1
    assert "more)" in done.out
    assert done.out.count("risk.drivers") == 20
    assert done.out.index("Other versions here: polars") < done.out.index("Where they differ")
    assert "\x1b" not in done.out
    assert "Install those of the evidence to be sure" in " ".join(done.out.split())


def test_the_verdict_as_json_is_all_that_is_printed(lookalike: Run, file: Path) -> None:
    made(lookalike, "assess", file, *ROLES, *QUICK)
    done = lookalike("verify", "e.json", "--json", "-")
    found = json.loads(done.out)
    assert (done.code, found["verdict"], found["failed"], found["signature"]) == (0, "same", [], None)
    assert found["inputs"][0]["state"] == "same"
    assert lookalike("verify", "e.json", "--quiet").out == ""
    refused = lookalike("verify", "e.json", "--json", "e.json", "--force")
    assert refused.code == 2
    assert refused.err.startswith("e.json is the input; an input is never changed.")


def test_a_good_copy_in_the_working_folder_does_not_verify_a_changed_release(lookalike: Run, file: Path) -> None:
    lookalike("keygen", "own.key")
    made(lookalike, "protect", file, "-o", "final.csv", *ROLES, "--k", "2", "--sign", "own.key")
    Path("t").mkdir()
    Path("e.json").rename("t/final.json")
    content = bytearray(Path("final.csv").read_bytes())
    content[-3] ^= 1
    Path("t/final.csv").write_bytes(content)
    for more in ((), ("--no-rerun",), ("--in", ".")):
        done = lookalike("verify", "t/final.json", "--key", "own.key.pub", *more)
        said = " ".join(done.out.split())
        assert done.code == 1
        assert said.startswith("Not verified: 1 of the checks fails. - final.csv (release) has another content than in")
        assert "Note: final.csv (release): the one beside the evidence is meant, and it differs." in said
        assert "Verified" not in said
    Path("t/final.csv").unlink()
    said = verified(lookalike, "t/final.json", "--key", "own.key.pub", "--in", ".")
    assert "final.csv (release): unchanged, and made again the same; found in the working folder" in said


def test_digests_alone_need_no_rerun(lookalike: Run, file: Path) -> None:
    made(lookalike, "protect", file, "-o", "release.csv", *ROLES, "--k", "2")
    said = verified(lookalike, "e.json", "--no-rerun")
    assert said.startswith("Unchanged: 1 input, 1 output. The figures were not computed again.")


def test_a_file_that_was_not_found_is_not_the_same(lookalike: Run, file: Path) -> None:
    """The confidential file is not there: the release is checked, and what was not looked at is told."""
    made(lookalike, "protect", file, "-o", "release.csv", *ROLES, "--k", "2")
    file.rename("elsewhere.csv")
    done = lookalike("verify", "e.json", "--no-rerun", "--json", "v.json")
    said = " ".join(done.out.split())
    assert done.code == 3
    assert said.startswith(
        "Not fully checked: unchanged 0 of 1 input, 1 output. The figures were not computed again. Its verdict: "
    )
    assert "people.csv (data): not found, so not checked release.csv (release): unchanged" in said
    assert said.endswith("Not found: people.csv (data). " + LOOKED.format(where="it lies"))
    found = json.loads(Path("v.json").read_text())
    assert (found["verdict"], found["inputs"][0]["state"]) == ("not assessable", "not found")
    Path("release.csv").write_text("other")
    done = lookalike("verify", "e.json", "--no-rerun")
    assert done.code == 1, "a file that differs weighs more than one that is missing"


def test_where_nothing_was_found_nothing_was_checked(lookalike: Run, file: Path, folder: Path) -> None:
    made(lookalike, "protect", file, "-o", "release.csv", *ROLES, "--k", "2")
    (folder / "deep" / "files").mkdir(parents=True)
    for name in ("people.csv", "release.csv"):
        Path(name).rename(folder / "deep" / "files" / name)
    done = lookalike("verify", "e.json", "--no-rerun")
    said = " ".join(done.out.split())
    assert done.code == 3
    assert said.startswith(
        "Nothing was checked but the evidence itself: of 2 files that it names none could be compared."
    )
    names = "Not found: people.csv (data), release.csv (release). "
    assert said.endswith(names + LOOKED.format(where="they lie"))
    assert verified(lookalike, "e.json", "--no-rerun", "--in", "deep/files").startswith("Unchanged: 1 input, 1 output.")


def test_signed_evidence_is_checked_by_its_key(lookalike: Run, file: Path) -> None:
    said = lookalike("keygen", "own.key").out
    mark = next(word for word in said.split() if word.startswith("SHA256:"))
    assert stat.S_IMODE(Path("own.key").stat().st_mode) == 0o600
    assert lookalike("keygen", "other.key", "--quiet").out == ""
    made(lookalike, "assess", file, *ROLES, *QUICK, "--sign", "own.key")
    text = Path("e.json").read_text()
    assert list(json.loads(text)["signature"]) == ["algorithm", "public_key", "value"]
    assert f"Signed with the key {mark}" in verified(lookalike, "e.json")
    Path("e.json").write_text(json.dumps(json.loads(text), indent=9, sort_keys=True))
    verified(lookalike, "e.json", "--key", "own.key.pub")
    done = lookalike("verify", "e.json", "--key", "other.key.pub")
    assert done.code == 1
    assert f"The evidence is signed with another key: {mark}, not SHA256:" in " ".join(done.out.split())
    document = json.loads(text)
    document["risk"]["k_anonymity"] = 9
    Path("e.json").write_text(json.dumps(sealed(document)))
    done = lookalike("verify", "e.json")
    assert done.code == 1
    assert "The signature is not of this evidence: something was changed after it was signed" in " ".join(
        done.out.split()
    )
    document = json.loads(text)
    del document["signature"]
    Path("e.json").write_text(json.dumps(document))
    verified(lookalike, "e.json")
    done = lookalike("verify", "e.json", "--key", "own.key.pub")
    assert done.code == 1
    assert "The evidence is not signed, and the key that was named demands it." in " ".join(done.out.split())


def test_releases_and_comparisons_are_signed_too(lookalike: Run, file: Path) -> None:
    lookalike("keygen", "own.key")
    made(lookalike, "protect", file, "-o", "a.csv", *ROLES, "--k", "2", "--sign", "own.key")
    verified(lookalike, "e.json", "--key", "own.key.pub", "--no-rerun")
    made(lookalike, "synthesize", file, "-o", "b.csv", *ROLES, "--model", "independent", "--sign", "own.key")
    verified(lookalike, "e.json", "--key", "own.key.pub", "--no-rerun")
    made(lookalike, "compare", file, "b.csv", *ROLES, *FAST, "--no-attacks", "--html", "b.html", "--sign", "own.key")
    assert "b.html (report): unchanged" in verified(lookalike, "e.json", "--key", "own.key.pub", "--no-rerun")
    mark = fingerprint(base64.b64decode(json.loads(Path("e.json").read_text())["signature"]["public_key"]))
    proof = f"e.json holds every figure and the digest of this page, signed with the key {mark}"
    assert f"<dt>evidence</dt><dd>{escape(proof)}</dd>" in Path("b.html").read_text()
    Path("b.html").write_text(Path("b.html").read_text() + " ")
    done = lookalike("verify", "e.json", "--key", "own.key.pub")
    assert done.code == 1
    assert "b.html (report) has another content than in the run: its digest differs." in " ".join(done.out.split())
    done = lookalike("assess", file, *ROLES, *QUICK, "--sign", "own.key", "--json", "-")
    Path("out.json").write_text(done.out)
    verified(lookalike, "out.json", "--key", "own.key.pub", "--no-rerun")


def test_a_key_with_a_passphrase(lookalike: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = lookalike("keygen", "own.key", "--passphrase")
    assert done.code == 2
    assert done.err.startswith("Nobody is there to type a passphrase. Set LOOKALIKE_KEY_PASSPHRASE")
    monkeypatch.setenv("LOOKALIKE_KEY_PASSPHRASE", "open sesame")
    assert lookalike("keygen", "own.key").code == 0
    assert "ENCRYPTED" in Path("own.key").read_text()
    made(lookalike, "assess", file, *ROLES, *QUICK, "--sign", "own.key")
    verified(lookalike, "e.json", "--key", "own.key.pub", "--no-rerun")
    monkeypatch.setenv("LOOKALIKE_KEY_PASSPHRASE", "wrong")
    done = lookalike("assess", file, *ROLES, "--sign", "own.key", "--json", "f.json")
    assert done.code == 2
    assert "own.key: the passphrase is wrong, or the file is damaged." in done.err
    assert not Path("f.json").exists()


def test_faults_of_signing_are_told_with_all_others_before_the_work(lookalike: Run, file: Path) -> None:
    done = lookalike("assess", file, "--qi", "agee", "--sign", "no.key")
    assert done.code == 2
    assert "- --sign signs the evidence: say where it goes (--json)." in done.err
    assert "- no.key: there is no such key." in done.err
    assert "Did you mean 'age'?" in " ".join(done.err.split())
    done = lookalike("protect", file, "-o", "r.csv", *ROLES, "--k", "2", "--sign", "people.csv", "--json", "e.json")
    assert done.code == 2
    assert "people.csv is not a private ed25519 key in PEM." in done.err
    assert not Path("r.csv").exists()
    lookalike("keygen", "own.key")
    done = lookalike("assess", file, *ROLES, "--sign", "own.key", "--json", "own.key", "--force")
    assert done.code == 2
    assert "own.key is the input; an input is never changed." in done.err
    assert lookalike("keygen", "own.key").code == 2


def test_evidence_that_is_none_is_told(lookalike: Run, file: Path) -> None:
    assert lookalike("verify", "no.json").err == "no.json: there is no such evidence.\n"
    done = lookalike("verify", file)
    assert (done.code, done.err) == (2, "people.csv is not evidence in JSON: it is damaged, or another file.\n")
    made(lookalike, "assess", file, *ROLES, *QUICK)
    assert lookalike("verify", "e.json", "--key", "no.pub").err == "no.pub: there is no such key.\n"
    assert lookalike("verify", "e.json", "--tolerance", "2").code == 2
