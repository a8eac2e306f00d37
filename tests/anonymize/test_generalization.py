from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.anonymize.generalizing.generalization import Generalization
from lookalike.anonymize.method import Asked
from lookalike.classes import EquivalenceClasses, Missing
from lookalike.data.hierarchy import Intervals, Table
from lookalike.errors import BadPlan
from lookalike.threshold import Threshold

NONE = Threshold(sample_to_population=None)
K2 = replace(NONE, k_anonymity=2)
NINE = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
KEY7 = NINE[:7]


def asked(table: dict[str, Any] | pl.DataFrame, until: Threshold = K2, **more: Any) -> Asked:
    names = [name for name in dict(table) if name != "result"]
    sensitive = ["result"] if "result" in dict(table) else []
    file = la.read(pl.DataFrame(table), quasi_identifiers=names, sensitive=sensitive)
    return Asked(file=file, rng=np.random.default_rng(1), until=until, **more)


def faults(method: Generalization, wanted: Asked) -> tuple[str, ...]:
    with pytest.raises(BadPlan) as error:
        method.change(wanted)
    return error.value.faults


@pytest.fixture(scope="module")
def adult(shared: Path) -> pl.DataFrame:
    return pl.read_csv(shared / "data" / "adult_arx.csv")


ARX: list[tuple[tuple[str, ...], float, dict[str, Any], tuple[int, ...], float, int]] = [
    (NINE, 0.0, {}, (0, 4, 1, 1, 3, 2, 2, 1, 0), 0.635544, 0),
    (NINE, 0.02, {}, (0, 3, 0, 2, 2, 1, 1, 2, 0), 0.357482, 506),
    (NINE, 1.0, {}, (0, 3, 0, 0, 2, 1, 1, 1, 0), 0.227700, 2553),
    (KEY7, 0.02, {}, (0, 3, 0, 1, 2, 1, 1), 0.235932, 552),
    (KEY7, 0.02, {"l_diversity": 3}, (0, 3, 0, 1, 2, 1, 1), 0.236442, 572),
    (KEY7, 0.02, {"t_closeness": 0.2}, (1, 4, 1, 1, 3, 1, 2), 0.816794, 235),
]


@pytest.mark.parametrize(("keys", "limit", "more", "levels", "loss", "suppressed"), ARX)
def test_adult_loses_no_more_than_by_arx(
    adult: pl.DataFrame,
    shared: Path,
    keys: tuple[str, ...],
    limit: float,
    more: dict[str, Any],
    levels: tuple[int, ...],
    loss: float,
    suppressed: int,
) -> None:
    """ARX 3.9.2, its hierarchies, its Loss: levels, loss and suppressed records of its solutions."""
    file = la.read(adult, quasi_identifiers=keys, sensitive=["occupation"] if more else [])
    until = replace(NONE, k_anonymity=5, **more)
    method = Generalization(hierarchies=str(shared / "data" / "hierarchies"), max_suppression=limit, drop=True)
    made = method.search(Asked(file=file, rng=np.random.default_rng(1), until=until))
    names = made.judge.finest.names
    arx = made.judge.judge([dict(zip(keys, levels, strict=True))[name] for name in names])
    assert (arx.loss, arx.suppressed) == (pytest.approx(loss, abs=5e-7), suppressed)
    assert made.found.complete
    assert made.best.loss <= arx.loss


def test_adult_is_five_anonymous_after_it(adult: pl.DataFrame, shared: Path) -> None:
    file = la.read(adult, quasi_identifiers=KEY7)
    method = Generalization(hierarchies=str(shared / "data" / "hierarchies"), max_suppression=0.02)
    changed = method.change(Asked(file=file, rng=np.random.default_rng(1), until=replace(NONE, k_anonymity=5)))
    after = adult.with_columns([cells.alias(name) for name, cells in changed.columns.items()])
    classes = EquivalenceClasses.of(la.read(after), KEY7)
    assert classes.sizes.min() >= 5
    assert len(classes) == 233 + 1  # ARX counts 233 classes; ours has that of the suppressed records too
    assert changed.stays is None
    assert after["sex"].null_count() == 552


