"""Repair: find the rows behind a risk, change just those, measure both sides again."""

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.errors import BadPlan
from lookalike.evaluate.result import Outcome
from lookalike.report.pages import page_of
from lookalike.report.repaired import NOT_COMMON, SAME

FAST = {"models": ["logistic"], "ways": [1], "draws": 0}


def people(rows: int = 600, seed: int = 5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 70, rows)
    return pl.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["F", "M"], rows),
            "area": rng.choice(["a", "b", "c"], rows),
            "ill": np.where(rng.random(rows) < age / 100, "yes", "no"),
            "pay": age * 40 + rng.integers(0, 900, rows),
        }
    )


ROLES = {"quasi_identifiers": ["age", "sex", "area"], "sensitive": ["ill"]}


@pytest.mark.parametrize("by", ["coarsen", "redraw", "drop"])
def test_a_release_with_copies_loses_them_and_little_else_changes(by: str) -> None:
    original, others = people(), people(seed=9)
    release = pl.concat([original.head(120), others.tail(480)])
    made = la.repair(original, release, by=by, **ROLES, **FAST)
    copies = next(f for f in made.found if f.attack == "copies")
    alone = original.is_unique().head(120)
    assert copies.records == alone.sum()
    assert copies.before.risk == pytest.approx(alone.sum() / 600)
    assert not copies.after.above
    assert copies.after.records == 0
    assert 100 <= made.rows_changed + made.rows_dropped <= 250
    assert made.release[0].records == 600 - made.rows_dropped
    assert made.outcome is not Outcome.NOT_ASSESSABLE
    at_risk = made.changes.filter(done="at risk", attack="copies")
    assert at_risk["record"].to_list() == (alone.arg_true() + 1).to_list()


def test_coarsening_a_linked_file_leaves_no_row_that_is_the_only_one_to_fit_its_record() -> None:
    original = people(300)
    made = la.repair(original, original, linked=True, how="changed", **ROLES, **FAST)
    matching = made.found[0]
    assert (matching.attack, matching.after.records) == ("matching", 0)
    assert matching.records > 50
    assert matching.after.risk < 0.6 * matching.before.risk
    assert made.release[0].head(300).group_by(ROLES["quasi_identifiers"]).len()["len"].min() >= 2
    assert made.after.attacks is not None
    assert made.after.attacks.matching.pooled.unique_matches == 0
    changed = made.changes.filter(done="changed")
    assert changed["record"].to_list() == changed["row"].to_list()


def test_dropped_rows_of_a_linked_file_stay_linked_by_their_record() -> None:
    original = people(300)
    made = la.repair(original, original, by="drop", linked=True, how="changed", rounds=5, **ROLES, **FAST)
    gone = set(made.changes.filter(done="dropped")["record"].to_list())
    kept = [i for i in range(300) if i + 1 not in gone]
    assert made.release[0].head(300).equals(original[kept])
    assert made.after.linked
    assert made.found[0].after.records == 0


def test_the_list_joins_rows_and_records_of_files_that_are_not_linked() -> None:
    original = people(300)
    order = np.random.default_rng(2).permutation(300)[:80]
    release = pl.concat([original[order], people(220, seed=9)])
    made = la.repair(original, release, by="drop", threshold=0.01, **ROLES, **FAST)
    listed = made.changes
    for line in listed.filter(attack="copies", done="at risk").iter_rows(named=True):
        assert order[line["row"] - 1] == line["record"] - 1
        assert (line["copy"], line["rows"], line["records"]) == (1, 1, None)
    for line in listed.filter(attack="copies", done="behind").iter_rows(named=True):
        assert order[line["row"] - 1] == line["record"] - 1
        assert (line["records"], line["rows"]) == (1, None)
    given = listed.filter(attack="attribution", done="behind")
    records = set(listed.filter(attack="attribution", done="at risk")["record"])
    assert set(given["record"]) <= records
    assert given["records"].min() >= 1
    gone = listed.filter(done="dropped").filter(pl.col("record").is_not_null())
    behind = set(listed.filter(done="behind").select("row", "record").iter_rows())
    assert gone.height
    assert set(gone.select("row", "record").iter_rows()) <= behind


