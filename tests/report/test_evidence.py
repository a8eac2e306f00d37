"""The evidence keeps its contract, holds no value of a cell, and the terminal report says the verdict first."""

import json

import polars as pl
import pytest

import lookalike as la
from lookalike.report import as_text, evidence

SECRET = "Zyxwv"
FRAME = pl.DataFrame(
    {"age": [30, 30, 31, 987654], "place": ["here", "here", SECRET, SECRET], "illness": [SECRET, "b", "b", "b"]}
)


@pytest.fixture(scope="module")
def evaluation() -> la.Evaluation:
    plan = la.Plan(
        roles=la.Roles(quasi_identifiers=("age", "place"), sensitive=("illness",)),
        targets=(la.Target(variable="illness", equals=("b",)),),
    )
    return la.assess(FRAME, population=FRAME, plan=plan)


def test_the_keys_of_the_contract_are_there(evaluation) -> None:
    document = evidence(evaluation)
    assert document["schema"] == 2
    assert {
        "lookalike", "command", "seed", "engine", "started", "seconds", "inputs", "outputs", "plan", "versions",
        "warnings", "risk", "verdict",
    } <= set(document)  # fmt: skip
    assert {
        "records", "classes", "sample_uniques", "k_anonymity", "records_below_k", "proportion_unique_classes",
        "proportion_unique_records", "prosecutor", "population_to_sample", "sample_to_population", "sensitivity",
        "diversity", "closeness", "attribute_disclosure", "drivers",
    } <= set(document["risk"])  # fmt: skip
    assert set(document["risk"]["prosecutor"]) == {"maximum", "mean", "share_above_threshold"}
    assert set(document["risk"]["diversity"]["illness"]) >= {"distinct", "entropy"}
    assert set(document["risk"]["closeness"]["illness"]) == {"kl", "total_variation", "earth_mover"}
    assert {"measure", "value", "threshold", "meets"} <= set(document["verdict"])


def test_the_verdict_is_that_of_the_exact_b(evaluation) -> None:
    document = evidence(evaluation)
    exact = (2 / 2 + 1 + 1) / 4
    assert document["risk"]["sample_to_population"]["exact"] == exact
    assert document["risk"]["sample_to_population"]["chosen"] == "exact"
    assert document["verdict"]["value"] == exact
    assert document["verdict"]["meets"] is False


def test_an_estimate_without_an_answer_is_null_with_a_caveat() -> None:
    document = evidence(la.assess(FRAME[:1], quasi_identifiers=["age"], population=100))
    found = document["risk"]["sample_to_population"]
    estimate = found["estimates"]["posterior"]
    assert (estimate["value"], estimate["low"], estimate["high"]) == (None, None, None)
    assert estimate["caveats"] == ["fewer than 10 records do not tell how the quasi-identifiers vary"]
    assert found["chosen"] is None
    assert found["bounds"] == {"low": 1 / 100, "high": 1}
    assert document["risk"]["record_risk"] is None
    assert document["verdict"]["meets"] is None


def test_without_a_population_there_is_no_estimate() -> None:
    risk = evidence(la.assess(FRAME, quasi_identifiers=["age"]))["risk"]
    assert risk["sample_to_population"]["estimates"] == {}
    assert risk["sample_to_population"]["bounds"] == {"low": 0, "high": 3 / 4}
    assert (risk["record_risk"], risk["backtest"], risk["sensitivity"]["population"]) == (None, [], {})


def test_no_cell_value_is_in_the_evidence_or_the_report(evaluation) -> None:
    for text in (json.dumps(evidence(evaluation)), as_text(evaluation), str(evaluation)):
        assert SECRET not in text
        assert "987654" not in text
        assert "987,654" not in text


def test_a_share_of_fewer_than_five_records_is_not_shown(evaluation) -> None:
    disclosure = evidence(evaluation)["risk"]["attribute_disclosure"]
    assert disclosure["illness = b"] == {"value": None, "of": "<5"}


def test_the_plan_in_the_evidence_is_the_plan_that_ran(evaluation) -> None:
    from lookalike.plan import parse_plan

    document = json.loads(json.dumps(evidence(evaluation)))
    assert parse_plan(document["plan"]) == evaluation.plan


def test_the_evidence_file_is_whole_and_not_overwritten(evaluation, tmp_path) -> None:
    path = evaluation.to_json(tmp_path / "evidence.json")
    assert json.loads(path.read_text())["risk"]["records"] == 4
    with pytest.raises(la.BadPlan, match="exists"):
        evaluation.to_json(path)
    assert [p.name for p in tmp_path.iterdir()] == ["evidence.json"]


def test_the_report_begins_with_the_verdict_then_the_drivers(evaluation) -> None:
    text = as_text(evaluation)
    verdict, drivers, classes = (text.index(s) for s in ("must not leave", "What drives the risk", "Records that look"))
    assert verdict < drivers < classes
    assert "Next: Change the file before it leaves" in text


def test_column_names_are_not_read_as_markup() -> None:
    frame = pl.DataFrame({"[red]age[/red]": [1, 2], "[b": [1, 1]})
    text = as_text(la.assess(frame, quasi_identifiers=frame.columns))
    assert "[red]age[/red]" in text
    assert "[b" in text


def test_shares_are_not_rounded_to_nothing() -> None:
    frame = pl.DataFrame({"x": [*([1] * 9999), 2]})
    assert "<0.1 %" in as_text(la.assess(frame, quasi_identifiers=["x"]))