def test_details_are_plain_data_without_cells() -> None:
    wanted = asked({"age": [21, 24, 33, 38, 52, 57], "sex": ["F", "F", "M", "M", "F", "M"]})
    details = json.loads(json.dumps(Generalization().change(wanted).details))
    assert set(details) == {
        "levels",
        "highest_levels",
        "hierarchies",
        "level_steps",
        "nodes",
        "nodes_checked",
        "complete",
        "failing_records",
        "frontier",
        "buys",
        "seconds",
    }
    assert details["hierarchies"] == {"age": "intervals", "sex": "rare"}
    assert sum(point["chosen"] for point in details["frontier"]) == 1


def test_the_frontier_goes_from_the_file_as_it_was_to_safer_versions() -> None:
    rng = np.random.default_rng(1)
    wanted = asked({"age": rng.integers(20, 60, 80).tolist(), "zip": rng.integers(1, 9, 80).tolist()})
    frontier = Generalization().search(wanted).frontier
    assert dict(frontier.points[0].levels) == {"age": 0, "zip": 0}
    assert frontier.points[0].loss == 0
    for riskier, safer in zip(frontier.points, frontier.points[1:], strict=False):
        assert safer.risk < riskier.risk
        assert safer.loss > riskier.loss


def test_another_point_of_the_frontier_can_be_chosen() -> None:
    rng = np.random.default_rng(1)
    wanted = asked({"age": rng.integers(20, 60, 80).tolist(), "zip": rng.integers(1, 9, 80).tolist()})
    made = Generalization().search(wanted)
    last = len(made.frontier.points) - 1
    other = made.choose(last)
    assert other.levels == made.frontier.points[last].levels == made.frontier.choose(last)
    assert other.best.loss > made.best.loss
    again = Generalization(levels=other.levels).change(wanted)
    assert {n: c.to_list() for n, c in again.columns.items()} == {
        n: c.to_list() for n, c in other.changed().columns.items()
    }
    with pytest.raises(BadPlan, match=rf"The frontier has points 0 to {last}, not 99\."):
        made.choose(99)


def test_a_trace_gives_the_best_version_for_each_of_other_limits() -> None:
    rng = np.random.default_rng(1)
    wanted = asked({"age": rng.integers(20, 60, 200).tolist(), "zip": rng.integers(1, 9, 200).tolist()})
    points = Generalization().search(wanted).trace([replace(NONE, k_anonymity=k) for k in (1, 2, 5, 20)])
    assert [point.figures["k_anonymity"] >= k for point, k in zip(points, (1, 2, 5, 20), strict=True)] == [True] * 4
    assert [point.loss for point in points] == sorted(point.loss for point in points)


def test_what_buys_most_comes_first() -> None:
    rng = np.random.default_rng(1)
    table = {"sex": rng.choice(["F", "M"], 300).tolist(), "day": rng.integers(1, 200, 300).tolist()}
    told = Generalization().change(asked(table)).details["buys"]
    assert [one["column"] for one in told["original"]] == ["day", "sex"]
    day = told["original"][0]
    assert day["removed"]["failing"] < 0
    assert day["removed"]["risk"] <= day["raised"]["risk"] < 0
    assert day["raised"]["loss"] > 0


def test_missing_values_stay_missing_and_are_a_value_of_their_own() -> None:
    table = {"age": [21, 22, None, None, 31, 32], "sex": ["F"] * 6}
    changed = Generalization(hierarchies={"age": Intervals(widths=(10,))}).change(asked(table))
    assert changed.columns["age"].to_list() == ["[20;29]", "[20;29]", None, None, "[30;39]", "[30;39]"]


