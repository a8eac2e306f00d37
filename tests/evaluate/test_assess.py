"""A plan run from end to end: figures, verdicts, what is not assessable, records in order."""

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.plan import Plan, Roles, Target, Threshold

PEOPLE = pl.DataFrame(
    {
        "age": [30, 30, 30, 31, 31, 32, 33, 33],
        "sex": ["F", "F", "F", "M", "M", "F", "M", None],
        "pay": [10, 20, 20, 50, 60, 70, 80, 90],
        "house": [1, 1, 2, 2, 3, 3, 4, 4],
    }
)
FILE = PEOPLE[[0, 1, 3, 5, 7]]
ROLES = {"quasi_identifiers": ["age", "sex"], "sensitive": ["pay"]}


def test_an_exact_b_decides() -> None:
    evaluation = la.assess(FILE, population=PEOPLE, threshold=0.9, **ROLES)
    b = (2 / 3 + 1 / 2 + 1 + 1) / 5
    assert evaluation.risk.sample_to_population.value == pytest.approx(b)
    assert evaluation.risk.exact == pytest.approx(b)
    assert evaluation.outcome is la.Outcome.HOLDS
    assert la.assess(FILE, population=PEOPLE, threshold=0.5, **ROLES).outcome is la.Outcome.FAILS


def test_without_a_population_there_is_no_verdict_and_no_number() -> None:
    evaluation = la.assess(FILE, **ROLES)
    assert evaluation.outcome is la.Outcome.NOT_ASSESSABLE
    assert evaluation.risk.sample_to_population.value is None
    assert "needs the size of the population" in evaluation.verdicts[0].reason


def test_with_a_size_alone_b_is_estimated_between_its_bounds() -> None:
    evaluation = la.assess(pl.concat([FILE, FILE, FILE]), population=100, threshold=0.05, **ROLES)
    assert evaluation.outcome is la.Outcome.FAILS
    estimate = evaluation.risk.sample_to_population
    assert evaluation.verdicts[0].value == estimate.value
    assert estimate.method == "posterior"
    low, high = evaluation.risk.bounds
    assert high == 4 / 15
    assert low <= estimate.low < estimate.value < estimate.high <= high


def test_fewer_than_ten_records_have_no_b() -> None:
    evaluation = la.assess(FILE, population=100, **ROLES)
    assert evaluation.outcome is la.Outcome.NOT_ASSESSABLE
    assert "fewer than 10 records" in evaluation.verdicts[0].reason


def test_the_bounds_decide_where_no_estimator_answers() -> None:
    """Missing values that match nothing have no estimator; what is certain still decides."""

    def assessed(values: list[int | None], people: int) -> la.Evaluation:
        frame = pl.DataFrame({"x": values, "all": [1] * len(values)})
        return la.assess(frame, population=people, quasi_identifiers=["x", "all"], missing="conservative")

    safe = assessed([1] * 50 + [2] * 49 + [None], 1000)
    assert safe.outcome is la.Outcome.HOLDS
    assert "at most 0.03" in safe.verdicts[0].reason
    bare = assessed([*range(99), None], 101)
    assert bare.outcome is la.Outcome.FAILS
    assert "at least 0.99" in bare.verdicts[0].reason
    open_ = assessed([1, 2, 3, 4, None], 1000)
    assert open_.outcome is la.Outcome.NOT_ASSESSABLE
    assert {v.value for v in (*safe.verdicts, *bare.verdicts, *open_.verdicts)} == {None}


def test_every_threshold_is_decided_and_a_failure_beats_the_unknown() -> None:
    limits = Threshold(k_anonymity=2, l_diversity=1, t_closeness=1.0, unique_records=0.9, prosecutor_maximum=1.0)
    evaluation = la.assess(FILE, threshold=limits, **ROLES)
    outcomes = {v.measure: v.outcome.value for v in evaluation.verdicts}
    assert outcomes == {
        "sample_to_population": "not assessable",
        "prosecutor_maximum": "holds",
        "unique_records": "holds",
        "t_closeness": "holds",
        "k_anonymity": "fails",
        "l_diversity": "holds",
    }
    assert evaluation.outcome is la.Outcome.FAILS


def test_a_threshold_on_sensitive_variables_needs_some() -> None:
    limits = Threshold(sample_to_population=None, l_diversity=2, attribute_disclosure=0.5)
    evaluation = la.assess(FILE, threshold=limits, quasi_identifiers=["age"])
    assert {v.outcome.value for v in evaluation.verdicts} == {"not assessable"}
    assert evaluation.verdicts[0].reason == "no sensitive variable is named"


