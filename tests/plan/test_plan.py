"""Plans: TOML in and out, all faults at once, thresholds."""

import polars as pl
import pytest

import lookalike as la
from lookalike.plan import Plan, Roles, Target, Threshold, as_document, holds, load_plan, parse_plan, starter


def test_a_plan_survives_a_round_trip_through_its_document() -> None:
    plan = Plan(
        roles=Roles(identifiers=("id",), quasi_identifiers=("age", "sex"), sensitive=("pay",), weight="w"),
        kinds={"age": "numeric"},
        missing="wildcard",
        missing_codes={"pay": ("-8", "-9")},
        keep_words=("region",),
        population=1000,
        margins=("people.csv",),
        estimators=("average", "posterior"),
        backtest=False,
        thresholds=Threshold(sample_to_population=0.05, k_anonymity=5),
        known_up_to=2,
        groups={"census": ("age", "sex")},
        targets=(Target(variable="pay", above=100.0), Target(variable="pay", equals=("1",))),
        suda_size=4,
        seed=7,
        engine="duckdb",
        delimiter=";",
    )
    assert parse_plan(as_document(plan)) == plan


def test_the_starter_plan_can_be_read_back(tmp_path) -> None:
    frame = pl.DataFrame(
        {"age": [20, 30, 40], 'odd "name" = [x]\\': ["a", "b", "c"], "diagnosis": ["A00", "B01", "C02"]}
    )
    path = tmp_path / "plan.toml"
    path.write_text(starter(la.read(frame).guessed()), encoding="utf-8")
    plan = load_plan(path)
    assert "age" in plan.roles.quasi_identifiers
    assert "diagnosis" in plan.roles.sensitive
    assert plan.faults() == []
    assert plan.thresholds.sample_to_population == 0.09


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("roles = 3", "roles must be a table."),
        ("[roles]\nquasi_identifier = ['age']", "Did you mean 'quasi_identifiers'?"),
        ("[roles]\nquasi_identifiers = 'age'", "quasi_identifiers must be a list of texts."),
        ("[population]\nsize = 'many'", "size must be a whole number."),
        ("[population]\nmargins = 'people.csv'", "margins must be a list of texts."),
        ("[missing]\nkeep = 'region'", "keep must be a list of texts."),
        ("[population]\nestimators = 'all'", "estimators must be a list of texts."),
        ("[population]\nbacktest = 'no'", "backtest must be true or false."),
        ("[population]\nestimator = ['all']", "Did you mean 'estimators'?"),
        ("[thresholds]\nsample_to_population = 'low'", "sample_to_population must be a number."),
        ("[[targets]]\nvariable = 'pay'\nover = 3", "Key 'over' is not in [[targets]]."),
        ("seed = 1.5", "seed must be a whole number."),
        ("[thresholds", "is not valid TOML"),
    ],
)
def test_a_wrong_plan_says_what_is_wrong(tmp_path, text: str, message: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(la.BadPlan) as error:
        load_plan(path)
    assert message in str(error.value)


def test_a_plan_that_is_missing_or_not_text(tmp_path) -> None:
    with pytest.raises(la.BadFile, match="there is no such plan"):
        load_plan(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(la.BadFile, match="not a plan in TOML"):
        load_plan(tmp_path / "binary.toml")


@pytest.mark.parametrize("limit", [0.0, -0.1, 1.5, float("nan")])
def test_thresholds_lie_above_0_and_at_most_at_1(limit: float) -> None:
    assert "must lie in (0, 1]" in Threshold(sample_to_population=limit).faults()[0]


def test_a_plan_tells_all_its_faults() -> None:
    plan = Plan(missing="x", engine="y", kinds={"a": "z"}, population=0, seed=-1, known_up_to=0, suda_size=0,
                targets=(Target(variable="pay"),))  # fmt: skip
    assert len(plan.faults()) == 8
    assert "given twice" in Plan(population=5, population_file="p.csv").faults()[0]


def test_the_estimators_of_a_plan() -> None:
    assert parse_plan({}).estimators == ("posterior",)
    everyone = parse_plan({"population": {"estimators": ["chao", "all", "chao"]}}).estimators
    assert everyone[:2] == ("chao", "posterior")
    assert len(everyone) == len(set(everyone)) == len(Plan(estimators=("all",)).estimators)
    fault = Plan(estimators=("averages",)).faults()[0]
    assert fault.startswith("Estimator 'averages' is not known. Did you mean 'average'? Estimators: posterior, ")
    assert Plan(estimators=()).faults() == ["At least one estimator of the population risk must be named."]
    both = Plan(population_file="p.csv", margins=("m.csv",)).faults()
    assert both == ["Known margins are of no use with a population file, which tells all of them. Keep one."]


def test_k_must_reach_its_limit_and_risk_must_stay_below() -> None:
    assert holds("k_anonymity", 5, 5)
    assert not holds("l_diversity", 1, 2)
    assert holds("t_closeness", 0.2, 0.2)
    assert not holds("sample_to_population", 0.0901, 0.09)


def test_what_is_switched_off_stays_off() -> None:
    plan = Plan(thresholds=Threshold(sample_to_population=None, k_anonymity=5), suda_size=None)
    assert parse_plan(as_document(plan)) == plan


def test_a_plan_of_another_schema_is_refused() -> None:
    with pytest.raises(la.BadPlan, match="schema must be 1"):
        parse_plan({"schema": 2})


def test_the_starter_plan_leaves_the_kind_of_a_mixed_column_open(tmp_path) -> None:
    path = tmp_path / "mixed.csv"
    path.write_text("age,sex\n" + "".join(f"{20 + i},f\n" for i in range(60)) + "unknown,m\n")
    text = starter(la.read(path).guessed())
    assert '# "age" = ' in text
    assert "not numbers: 1." in text
