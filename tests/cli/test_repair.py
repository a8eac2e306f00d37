"""`lookalike repair`: the rows behind a risk, changed; the evidence, the page, the list for the custodian."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

Run = Callable[..., Any]
COLUMNS = ["record", "records", "copy", "row", "rows", "attack", "target", "columns", "done"]
FAST = ("--models", "logistic", "--ways", "1", "--id", "id", "--qi", "age,sex,area", "--sensitive", "ill")


def people(rows: int = 300, seed: int = 5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, rows)
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(rows)],
            "age": age,
            "sex": rng.choice(["F", "M"], rows),
            "area": rng.choice(["0101", "0102"], rows),
            "ill": np.where(rng.random(rows) < age / 100, "yes", "no"),
            "pay": age * 40 + rng.integers(0, 900, rows),
        }
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    people().write_csv(path)
    return path


@pytest.fixture
def release(tmp_path: Path) -> Path:
    path = tmp_path / "release.csv"
    pl.concat([people().head(80), people(seed=6).tail(220)]).drop("id").write_csv(path)
    return path


def said(done: Any) -> str:
    return " ".join((done.out + done.err).replace("│", " ").split())


def test_copies_are_dropped_and_everything_is_told(lookalike: Run, file: Path, release: Path, tmp_path: Path) -> None:
    out, evidence, records, page = (tmp_path / n for n in ("mended.csv", "e.json", "changed.csv", "report.html"))
    more = ("--by", "drop", "--json", evidence, "--records", records, "--html", page)
    done = lookalike("repair", file, release, "-o", out, *FAST, *more)
    assert done.code in (0, 1), said(done)
    document = json.loads(evidence.read_text())
    assert document["command"] == "repair"
    copies = next(a for a in document["repair"]["attacks"] if a["attack"] == "copies")
    assert copies["before"]["above"]
    assert not copies["after"]["above"]
    assert document["repair"]["rows_dropped"] == 300 - pl.read_csv(out).height
    assert document["before"]["attacks"]["copies"]
    assert document["utility"]["tables"]
    assert [o["role"] for o in document["outputs"]] == ["release", "records", "report"]
    listed = pl.read_csv(records)
    assert listed.columns == COLUMNS
    assert set(listed["done"]) == {"at risk", "behind", "dropped"}
    copied = listed.filter(pl.col("attack") == "copies")
    # The first 80 rows of the release are the first 80 records: every line of a copy joins the two.
    assert (copied["record"] == copied["row"]).all()
    assert set(copied.filter(done="at risk")["rows"]) == set(copied.filter(done="behind")["records"]) == {1}
    joined = listed.filter(done="dropped").join(copied.filter(done="behind"), on=["copy", "row"])
    assert (joined["record"] <= joined["record_right"]).all()
    assert "Before and after the repair" in page.read_text()
    assert "Release written to" in said(done)


def test_a_repair_can_be_verified(lookalike: Run, file: Path, release: Path, tmp_path: Path) -> None:
    out, evidence, records = (tmp_path / n for n in ("mended.csv", "e.json", "changed.csv"))
    lookalike("repair", file, release, "-o", out, *FAST, "--json", evidence, "--records", records)
    done = lookalike("verify", evidence)
    assert done.code == 0, said(done)
    out.write_text(out.read_text().replace("yes", "no", 1))
    assert lookalike("verify", evidence).code == 1


def test_a_folder_of_copies_is_repaired_as_a_folder(lookalike: Run, file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    for number in (1, 2):
        people(seed=number).drop("id").write_csv(folder / f"copy-{number}.csv")
    done = lookalike("repair", file, folder, "-o", tmp_path / "mended", *FAST, "--threshold", "0.01")
    assert done.code in (0, 1), said(done)
    assert sorted(p.name for p in (tmp_path / "mended").iterdir()) == ["copy-1.csv", "copy-2.csv"]


def test_what_is_wrong_is_told_together(lookalike: Run, file: Path, release: Path, tmp_path: Path) -> None:
    done = lookalike(
        "repair",
        file,
        release,
        "-o",
        release,
        *FAST,
        "--by",
        "blank",
        "--least",
        "1",
        "--language",
        "it",
        "--threshold",
        "2",
    )
    assert done.code == 2
    told = said(done)
    for fault in (
        "an input is never changed",
        "Way of repair 'blank' is not known",
        "A row needs at least 2 that look alike",
        "Language 'it' is not known",
        "The threshold of a repair must be at least 0 and below 1",
    ):
        assert fault in told


def test_without_keys_nothing_can_be_repaired(lookalike: Run, file: Path, release: Path, tmp_path: Path) -> None:
    done = lookalike(
        "repair", file, release, "-o", tmp_path / "m.csv", "--models", "logistic", "--ways", "1", "--id", "id"
    )
    assert done.code == 2
    assert "Nothing is said of what an attacker knows" in said(done)
    assert not (tmp_path / "m.csv").exists()


def test_where_nothing_is_at_risk_the_list_is_empty(lookalike: Run, file: Path, tmp_path: Path) -> None:
    others, records = tmp_path / "others.csv", tmp_path / "changed.csv"
    people(seed=7).drop("id").write_csv(others)
    more = ("--threshold", "0.9", "--records", records, "--html", tmp_path / "r.html", "--json", tmp_path / "e.json")
    done = lookalike("repair", file, others, "-o", tmp_path / "same.csv", *FAST, *more)
    assert done.code == 0, said(done)
    assert "Nothing had to be changed: no row is behind a risk above 0.9." in said(done)
    assert records.read_text().replace('"', "").splitlines() == [",".join(COLUMNS)]
    assert lookalike("verify", tmp_path / "e.json").code == 0


def test_a_copy_is_one_in_the_weight_too(lookalike: Run, file: Path, tmp_path: Path) -> None:
    """Two people may share all that is compared; who has the weight of a record too is a copy of it."""
    weights = np.random.default_rng(1).random(300)
    table = people().select("age", "sex", "ill").with_columns(w=weights)
    table.write_csv(tmp_path / "weighted.csv")
    pl.concat([table.head(60), table.tail(240).with_columns(w=pl.col("w") / 2)]).write_csv(tmp_path / "made.csv")
    evidence = tmp_path / "e.json"
    options = ("--qi", "age,sex", "--weight", "w", "--models", "logistic", "--ways", "1", "--json", evidence)
    done = lookalike("compare", tmp_path / "weighted.csv", tmp_path / "made.csv", *options)
    assert done.code == 0, said(done)
    assert "60 records of the original, which no other record equals, stand in the release as they are" in said(done)
