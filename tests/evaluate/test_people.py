"""The population risk in an evaluation: which estimator decides, how far it can be trusted, who carries the risk."""

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.estimate import Estimate
from lookalike.evaluate.people import CONSERVATIVE, WILDCARD
from lookalike.population import ESTIMATORS, Sample
from lookalike.population.backtest import Backtest
from lookalike.population.sample import part_of

KEYS = ["age", "sex", "area"]


def table(records: int, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, records),
            "sex": rng.choice(["F", "M"], records),
            "area": rng.choice(["n", "s", "e", "w"], records, p=[0.6, 0.3, 0.09, 0.01]),
        }
    )


PEOPLE = table(4000)
FILE = PEOPLE[:400]
SMALL = FILE[:120]


def assess(data: pl.DataFrame = SMALL, population: object = 2000, **choices: object) -> la.Evaluation:
    chosen = {"quasi_identifiers": KEYS, "backtest": False, **choices}
    return la.assess(data, population=population, **chosen)


def b_of(evaluation: la.Evaluation) -> dict[str, object]:
    found: dict[str, object] = evaluation.to_dict()["risk"]["sample_to_population"]
    return found


# --- estimates ------------------------------------------------------------------------------------------


def test_every_estimator_asked_is_in_the_evidence_and_the_first_decides() -> None:
    evaluation = assess(estimators=["entropy", "posterior", "chao"])
    found = b_of(evaluation)
    assert list(found["estimates"]) == ["entropy", "posterior", "chao"]
    for estimate in found["estimates"].values():
        assert set(estimate) == {
            *("value", "low", "high", "seconds", "caveats", "population_uniques", "lower_limit", "diagnostics")
        }
        assert estimate["seconds"] >= 0
    assert set(found["estimates"]["posterior"]["diagnostics"]) == {"r_hat", "effective_draws", "classes"}
    assert found["chosen"] == "entropy"
    assert evaluation.verdicts[0].value == found["estimates"]["entropy"]["value"]
    assert found["exact"] is None


def test_the_posterior_is_asked_unless_told() -> None:
    evaluation = assess()
    found = b_of(evaluation)
    estimate = found["estimates"]["posterior"]
    assert list(found["estimates"]) == ["posterior"]
    assert found["bounds"]["low"] <= estimate["low"] < estimate["value"] < estimate["high"] <= found["bounds"]["high"]
    assert 0 < estimate["population_uniques"] < evaluation.risk.unique_records.count
    assert evaluation.risk.sample_to_population.seed == evaluation.plan.seed


def test_the_estimate_is_near_the_truth() -> None:
    evaluation = assess(FILE, population=len(PEOPLE))
    truth = la.assess(FILE, population=PEOPLE, quasi_identifiers=KEYS, backtest=False).risk.exact
    estimate = evaluation.risk.sample_to_population
    assert estimate.value == pytest.approx(truth, rel=0.15)
    assert estimate.low <= truth <= estimate.high


def test_the_same_seed_gives_the_same_figures_whoever_else_is_asked() -> None:
    alone = assess(estimators=["posterior"])
    beside = assess(estimators=["entropy", "posterior"])
    other = assess(estimators=["posterior"], seed=2)
    one, same, another = (b_of(e)["estimates"]["posterior"]["value"] for e in (alone, beside, other))
    assert one == same != another


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_the_order_in_which_an_engine_counts_the_classes_changes_nothing(engine: str) -> None:
    first = assess(backtest=True, records=True)
    again = assess(SMALL.reverse(), backtest=True, records=True, engine=engine)
    for document in (one := first.to_dict()["risk"], other := again.to_dict()["risk"]):
        document["sample_to_population"]["estimates"]["posterior"].pop("seconds")
    assert one["sample_to_population"] == other["sample_to_population"]
    assert one["backtest"] == other["backtest"]
    assert one["sensitivity"] == other["sensitivity"]
    risk = "sample_to_population_posterior"
    assert first.records[risk] == pytest.approx(again.records[risk][::-1], rel=1e-12)


