"""A study: points drawn, the truth by hand, answers that depend on nothing but the seed, and going on after a stop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.evaluate.simulation import Study
from lookalike.evaluate.simulation.choices import WRONG
from lookalike.evaluate.simulation.people import ROOM, People
from lookalike.population import ESTIMATORS
from lookalike.report.study import write_study

PEOPLE = pl.DataFrame(
    {
        "age": [i * i % 7 for i in range(120)],
        "sex": ["F" if i % 2 else "M" for i in range(120)],
        "town": [None if i % 11 == 0 else f"t{i % 5}" for i in range(120)],
    }
)
KNOWN = ("age", "sex", "town")
SOME = ("entropy", "gaussian_copula")
"""One that draws nothing, one that draws."""


def run(folder: Path, **choices: Any) -> la.Studied:
    chosen = {"points": 6, "estimators": ("entropy",), "workers": 1, "quasi_identifiers": KNOWN, **choices}
    return la.study(chosen.pop("data", PEOPLE), folder, **chosen)


def timeless(points: pl.DataFrame) -> pl.DataFrame:
    return points.drop("seconds")


# --- points ---------------------------------------------------------------------------------------------


def test_points_follow_the_choices() -> None:
    study = Study(fractions=(0.1, 0.3), sizes=(2, 3), sensitivity=0.5, seed=3)
    points = [study.point(i, variables=6, population=1000) for i in range(200)]
    assert {len(p.variables) for p in points} == {2, 3}
    assert {v for p in points for v in p.variables} == set(range(6))
    assert all(0.1 <= p.fraction <= 0.3 and p.records == round(1000 * p.fraction) for p in points)
    assert 60 < sum(p.ratios == (1.0, *WRONG) for p in points) < 140


def test_a_point_does_not_depend_on_the_number_of_points_or_on_the_share_with_a_wrong_n() -> None:
    few, many = (Study(points=n, sensitivity=s) for n, s in ((5, 0.0), (500, 1.0)))
    for i in range(5):
        one, other = (s.point(i, variables=4, population=100) for s in (few, many))
        assert (one.variables, one.fraction, one.records) == (other.variables, other.fraction, other.records)


def test_a_sample_larger_than_the_wrong_n_is_not_told_it() -> None:
    study = Study(fractions=(0.71, 0.99), sensitivity=1.0)
    assert all(study.point(i, variables=2, population=1000).ratios == (1.0,) for i in range(20))


def test_every_fault_of_the_choices_is_told(tmp_path: Path) -> None:
    with pytest.raises(la.BadPlan) as told:
        run(tmp_path, points=0, fractions=(0.5, 1.5), sizes=(0, 1), sensitivity=2, estimators=("entropie",), workers=0)
    assert told.value.faults == (
        "A study needs at least 1 point.",
        "The fractions must be two numbers from 0.001 to 0.99, the smaller first.",
        "The sizes must be two whole numbers from 1, the smaller first.",
        "The share of points with a wrong population must be from 0 to 1.",
        f"Estimator 'entropie' is not known. Did you mean 'entropy'? Estimators: {', '.join(ESTIMATORS)}.",
        "A study needs at least 1 worker.",
    )
    with pytest.raises(la.BadPlan, match=r"Subsets of 4 variables are asked for; there are 3."):
        run(tmp_path, sizes=(1, 4))
    with pytest.raises(la.BadPlan, match="category of its own; the plan says 'wildcard'"):
        run(tmp_path, plan=la.Plan(missing="wildcard"))
    assert list(tmp_path.iterdir()) == []


# --- the truth ------------------------------------------------------------------------------------------


def encoded(data: pl.DataFrame, folder: Path) -> People:
    return People.of(la.read(data, quasi_identifiers=data.columns), folder)


def test_the_truth_by_hand(tmp_path: Path) -> None:
    people = encoded(pl.DataFrame({"age": [30, 30, 31, 32], "sex": ["F", "F", None, None]}), tmp_path)
    everyone = np.random.default_rng(1)
    assert people.draw([0, 1], 4, everyone).truth == (1 / 2 + 1 / 2 + 1 + 1) / 4
    assert people.draw([1], 4, everyone).truth == (1 / 2 + 1 / 2 + 1 / 2 + 1 / 2) / 4
    two = people.draw([0], 2, np.random.default_rng(1))
    lookalikes = {0: 2, 1: 1, 2: 1}
    rows = np.random.default_rng(1).choice(4, 2, replace=False, shuffle=False)
    ages = [0, 0, 1, 2]
    assert two.truth == sum(1 / lookalikes[ages[row]] for row in rows) / 2


def test_the_truth_of_a_study_is_that_of_the_file(tmp_path: Path) -> None:
    """Recomputed with polars: the population's class of each drawn record, by its own group-by."""
    done = run(tmp_path, points=20)
    everyone = PEOPLE.with_row_index("row")
    for row in done.points.iter_rows(named=True):
        names = row["variables"].split(" + ")
        drawn = np.random.default_rng([1, row["point"], 0]).choice(120, row["records"], replace=False, shuffle=False)
        sizes = everyone.with_columns(F=pl.len().over(names)).filter(pl.col("row").is_in(drawn))
        assert row["truth"] == pytest.approx((1 / sizes["F"]).mean())
        assert row["classes"] == sizes.select(names).n_unique()


