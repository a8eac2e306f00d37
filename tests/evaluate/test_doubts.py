"""Doubts decide: what could put B above its limit leaves the verdict undecided, and says what would settle it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.cli.codes import exit_code
from lookalike.estimate import Estimate
from lookalike.evaluate.decide import decide
from lookalike.evaluate.doubts import doubts
from lookalike.evaluate.people import Estimates
from lookalike.population import Backtest, Finding

RATE = Estimate(value=0.06, low=0.05, high=0.07, method="posterior")


def estimates(**changes: object) -> Estimates:
    finding = Finding(match_rate=RATE, uncorrected=0.06)
    plain = Estimates(
        chosen="posterior",
        findings={"posterior": finding},
        sensitivity={0.7: 0.08, 0.8: 0.07, 1.0: 0.06, 1.3: 0.045},
        backtests=(),
        records=None,
        most=0.9,
    )
    return replace(plain, **changes)


def named(found: Estimates, limit: float = 0.075) -> dict[str, float]:
    return {doubt.name: doubt.value for doubt in doubts(RATE, found) if doubt.value > limit}


def backtest(truth: float, value: float = 0.1) -> Backtest:
    said = Estimate(value=value, low=0.9 * value, high=1.1 * value, method="posterior")
    return Backtest(fraction=0.3, records=100, truth=truth, estimate=said)


def test_nothing_speaks_against_an_estimate_whose_interval_is_below_the_limit() -> None:
    assert named(estimates()) == {}


def test_a_backtest_that_missed_low_raises_b_by_as_much() -> None:
    assert named(estimates(backtests=(backtest(0.15), backtest(0.13))))["backtest"] == pytest.approx(0.06 * 1.5)
    assert named(estimates(backtests=(backtest(0.05),))) == {}  # too high is on the safe side
    assert named(estimates(backtests=(backtest(0.105),))) == {}  # inside its interval


def test_people_who_may_be_in_the_file_twice() -> None:
    twice = Finding(match_rate=RATE, uncorrected=0.2)
    assert named(estimates(findings={"posterior": twice})) == {"repeats": 0.2}


def test_a_file_of_some_people_only_is_read_at_half_of_n() -> None:
    found = named(estimates(narrowed=("sex",)))
    # From 0.7 to 0.8 of N the power is ln(7/8) / ln(8/7) = -1, so B doubles where N is halved.
    assert found["eligible"] == pytest.approx(0.08 * 0.7 / 0.5, rel=1e-6)
    assert named(estimates(narrowed=("sex",), counts_all=True)) == {"not eligible": 0.9}


def test_weights_that_sum_to_fewer_people() -> None:
    assert named(estimates(weighted=0.7)) == {"weights": pytest.approx(0.08)}
    assert named(estimates(weighted=0.95), 0.0).keys() == {"interval", "repeats"}


def test_margins_that_contradict_the_file() -> None:
    assert named(estimates(contradicted=("people.csv",), without_margins=0.12)) == {"margins": 0.12}


def test_b_at_other_numbers_of_people_goes_through_what_was_told() -> None:
    found = estimates()
    assert found.at(0.8) == pytest.approx(0.07)
    assert 0.045 < found.at(1.2) < 0.06
    assert found.at(0.01) == 1.0


def people(records: int, seed: int = 1, lowest: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(lowest, 90, records),
            "sex": rng.choice(["F", "M"], records),
            "area": rng.integers(0, 40, records).astype(str),
        }
    )


ASKED = {"quasi_identifiers": ["age", "sex", "area"], "backtest": False}


@pytest.mark.parametrize(("counts", "said"), [(None, "eligible"), ("all", "not eligible"), ("eligible", "interval")])
def test_adults_only_ask_who_n_counts(counts: str | None, said: str) -> None:
    adults = people(3000, lowest=18)
    found = la.assess(adults, population=130_000, population_counts=counts, threshold=0.046, **ASKED)
    names = [doubt.name for doubt in found.verdicts[0].doubts]
    assert said in names
    assert ("eligible" in names or "not eligible" in names) == (counts != "eligible")
    assert found.outcome is la.Outcome.UNDECIDED
    assert exit_code(found.outcome.value) == 4
    if counts != "eligible":
        assert "(age)" in str(found).replace("\n", " ")


def test_everyone_does_not_ask() -> None:
    found = la.assess(people(3000), population=300_000, **ASKED)
    assert found.risk.estimates is not None
    assert found.risk.estimates.narrowed == ()
    assert found.outcome is la.Outcome.HOLDS


def test_men_only_ask_and_known_margins_answer() -> None:
    everyone = people(60_000)
    men = everyone.filter(sex="M")[:2000]
    margin = everyone.group_by("sex").len("people")
    asked = la.assess(men, population=60_000, threshold=0.2, **ASKED)
    assert asked.risk.estimates is not None
    assert asked.risk.estimates.narrowed == ("sex",)
    told = la.assess(men, population=60_000, threshold=0.2, margins=margin_file(margin), **ASKED)
    assert told.risk.estimates is not None
    assert told.risk.estimates.narrowed == ()
    truth = float(
        (1 / everyone.filter(sex="M").group_by("age", "area").len("F").join(men, on=["age", "area"])["F"]).mean()
    )
    assert told.risk.sample_to_population.low <= truth <= told.risk.sample_to_population.high
    assert told.risk.estimates.contradicted == ("margin.csv",)
    assert "not a random sample of the people counted by margin.csv" in " ".join(str(told).replace("│", " ").split())


_FOLDER: list[str] = []


@pytest.fixture(autouse=True)
def _folder(tmp_path: object) -> None:
    _FOLDER[:] = [str(tmp_path)]


def margin_file(counts: pl.DataFrame) -> tuple[str, ...]:
    path = f"{_FOLDER[0]}/margin.csv"
    counts.write_csv(path)
    return (path,)


def test_a_release_that_would_stay_in_doubt_is_searched_for_again() -> None:
    made = la.protect(people(1000), population=20_000, until=0.05, quasi_identifiers=ASKED["quasi_identifiers"])
    assert made.outcome is la.Outcome.HOLDS


def test_a_limit_on_the_upper_end_takes_the_place_of_the_interval() -> None:
    found = la.assess(people(3000), population=130_000, threshold=0.0575, **ASKED)
    assert [doubt.name for doubt in found.verdicts[0].doubts] == ["interval"]
    both = la.Threshold(sample_to_population=0.0575, sample_to_population_upper=0.5)
    assert {v.outcome for v in decide(both, found.risk)} == {la.Outcome.HOLDS}


def whole_households(households: int, seed: int = 1) -> pl.DataFrame:
    """Households of one to four people who live in one of 400 areas, in the order of the households."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, households)
    area = np.repeat(rng.integers(0, 400, households), sizes)
    return pl.DataFrame(
        {
            "age": rng.integers(0, 90, len(area)),
            "area": area.astype(str),
            "unit": np.repeat(np.arange(households), sizes),
        }
    )


