"""The population risk through the command: options, exit codes, files, width; and input that is nearly too bad."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from lookalike.population import ESTIMATORS

SECRET = "Rumpelstilzchen"
Command = Callable[..., Any]
ASSESS = ("assess", "file.csv", "--qi", "age,sex", "--population", "5000")


def table(records: int = 150) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    return pl.DataFrame({"age": rng.integers(20, 60, records), "sex": rng.choice(["F", SECRET], records)})


@pytest.fixture(autouse=True)
def file(folder: Path) -> None:
    table().write_csv("file.csv")


def evidence(result: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.out)
    return found


# --- options --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("threshold", "code"), [("0.5", 0), ("0.001", 1)])
def test_the_estimate_decides(lookalike: Command, threshold: str, code: int) -> None:
    result = lookalike(*ASSESS, "--no-backtest", "--threshold", threshold, "--json", "-")
    assert result.code == code
    assert evidence(result)["risk"]["sample_to_population"]["chosen"] == "posterior"
    assert evidence(result)["verdict"]["meets"] is (code == 0)


def test_an_undecided_verdict_ends_with_4_unless_the_upper_end_is_decided_on(lookalike: Command) -> None:
    found = evidence(lookalike(*ASSESS, "--no-backtest", "--json", "-"))["risk"]["sample_to_population"]
    estimate = found["estimates"]["posterior"]
    between = str((estimate["value"] + estimate["high"]) / 2)
    left = lookalike(*ASSESS, "--no-backtest", "--threshold", between)
    assert left.code == 4
    assert "Undecided: every threshold of the plan holds by the estimate" in " ".join(
        left.out.replace("│", " ").split()
    )
    sure = lookalike(*ASSESS, "--no-backtest", "--threshold", between, "--upper", between, "--json", "-")
    assert sure.code == 1
    assert [(t["measure"], t["meets"]) for t in evidence(sure)["thresholds"]] == [
        ("sample_to_population", True),
        ("sample_to_population_upper", False),
    ]


def test_estimators_are_asked_in_order(lookalike: Command) -> None:
    result = lookalike(*ASSESS, "--no-backtest", "--estimators", "chao, posterior", "--json", "-")
    document = evidence(result)
    assert document["plan"]["population"]["estimators"] == ["chao", "posterior"]
    assert document["risk"]["sample_to_population"]["chosen"] == "chao"


def test_all_estimators_can_be_asked(lookalike: Command) -> None:
    result = lookalike(*ASSESS, "--no-backtest", "--estimators", "all", "--json", "-")
    found = evidence(result)["risk"]["sample_to_population"]["estimates"]
    assert set(found) == set(ESTIMATORS)
    for estimate in found.values():
        assert estimate["value"] is not None or estimate["caveats"]


def test_a_backtest_is_run_unless_told(lookalike: Command) -> None:
    Path("plan.toml").write_text("[population]\nbacktest = false\n")
    run = (*ASSESS, "--estimators", "entropy", "--json", "-")
    assert [t["records"] for t in evidence(lookalike(*run))["risk"]["backtest"]] == [45, 75]
    assert evidence(lookalike(*run, "--no-backtest"))["risk"]["backtest"] == []
    assert evidence(lookalike(*run, "--plan", "plan.toml"))["risk"]["backtest"] == []
    assert len(evidence(lookalike(*run, "--plan", "plan.toml", "--backtest"))["risk"]["backtest"]) == 2


def test_margins_are_read_from_files(lookalike: Command) -> None:
    Path("sexes.csv").write_text(f"sex,people\nF,4000\n{SECRET},1000\n")
    Path("ages.csv").write_text("age,people\n" + "".join(f"{age},125\n" for age in range(20, 60)))
    run = (*ASSESS, "--no-backtest", "--margins", "sexes.csv", "--json", "-")
    assert evidence(lookalike(*run))["plan"]["population"]["margins"] == ["sexes.csv"]
    both = evidence(lookalike(*run, "--margins", "ages.csv"))
    assert [source["name"] for source in both["inputs"]] == ["file.csv", "sexes.csv", "ages.csv"]
    assert both["risk"]["sample_to_population"]["estimates"]["posterior"]["value"] is not None


def test_risk_per_record_has_a_column_an_estimator(lookalike: Command) -> None:
    lookalike(*ASSESS, "--no-backtest", "--estimators", "posterior,entropy", "--records", "out.csv", "--quiet")
    found = pl.read_csv("out.csv")
    assert {"sample_to_population_posterior", "sample_to_population_entropy"} <= set(found.columns)
    assert "sample_to_population" not in found.columns
    assert found["record"].to_list() == list(range(1, 151))
    assert found.select(pl.col("sample_to_population_posterior").is_between(0, 1).all()).item()


def test_the_same_command_gives_the_same_figures(lookalike: Command) -> None:
    run = (*ASSESS, "--no-backtest", "--json", "-")
    one, two = (evidence(lookalike(*run))["risk"]["sample_to_population"]["estimates"]["posterior"] for _ in "12")
    assert (one["value"], one["low"], one["high"]) == (two["value"], two["low"], two["high"])


@pytest.mark.parametrize("estimators", ["posterior", "all"])
def test_the_report_fits_a_terminal_of_80_columns(
    lookalike: Command, monkeypatch: pytest.MonkeyPatch, estimators: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = lookalike(*ASSESS, "--estimators", estimators)
    assert max(len(line) for line in result.out.split("\n")) <= 80
    assert SECRET not in result.out + result.err
    for part in ("How far to trust it", "Risk of single records", "Who carries the risk"):
        assert part in result.out


# --- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--estimators", "posteriors"), "Estimator 'posteriors' is not known. Did you mean 'posterior'? Estimators: "),
        (("--estimators", ""), "At least one estimator of the population risk must be named."),
        (("--margins", "nowhere.csv"), "nowhere.csv: there is no such file."),
        (("--margins", "bad.csv"), "Margin bad.csv: no column is a quasi-identifier of the file."),
        (("--margins", "file.csv", "--json", "file.csv"), "2 faults:\n- file.csv is the input;"),
        (("--population", "100"), "The population (100 people, given) is smaller than the file (150 records)."),
    ],
)
def test_what_is_wrong_is_told(lookalike: Command, options: tuple[str, ...], message: str) -> None:
    Path("bad.csv").write_text(f"region,people\n{SECRET},10\n")
    result = lookalike(*ASSESS, *options)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(message)
    assert SECRET not in result.err


def test_a_margin_is_never_an_output(lookalike: Command) -> None:
    Path("sexes.csv").write_text(f"sex,people\nF,4000\n{SECRET},1000\n")
    result = lookalike(*ASSESS, "--margins", "sexes.csv", "--records", "sexes.csv", "--force")
    assert result.code == 2
    assert result.err.startswith("sexes.csv is the input; an input is never changed.")


def test_margins_without_a_population_are_refused(lookalike: Command) -> None:
    Path("sexes.csv").write_text(f"sex,people\nF,4000\n{SECRET},1000\n")
    result = lookalike("assess", "file.csv", "--qi", "age,sex", "--margins", "sexes.csv")
    assert (result.code, result.err) == (2, "Known margins need the size of the population (--population N).\n")


# --- input that is nearly too bad -----------------------------------------------------------------------


def posterior(lookalike: Command, data: pl.DataFrame, *options: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and what the posterior says of a file."""
    data.write_csv("file.csv")
    names = ",".join(name for name in data.columns if name != "w")
    result = lookalike("assess", "file.csv", "--qi", names, *options, "--no-backtest", "--json", "-")
    return result.code, evidence(result)["risk"]["sample_to_population"]["estimates"]["posterior"]