@pytest.mark.parametrize(
    "table",
    [
        {"age": [30]},
        {"age": [30, 30, 30]},
        {"age": pl.Series([None, None, None], dtype=pl.Int64)},
        {"age": pl.Series([None, None, 4], dtype=pl.Int64), "sex": ["F", "F", "F"]},
        {"when": ["2020-01-05", "2020-01-07", None], "real": [0.5, 1.5, 2.5]},
    ],
)
def test_one_record_one_value_and_no_values_are_handled(table: dict[str, Any]) -> None:
    n = len(next(iter(table.values())))
    wanted = asked(table, replace(NONE, k_anonymity=min(2, n)))
    before = wanted.file.head(n)
    changed = Generalization(max_suppression=1.0).change(wanted)
    assert changed.figures["reached"] == 1
    assert wanted.file.head(n).equals(before)
    assert all(len(cells) == n for cells in changed.columns.values())


def test_the_same_seed_gives_the_same_columns() -> None:
    rng = np.random.default_rng(7)
    table = {"age": rng.integers(20, 60, 90).tolist(), "zip": rng.integers(1, 9, 90).tolist()}
    until = Threshold(sample_to_population=0.05, k_anonymity=2)
    method = Generalization(max_suppression=0.05)
    one, other = (method.change(asked(table, until, population=2000)) for _ in range(2))
    assert one.details["levels"] == other.details["levels"]
    assert all(one.columns[name].equals(other.columns[name], null_equal=True) for name in one.columns)


def test_a_threshold_that_cannot_be_reached_gives_the_best_point() -> None:
    # Two records have no age, and no level changes that: k = 3 is out of reach without suppression.
    table = {"age": [21, 22, 23, 31, 32, 33, None, None]}
    given = {"age": Intervals(widths=(10, 20))}
    changed = Generalization(hierarchies=given).change(asked(table, replace(NONE, k_anonymity=3)))
    assert changed.figures["reached"] == 0
    assert changed.details["levels"] == {"age": 1}
    assert changed.details["failing_records"] == 2
    assert changed.caveats == (
        "No version of the file keeps the limits with at most 0 records suppressed: this is the one with the fewest "
        "records that fail.",
        "Missing values stay missing at every level; records that few share them with need suppression.",
    )


def test_levels_that_are_given_are_not_searched() -> None:
    changed = Generalization(hierarchies={"age": Intervals(widths=(10,))}, levels={"age": 1}).change(
        asked({"age": [21, 22, 35], "sex": ["F", "F", "M"]})
    )
    assert list(changed.columns) == ["age"]
    assert (changed.figures["reached"], changed.figures["nodes_checked"]) == (0, 1)
    assert changed.caveats == ("These levels do not keep the limits with at most 0 records suppressed.",)


def test_levels_without_limits_are_a_plain_recode() -> None:
    changed = Generalization(levels={"sex": 1}).change(asked({"age": [21, 22], "sex": ["F", "M"]}, NONE))
    assert {name: cells.to_list() for name, cells in changed.columns.items()} == {"sex": ["*", "*"]}
    assert changed.figures["reached"] == 1


def test_suppressed_records_lose_all_quasi_identifiers_or_leave() -> None:
    table = {"age": [21, 22, 23, 95], "sex": ["F", "F", "F", "M"]}
    given = {"age": Intervals(widths=(10,)), "sex": Table(rows=(("F", "*"), ("M", "*")))}
    method = Generalization(hierarchies=given, max_suppression=0.25, drop=True, levels={"age": 1})
    left = method.change(asked(table))
    assert left.stays is not None
    assert left.stays.tolist() == [True, True, True, False]
    assert left.columns["age"].null_count() == 0
    stayed = replace(method, drop=False, max_suppression=1.0).change(asked(table))
    assert stayed.stays is None
    assert stayed.columns["age"].to_list() == [None] * 4  # one record alone is no class: the others join it


def test_only_the_named_columns_are_generalized() -> None:
    changed = Generalization(columns=("age",)).change(asked({"age": [21, 22], "sex": ["F", "M"]}))
    assert list(changed.details["levels"]) == ["age"]


