"""Comparisons in Python: origins, links, parts, rare values, grades."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.errors import BadFile, BadPlan
from lookalike.evaluate.comparison.grades import Grade, findings, learned_finding
from lookalike.utility.origin import How
from lookalike.utility.train_test import Score

FAST = {"models": ["logistic"], "draws": 0, "ways": [1, 2]}


def people(rows: int = 500, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, rows)
    return pl.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["F", "M"], rows),
            "job": rng.choice(["a", "b", "c"], rows),
            "pay": age * 40.0 + rng.normal(0, 200, rows),
        }
    )


def grade(found: la.Compared, analysis: str, what: str | None = None) -> Grade:
    return next(f.grade for f in findings(found) if f.analysis == analysis and what in (None, f.what))


def test_a_file_beside_itself_keeps_everything() -> None:
    found = la.compare(people(), people(), how="changed", linked=True, formulas="pay ~ age + sex", **FAST)
    assert {f.grade for f in findings(found)} == {Grade.KEPT}
    assert found.utility.losses is not None
    assert found.utility.losses.information_loss == 0
    assert found.utility.regressions[0].overlap == pytest.approx(1)
    assert all(m.changed.count == 0 for m in found.utility.moved)
    assert found.utility.shown("logistic").auc.value == pytest.approx(0.5, abs=1e-9)


def test_chosen_terms_and_folds_of_the_models() -> None:
    file, other = people(400), people(400, 2)
    plain = la.compare(file, other, how="independent", **FAST).utility.shown("logistic")
    chosen = la.compare(file, other, how="independent", terms="age*sex", folds=4, **FAST).utility.shown("logistic")
    assert (plain.free, plain.folds) == (5, 0)
    assert (chosen.free, chosen.folds) == (3, 4)


def test_a_formula_of_all_columns_and_one_that_no_file_answers() -> None:
    file = people(300).with_columns(id=pl.int_range(300).cast(pl.String), one=pl.lit("x"))
    asked = {"formulas": ["pay ~ .", "one ~ age"], "identifiers": ["id"], **FAST}
    found = la.compare(file, file, how="changed", linked=True, **asked)
    assert [r.formula for r in found.utility.regressions] == ["pay ~ age + sex + job + one"]
    assert list(found.utility.not_assessed) == ["one ~ age"]
    assert found.utility.lost == {}


def test_columns_drawn_without_each_other_lose_their_dependence() -> None:
    file = people(2000)
    found = la.compare(
        file, la.synthesize(file, "independent", seed=2), formulas=["pay ~ age"], targets=["pay"], **FAST
    )
    assert found.origin.how is How.COMPLETE
    assert found.origin_from == "the release"
    assert grade(found, "columns") is Grade.KEPT
    assert grade(found, "pairs") is Grade.LOST
    assert grade(found, "learning") is Grade.LOST
    assert grade(found, "regression") is not Grade.KEPT
    assert grade(found, "tables") is Grade.LOST, "one table in six is off: more than one in ten"


def test_a_partial_release_is_linked_and_its_kept_columns_are_known() -> None:
    file = people()
    release = la.synthesize(file, "latent-classes", columns=["pay"], copies=2, seed=3)
    found = la.compare(file, release, **FAST)
    assert (found.origin.how, found.origin.drawn, found.linked) == (How.PARTIAL, ("pay",), True)
    kept = next(t for t in found.utility.tables[0].tables if t.variables == ("age", "sex"))
    assert kept.df == 0
    assert [m.changed.count for m in found.utility.moved][:3] == [0, 0, 0]
    assert found.utility.proportions.rule.value == "v̄ k/n"


def test_records_that_were_removed_leave_the_others_linked() -> None:
    file = people(200).with_columns(job=pl.when(pl.col("age") > 77).then(pl.lit("rare")).otherwise("job"))
    limit = la.Threshold(k_anonymity=3)
    made = la.protect(
        file, la.Generalization(max_suppression=0.3), until=limit, quasi_identifiers=["age", "sex", "job"]
    )
    found = la.compare(file, made, quasi_identifiers=["age", "sex", "job"], **FAST)
    assert found.linked
    assert found.records == (200, made.data.records)
    assert found.utility.losses.removed == made.release.removed
    assert found.utility.losses.information_loss == pytest.approx(made.losses.information_loss)


def test_large_files_are_compared_on_a_part_and_say_so() -> None:
    found = la.compare(people(900), people(900, 2), how="independent", sample=300, **FAST)
    again = la.compare(people(900), people(900, 2), how="independent", sample=300, **FAST)
    other = la.compare(people(900), people(900, 2), how="independent", sample=300, seed=7, **FAST)
    assert all(250 < records < 350 for records in found.records)
    assert "900 records are many: a random part of about 300 is compared." in found.warnings
    values = [f.utility.shown("logistic").pmse.value for f in (found, again, other)]
    assert values[0] == values[1] != values[2]


def test_a_part_of_linked_files_is_the_same_rows() -> None:
    file = people(900)
    found = la.compare(file, file, how="changed", linked=True, sample=300, **FAST)
    assert all(m.changed.count == 0 and m.changed.of == found.records[0] < 400 for m in found.utility.moved)


def test_learning_from_a_linked_release_leaves_the_tested_rows_out() -> None:
    rng = np.random.default_rng(4)
    noise = pl.DataFrame({"x": rng.normal(size=600), "z": rng.normal(size=600), "y": rng.normal(size=600)})
    found = la.compare(noise, noise, how="changed", linked=True, targets=["y"], **FAST)
    score = found.utility.learned["y"].scores[0]
    assert score.release == pytest.approx(score.original)
    assert score.release < 0.1, "what it has seen would be learned by heart"


def test_a_control_is_what_learners_are_tested_on() -> None:
    found = la.compare(people(), people(seed=2), control=people(seed=3), how="independent", targets=["pay"], **FAST)
    assert found.utility.learned["pay"].tested == 500
    assert found.utility.learned["pay"].caveats == ()
    assert len(found.inputs) == 3


def test_rare_values_are_counted_and_not_named(tmp_path: Path) -> None:
    file = people().with_columns(
        job=pl.when(pl.int_range(pl.len()) < 3).then(pl.lit("astronaut")).otherwise("job"),
    )
    found = la.compare(file, file, how="independent", formulas=["pay ~ job", "job ~ age"], **FAST)
    found.to_json(tmp_path / "e.json")
    found.to_html(tmp_path / "p.html")
    assert ("job", "astronaut") in found.utility.rare.values
    assert found.to_dict()["utility"]["rare_values_left_out"] == 2, "the next smallest would tell it"
    assert found.to_dict()["utility"]["regressions"][0]["rare_coefficients_left_out"] == 1
    for text in ((tmp_path / "e.json").read_text(), (tmp_path / "p.html").read_text(), str(found)):
        assert "astronaut" not in text


def test_only_tables_with_a_changed_column_are_graded() -> None:
    file = people(500).with_columns(**{f"c{i}": pl.col("sex") for i in range(8)})
    made = file.with_columns(pay=pl.Series(np.random.default_rng(1).permutation(file["pay"].to_numpy())))
    found = la.compare(file, made, how="changed", linked=True, **FAST)
    assert found.utility.touched == {"pay"}
    tables = next(f for f in found.findings if f.analysis == "tables")
    assert tables.figures["of"] == 11, "of 66 tables"
    assert grade(found, "pairs") is Grade.LOST


def test_a_coefficient_that_the_original_does_not_tell_is_not_lost() -> None:
    file = pl.DataFrame({"y": [0, 1] * 60, "x": ["a", "b", "b", "a"] * 30}).with_columns(
        x=pl.when(pl.int_range(pl.len()) % 12 == 0).then(pl.lit("c")).otherwise("x")
    )
    found = la.compare(file, file, how="changed", linked=True, formulas=["y ~ x"], kinds={"y": "nominal"}, **FAST)
    assert found.utility.regressions[0].never_told == {"x=c"}, "all of them have 0"
    assert grade(found, "regression") is Grade.KEPT


def test_few_values_have_no_mean_and_few_gaps_no_share() -> None:
    file = people().with_columns(
        few=pl.when(pl.int_range(pl.len()) < 3).then(4711.25 + pl.int_range(pl.len())),
        gaps=pl.when(pl.int_range(pl.len()) >= 2).then(pl.col("age")),
    )
    found = la.compare(file, file, how="changed", linked=True, **FAST)
    document = found.to_dict()["utility"]["columns"]
    assert document["few"]["mean"] == {"original": None, "release": None}
    assert document["gaps"]["missing"]["original"] is None
    assert "471" not in json.dumps(document["few"])
    assert "<5 records" in str(found)


def test_missing_responses_do_not_hide_coefficients() -> None:
    file = people().with_columns(sex=pl.when(pl.int_range(pl.len()) >= 4).then("sex"))
    found = la.compare(file, file, how="changed", linked=True, formulas=["sex ~ age"], **FAST)
    assert found.utility.rare.coefficients["sex ~ age"] == frozenset()


def coded_people() -> pl.DataFrame:
    """One in ten refused to tell the pay, some do not know their job."""
    rows = pl.int_range(pl.len())
    pay = pl.when(rows % 10 == 0).then(-8.0).otherwise("pay")
    return people(600).with_columns(pay.alias("pay"), job=pl.when(rows % 12 == 5).then(pl.lit("9")).otherwise("job"))


CODES = {"pay": ["-8"], "job": ["9"]}
EMPTY = [pl.col("pay").replace(-8.0, None), pl.col("job").replace("9", None)]


@pytest.mark.parametrize("way", ["kept", "empty", "original empty"])
def test_a_code_for_missing_is_missing_where_one_file_has_an_empty_cell(way: str) -> None:
    file = coded_people()
    release = file.with_columns(EMPTY) if way == "empty" else file
    file = file.with_columns(EMPTY) if way == "original empty" else file
    asked = {"quasi_identifiers": ["age", "job"], "sensitive": ["pay"], "missing_codes": CODES, **FAST}
    found = la.compare(la.read(file), la.read(release), how="changed", linked=True, **asked)
    assert {table.values["SPECKS"] for table in found.utility.tables[0].tables} == {0}
    assert {f.grade for f in findings(found)} <= {Grade.KEPT, Grade.OPEN}
    assert found.utility.losses is not None
    assert found.utility.losses.suppressed == 0
    assert all(m.changed.count == 0 for m in found.utility.moved)
    assert found.attacks is not None
    plain = la.compare(la.read(coded_people()), la.read(coded_people()), how="changed", linked=True, **asked)
    assert plain.attacks is not None
    assert found.attacks.outcomes[0].main == plain.attacks.outcomes[0].main, (
        "matching: an empty cell fits not everybody"
    )


def test_codes_that_both_files_hold_are_no_numbers_and_no_class_to_learn() -> None:
    """Whole or real, they are left out of a regression, and of what is learned: as if the cells were empty."""
    rng = np.random.default_rng(4)
    age, gone = rng.integers(20, 80, 600), rng.random((2, 600)) < 0.1
    plain = pl.DataFrame({"age": age, "level": (age / 10 + rng.normal(0, 0.3, 600)).round(1), "smokes": age % 2})
    holes = [pl.Series(column) for column in gone]
    coded = plain.with_columns(plain["level"].set(holes[0], -9.0), plain["smokes"].set(holes[1], -9))
    empty = plain.with_columns(plain["level"].set(holes[0], None), plain["smokes"].set(holes[1], None))
    asked = {"how": "complete", "formulas": ["level ~ age", "smokes ~ age"], "targets": ["smokes"], **FAST}
    codes = {"level": ["-9"], "smokes": ["-9"]}
    roles = {"quasi_identifiers": ["age"], "population": 9_000, "estimators": ["zayatz"], "backtest": False}
    found = la.compare(coded, coded, missing_codes=codes, kinds={"smokes": "nominal"}, **asked, **roles)
    same = la.compare(empty, empty, kinds={"smokes": "nominal"}, **asked)
    assert found.utility.regressions == same.utility.regressions
    assert found.utility.learned["smokes"].scores == same.utility.learned["smokes"].scores
    assert found.assessed is not None
    assert [note for note in (*found.warnings, *found.assessed.warnings) if "below 0" in note] == []


def test_codes_that_both_files_hold_are_told_apart() -> None:
    rows = pl.int_range(pl.len())
    file = coded_people().with_columns(pl.when(rows % 10 == 1).then(-9.0).otherwise("pay").alias("pay"))
    other = file.with_columns(pl.when(rows % 20 == 0).then(-9.0).otherwise("pay").alias("pay"))
    asked = {"how": "complete", "missing_codes": {"pay": ["-8", "-9"]}, **FAST}
    far = [
        next(
            t.values["SPECKS"] for t in la.compare(file, one, **asked).utility.tables[0].tables if "pay" in t.variables
        )
        for one in (file, other)
    ]
    assert far == [0, pytest.approx(0.05)]


@pytest.mark.parametrize(
    ("release", "original", "expected"),
    [(0.07, 0.15, "lost"), (0.41, 0.84, "lost"), (0.1, 0.15, "partly"), (0.14, 0.15, "kept"), (0.0, 0.02, "open")],
)
def test_learning_is_graded_by_the_share_of_the_gain_that_is_left(
    release: float, original: float, expected: str
) -> None:
    """By hand: 0.07/0.15 and 0.41/0.84 are below one half, 0.1/0.15 is two thirds, 0.14/0.15 above nine tenths."""
    score = Score(
        measure="R²", release=release, original=original, baseline=0.0, difference=(release - original - 1, 1.0)
    )
    found = learned_finding(SimpleNamespace(scores=(score,), target="pay"))
    assert found.grade == Grade(expected)


def test_a_target_that_cannot_be_learned_is_open() -> None:
    rng = np.random.default_rng(3)
    noise = pl.DataFrame({"x": rng.normal(size=400), "y": rng.normal(size=400)})
    found = la.compare(noise, noise, how="independent", targets=["y"], **FAST)
    assert grade(found, "learning") is Grade.OPEN


def test_the_whole_journey_on_frames_without_roles() -> None:
    found = la.compare(people().head(3), people().head(3), how="changed", linked=True, **FAST)
    assert found.columns == ("age", "sex", "job", "pay")
    assert json.dumps(found.to_dict(), allow_nan=False)
    assert "What the release keeps" in str(found)


def test_a_release_that_is_no_release() -> None:
    with pytest.raises(BadPlan, match="no release to compare"):
        la.compare(people(), [])
    with pytest.raises(BadPlan, match="Choice 'formulae' is not known"):
        la.compare(people(), people(), formulae=["pay ~ age"])
    with pytest.raises(BadFile, match="has no records"):
        la.compare(people(), people().head(0))


def test_one_column() -> None:
    found = la.compare(people().select("sex"), people(seed=2).select("sex"), how="independent", models=["logistic"])
    assert found.utility.dependence == ()
    assert "tables of 2" in found.utility.not_assessed


ATTACKED = {**FAST, "quasi_identifiers": ["age", "sex"], "sensitive": ["job"]}


def test_the_original_released_as_it_is_gives_everything_away() -> None:
    file = people(300)
    found = la.compare(file, file, how="changed", linked=True, **ATTACKED).attacks
    assert found is not None
    assert found.matching.pooled.expected_match_risk == file.select("age", "sex").n_unique()
    assert found.linkage.outcome.main.value == 1
    assert found.copies.whole.every.main.value == 1
    assert found.attribution["job"]["DCAP"].main.value == pytest.approx(found.attribution["job"]["DCAP"].original.value)
    assert "distances, membership" in found.not_assessed


def test_another_sample_shows_no_excess_over_the_control() -> None:
    control = people(400, seed=12)
    found = la.compare(people(400, 10), people(400, 11), control=control, how="independent", **ATTACKED).attacks
    beyond = [o.measure for o in found.outcomes if o.excess is not None and (o.excess.low or 0) > 0]
    assert len(beyond) <= 1, beyond
    assert found.linkage is None
    assert found.matching.hits is None


def test_what_is_known_is_put_in_the_words_of_the_release() -> None:
    file = people(300).with_columns(town=pl.col("job").replace({"a": "Bern", "b": "Genf", "c": "Lyon"}))
    made = file.with_columns(town=pl.col("town").replace({"Bern": "CH", "Genf": "CH", "Lyon": "FR"}))
    known = {**FAST, "quasi_identifiers": ["age", "town"], "sensitive": ["sex"]}
    linked = la.compare(file, made, how="changed", linked=True, **known).attacks
    grouped = made.select("age", "town").n_unique()
    assert linked.matching.pooled.expected_match_risk == grouped > 0
    assert linked.notes == ("'town': what is known was put into the groups of the release first.",)
    apart = la.compare(file, made.sample(fraction=1, shuffle=True, seed=1), how="changed", **known).attacks
    assert apart.keys == ("age",)
    assert "taken for unknown" in apart.notes[0]
    nothing = la.compare(file, made, how="changed", keys=["town"], **FAST).attacks
    assert nothing.outcomes == ()
    assert "attacks" in nothing.not_assessed


def test_attacks_are_tried_only_if_something_is_known() -> None:
    assert la.compare(people(), people(seed=2), how="independent", **FAST).attacks is None
    found = la.compare(people(), people(seed=2), how="independent", attacks=False, **ATTACKED)
    assert found.attacks is None
    assert found.to_dict()["attacks"] is None


def test_the_release_is_assessed_if_the_population_is_known() -> None:
    found = la.compare(people(), people(seed=2), how="independent", population=5000, attacks=False, **ATTACKED)
    itself = la.assess(people(seed=2), quasi_identifiers=["age", "sex"], sensitive=["job"], population=5000)
    assert found.assessed.risk.sample_to_population.value == itself.risk.sample_to_population.value
    assert found.outcome is itself.outcome
    assert found.to_dict()["risk"]["classes"] == itself.risk.classes


def test_attacks_on_a_part_see_all_rows() -> None:
    file = people(600)
    found = la.compare(file, file, how="changed", linked=True, sample=200, **ATTACKED)
    assert found.attacks.matching.found.main.of == 600
    assert found.attacks.matching.found.main.value == 1