def test_all_asks_every_estimator_once() -> None:
    assert assess(SMALL[:40], population=40, estimators="all").plan.estimators == tuple(ESTIMATORS)
    assert la.Plan(estimators=("chao", "all")).estimators[:2] == ("chao", "posterior")
    assert len(la.Plan(estimators=("chao", "all")).estimators) == len(ESTIMATORS)


def test_an_estimator_that_is_not_known_is_refused_with_a_hint() -> None:
    with pytest.raises(la.BadPlan, match=r"Estimator 'posteriors' is not known. Did you mean 'posterior'\? Estimators"):
        assess(estimators=["posteriors"])
    with pytest.raises(la.BadPlan, match="At least one estimator"):
        assess(estimators=[])


def test_without_a_population_nothing_is_estimated() -> None:
    evaluation = assess(population=None)
    assert evaluation.risk.estimates is None
    assert b_of(evaluation)["estimates"] == {}


def test_a_file_that_is_the_whole_population_is_counted() -> None:
    evaluation = assess(population=len(SMALL))
    assert b_of(evaluation)["chosen"] == "exact"
    classes = SMALL.n_unique()
    assert b_of(evaluation)["estimates"]["posterior"]["value"] == pytest.approx(classes / len(SMALL))


def test_values_that_no_two_records_share_say_nothing_of_the_population() -> None:
    """A number of each person's own has B = 1 in any population, and the file would look the same if it had not."""
    numbered = SMALL.with_columns(number=pl.int_range(pl.len()))
    evaluation = assess(numbered, quasi_identifiers=["number", "sex"], backtest=True)
    assert evaluation.outcome is la.Outcome.NOT_ASSESSABLE
    assert evaluation.verdicts[0].reason.startswith("nearly every record holds a value of its own")
    assert evaluation.risk.sample_to_population.high == 1
    assert evaluation.to_dict()["risk"]["backtest"] == []  # nothing to be tested


# --- a population file ----------------------------------------------------------------------------------


def test_with_a_population_file_the_exact_b_stands_beside_the_estimates_and_decides() -> None:
    evaluation = assess(FILE, population=PEOPLE, estimators=["posterior", "entropy"])
    found = b_of(evaluation)
    joined = FILE.join(PEOPLE.group_by(KEYS).len(), on=KEYS)
    exact = (1 / joined["len"]).mean()
    assert found["exact"] == pytest.approx(exact)
    assert found["chosen"] == "exact"
    assert evaluation.verdicts[0].value == pytest.approx(exact)
    assert found["estimates"]["posterior"]["value"] != found["exact"]
    assert set(found["estimates"]) == {"posterior", "entropy"}


# --- if the population's size is wrong ------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ["posterior", "entropy"])
def test_the_risk_falls_as_the_population_grows(estimator: str) -> None:
    found = assess(estimators=[estimator]).to_dict()["risk"]
    wrong = found["sensitivity"]["population"]
    assert list(wrong) == ["0.7", "0.8", "0.9", "1.0", "1.1", "1.2", "1.3"]
    values = list(wrong.values())
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1]
    assert wrong["1.0"] == found["sample_to_population"]["estimates"][estimator]["value"]


@pytest.mark.parametrize("estimator", ["posterior", "entropy"])
def test_a_population_cannot_be_smaller_than_the_file(estimator: str) -> None:
    wrong = assess(population=140, estimators=[estimator]).to_dict()["risk"]["sensitivity"]["population"]
    assert [ratio for ratio, value in wrong.items() if value is None] == ["0.7", "0.8"]  # 0.8 · 140 < 120 records


# --- backtests ------------------------------------------------------------------------------------------


def test_the_truth_of_a_backtest_is_counted_in_the_file() -> None:
    """Classes of 3 and 1 records; of the sample's two records of the first each counts 1/3."""
    file = Sample.from_codes(np.array([[0], [1]]), np.array([3, 1]))
    for seed in range(5):
        drawn, truth = part_of(file, 3, rng=np.random.default_rng(seed))
        three = int(drawn.sizes[drawn.table.codes[:, 0] == 0].sum())
        assert drawn.records == 3
        assert truth == pytest.approx((three / 3 + (3 - three) / 1) / 3)