def test_a_value_that_a_hierarchy_lacks_is_refused_by_column_and_count() -> None:
    given = {name: Table(rows=(("a", "*"), ("b", "*"))) for name in ("p", "q")}
    table = {"p": ["a", "secret", "secret"], "q": ["b", "x", "y"]}
    told = faults(Generalization(hierarchies=given), asked(table))
    assert told == (
        "Column 'p': its hierarchy lacks 1 of 2 values (2 records). Add them, or let them be suppressed "
        "(--option unseen=suppress).",
        "Column 'q': its hierarchy lacks 2 of 3 values (2 records). Add them, or let them be suppressed "
        "(--option unseen=suppress).",
    )
    changed = Generalization(hierarchies=given, unseen="suppress", levels={"p": 1, "q": 1}).change(asked(table, NONE))
    assert changed.columns["p"].to_list() == ["*", None, None]


def test_a_hierarchy_that_splits_groups_is_refused_with_counts() -> None:
    given = {"p": Table(rows=(("a", "x", "1"), ("b", "x", "2")))}
    told = faults(Generalization(hierarchies=given), asked({"p": ["a", "b"]}))
    assert told[0].startswith("Hierarchy of 'p': 1 of 1 groups of level 1 are split at level 2.")


@pytest.mark.parametrize(
    ("method", "told"),
    [
        (Generalization(max_suppression=1.5), "max_suppression must lie between 0 and 1, not 1.5."),
        (Generalization(time_limit=0), "time_limit must be above 0 seconds, not 0."),
        (
            Generalization(loss="domian"),  # type: ignore[arg-type]
            "Loss 'domian' is not known. Did you mean 'domain'? Losses: domain, discernibility, class_size.",
        ),
        (Generalization(unseen="keep"), "unseen must be one of refuse, suppress."),  # type: ignore[arg-type]
        (Generalization(weights={"age": 0}), "The weight of 'age' must be above 0, not 0."),
        (Generalization(weights={"aged": 1}), "Column 'aged' is not generalized. Did you mean 'age'? Columns: age."),
        (Generalization(levels={"zip": 1}), "Column 'zip' is not generalized. Columns: age."),
        (Generalization(levels={"age": 9}), "Column 'age' has levels 0 to 5, not 9."),
        (Generalization(columns=("zip",)), "Column 'zip' is not in the data. Columns: age."),
        (
            Generalization(hierarchies={"zip": Intervals(widths=(5,))}),
            "Column 'zip' is not in the data. Columns: age.",
        ),
        (
            Generalization(hierarchies={"age": {"kind": "intervals", "widths": [10, 15]}}),
            "Hierarchy of 'age': Each width of intervals must be a multiple of the one before.",
        ),
        (Generalization(hierarchies="no folder"), "no folder: there is no such folder of hierarchies."),
    ],
)
def test_settings_that_do_not_fit_are_told(method: Generalization, told: str) -> None:
    assert faults(method, asked({"age": [21, 30, 40, 41]})) == (told,)


@pytest.mark.parametrize(
    ("until", "told"),
    [
        (NONE, "There is no limit to generalize to. Name one, such as k_anonymity, or give levels."),
        (replace(NONE, k_anonymity=9), "k = 9 is more than the 2 records of the file. Choose a smaller k."),
        (replace(NONE, t_closeness=0.0), "Threshold t_closeness must lie in (0, 1], not 0."),
        (
            replace(NONE, l_diversity=2, k_anonymity=2),
            "l_diversity: no sensitive variable is named. Name one, or leave the limit out.",
        ),
    ],
)
def test_limits_that_cannot_be_judged_are_told(until: Threshold, told: str) -> None:
    assert told in faults(Generalization(), asked({"age": [21, 30]}, until))


def test_a_target_among_the_generalized_columns_is_told() -> None:
    until, target = replace(NONE, attribute_disclosure=0.1), la.Target(variable="age", above=30)
    told = faults(Generalization(), asked({"age": [21, 30]}, until, targets=(target,)))
    assert told == ("Target 'age' is changed by the method itself. Name a sensitive variable.",)