def test_runs_of_alike_records_are_taken_for_households_until_the_plan_says_otherwise() -> None:
    everyone = whole_households(40_000)
    drawn = everyone.filter(pl.col("unit").is_in(np.random.default_rng(2).choice(40_000, 250, replace=False).tolist()))
    truth = float((1 / drawn.join(everyone.group_by("age", "area").len("F"), on=["age", "area"])["F"]).mean())
    asked = {"quasi_identifiers": ["age", "area"], "population": len(everyone), "threshold": 0.8 * truth}
    naive = la.assess(drawn.drop("unit"), backtest=False, **asked)
    assert naive.risk.sample_to_population.high < truth  # neighbours make areas look few and large
    assert naive.outcome is la.Outcome.UNDECIDED
    assert next((doubt.name, doubt.about) for doubt in naive.verdicts[0].doubts) == ("clusters", ("area",))
    told = la.assess(drawn, household="unit", backtest=False, **asked).risk.sample_to_population
    assert told.low <= truth <= told.high
    single = la.assess(drawn.drop("unit"), cluster="none", backtest=False, **asked)
    assert single.risk.estimates is not None
    assert single.risk.estimates.if_grouped is None


def test_a_sorted_file_and_one_in_no_order_are_not_taken_for_households() -> None:
    mixed = whole_households(300).sample(fraction=1, shuffle=True, seed=1).drop("unit")
    for file in (mixed, mixed.sort("area"), mixed.sort("age", "area")):
        found = la.assess(file, quasi_identifiers=["age", "area"], population=90_000, backtest=False)
        assert found.risk.estimates is not None
        assert found.risk.estimates.grouped == ()