def test_many_combinations_are_counted_like_few(tmp_path: Path) -> None:
    """Above `ROOM` classes are numbered, below they are counted in an array; beyond 2**62 the key is renumbered."""
    rng = np.random.default_rng(5)
    wide = pl.DataFrame({f"v{i}": rng.integers(0, 50, 300) for i in range(12)})
    people = encoded(wide, tmp_path)
    assert np.prod(people.levels, dtype=float) > 2**62
    assert people.levels[0] * people.levels[1] < ROOM
    narrow, four = people.draw([0, 1], 150, np.random.default_rng(2)), people.draw([0, 1, 2, 3], 150, rng)
    assert narrow.truth < four.truth <= people.draw(range(12), 150, rng).truth == 1.0
    twice = People((people.columns[0], people.columns[1]) * 2, (people.levels[0], people.levels[1]) * 2)
    assert people.levels[0] ** 4 > ROOM
    same = twice.draw([0, 1, 2, 3], 150, np.random.default_rng(2))
    assert same.truth == pytest.approx(narrow.truth)
    assert same.sample.sizes.tolist() == narrow.sample.sizes.tolist()
    assert same.sample.table.codes[:, :2].tolist() == narrow.sample.table.codes.tolist()


# --- seeds and workers ----------------------------------------------------------------------------------


def test_workers_and_order_do_not_change_the_answers(tmp_path: Path) -> None:
    one = run(tmp_path / "one", estimators=SOME, sensitivity=1.0)
    two = run(tmp_path / "two", estimators=SOME, sensitivity=1.0, workers=2)
    assert timeless(one.points).equals(timeless(two.points))
    assert set(one.points["estimator"]) == set(SOME)


def test_another_seed_draws_other_points(tmp_path: Path) -> None:
    one, other = run(tmp_path / "1"), run(tmp_path / "2", seed=2)
    assert not one.points["fraction"].equals(other.points["fraction"])


# --- going on -------------------------------------------------------------------------------------------


def test_a_study_cut_off_in_a_line_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", estimators=SOME, points=4)
    run(tmp_path / "cut", estimators=SOME, points=4)
    journal = tmp_path / "cut" / "points.jsonl"
    text = journal.read_bytes()
    journal.write_bytes(text[: len(text) * 2 // 3 - 5])
    kept = journal.read_bytes().count(b"\n")
    assert 0 < kept < text.count(b"\n")
    again = run(tmp_path / "cut", estimators=SOME, points=4)
    assert timeless(again.points).equals(timeless(whole.points))
    assert journal.read_bytes().splitlines()[:kept] == text.splitlines()[:kept]


def test_more_points_and_more_estimators_run_only_what_is_missing(tmp_path: Path) -> None:
    first = run(tmp_path, points=3)
    more = run(tmp_path, points=5, sensitivity=1.0, fractions=(0.01, 0.99))
    old = more.points.filter((pl.col("point") < 3) & (pl.col("ratio") == 1))
    assert old.equals(first.points), "the seconds too: nothing ran twice"
    assert more.points["point"].n_unique() == 5
    every = run(tmp_path, points=5, sensitivity=1.0, estimators=SOME)
    kept = every.points.filter(pl.col("estimator") == "entropy")
    assert kept.equals(more.points)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"seed": 2}, "seed"),
        ({"fractions": (0.1, 0.2)}, "fractions"),
        ({"sizes": (2, 3)}, "sizes"),
        ({"quasi_identifiers": ("age", "sex")}, "population, quasi-identifiers, sizes"),
        ({"data": PEOPLE.with_columns(sex=pl.lit("F"))}, "population"),
        ({"data": PEOPLE.head(100)}, "population, records"),
    ],
)
def test_other_settings_in_the_same_folder_are_refused(tmp_path: Path, changed: dict[str, Any], named: str) -> None:
    folder = tmp_path / "mine"
    before = run(folder)
    with pytest.raises(la.BadPlan) as told:
        run(folder, **changed)
    assert str(told.value) == (
        f"mine holds a study with other settings: {named}. Name a new folder, or --force to start over."
    )
    assert run(folder).points.equals(before.points)
    assert run(folder, force=True, **changed).points["point"].n_unique() == 6