def test_a_sensitive_variable_without_values_and_a_target_nobody_has_are_told() -> None:
    none = pl.Series([None, None], dtype=pl.String)
    assert faults(Generalization(), asked({"age": [1, 2], "result": none}, replace(NONE, l_diversity=2))) == (
        "'result' is missing in all records.",
    )
    target = la.Target(variable="result", equals=("z",))
    until = replace(NONE, attribute_disclosure=0.1)
    assert faults(Generalization(), asked({"age": [1, 2], "result": ["a", "b"]}, until, targets=(target,))) == (
        "No record has the value of 'result' that was asked for.",
    )


def test_a_missing_value_that_matches_nothing_can_only_be_dropped() -> None:
    table = {"age": [21, 21, None]}
    wanted = asked(table, missing=Missing.CONSERVATIVE)
    stays = Generalization(max_suppression=1.0).change(wanted)
    assert stays.figures["reached"] == 0
    assert any("Let them be dropped." in caveat for caveat in stays.caveats)
    dropped = Generalization(max_suppression=1.0, drop=True).change(wanted)
    assert dropped.stays is not None
    assert dropped.stays.tolist() == [True, True, False]


def test_wildcards_are_read_strictly_and_that_is_said() -> None:
    changed = Generalization(max_suppression=1.0).change(asked({"age": [21, 21, None]}, missing=Missing.WILDCARD))
    assert any("stricter than a wildcard" in caveat for caveat in changed.caveats)


def test_hierarchies_of_other_columns_are_noted() -> None:
    given = {"age": Intervals(widths=(10,)), "sex": Table(rows=(("F", "*"),))}
    changed = Generalization(hierarchies=given, columns=("age",)).change(asked({"age": [21, 22], "sex": ["F", "F"]}))
    assert "Hierarchies of columns that are not generalized were not used: sex." in changed.caveats


def test_a_folder_of_hierarchies_is_read_and_its_leftovers_told(tmp_path: Path) -> None:
    (tmp_path / "my_age.csv").write_text("21;20-29;*\n22;20-29;*\n")
    (tmp_path / "other.csv").write_text("x;*\n")
    changed = Generalization(hierarchies=str(tmp_path)).change(asked({"age": [21, 22]}))
    assert changed.columns["age"].to_list() == ["20-29", "20-29"]
    assert changed.caveats == ("No column fits other.csv: not used.",)


def test_a_file_on_another_engine_gives_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 400),
            "sex": rng.choice(["F", "M"], 400),
            "result": rng.choice(["a", "b", "c"], 400),
        }
    )
    table = table.with_columns(sex=pl.when(pl.int_range(400) % 50 > 0).then("sex"))
    table.write_parquet(tmp_path / "file.parquet")
    found = {}
    for engine in ("polars", "duckdb"):
        file = la.read(tmp_path / "file.parquet", quasi_identifiers=["age", "sex"], sensitive=["result"], engine=engine)
        until = replace(NONE, k_anonymity=3, l_diversity=2, t_closeness=0.6)
        wanted = Asked(file=file, rng=np.random.default_rng(1), until=until)
        changed = Generalization(max_suppression=0.05).change(wanted)
        found[engine] = {name: cells.to_list() for name, cells in changed.columns.items()}
    assert found["polars"] == found["duckdb"]


@pytest.mark.parametrize("loss", ["discernibility", "class_size"])
def test_other_losses_keep_the_limits_with_smaller_classes(loss: Any) -> None:
    rng = np.random.default_rng(4)
    wanted = asked({"age": rng.integers(20, 60, 300).tolist(), "zip": rng.integers(1, 30, 300).tolist()})
    domain, other = (Generalization(loss=name).search(wanted) for name in ("domain", loss))
    assert other.best.holds
    assert len(other.judge.tables.classes(other.best.levels)) >= len(domain.judge.tables.classes(domain.best.levels))