@pytest.mark.parametrize(
    ("low", "high", "truth", "held"),
    [
        (0.9999, 0.99998, 1.0, True),  # 1 to 1, and the truth is 1
        (0.38, 0.46, 0.4602, True),
        (0.38, 0.46, 0.4606, False),
        (0.38, 0.46, 0.3794, False),
        (0.00001, 0.00002, 0.0004, False),  # a small truth is not near everything
    ],
)
def test_an_interval_contains_a_truth_that_no_digit_shown_tells_from_its_end(
    low: float, high: float, truth: float, held: bool
) -> None:
    said = Estimate(value=(low + high) / 2, low=low, high=high, method="posterior")
    assert Backtest(fraction=0.1, records=100, truth=truth, estimate=said).covers is held


def test_a_backtest_stands_in_the_evidence() -> None:
    tests = assess(FILE, backtest=True, estimators=["entropy"]).to_dict()["risk"]["backtest"]
    assert [(t["fraction"], t["records"]) for t in tests] == [(0.1, 40), (0.3, 120), (0.5, 200)]
    for test in tests:
        assert 0 < test["truth"] <= 1
        assert test["value"] == pytest.approx(test["truth"], rel=0.3)


def test_samples_too_small_to_tell_anything_are_left_out() -> None:
    tests = assess(SMALL, backtest=True, estimators=["entropy"]).to_dict()["risk"]["backtest"]
    assert [t["records"] for t in tests] == [36, 60]
    assert assess(SMALL[:40], backtest=True, estimators=["entropy"]).to_dict()["risk"]["backtest"] == []


def test_a_backtest_can_be_left_out() -> None:
    assert assess(backtest=False).to_dict()["risk"]["backtest"] == []


# --- missing values -------------------------------------------------------------------------------------

HOLES = SMALL.with_columns(area=pl.when(pl.int_range(pl.len()) < 3).then(None).otherwise(pl.col("area")))


def test_missing_values_that_match_nothing_have_no_estimate() -> None:
    evaluation = assess(HOLES, missing="conservative", estimators=["posterior", "chao"])
    assert evaluation.outcome is la.Outcome.NOT_ASSESSABLE
    assert evaluation.verdicts[0].reason == CONSERVATIVE
    for estimate in b_of(evaluation)["estimates"].values():
        assert (estimate["value"], estimate["caveats"]) == (None, [CONSERVATIVE])
    assert assess(SMALL, missing="conservative").risk.sample_to_population.value is not None  # none is missing


def test_wildcards_are_a_caveat_where_there_are_some() -> None:
    assert WILDCARD in assess(HOLES, missing="wildcard").risk.sample_to_population.caveats
    assert WILDCARD not in assess(SMALL, missing="wildcard").risk.sample_to_population.caveats
    assert WILDCARD not in assess(HOLES).risk.sample_to_population.caveats


# --- weights --------------------------------------------------------------------------------------------


def test_weights_enter_the_posterior_and_are_a_caveat() -> None:
    weighted = SMALL.with_columns(w=pl.when(pl.col("sex") == "F").then(30.0).otherwise(5.0))
    evaluation = assess(weighted, population=None, weight="w")
    assert evaluation.risk.population == weighted["w"].sum()
    estimate = evaluation.risk.sample_to_population
    assert any("survey weights" in caveat for caveat in estimate.caveats)
    plain = assess(population=evaluation.risk.population).risk.sample_to_population
    assert estimate.value != plain.value


@pytest.mark.parametrize(("people", "told"), [(3000, True), (2150, False)])
def test_weights_that_sum_to_another_number_of_people_are_told(people: int, told: bool) -> None:
    weighted = SMALL.with_columns(w=pl.when(pl.col("sex") == "F").then(30.0).otherwise(5.0))
    weighted = weighted.with_columns(w=pl.col("w") * 2000 / weighted["w"].sum())
    caveats = assess(weighted, population=people, weight="w", estimators=["entropy"]).risk.sample_to_population.caveats
    assert (f"the weights sum to 2,000 people, not the {people:,} told: scaled to them" in caveats) is told