def test_an_estimator_with_other_choices_is_refused(tmp_path: Path) -> None:
    run(tmp_path)
    settings = json.loads((tmp_path / "settings.json").read_text())
    settings["estimators"]["entropy"] = "Entropy(other=1)"
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    with pytest.raises(la.BadPlan, match="other settings: choices of entropy"):
        run(tmp_path)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(la.BadPlan, match=r"holds other files. Name a new folder, or --force"):
        run(tmp_path)
    with pytest.raises(la.BadPlan, match=r"notes.txt is a file. Name a folder for the study."):
        run(tmp_path / "notes.txt")
    run(tmp_path, force=True)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_damaged_line_is_told(tmp_path: Path) -> None:
    run(tmp_path)
    journal = tmp_path / "points.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join([lines[0], "{}\n", *lines[1:]]))
    with pytest.raises(la.BadPlan, match=r"points.jsonl: line 2 is damaged"):
        run(tmp_path)


def test_no_estimator_named_means_all() -> None:
    assert Study().keys == tuple(ESTIMATORS)
    assert Study(estimators=("gaussian_copula", "entropy")).keys == SOME


# --- tables ---------------------------------------------------------------------------------------------


def test_the_table_is_that_of_the_points(tmp_path: Path) -> None:
    """Every figure again from points.csv, with plain arithmetic."""
    write_study(run(tmp_path, points=60, estimators=SOME, sensitivity=0.3))
    points = pl.read_csv(tmp_path / "points.csv").filter(pl.col("ratio") == 1)
    table = pl.read_csv(tmp_path / "table.csv")
    bands = {"0.01–0.1": (0.01, 0.1), "0.1–0.3": (0.1, 0.3), "0.3–0.7": (0.3, 0.7), "0.7–0.99": (0.7, 0.991)}
    assert set(table["band"]) == {*bands, "all"}
    for row in table.iter_rows(named=True):
        low, high = bands.get(row["band"], (0, 1))
        rows = points.filter(
            (pl.col("estimator") == row["estimator"]) & (pl.col("fraction") >= low) & (pl.col("fraction") < high)
        )
        answered = rows.filter(pl.col("value").is_not_null())
        error = (answered["value"] - answered["truth"]).to_numpy()
        assert (row["points"], row["not_assessable"]) == (rows.height, rows.height - answered.height)
        if not len(error):
            continue
        figures = ("median", "p05", "p95", "maximum", "mean_absolute", "median_absolute", "p95_absolute")
        size = np.abs(error)
        by_hand = [*np.quantile(error, [0.5, 0.05, 0.95]), error.max(), size.mean(), *np.quantile(size, [0.5, 0.95])]
        assert [row[name] for name in figures] == pytest.approx(by_hand)
        assert row["seconds"] == pytest.approx(rows["seconds"].mean())
        ends = answered.drop_nulls(["low", "high"])
        inside = [a <= b <= c for a, b, c in ends.select("low", "truth", "high").iter_rows()]
        assert row["intervals"] == len(inside)
        assert row["coverage"] == (pytest.approx(np.mean(inside)) if inside else None)


def test_cells_hold_every_point_once(tmp_path: Path) -> None:
    done = run(tmp_path, points=30)
    assert done.cells["points"].sum() == 30
    for row in done.cells.iter_rows(named=True):
        inside = (pl.col("truth") >= row["risk_bin"]) & (pl.col("truth") < row["risk_bin"] + 0.1)
        rows = done.points.filter(inside & (pl.col("band") == row["band"]))
        assert (row["points"], row["median"]) == (rows.height, pytest.approx(rows["error"].median()))


def test_with_a_wrong_n_the_same_points_are_compared(tmp_path: Path) -> None:
    done = run(tmp_path, points=20, sensitivity=1.0)
    assert set(done.sensitivity["ratio"]) == {1.0, *WRONG}
    for part in done.sensitivity.partition_by("band"):
        assert part["points"].n_unique() == 1
    small = done.sensitivity.filter(pl.col("ratio") == 0.7)["median"].to_list()
    large = done.sensitivity.filter(pl.col("ratio") == 1.3)["median"].to_list()
    assert all(a >= b for a, b in zip(small, large, strict=True)), "a larger N means less risk"
