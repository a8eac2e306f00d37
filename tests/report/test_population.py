"""The population risk in the terminal: the verdict with its interval, the tables, and no value of a record."""

import json

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.report import as_text, evidence

SECRET = "Zyxwv"
NUMBER = 987_654


def table(records: int) -> pl.DataFrame:
    """One place holds two records, another value is a record's own."""
    rng = np.random.default_rng(1)
    place = rng.choice(["here", "there"], records).tolist()
    place[:2] = [SECRET, SECRET]
    return pl.DataFrame({"age": [NUMBER, *rng.integers(20, 60, records - 1).tolist()], "place": place})


FRAME = table(200)


@pytest.fixture(scope="module")
def evaluation() -> la.Evaluation:
    return la.assess(FRAME, population=3000, quasi_identifiers=["age", "place"], estimators=["posterior", "chao"])


@pytest.fixture(scope="module")
def text(evaluation: la.Evaluation) -> str:
    return as_text(evaluation, width=200)


def test_the_verdict_says_the_estimate_its_interval_its_method_and_the_population(evaluation, text: str) -> None:
    b = evaluation.risk.sample_to_population
    assert f"{b.value:.4g} ({b.low:.3g} to {b.high:.3g}), threshold 0.09; posterior; population 3,000 (given)" in text


def test_each_estimator_has_a_row_with_its_interval_and_caveats(evaluation, text: str) -> None:
    part = text[text.index("B by estimator") :]
    for key, finding in evaluation.risk.estimates.findings.items():
        row = next(line for line in part.split("\n") if line.strip().startswith(key))
        assert f"{finding.match_rate.value:.4g}" in row
    assert "a lower limit of the risk" in part


def test_one_estimator_needs_no_table_of_estimators() -> None:
    alone = la.assess(FRAME, population=3000, quasi_identifiers=["age", "place"], backtest=False)
    assert "B by estimator" not in as_text(alone)
    assert "How far to trust it (posterior)" in as_text(alone)


def test_a_wrong_population_says_how_far_to_trust_it(evaluation, text: str) -> None:
    wrong = evaluation.risk.estimates.sensitivity
    part = text[text.index("How far to trust it") :]
    smaller = next(line for line in part.split("\n") if "the population were 30% smaller" in line)
    assert f"{wrong[0.7]:.4g}" in smaller


def test_a_backtest_shows_its_interval_and_whether_it_holds_the_truth(evaluation, text: str) -> None:
    part = text[text.index("Backtest: the file as population") : text.index("Risk of single records")].split("\n")
    tests = evaluation.risk.estimates.backtests
    assert len(tests) == 2
    for test in tests:
        b, held = test.estimate, "yes" if test.covers else "no"
        interval = [f"{b.low:.3g}", "to", f"{b.high:.3g}"]
        row = next(line.split() for line in part if line.strip().startswith(f"{test.fraction:.0%}"))
        assert row == [
            f"{test.fraction:.0%}",
            f"{test.records}",
            f"{b.value:.4g}",
            *interval,
            f"{test.truth:.4g}",
            held,
        ]


def test_an_estimator_without_an_interval_is_not_said_to_hold_the_truth() -> None:
    found = la.assess(FRAME, population=3000, quasi_identifiers=["age", "place"], estimators=["entropy"])
    text = as_text(found, width=200)
    row = next(line.split() for line in text.split("\n") if line.strip().startswith("50%"))
    assert row[3:] == ["–", row[4], "–"]
    assert "missed the truth" not in text


def test_the_table_of_trust_is_left_out_where_nothing_is_known() -> None:
    one = la.assess(FRAME[:1], population=3000, quasi_identifiers=["age", "place"])
    assert "How far to trust it" not in as_text(one)


def test_the_risk_of_single_records_is_shown_as_a_distribution(evaluation, text: str) -> None:
    records = evaluation.risk.estimates.records
    part = text[text.index("Risk of single records") :]
    assert f"median {records.median:.3g}, worst {records.maximum:.3g}" in part
    assert "0.5 to 1" in part
    assert part.index("Risk of single records") < part.index("Who carries the risk")


def test_no_single_value_of_a_record_is_printed(evaluation, text: str) -> None:
    for shown in (text, as_text(evaluation, width=80), str(evaluation), json.dumps(evidence(evaluation))):
        assert SECRET not in shown
        assert str(NUMBER) not in shown
        assert f"{NUMBER:,}" not in shown


def test_groups_of_fewer_than_five_records_are_left_out(evaluation) -> None:
    """The place of two records is rare: below 1 % of records they would be a group of two."""
    groups = la.assess(table(400), population=3000, quasi_identifiers=["age", "place"], backtest=False).to_dict()
    found = groups["risk"]["record_risk"]["groups"]
    assert [g["group"] for g in found if g["variable"] == "place"] == ["common values (10 % and more)"]
    assert all(g["records"] >= 5 for g in found)


def test_with_a_population_file_the_exact_b_leads_the_estimates() -> None:
    people = pl.concat([FRAME] * 3)
    exact = la.assess(FRAME, population=people, quasi_identifiers=["age", "place"], backtest=False)
    text = as_text(exact, width=200)
    part = text[text.index("B by estimator") :].split("\n")
    rows = [line.split()[0] for line in part if line.strip().startswith(("exact", "posterior"))]
    assert rows[:2] == ["exact", "posterior"]
    assert "exact (population file)" in text
    whole = la.assess(FRAME, population=len(FRAME), quasi_identifiers=["age", "place"], backtest=False)
    assert "exact (the file is the population)" in as_text(whole)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_the_report_keeps_to_its_width(evaluation, width: int) -> None:
    assert max(len(line.rstrip()) for line in as_text(evaluation, width=width).split("\n")) <= width


def test_column_names_are_not_read_as_markup() -> None:
    frame = FRAME.rename({"age": "[red]age[/red]", "place": "[b"})
    text = as_text(la.assess(frame, quasi_identifiers=frame.columns, population=3000, backtest=False), width=200)
    assert "[red]age[/red]" in text[text.index("Who carries the risk") :]
