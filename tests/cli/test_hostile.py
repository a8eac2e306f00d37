"""Headers, cells and file names that are HTML, script, template syntax or orders to a terminal: shown, never obeyed."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from report.pages import Outline, assert_is_a_report

from .conftest import Command

AGE = "age<img src=x onerror=alert(1)>"
SEX = "[bold]{{7*7}}{% raw %}</title><style>*{display:none}</style>"
TOWN = "town\x1b[31m\u202e\"'><script>alert(1)</script>${7*7}"
PAY = "</script><svg/onload=alert(1)>{#pay#}"
CELLS = ("<script>alert(2)</script>", "{{7*7}}", "'\"><b>bold</b>", "\x1b[2J", "[red]x[/red]", "=1+1")
TAGS = {"img", "script", "iframe", "b", "object", "embed", "link"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A survey of four columns whose names and cells are as bad as they can be, under a name that is bad too."""
    place, rng = tmp_path_factory.mktemp("hostile"), np.random.default_rng(3)
    with (place / "<b>{{7*7}}[bold].csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow([AGE, SEX, TOWN, PAY])
        for _ in range(240):
            age, sex, town = int(rng.integers(20, 60)), CELLS[rng.integers(2)], CELLS[rng.integers(len(CELLS))]
            rows.writerow([age, sex, town, 100 * age + int(rng.integers(500))])
    return place


def plan_of(folder: Path) -> Path:
    plan = folder / "plan.toml"
    if not plan.exists():
        names = json.dumps([AGE, SEX, TOWN])
        plan.write_text(
            f"[roles]\nquasi_identifiers = {names}\nsensitive = {json.dumps([PAY])}\n"
            '[population]\nsize = 2000\nestimators = ["entropy"]\nbacktest = false\n'
            "[thresholds]\nsample_to_population = false\nk_anonymity = 2\n",
            encoding="utf-8",
        )
    return plan


def file_of(folder: Path) -> Path:
    return next(folder.glob("<b>*.csv"))


def sound(said: Any, page: Path, evidence: Path) -> None:
    """Nothing of a name is obeyed on the page or by the terminal, and all of it is there to be read."""
    text = page.read_text(encoding="utf-8")
    found: Outline = assert_is_a_report(text)
    assert not TAGS & set(found.tags)
    assert "{{7*7}}" in text, "no template of ours has filled in what a name holds"
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e]", text)
    assert json.loads(evidence.read_text(encoding="utf-8"))["schema"] == 2
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202a-\u202e]", said.out + said.err)
    assert "[bold]" in said.out, "markup of a name is shown as it is"


def test_an_assessment(lookalike: Command, folder: Path) -> None:
    page, evidence = folder / "a.html", folder / "a.json"
    done = lookalike("assess", file_of(folder), "--plan", plan_of(folder), "--html", page, "--json", evidence)
    assert done.code in (0, 1)
    sound(done, page, evidence)


@pytest.mark.parametrize("language", ["de", "fr"])
def test_an_assessment_in_another_language(lookalike: Command, folder: Path, language: str) -> None:
    page, evidence = folder / f"{language}.html", folder / f"{language}.json"
    told = ("--language", language, "--html", page, "--json", evidence)
    done = lookalike("assess", file_of(folder), "--plan", plan_of(folder), *told)
    assert done.code in (0, 1)
    sound(done, page, evidence)


def test_a_protection_and_what_it_keeps(lookalike: Command, folder: Path) -> None:
    page, evidence, release = folder / "p.html", folder / "p.json", folder / "released[red].csv"
    outputs = ("-o", release, "--html", page, "--json", evidence)
    done = lookalike("protect", file_of(folder), "--plan", plan_of(folder), *outputs)
    assert done.code in (0, 1)
    sound(done, page, evidence)
    page, kept = folder / "pc.html", folder / "pc.json"
    compared = ("--plan", plan_of(folder), "--made", evidence, "--html", page, "--json", kept)
    done = lookalike("compare", file_of(folder), release, *compared)
    assert done.code in (0, 1)
    sound(done, page, kept)


def test_a_new_file(lookalike: Command, folder: Path) -> None:
    page, evidence, release = folder / "s.html", folder / "s.json", folder / "drawn[red].csv"
    outputs = ("-o", release, "--html", page, "--json", evidence, "--model", "bootstrap")
    done = lookalike("synthesize", file_of(folder), "--plan", plan_of(folder), *outputs)
    assert done.code in (0, 1)
    sound(done, page, evidence)


def test_a_plan_is_one_that_can_be_read_again(lookalike: Command, folder: Path) -> None:
    guessed = folder / "guessed.toml"
    done = lookalike("plan", file_of(folder), "-o", guessed)
    assert done.code == 0
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202a-\u202e]", done.out + done.err + guessed.read_text("utf-8"))
    page, evidence = folder / "g.html", folder / "g.json"
    outputs = ("--population", "2000", "--no-backtest", "--html", page, "--json", evidence)
    assert lookalike("assess", file_of(folder), "--plan", guessed, *outputs).code in (0, 1)


@pytest.mark.parametrize("option", ["--qi", "--sensitive"])
def test_a_fault_that_names_it(lookalike: Command, folder: Path, option: str) -> None:
    done = lookalike("assess", file_of(folder), option, "\x1b[31mnobody[bold]")
    assert done.code == 2
    assert "nobody[bold]" in done.err
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202a-\u202e]", done.out + done.err)