def test_a_target_that_nobody_has_is_not_a_disclosure_of_zero() -> None:
    plan = Plan(
        roles=Roles(quasi_identifiers=("age",), sensitive=("pay",)),
        targets=(Target(variable="pay", above=1e9),),
        thresholds=Threshold(sample_to_population=None),
    )
    evaluation = la.assess(FILE, plan=plan)
    assert evaluation.risk.targets == {"pay above 1e+09": None}
    assert "No record has the value" in evaluation.risk.not_assessed["disclosure of pay above 1e+09"]


def test_records_come_in_the_order_of_the_file() -> None:
    evaluation = la.assess(FILE, population=PEOPLE, records=True, household="house", **ROLES)
    records = evaluation.records
    assert records is not None
    assert records["lookalikes_in_file"].tolist() == [2, 2, 1, 1, 1]
    assert records["lookalikes_in_population"].tolist() == [3, 3, 2, 1, 1]
    assert records["household"] == pytest.approx([1 - (2 / 3) ** 2, 1 - (2 / 3) ** 2, 1 / 2, 1, 1])


def test_the_weights_give_the_population_size() -> None:
    weighted = FILE.with_columns(w=pl.Series([10.0, 10, 20, 30, 30]))
    evaluation = la.assess(weighted, quasi_identifiers=["age"], weight="w")
    assert (evaluation.risk.population, evaluation.risk.population_from) == (100, "the sum of w")


def test_a_weight_that_is_missing_or_negative_is_refused() -> None:
    weighted = FILE.with_columns(w=pl.Series([10.0, None, -2, 30, 30]))
    with pytest.raises(la.BadPlan, match="Weight 'w' is missing, zero or negative in 2 records"):
        la.assess(weighted, quasi_identifiers=["age"], weight="w")


def test_a_file_that_is_no_part_of_its_population_is_told() -> None:
    evaluation = la.assess(FILE, population=PEOPLE.filter(pl.col("age") != 32).vstack(PEOPLE[:3]), **ROLES)
    assert evaluation.risk.population_file is not None
    assert evaluation.risk.population_file.unmatched == 1
    assert any("1 of 5 records have fewer lookalikes in the population" in w for w in evaluation.warnings)
    assert evaluation.risk.exact is None
    assert evaluation.outcome is la.Outcome.NOT_ASSESSABLE  # a fifth of the records is no detail
    assert "write their values alike" in evaluation.verdicts[0].reason


def test_intervals_and_wildcards_are_fitted_in_the_worst_case() -> None:
    frame = pl.DataFrame({"age": ["26", "[24;28]", "[24;28]", "*"], "sex": ["F", "F", "F", "M"]})
    evaluation = la.assess(frame, quasi_identifiers=["age", "sex"])
    assert evaluation.risk.fitting is not None
    assert evaluation.risk.unique_records.count == 2  # as written: 26 F and * M
    assert evaluation.risk.fitting.count == 1  # 26 F fits [24;28] F; * M has no other M


def test_all_faults_of_a_request_are_told_at_once() -> None:
    plan = Plan(
        roles=Roles(quasi_identifiers=("ag", "sex"), sensitive=("sex",)),
        thresholds=Threshold(sample_to_population=2.0),
        missing_codes={"nothing": ("9",)},
    )
    with pytest.raises(la.BadPlan) as error:
        la.assess(FILE, plan=plan)
    assert len(error.value.faults) == 4
    assert "Did you mean 'age'?" in str(error.value)


def test_roles_of_the_data_are_used_when_none_are_named() -> None:
    data = la.read(FILE, quasi_identifiers=["age"])
    evaluation = la.assess(data)
    assert evaluation.plan.roles.quasi_identifiers == ("age",)
    assert evaluation.risk.classes == 4


def test_the_input_is_not_modified() -> None:
    before = FILE.clone()
    la.assess(FILE, population=PEOPLE, **ROLES)
    assert FILE.equals(before)


def test_one_record_and_a_constant_column_can_be_assessed() -> None:
    one = la.assess(pl.DataFrame({"a": [1], "b": ["x"]}), quasi_identifiers=["a", "b"], sensitive=[], population=10)
    assert one.risk.k_anonymity == 1
    constant = la.assess(pl.DataFrame({"a": [1] * 20}), quasi_identifiers=["a"], population=40)
    assert constant.outcome is la.Outcome.HOLDS
    assert np.isclose(constant.risk.prosecutor.mean, 1 / 20)


