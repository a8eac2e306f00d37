"""Runs that end well: exit codes, what goes to which stream, files in the order of the file, interrupts."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lookalike as la
from lookalike.cli import main
from lookalike.cli.demonstration import FILES
from lookalike.report.journey import PARTS, TRUTH_TITLE

SECRET = "Rumpelstilzchen"
Command = Callable[..., Any]


@pytest.fixture
def files(folder: Path) -> None:
    """A file of four records, and populations in which B is 1/20 and 1."""
    rows = [(30, "F"), (31, "M"), (30, "F"), (30, "M")]
    table = pl.DataFrame(rows, schema=["age", "sex"], orient="row").with_columns(name=pl.lit(SECRET))
    table.write_csv("file.csv")
    pl.concat([table] * 20).write_parquet("many.parquet")
    table.write_parquet("few.parquet")


ASSESS = ("assess", "file.csv", "--qi", "age,sex")


@pytest.mark.usefixtures("files")
def test_exit_code_0_every_threshold_holds(lookalike: Command) -> None:
    result = lookalike(*ASSESS, "--population", "many.parquet")
    assert result.code == 0
    assert "may leave the house" in result.out
    assert result.err == ""


@pytest.mark.usefixtures("files")
def test_exit_code_1_a_threshold_does_not_hold(lookalike: Command) -> None:
    assert lookalike(*ASSESS, "--population", "few.parquet").code == 1
    assert lookalike(*ASSESS, "--population", "many.parquet", "--threshold", "0.01").code == 1
    assert lookalike(*ASSESS, "--population", "many.parquet", "--k", "2").code == 1


@pytest.mark.usefixtures("files")
def test_a_file_that_fails_is_told_the_next_command_as_it_can_be_pasted(lookalike: Command) -> None:
    Path("my plan.toml").write_text(
        '[roles]\nquasi_identifiers = ["age", "sex"]\n[population]\nfile = "few.parquet"\n', encoding="utf-8"
    )
    asked = ("assess", "file.csv", "--plan", "my plan.toml")
    failed = lookalike(*asked)
    assert failed.code == 1
    assert failed.out.endswith("To paste: lookalike protect file.csv --plan 'my plan.toml' -o release.csv\n")
    assert lookalike(*asked, "--quiet").out == ""
    json.loads(lookalike(*asked, "--json", "-").out)
    for more in (("--k", "2"), ("--population", "many.parquet")):  # the plan alone would not ask the same
        assert "--plan 'my plan.toml'" not in lookalike(*asked, *more).out


@pytest.mark.usefixtures("files")
def test_exit_code_3_a_measure_that_decides_could_not_be_assessed(lookalike: Command) -> None:
    Path("plan.toml").write_text("[thresholds]\nl_diversity = 2\n")
    result = lookalike(*ASSESS, "--plan", "plan.toml", "--population", "many.parquet")
    assert result.code == 3
    assert "no sensitive variable is named" in result.out


@pytest.mark.usefixtures("files")
def test_help_and_version_end_well(lookalike: Command) -> None:
    assert lookalike("--version").out == f"{la.__version__}\n"
    for command in ((), ("assess",), ("plan",), ("demo",)):
        result = lookalike(*command, "--help")
        assert (result.code, result.err) == (0, "")
        assert "Usage: lookalike" in result.out


@pytest.mark.usefixtures("files")
def test_no_cell_is_shown(lookalike: Command) -> None:
    for options in ((), ("--json", "-"), ("--sensitive", "name")):
        result = lookalike(*ASSESS, "--population", "few.parquet", *options)
        assert result.code == 1
        assert SECRET not in result.out + result.err


@pytest.mark.usefixtures("files")
def test_json_to_the_screen_is_all_that_is_printed(lookalike: Command) -> None:
    result = lookalike(*ASSESS, "--population", "many.parquet", "--json", "-")
    evidence = json.loads(result.out)
    assert evidence["schema"] == 2
    assert evidence["risk"]["records"] == 4
    assert evidence["verdict"]["meets"] is True
    assert result.err == ""
    assert not Path("-").exists()


@pytest.mark.usefixtures("files")
def test_quiet_says_nothing_and_writes_all_the_same(lookalike: Command) -> None:
    result = lookalike(
        *ASSESS, "--population", "many.parquet", "--quiet", "--json", "out.json", "--records", "out.parquet"
    )
    assert (result.code, result.out, result.err) == (0, "", "")
    assert json.loads(Path("out.json").read_text())["command"] == "assess"
    assert pl.read_parquet("out.parquet").height == 4
    assert lookalike("plan", "file.csv", "-o", "plan.toml", "--quiet").out == ""
    for name in ("out.json", "out.parquet", "plan.toml"):
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx"])
def test_risk_per_record_is_in_the_order_of_the_file(lookalike: Command, engine: str, ending: str) -> None:
    name = f"out.{ending}"
    lookalike(*ASSESS, "--population", "many.parquet", "--engine", engine, "--records", name)
    found = la.read(name).head()
    assert found["record"].to_list() == [1, 2, 3, 4]
    assert found["lookalikes_in_file"].to_list() == [2, 1, 2, 1]
    assert found["lookalikes_in_population"].to_list() == [40, 20, 40, 20]
    assert found["sample_to_population"].to_list() == [1 / 40, 1 / 20, 1 / 40, 1 / 20]


@pytest.mark.usefixtures("files")
def test_outputs_that_exist_are_replaced_if_forced(lookalike: Command) -> None:
    for name in ("out.json", "out.csv"):
        Path(name).write_text("old")
    run = (*ASSESS, "--population", "many.parquet", "--json", "out.json", "--records", "out.csv")
    assert lookalike(*run).code == 2
    assert lookalike(*run, "--force").code == 0
    assert json.loads(Path("out.json").read_text())["schema"] == 2


@pytest.mark.usefixtures("files")
def test_a_plan_is_written_read_and_overridden(lookalike: Command) -> None:
    shown = lookalike("plan", "file.csv")
    written = lookalike("plan", "file.csv", "-o", "my plan.toml")
    assert (shown.code, written.code) == (0, 0)
    assert shown.out == Path("my plan.toml").read_text()
    assert written.out.endswith("Check the roles, then: lookalike assess file.csv --plan 'my plan.toml'\n")
    run = ("assess", "file.csv", "--plan", "my plan.toml", "--population", "many.parquet", "--json", "-")
    assert json.loads(lookalike(*run).out)["plan"]["roles"]["quasi_identifiers"] == ["age", "sex"]
    assert json.loads(lookalike(*run, "--qi", "sex").out)["plan"]["roles"]["quasi_identifiers"] == ["sex"]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("size", ["1000000", "1,000,000", "1_000_000", "1'000'000", "1e6"])
def test_a_population_may_be_written_with_marks(lookalike: Command, size: str) -> None:
    evidence = json.loads(lookalike(*ASSESS, "--population", size, "--json", "-").out)
    assert evidence["plan"]["population"]["size"] == 1_000_000


def test_a_demonstration_ends_with_files_to_look_at(lookalike: Command, folder: Path) -> None:
    result = lookalike("demo", "seen")
    assert (result.code, result.err) == (0, "")
    assert sorted(os.listdir("seen")) == sorted(FILES)
    assert "Open the report: seen/report.html" in result.out
    page = Path("seen/report.html").read_text(encoding="utf-8")
    for part in (TRUTH_TITLE, *PARTS):
        assert f">{part}<" in page
    for name in ("evidence.json", "synthetic.json"):
        assert lookalike("verify", f"seen/{name}").code == 0
    for name in ("protected.json", "compare-protected.json", "compare-synthetic.json"):
        assert lookalike("verify", f"seen/{name}", "--no-rerun").code == 0
    protected = json.loads(Path("seen/protected.json").read_text(encoding="utf-8"))
    assert protected["verdict"]["meets"]


# --- interrupts -----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["lookalike.data.csv_file.sniff", "os.replace"])
def test_an_interrupt_leaves_no_partial_output(
    lookalike: Command, folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, moment: str
) -> None:
    """The signal comes while the file is read, or when an output is written and only its name is missing."""
    monkeypatch.setenv("LOOKALIKE_SCRATCH", str(folder / "scratch"))
    monkeypatch.setattr(moment, lambda *_, **__: signal.raise_signal(number))
    before = set(os.listdir())
    result = lookalike(*ASSESS, "--population", "many.parquet", "--records", "out.csv", "--json", "out.json")
    assert result.code == 130
    assert (result.out, result.err) == ("", "Interrupted. Nothing was left half-written.\n")
    assert set(os.listdir()) - {"scratch"} == before
    assert not Path("scratch").exists() or os.listdir("scratch") == []


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("becomes", [pl.exceptions.PanicException(SECRET), la.BadFile(SECRET)])
def test_an_interrupt_that_a_library_turns_into_another_error_is_one(
    lookalike: Command, monkeypatch: pytest.MonkeyPatch, becomes: BaseException
) -> None:
    """Polars makes a panic of it, which reading may take for a damaged file."""

    def sniff(*_: object, **__: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise becomes from None

    monkeypatch.setattr("lookalike.data.csv_file.sniff", sniff)
    result = lookalike(*ASSESS, "--population", "many.parquet")
    assert (result.code, result.out, result.err) == (130, "", "Interrupted. Nothing was left half-written.\n")


@pytest.mark.usefixtures("files")
def test_a_panic_without_an_interrupt_is_a_fault_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def sniff(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException(SECRET)

    monkeypatch.setattr("lookalike.data.csv_file.sniff", sniff)
    monkeypatch.setattr(sys, "argv", ["lookalike", *ASSESS])
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    with pytest.raises(pl.exceptions.PanicException):
        main()
    for number, handler in handlers.items():
        signal.signal(number, handler)


# --- the program's own faults ---------------------------------------------------------------------------


@pytest.mark.usefixtures("files")
def test_a_fault_of_the_program_is_told_without_its_message() -> None:
    """Its exit code is not 1, which would say that a threshold does not hold."""
    code = (
        "import importlib, sys\n"
        "main = importlib.import_module('lookalike.cli.main')\n"
        f"def fail(*_, **__): raise ValueError('{SECRET}')\n"
        "main.plan_from = fail\n"
        "sys.argv = ['lookalike', 'assess', 'file.csv']\n"
        "main.main()\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 70
    assert result.stdout == ""
    assert SECRET not in result.stderr
    first, second = result.stderr.splitlines()
    assert first == (
        "Lookalike failed: builtins.ValueError. This is a fault of the program, and no verdict on the file. Its "
        "message is not shown, for it may hold a cell of the file."
    )
    assert second.startswith("Please report the lines: cli/main.py:")


@pytest.mark.usefixtures("files")
def test_the_installed_command_runs() -> None:
    program = Path(sys.executable).with_name("lookalike")
    run = [program, *ASSESS, "--population", "many.parquet", "--json", "-"]
    result = subprocess.run(run, capture_output=True, text=True, check=False)
    assert result.returncode == 0
    assert json.loads(result.stdout)["schema"] == 2
    assert result.stderr == ""