# --- answers that cannot be -----------------------------------------------------------------------------


def test_a_value_above_what_is_possible_is_kept_and_told() -> None:
    """Two classes of 50 that differ on all of six variables: taken as independent, each has 200/64 lookalikes."""
    rows = pl.DataFrame({f"q{i}": [0] * 50 + [1] * 50 for i in range(6)})
    rate = assess(
        rows, population=200, quasi_identifiers=rows.columns, estimators=["entropy"]
    ).risk.sample_to_population
    assert rate.value == pytest.approx(64 / 200)
    told = "above what is possible here (0.02): everyone has at least the lookalikes of the file"
    assert told in rate.caveats
    assert not any("possible" in c for c in assess(estimators=["chao"]).risk.sample_to_population.caveats)


def test_the_parts_of_the_average_are_said_to_be_drawn_anew() -> None:
    caveats = assess(estimators=["average"]).risk.sample_to_population.caveats
    assert any(c.startswith("the mean of ") and c.endswith(", both drawn anew") for c in caveats)


def test_estimates_print_in_one_line() -> None:
    estimates = assess(estimators=["entropy", "posterior"]).risk.estimates
    assert "\n" not in repr(estimates)
    assert len(repr(estimates)) < 200
    assert repr(estimates).startswith("Estimates(chosen='entropy', B by entropy: 0.")


# --- records --------------------------------------------------------------------------------------------


def test_records_hold_the_risk_by_each_estimator_that_has_one() -> None:
    evaluation = assess(estimators=["posterior", "average"], records=True)
    records = evaluation.records
    assert "sample_to_population" not in records  # not known without a population file
    assert "sample_to_population_average" not in records  # the synthetic estimator tells B alone
    risk = records["sample_to_population_posterior"]
    assert len(risk) == len(SMALL)
    assert risk.mean() == pytest.approx(evaluation.risk.sample_to_population.value)
    assert (risk <= records["prosecutor"] + 1e-12).all()
    same = SMALL.with_columns(risk=pl.Series(risk)).group_by(KEYS).agg(pl.col("risk").n_unique())
    assert same["risk"].max() == 1  # those who look alike share their risk


def test_the_risk_per_record_is_summarized_without_a_value() -> None:
    evaluation = assess(FILE, records=True)
    found = evaluation.to_dict()["risk"]["record_risk"]
    risk = evaluation.records["sample_to_population_posterior"]
    assert found["maximum"] == pytest.approx(risk.max())
    assert found["median"] == pytest.approx(np.median(risk), rel=0.05)
    assert found["share_above_threshold"] == pytest.approx((risk > 0.09).mean())
    assert sum(part["share"] for part in found["distribution"]) == pytest.approx(1)
    for part in found["distribution"]:
        assert part["share"] == pytest.approx(((risk > part["above"]) & (risk <= part["to"])).mean())
    for variable in KEYS:
        groups = [g for g in found["groups"] if g["variable"] == variable]
        assert all(g["records"] >= 5 for g in groups)
        assert sum(g["share"] for g in groups) <= 1 + 1e-9


def test_the_household_risk_rests_on_the_estimated_risk() -> None:
    housed = SMALL.with_columns(house=pl.int_range(pl.len()) // 2)
    evaluation = assess(housed, household="house", records=True)
    single = evaluation.records["sample_to_population_posterior"].reshape(-1, 2)
    together = 1 - (1 - single).prod(axis=1)
    assert evaluation.records["household"] == pytest.approx(np.repeat(together, 2))
    assert evaluation.risk.household.mean == pytest.approx(together.mean())
    alone = assess(housed, household="house", population=None, records=True)
    assert alone.risk.household.mean > evaluation.risk.household.mean  # by 1/f, without a population