def test_two_targets_of_one_variable_are_both_kept() -> None:
    frame = pl.DataFrame({"g": [1, 1, 2, 2], "d": ["C50", "C50", "C61", "x"]})
    targets = (Target(variable="d", equals=("C50",)), Target(variable="d", equals=("C61",)))
    plan = Plan(
        roles=Roles(quasi_identifiers=("g",)),
        targets=targets,
        thresholds=Threshold(sample_to_population=None, attribute_disclosure=0.5),
    )
    evaluation = la.assess(frame, plan=plan)
    assert {name: rate.value for name, rate in evaluation.risk.targets.items() if rate} == {"d = C50": 1, "d = C61": 0}
    assert evaluation.outcome is la.Outcome.FAILS


def test_a_threshold_does_not_hold_on_what_was_not_assessed() -> None:
    frame = pl.DataFrame({"g": [1, 1], "d": ["x", "y"], "e": pl.Series([None, None], dtype=pl.String)})
    roles = Roles(quasi_identifiers=("g",), sensitive=("d", "e"))
    limits = Threshold(sample_to_population=None, l_diversity=2, t_closeness=1.0)
    evaluation = la.assess(frame, plan=Plan(roles=roles, thresholds=limits))
    assert {v.outcome.value for v in evaluation.verdicts} == {"not assessable"}
    assert "'e' is missing in all records" in evaluation.verdicts[0].reason
    worse = la.assess(frame, plan=Plan(roles=roles, thresholds=Threshold(sample_to_population=None, l_diversity=3)))
    assert worse.outcome is la.Outcome.FAILS
    target = Plan(
        roles=roles,
        targets=(Target(variable="d", equals=("z",)),),
        thresholds=Threshold(sample_to_population=None, attribute_disclosure=0.5),
    )
    assert la.assess(frame, plan=target).outcome is la.Outcome.NOT_ASSESSABLE


def test_a_few_records_lacking_in_the_population_give_an_upper_bound() -> None:
    people = pl.DataFrame({"x": [1] * 60})
    evaluation = la.assess(pl.DataFrame({"x": [1] * 39 + [2]}), population=people, quasi_identifiers=["x"])
    estimate = evaluation.risk.sample_to_population
    assert estimate.method == "upper bound"
    assert estimate.value == pytest.approx((39 / 60 + 1) / 40)


def test_a_file_that_is_its_whole_population_has_an_exact_b() -> None:
    evaluation = la.assess(FILE, population=5, quasi_identifiers=["age", "sex"])
    assert evaluation.risk.exact == 4 / 5
    assert evaluation.outcome is la.Outcome.FAILS


def test_without_thresholds_nothing_is_decided() -> None:
    evaluation = la.assess(FILE, threshold=Threshold(sample_to_population=None), quasi_identifiers=["age"])
    assert evaluation.outcome is la.Outcome.NOT_ASSESSABLE
    assert "the plan has no threshold" in str(evaluation)


def test_columns_that_look_like_quasi_identifiers_and_have_no_role_are_named() -> None:
    evaluation = la.assess(FILE, quasi_identifiers=["age"])
    assert evaluation.overlooked == ("sex",)
    assert "though it looks like something an attacker may know: sex" in str(evaluation)


def test_identifiers_in_the_file_are_named_in_the_verdict() -> None:
    frame = pl.DataFrame({"id": [f"a{i}" for i in range(40)], "sex": ["F", "M"] * 20})
    evaluation = la.assess(frame, identifiers=["id"], quasi_identifiers=["sex"], population=4000)
    assert evaluation.outcome is la.Outcome.HOLDS
    assert "the file names people: remove id before it leaves" in str(evaluation).replace("\n", " ").replace("│", "")


def test_more_people_than_live_are_refused() -> None:
    with pytest.raises(la.BadPlan, match="larger than mankind"):
        la.assess(FILE, population=10**11, quasi_identifiers=["age"])


def test_other_choices_of_a_plan_can_be_named_and_a_wrong_one_is_told() -> None:
    assert la.assess(FILE, quasi_identifiers=["age"], missing="wildcard").plan.missing == "wildcard"
    with pytest.raises(la.BadPlan, match="Did you mean 'missing'"):
        la.assess(FILE, quasi_identifiers=["age"], mising="wildcard")


def test_dates_held_as_text_have_no_ordered_distance() -> None:
    frame = pl.DataFrame({"g": [1, 1, 2, 2], "d": ["13/04/2020", "2020-07-12", "01/05/2020", "2020-01-02"]})
    evaluation = la.assess(frame, quasi_identifiers=["g"], sensitive=["d"], kinds={"d": "date"})
    assert evaluation.risk.sensitive["d"].earth_mover is None