def test_one_record_is_not_assessable(lookalike: Command) -> None:
    code, found = posterior(lookalike, table(1), "--population", "5000")
    assert code == 3
    assert (found["value"], found["caveats"]) == (
        None,
        ["fewer than 10 records do not tell how the quasi-identifiers vary"],
    )


def test_one_constant_variable_has_everyone_as_a_lookalike(lookalike: Command) -> None:
    code, found = posterior(lookalike, pl.DataFrame({"sex": ["F"] * 50}), "--population", "1000")
    assert code == 0
    assert found["value"] == pytest.approx(1 / 1000, rel=0.01)
    assert found["caveats"] == ["rests on 50 records only"]


def test_records_that_are_all_unique_on_few_values_get_an_answer(lookalike: Command) -> None:
    rows = pl.DataFrame({"a": [i // 15 for i in range(225)], "b": [i % 15 for i in range(225)]})
    code, found = posterior(lookalike, rows, "--population", "2250")
    assert code == 1
    assert 1 / 10 * 0.9 < found["value"] < 1


def test_records_that_are_all_unique_by_a_number_are_not_assessable(lookalike: Command) -> None:
    code, found = posterior(lookalike, table().with_row_index("number"), "--population", "1000000")
    assert code == 3
    assert found["value"] is None
    assert found["caveats"][0].startswith("nearly every record holds a value of its own")


def test_a_file_without_uniques_gets_an_answer(lookalike: Command) -> None:
    rows = pl.DataFrame({"a": [1, 2] * 100, "b": [1, 1, 2, 2] * 50})
    code, found = posterior(lookalike, rows, "--population", "10000")
    assert code == 0
    assert found["value"] == pytest.approx(4 / 10_000, rel=0.05)
    assert found["population_uniques"] == 0


def test_a_variable_with_100_000_values_is_not_assessable(lookalike: Command) -> None:
    rng = np.random.default_rng(1)
    rows = pl.DataFrame({"code": rng.permutation(100_000), "sex": rng.integers(0, 2, 100_000)})
    code, found = posterior(lookalike, rows, "--population", "10000000")
    assert code == 3
    assert found["value"] is None
    assert found["caveats"][0].startswith("nearly every record holds a value of its own")


def test_forty_quasi_identifiers_get_an_answer(lookalike: Command) -> None:
    rng = np.random.default_rng(1)
    rows = pl.DataFrame({f"q{i}": rng.integers(0, 3, 150) for i in range(40)})
    code, found = posterior(lookalike, rows, "--population", "10000", "--known-up-to", "1")
    assert code == 1
    assert found["value"] > 0.9
    assert found["low"] <= found["value"] <= found["high"]


@pytest.mark.parametrize(("bad", "count"), [(0.0, 150), (None, 150)])
def test_weights_of_zero_or_missing_are_refused(lookalike: Command, bad: float | None, count: int) -> None:
    table().with_columns(w=pl.lit(bad, pl.Float64)).write_csv("file.csv")
    for population in ((), ("--population", "5000")):
        result = lookalike("assess", "file.csv", "--qi", "age,sex", "--weight", "w", *population)
        assert (result.code, result.out) == (2, "")
        assert "Weight 'w'" in result.err


def test_some_weights_of_zero_or_missing_are_counted(lookalike: Command) -> None:
    weights = pl.Series("w", [0.0, None, *[10.0] * 148])
    table().with_columns(weights).write_csv("file.csv")
    result = lookalike("assess", "file.csv", "--qi", "age,sex", "--weight", "w")
    assert (result.code, result.err) == (2, "Weight 'w' is missing, zero or negative in 2 records.\n")


def test_a_population_smaller_than_the_file_is_refused(lookalike: Command) -> None:
    result = lookalike("assess", "file.csv", "--qi", "age,sex", "--population", "149")
    assert result.code == 2
    assert result.err == "The population (149 people, given) is smaller than the file (150 records).\n"
    table().with_columns(w=pl.lit(0.5)).write_csv("file.csv")
    result = lookalike("assess", "file.csv", "--qi", "age,sex", "--weight", "w")
    assert result.code == 2
    assert result.err == "The population (75 people, the sum of w) is smaller than the file (150 records).\n"
