"""The box at the top of the report: what may decide, what stands open, what is to be done next."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import lookalike as la
from lookalike.estimate import Estimate
from lookalike.evaluate.decide import decide
from lookalike.plan import Threshold
from lookalike.population import Backtest, Finding
from lookalike.report import as_text, render

KEYS = ["age", "sex"]


def table(records: int) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, records),
            "sex": rng.choice(["F", "M"], records),
            "pay": rng.permutation(10_000)[:records],
        }
    )


FILE = table(200)


def assessed(**choices: object) -> la.Evaluation:
    options = {"quasi_identifiers": KEYS, "population": 5000, "estimators": ["entropy"], "backtest": False, **choices}
    return la.assess(FILE, **options)


BASE = assessed()


def with_estimate(limit: float, estimate: Estimate, *, upper: float | None = None) -> la.Evaluation:
    """The evaluation as if B had been estimated so."""
    risk = replace(BASE.risk, sample_to_population=estimate)
    limits = Threshold(sample_to_population=limit, sample_to_population_upper=upper)
    return replace(BASE, risk=risk, verdicts=decide(limits, risk))


def box(evaluation: la.Evaluation) -> str:
    """The text of the box in one line."""
    text = as_text(evaluation, width=200)
    lines = text[: text.index("╰")].split("\n")[1:]
    return " ".join(line.strip("│ ") for line in lines)


# --- a lower limit --------------------------------------------------------------------------------------

LOWER = Estimate(value=0.05, low=0.05, high=0.3, method="chao", lower_limit=True)


@pytest.mark.parametrize(
    ("limit", "outcome", "value"),
    [(0.04, la.Outcome.FAILS, 0.05), (0.09, la.Outcome.NOT_ASSESSABLE, None), (0.3, la.Outcome.HOLDS, None)],
)
def test_a_lower_limit_shows_that_a_threshold_fails_and_never_that_it_holds(
    limit: float, outcome: la.Outcome, value: float | None
) -> None:
    verdict = with_estimate(limit, LOWER).verdicts[0]
    assert (verdict.outcome, verdict.value) == (outcome, value)


def test_a_lower_limit_below_the_threshold_says_why_nothing_is_decided() -> None:
    found = with_estimate(0.09, LOWER)
    assert found.verdicts[0].reason == "chao tells a lower limit only, and B may be as high as 0.3"
    assert "at least 0.05, at most 0.3, threshold 0.09; chao" in box(found)
    assert "Next: Ask an estimator that tells more than a lower limit (--estimators posterior)" in box(found)
    assert "decided" not in box(found)


def test_a_lower_limit_whose_upper_end_keeps_the_threshold_holds_for_certain() -> None:
    found = with_estimate(0.5, LOWER)
    assert found.verdicts[0].reason == "it is at most 0.3 whatever the population looks like"
    assert "The file may leave the house" in box(found)
    assert "at most 0.3 whatever the population looks like, threshold 0.5" in box(found)


def test_chao_is_a_lower_limit_and_does_not_let_a_file_out() -> None:
    found = assessed(estimators=["chao"])
    assert found.outcome is la.Outcome.NOT_ASSESSABLE
    assert found.to_dict()["risk"]["sample_to_population"]["estimates"]["chao"]["lower_limit"] is True
    assert BASE.to_dict()["risk"]["sample_to_population"]["estimates"]["entropy"]["lower_limit"] is False
    census = la.assess(FILE, quasi_identifiers=KEYS, population=200, estimators=["chao"], backtest=False)
    assert census.risk.estimates.match_rate.lower_limit is False  # nothing is left to estimate


# --- the threshold inside the interval ------------------------------------------------------------------

WIDE = Estimate(value=0.08, low=0.06, high=0.12, method="posterior")


def test_an_interval_beyond_the_threshold_leaves_the_verdict_undecided() -> None:
    found = with_estimate(0.09, WIDE)
    assert found.outcome is la.Outcome.UNDECIDED
    assert [(doubt.name, doubt.value) for doubt in found.verdicts[0].doubts] == [("interval", 0.12)]
    said = box(found)
    assert "may leave the house" not in said
    assert "Undecided: every threshold of the plan holds by the estimate, but the estimate may be too low." in said
    assert "UNDECIDED  a record is matched to the right person of the population (B): 0.08" in said
    assert "The interval of B reaches to 0.12." in said
    assert "Close:" not in said
    assert "Next: Narrow the interval with known margins (--margins FILE) or a file of the population" in said


def test_margins_that_were_given_are_not_asked_for_again() -> None:
    found = with_estimate(0.09, WIDE)
    given = replace(found, plan=found.plan.changed(margins=("people.csv",)))
    assert "--margins" not in box(given)
    assert "Narrow the interval with a file of the population (--population FILE)" in box(given)


def test_an_undecided_verdict_names_the_identifiers_too() -> None:
    found = with_estimate(0.09, WIDE)
    named = replace(found, plan=found.plan.changed(roles=replace(found.plan.roles, identifiers=("pay",))))
    assert "Undecided: every threshold" in box(named)
    assert "Remove the identifiers before anything leaves: pay." in box(named)


def test_an_interval_below_the_threshold_lets_the_file_out() -> None:
    assert "The file may leave the house" in box(with_estimate(0.13, WIDE))


def test_a_limit_on_the_upper_end_decides_what_would_be_open() -> None:
    found = with_estimate(0.09, WIDE, upper=0.09)
    assert found.outcome is la.Outcome.FAILS
    said = box(found)
    assert "FAILS  upper end of the interval of B: 0.12, threshold 0.09" in said
    assert "Undecided:" not in said
    assert "Close:" not in said
    allowed = with_estimate(0.09, WIDE, upper=0.13)
    assert allowed.outcome is la.Outcome.HOLDS
    assert "The file may leave the house" in box(allowed)


@pytest.mark.parametrize(
    ("estimate", "outcome", "reason"),
    [
        (Estimate(value=0.05, low=0.05, high=0.05, method="exact"), "holds", ""),
        (Estimate(value=0.05, low=None, high=None, method="average"), "not assessable", "average tells no interval"),
        (Estimate(value=None, low=0.01, high=0.3, method="chao", caveats=("why",)), "not assessable", "why"),
        (Estimate(value=None, low=0.2, high=0.3, method="chao"), "fails", ""),
        (LOWER, "fails", ""),
    ],
)
def test_the_upper_end_is_decided_on_as_far_as_it_is_known(estimate: Estimate, outcome: str, reason: str) -> None:
    [verdict] = decide(
        Threshold(sample_to_population=None, sample_to_population_upper=0.09),
        replace(BASE.risk, sample_to_population=estimate),
    )
    assert verdict.outcome.value == outcome
    assert reason in verdict.reason
    assert (verdict.value is None) == (outcome == "not assessable")


def test_which_part_of_the_interval_decided_is_told() -> None:
    upper = Estimate(value=0.12, low=0.0, high=0.12, method="upper bound")
    assert "contains the threshold. Its upper end decided." in box(with_estimate(0.09, upper))


# --- what else must be known ----------------------------------------------------------------------------


def test_records_that_stand_twice_are_told_in_the_box_and_in_the_evidence() -> None:
    twice = la.assess(pl.concat([FILE, FILE]), quasi_identifiers=KEYS, population=5000, backtest=False)
    told = (
        "400 of 400 records equal another in every column. If people stand in the file more than once, the risk is "
        "understated: remove repeats."
    )
    assert twice.outcome is la.Outcome.HOLDS
    assert told in box(twice)
    assert told in twice.warnings
    assert as_text(twice, width=300).count("equal another in every column") == 1
    assert twice.to_dict()["risk"]["repeated_records"] == 400
    assert BASE.to_dict()["risk"]["repeated_records"] is None


def with_backtests(*tests: tuple[float, float, float]) -> la.Evaluation:
    """The evaluation with backtests of these intervals and truths."""
    found = tuple(
        Backtest(
            fraction=0.5,
            records=100,
            truth=truth,
            estimate=Estimate(value=(low + high) / 2, low=low, high=high, method="entropy"),
        )
        for low, high, truth in tests
    )
    assert BASE.risk.estimates is not None
    return replace(BASE, risk=replace(BASE.risk, estimates=replace(BASE.risk.estimates, backtests=found)))


def test_a_backtest_that_misses_the_truth_is_a_caution() -> None:
    told = "the interval missed the truth in 1 of 2, 1 of them too low: trust the estimate less."
    assert told in box(with_backtests((0.1, 0.2, 0.15), (0.1, 0.2, 0.25)))
    told = "the interval missed the truth in 1 of 2, each time too high: the estimate is on the safe side there."
    assert told in box(with_backtests((0.1, 0.2, 0.15), (0.1, 0.2, 0.05)))
    assert "missed the truth" not in box(with_backtests((0.1, 0.2, 0.15), (0.1, 0.2, 0.2)))


# --- what to do next ------------------------------------------------------------------------------------


def test_the_evidence_is_asked_for_only_where_it_is_not_kept() -> None:
    said = {}
    for kept in (False, True):
        console = Console(file=StringIO(), width=200)
        console.print(render(BASE, kept=kept))
        said[kept] = console.file.getvalue()  # type: ignore[attr-defined]
    assert "Next: Keep the evidence of this run (--json FILE) in the house." in said[False]
    assert "--json" not in said[True]
    assert "Next: Keep the evidence in the house: it says what was decided, and on what." in said[True]


def test_the_drivers_are_said_to_be_those_in_the_file() -> None:
    assert "What drives the risk, by 1/f in the file: the file without one variable" in as_text(BASE)


def test_groups_that_are_left_out_are_told() -> None:
    wide = FILE.with_columns(pl.col("pay") % 7, area=pl.col("pay") % 3, place=pl.col("pay") % 11, x=pl.col("pay") % 13)
    choices = {"quasi_identifiers": wide.columns, "population": 5000, "estimators": ["entropy"], "backtest": False}
    found = la.assess(wide, **choices)
    assert found.risk.estimates is not None
    assert found.risk.estimates.records is not None
    more = len(found.risk.estimates.records.groups) - 6
    assert more > 0
    assert f"Left out: groups of fewer than 5 records, and {more} with a lower mean risk." in as_text(found)
    assert "Left out: groups of fewer than 5 records.\n" in as_text(BASE)


# --- the number of people -------------------------------------------------------------------------------


def with_sensitivity(limit: float, found: dict[float, float | None]) -> la.Evaluation:
    told = with_estimate(limit, Estimate(value=0.05, low=0.04, high=0.06, method="entropy"))
    assert told.risk.estimates is not None
    return replace(told, risk=replace(told.risk, estimates=replace(told.risk.estimates, sensitivity=found)))


def test_a_verdict_that_fewer_people_would_turn_says_so() -> None:
    turned = with_sensitivity(0.09, {0.7: 0.13, 0.8: 0.1, 0.9: 0.07, 1.1: 0.04})
    said = "were there 4,000, B would be 0.1, above the threshold."
    assert said in box(turned)
    assert "rests on the number of people" not in box(with_sensitivity(0.09, {0.7: 0.08, 0.9: None, 1.1: 0.2}))
    assert "rests on the number of people" not in box(with_sensitivity(0.04, {0.7: 0.13, 0.9: 0.07}))


def test_what_classes_give_away_is_told_where_nothing_decides_on_it() -> None:
    table = pl.DataFrame({"age": [30] * 40 + [50] * 60, "ill": ["yes"] * 40 + ["yes", "no"] * 30})
    asked = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "population": 90_000, "estimators": ["zayatz"]}
    said = "For 40.0 % of the records all who look alike in the file share one value of ill"
    assert said in box(la.assess(table, backtest=False, **asked))
    limits = Threshold(sample_to_population=0.09, t_closeness=1.0)
    assert said not in box(la.assess(table, backtest=False, thresholds=limits, **asked))
    apart = table.with_columns(ill=pl.Series(["yes", "no"] * 50))
    assert "share one value" not in box(la.assess(apart, backtest=False, **asked))


def test_estimators_above_a_threshold_that_holds_are_named() -> None:
    others = {"zayatz": 0.2556, "chao": 0.09, "average": None, "dankar": 0.11}
    found = {name: Finding(match_rate=Estimate(value=value, method=name)) for name, value in others.items()}
    said = "By other estimators B is above the threshold: zayatz (0.2556), dankar (0.11)."
    for limit, expected in ((0.09, True), (0.04, False), (0.3, False)):
        told = with_estimate(limit, Estimate(value=0.05, low=0.04, high=0.06, method="entropy"))
        assert told.risk.estimates is not None
        all_of_them = replace(told.risk.estimates, findings={**told.risk.estimates.findings, **found})
        assert (said in box(replace(told, risk=replace(told.risk, estimates=all_of_them)))) is expected