def test_a_release_is_as_doubtful_as_its_file() -> None:
    file = whole_households(300)
    roles = {"quasi_identifiers": ["age", "area"], "backtest": False}
    until = la.Threshold(k_anonymity=2, sample_to_population=0.9)
    made = la.protect(file.drop("unit"), la.Mondrian(k=2), until=until, population=90_000, **roles)
    assert made.assessed.risk.estimates is not None
    assert made.assessed.risk.estimates.grouped == ("area",)
    named = la.protect(file, la.Mondrian(k=2), until=until, population=90_000, household="unit", **roles)
    assert any("sampled in clusters" in caveat for caveat in named.assessed.risk.sample_to_population.caveats)


def test_a_coarser_release_of_everyone_is_not_taken_for_one_of_some_people() -> None:
    file = people(500)
    made = la.protect(file, la.Generalization(levels={"sex": 1}), until=0.9, population=9000, **ASKED)
    assert made.assessed.risk.estimates is not None
    assert made.assessed.risk.estimates.narrowed == ()


def test_a_fixed_number_of_people_in_places_that_were_chosen_first() -> None:
    rng = np.random.default_rng(2)
    places = rng.permutation(np.repeat([f"{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(40)], 20))
    frame = pl.DataFrame({"place": places, "age": rng.integers(0, 18, 800).astype(str), "sex": rng.integers(0, 2, 800)})
    choices = {"quasi_identifiers": frame.columns, "population": 2_000_000, "backtest": False, "suda_size": None}
    asked = la.assess(frame, **choices)
    assert asked.outcome is la.Outcome.UNDECIDED
    doubt = asked.verdicts[0].doubts[0]
    assert (doubt.name, doubt.about) == ("even counts", ("place",))
    assert doubt.value == asked.risk.estimates.most
    assert la.assess(frame, **choices, cluster="none").outcome is la.Outcome.HOLDS
    by_place = la.assess(frame, **choices, cluster="place").risk.sample_to_population  # a quasi-identifier itself
    assert by_place.value > 10 * asked.risk.sample_to_population.value


def test_where_everybody_is_in_the_file_twice_b_is_that_of_one_record_each() -> None:
    rng = np.random.default_rng(4)
    areas = pl.Series([chr(97 + i % 26) * (1 + i // 26) for i in range(150)])
    people = pl.DataFrame({"area": areas[rng.integers(0, 150, 60_000)], "age": rng.integers(0, 90, 60_000)})
    alike = people.select(pl.len().over("area", "age").alias("n"))["n"][:300]
    truth = float((1 / alike).mean())
    twice = pl.concat([people[:300], people[:300]])
    found = la.assess(twice, quasi_identifiers=["area", "age"], population=60_000, backtest=False, suda_size=None)
    assert found.risk.sample_to_population.value < truth / 2
    assert found.outcome is la.Outcome.UNDECIDED
    repeats = {doubt.name: doubt.value for doubt in found.verdicts[0].doubts}["repeats"]
    assert repeats == pytest.approx(truth, rel=0.35)