def test_a_record_at_risk_in_a_linked_file_stands_beside_its_own_row() -> None:
    original = people(300)
    listed = la.repair(original, original, linked=True, how="changed", **ROLES, **FAST).changes
    at_risk = listed.filter(done="at risk")
    assert at_risk.height
    assert at_risk["record"].to_list() == at_risk["row"].to_list()
    assert set(at_risk["rows"]) == {1}
    assert "behind" not in set(listed["done"])


def test_a_release_of_other_people_is_left_alone() -> None:
    made = la.repair(people(), people(seed=8), how="independent", threshold=0.3, **ROLES, **FAST)
    assert (made.rounds, made.rows_changed, made.rows_dropped) == (0, 0, 0)
    assert made.outcome is Outcome.HOLDS
    assert made.changes.is_empty()
    page = page_of(made)
    assert page.title.endswith(": nothing had to be changed")
    assert SAME in page.lead
    assert page.sections[0].means.startswith("No row was changed")
    assert page.sections[0].grids[0].note == NOT_COMMON, "without a control attribution leaves common knowledge out"


def test_partly_synthetic_copies_are_redrawn_in_the_columns_that_were_drawn() -> None:
    original = people(300)
    rng = np.random.default_rng(1)
    shuffled = [original["area"].sample(300, shuffle=True, seed=int(seed)) for seed in rng.integers(99, size=2)]
    copies = [original.with_columns(area) for area in shuffled]
    origin = {"how": "partial", "drawn": ["area"], "linked": True}
    made = la.repair(original, copies, by="redraw", threshold=0.0, **origin, **ROLES, **FAST)
    assert len(made.release) == 2
    for before, after in zip(copies, made.release, strict=True):
        assert after.head(300).drop("area", "ill").equals(before.drop("area", "ill"))


def test_the_same_seed_repairs_alike_and_the_release_given_is_not_changed() -> None:
    original, release = people(300), people(300)
    one, other = (la.repair(original, release, by="redraw", **ROLES, **FAST) for _ in range(2))
    assert one.release[0].head(300).equals(other.release[0].head(300))
    assert release.equals(people(300))


def test_missing_values_survive() -> None:
    table = people(200).with_columns(pl.when(pl.col("age") < 25).then(None).otherwise("age").alias("age"))
    made = la.repair(table, table, linked=True, how="changed", **ROLES, **FAST)
    assert made.release[0].head(200)["age"].null_count() >= table["age"].null_count()


def test_a_repair_needs_keys_and_knows_its_choices() -> None:
    table = people(100)
    with pytest.raises(BadPlan, match="Nothing is said of what an attacker knows"):
        la.repair(table, table, **FAST)
    with pytest.raises(BadPlan, match=r"Way of repair 'blank' is not known\. Ways: coarsen, redraw, drop"):
        la.repair(table, table, by="blank", rounds=0, **ROLES)
    with pytest.raises(BadPlan, match="At least 1 round"):
        la.repair(table, table, rounds=0, **ROLES)


def test_dropping_rows_of_several_linked_copies_is_refused() -> None:
    table = people(100)
    with pytest.raises(BadPlan, match="Rows cannot be dropped from several linked copies"):
        la.repair(table, [table, table], by="drop", how="partial", drawn=["area"], linked=True, **ROLES, **FAST)


def test_dropping_every_row_is_refused() -> None:
    table = pl.DataFrame({"age": [*range(20)], "ill": ["x", "y"] * 10})
    with pytest.raises(BadPlan, match="nothing would be left"):
        la.repair(table, table, by="drop", linked=True, how="changed", quasi_identifiers=["age"], **FAST)
