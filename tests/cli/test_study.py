"""`lookalike study`: files, the page, refusals, and what an interrupt leaves."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

SECRET = "Rumpelstilzchen"
Command = Callable[..., Any]
STUDY = ("study", "people.csv", "--qi", "age,sex,town", "--workers", "1", "--points", "8", "--estimators", "entropy")


@pytest.fixture(autouse=True)
def people(folder: Path) -> None:
    """A small population with a value that must not be shown."""
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"age": rng.integers(20, 60, 400), "sex": rng.choice(["F", "M"], 400)})
    table.with_columns(town=pl.Series(rng.choice([SECRET, "a", "b"], 400))).write_csv("people.csv")


def test_a_study_ends_with_tables_pictures_and_a_page_to_open(lookalike: Command) -> None:
    result = lookalike(*STUDY, "-o", "out", "--sensitivity", "1")
    assert (result.code, result.err) == (0, "")
    assert "people.csv: 400 records as population, 3 quasi-identifiers" in result.out
    assert result.out.endswith("Open out/table.html\n")
    assert max(len(line) for line in result.out.splitlines()) <= 80
    assert set(os.listdir("out")) == {
        *("points.jsonl", "settings.json", "points.csv", "table.csv", "cells.csv", "sensitivity.csv"),
        *("table.html", "errors.svg", "errors_entropy.svg", "sensitivity.svg"),
    }
    assert pl.read_csv("out/points.csv").filter(pl.col("ratio") == 1)["point"].to_list() == list(range(8))
    assert all(SECRET not in Path("out", name).read_text() for name in os.listdir("out"))
    assert SECRET not in result.out


def test_the_page_needs_no_network_and_escapes_names(lookalike: Command) -> None:
    Path("people.csv").rename("<b>people.csv")
    pl.read_csv("<b>people.csv").rename({"sex": "<i>sex"}).write_csv("<b>people.csv")
    run = ("study", "<b>people.csv", "--qi", "age,<i>sex", "--points", "4", "--estimators", "entropy", "--workers", "1")
    assert lookalike(*run).code == 0
    page = Path("lookalike-study/table.html").read_text()
    assert "&lt;b&gt;people.csv" in page
    assert "age, &lt;i&gt;sex" in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "<script" not in page
    assert "@import" not in page
    addresses = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert set(re.findall(r"\w+://[^\s\"'<>]+", page)) <= addresses, "names of SVG, which nobody fetches"
    assert re.findall(r"(?:src|href)\s*=|url\((?!#)", page) == []
    assert page.count("<svg") == 2


def test_options_are_heard(lookalike: Command) -> None:
    run = (*STUDY, "-o", "out", "--quiet", "--fractions", "0.02,0.05", "--sizes", "2,2", "--seed", "7")
    assert lookalike(*run).out == ""
    points = pl.read_csv("out/points.csv")
    assert points["fraction"].is_between(0.02, 0.05).all()
    assert set(points["size"]) == {2}
    other = lookalike(*run[:-1], "8")
    assert other.code == 2
    assert other.err == "out holds a study with other settings: seed. Name a new folder, or --force to start over.\n"
    assert lookalike(*run[:-1], "8", "--force").code == 0
    assert not pl.read_csv("out/points.csv")["fraction"].equals(points["fraction"])


def test_a_plan_may_name_the_quasi_identifiers(lookalike: Command) -> None:
    Path("plan.toml").write_text('seed = 5\n[roles]\nquasi_identifiers = ["age"]\n')
    result = lookalike("study", "people.csv", "--plan", "plan.toml", "--points", "2", "--workers", "1", "--quiet")
    assert result.code == 0
    assert '"seed": 5' in Path("lookalike-study/settings.json").read_text()
    assert set(pl.read_csv("lookalike-study/points.csv")["variables"]) == {"age"}


def test_all_faults_are_told_and_nothing_is_written(lookalike: Command) -> None:
    result = lookalike(
        *("study", "people.csv", "--qi", "agee", "--fractions", "half", "--sizes", "1,2,3", "--estimators", "all,x")
    )
    assert result.code == 2
    for said in ("5 faults", "--fractions must be two", "--sizes must be two", "Estimator 'x'", "Column 'agee'"):
        assert said in result.err
    assert not Path("lookalike-study").exists()
    assert "No quasi-identifier is named" in lookalike("study", "people.csv").err


# --- stopped --------------------------------------------------------------------------------------------


def started(*options: str) -> subprocess.Popen[str]:
    """A long study in a process group of its own, some answers written."""
    run = [*STUDY[:4], "-o", "out", "--points", "4000", "--workers", "2", "--estimators", "entropy", *options]
    process = subprocess.Popen(
        [Path(sys.executable).with_name("lookalike"), *run],
        env={**os.environ, "LOOKALIKE_SCRATCH": "scratch"},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: Path("out/points.jsonl").exists() and Path("out/points.jsonl").read_bytes().count(b"\n") > 20)
    return process


def until(holds: Callable[[], bool]) -> None:
    for _ in range(300):
        if holds():
            return
        time.sleep(0.1)
    pytest.fail("it took too long")


def alone(group: int) -> bool:
    """No process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_study_that_is_stopped_keeps_its_answers_and_goes_on(lookalike: Command, number: signal.Signals) -> None:
    process = started()
    if number is signal.SIGINT:
        os.killpg(process.pid, number)  # as Ctrl-C does
    else:
        process.send_signal(number)
    out, err = process.communicate(timeout=30)
    until(lambda: alone(process.pid))
    kept = Path("out/points.jsonl").read_text().splitlines()
    assert 20 < len(kept) < 4000
    if number is not signal.SIGKILL:
        assert (process.returncode, out) == (130, "")
        assert err.splitlines() == [
            "The answers so far are kept: the same command goes on from there.",
            "Interrupted. Nothing was left half-written.",
        ]
        assert os.listdir("scratch") == []
    assert lookalike(*STUDY, "-o", "out", "--quiet").code == 0
    now = Path("out/points.jsonl").read_text().splitlines()
    assert now[: len(kept)] == kept
    assert len(now) <= len(kept) + 2, "at most the answers in work, one a worker, are computed again"
    points = pl.read_csv("out/points.csv")["point"].to_list()
    assert len(points) == len(set(points)) == len(now)
    assert set(points) >= set(range(8))


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="children are found in /proc")
def test_a_worker_that_is_lost_is_told(lookalike: Command) -> None:
    process = started()
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    workers = [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (2, "")
    assert re.fullmatch(
        r"A worker ended at point \d+ in the estimator 'entropy' \(exit code -9\)\. The answers so far are kept\. If "
        r"memory ran out \(-9\), take fewer --workers; or leave this estimator out\.\n",
        err,
    )
    until(lambda: alone(process.pid))


def test_two_studies_do_not_share_a_folder_at_once(lookalike: Command) -> None:
    process = started()
    second = lookalike(*STUDY, "-o", "out")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    assert second.code == 2
    assert second.err == "Another study is running in out. Wait for it, or name another folder.\n"
