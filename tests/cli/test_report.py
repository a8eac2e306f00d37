"""`lookalike assess --html`: the report beside the evidence, and where it must not go."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

Run = Callable[..., Any]
ASK = ("--qi", "age,sex", "--population", "5000", "--estimators", "entropy", "--no-backtest")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"age": rng.integers(20, 60, 200), "sex": rng.choice(["F", "M"], 200)})
    table.write_csv(tmp_path / "people.csv")
    return tmp_path / "people.csv"


def test_the_report_is_written_and_its_digest_is_in_the_evidence(lookalike: Run, file: Path, tmp_path: Path) -> None:
    page, evidence = tmp_path / "report.html", tmp_path / "evidence.json"
    done = lookalike("assess", file, *ASK, "--html", page, "--json", evidence)
    assert done.code == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "How many people look like the records of people.csv" in text
    outputs = json.loads(evidence.read_text())["outputs"]
    assert [(each["name"], each["sha256"]) for each in outputs] == [
        ("report.html", hashlib.sha256(page.read_bytes()).hexdigest())
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("people.csv", "people.csv"),
        ("there.html", "there.html"),
        ("nowhere/report.html", "report.html: the folder to write it in does not exist."),
    ],
)
def test_a_report_is_not_written_over_a_file_nor_into_nowhere(
    lookalike: Run, file: Path, tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / "there.html").write_text("mine")
    before = file.read_bytes()
    done = lookalike("assess", file, *ASK, "--html", tmp_path / name)
    assert done.code == 2
    assert said in done.err
    assert file.read_bytes() == before
    assert (tmp_path / "there.html").read_text() == "mine"


def test_report_and_evidence_must_be_two_files(lookalike: Run, file: Path, tmp_path: Path) -> None:
    done = lookalike("assess", file, *ASK, "--html", tmp_path / "x", "--json", tmp_path / "x")
    assert done.code == 2
    assert "name the same file" in done.err
    assert not (tmp_path / "x").exists()
