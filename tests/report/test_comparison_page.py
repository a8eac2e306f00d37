"""The page of a comparison: every chart with words and a table, one scale for coefficients, CAP by classes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.attacks.outcome import Outcome, Share
from lookalike.evaluate.comparison import Compared
from lookalike.evaluate.comparison.grades import Finding, Grade
from lookalike.report.comparison.chart_tables import ecdf_grid, histogram_grid, scatter_grid
from lookalike.report.comparison.charts import cap_scatter, coefficient_forest, ecdf_curves, histogram_bars
from lookalike.report.comparison.evidence import compared_document
from lookalike.report.comparison.figures import COARSE, conclusion
from lookalike.report.comparison.heat_map import NO_ROOM
from lookalike.report.comparison.meanings import MEANS
from lookalike.report.comparison.page import page_of
from lookalike.report.comparison.terminal import as_text
from lookalike.report.comparison.words import (
    AS_IF,
    ATTRIBUTED,
    BY_B,
    BY_B_AND_MORE,
    BY_NONE,
    BY_OTHERS,
    EXPOSED,
    FAILS_DRAWN,
    HOLDS_DRAWN,
    NEXT,
    NEXT_FAILS,
    NEXT_FAILS_DRAWN,
    NEXT_KEPT,
    NEXT_REPAIR,
    NEXT_UNJUDGED,
    TRIED,
    UNKNOWN_PEOPLE,
    UNKNOWN_SIZE,
    decides,
    gained,
    in_plain_words,
    next_step,
)
from lookalike.report.html import Page, Section, render
from lookalike.report.language import catalogue
from lookalike.report.protection.words import SAYS
from lookalike.report.words import risk_title
from lookalike.utility.ecdf import ecdf_pair
from lookalike.utility.histograms import histogram_pair
from lookalike.utility.origin import How, Origin
from lookalike.utility.regression_overlap import Coefficient

from .pages import HOSTILE, assert_is_a_report

LONG = "a_name_of_a_column_that_is_longer_than_a_narrow_terminal_is_wide"


def people(seed: int, rows: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, rows)
    return pl.DataFrame(
        {
            "age": age,
            HOSTILE: rng.choice(["<b>a</b>", "{{b}}"], rows),
            "pay": age * 4000 + rng.integers(0, 9000, rows),
            LONG: rng.normal(0, 1, rows).round(2),
        }
    )


@cache
def compared() -> Compared:
    plan = la.Plan(backtest=False)
    return la.compare(
        la.read(people(1), quasi_identifiers=["age", HOSTILE], sensitive=["pay"]),
        people(2),
        plan=plan,
        how="independent",
        formulas=(f"pay ~ age + {LONG}",),
        models=("logistic",),
        draws=0,
        ways=(1, 2),
    )


@cache
def page() -> Page:
    return page_of(compared())


def section(title: str) -> Section:
    return next(s for s in page().sections if s.title == title)


def test_the_page_is_a_report_and_names_are_escaped() -> None:
    text = render(page())
    assert_is_a_report(text)
    assert HOSTILE not in text
    assert "&lt;script&gt;" in text
    assert "<b>a</b>" not in text
    assert all(not part.pictures for part in page().sections), "a picture alone has no table"


def test_the_first_screen_counts_what_is_kept_and_what_is_gained() -> None:
    kept, gained = page().headlines[:2]
    of = len(compared().findings)
    assert kept.value.endswith(f" of {of}")
    assert gained.value == "open", "without a control nobody knows"
    assert page().next


def test_numbers_are_attacked_by_many_numbers_of_classes() -> None:
    assert compared().attacks is not None
    assert list(compared().attacks.sweeps) == ["pay"]  # type: ignore[union-attr]
    titles = {figure.table.title: figure for figure in section("Attacks").figures}
    sweep = titles["How surely pay is guessed, by numbers of classes"]
    assert len(sweep.table.rows) == 10
    assert all(len(row) == 11 for row in sweep.table.rows)
    assert [row[1] for row in sweep.table.rows] == ["1.00"] * 10, "one class of the target is always right"


def test_coefficients_of_any_size_stand_on_one_scale() -> None:
    def one(name: str, size: float) -> Coefficient:
        ends, moved = (-1.96 * size, 1.96 * size), 2 * size
        return Coefficient(
            name=name,
            original=3 * size,
            original_interval=(3 * size + ends[0], 3 * size + ends[1]),
            release=3 * size + moved,
            release_interval=(5 * size + ends[0], 5 * size + ends[1]),
            overlap=0.5,
            difference=2.0,
        )

    found: Any = SimpleNamespace(formula="y ~ x", coefficients=(one("small", 1e-6), one("large", 1e6)))
    chart = coefficient_forest(found).to_dict()
    rows = [row for values in chart["datasets"].values() for row in values if row.get("file") == "release"]
    assert len(rows) == 2
    for row in rows:
        assert row["value"] == pytest.approx(2.0, abs=1e-4)
        assert row["low"] == pytest.approx(0.04, abs=1e-3)
    noughts = [row for values in chart["datasets"].values() for row in values if "x" in row]
    assert [row["x"] for row in noughts] == pytest.approx([-3.0, -3.0], abs=1e-3)


def test_a_coefficient_without_an_interval_is_left_to_the_table() -> None:
    odd = Coefficient(
        name="odd",
        original=1.0,
        original_interval=(1.0, 1.0),
        release=1.0,
        release_interval=(1.0, 1.0),
        overlap=1.0,
        difference=0.0,
    )
    found: Any = SimpleNamespace(formula="y ~ x", coefficients=(odd,))
    assert "not drawn" in str(coefficient_forest(found).to_dict())


def test_tables_of_charts_tell_no_more_than_the_charts() -> None:
    values = np.array([*np.repeat(np.arange(10.0), 20), 500.0]), np.repeat(np.arange(10.0), 20)
    curves = ecdf_curves(ecdf_pair(*values), "pay", records=201)
    grid = ecdf_grid(curves, "pay", dates=False)
    assert 0 < len(grid.rows) <= 12
    assert not any("500" in cell for row in grid.rows for cell in row)
    bars = histogram_bars(histogram_pair(*values), "pay")
    assert not any(cell.startswith("500") for row in histogram_grid(bars, "pay", dates=False).rows for cell in row)
    scatter = cap_scatter(np.repeat([0.2, 0.8], [40, 3]), np.repeat([0.4, 0.9], [40, 3]))
    assert scatter_grid(scatter, "pay").rows == (("0.20 to 0.25", "0.40 to 0.45", "20"),)


def in_ranges(**choices: Any) -> Compared:
    rng = np.random.default_rng(3)
    original = people(1).drop(LONG).with_columns(town=pl.Series(rng.choice(["0101", "0102", "0201"], 300)))
    low = pl.col("age") // 10 * 10
    release = original.with_columns(
        age=pl.format("[{};{}]", low, low + 9), town=pl.col("town").str.slice(0, 2) + pl.lit("**")
    )
    roles = {"quasi_identifiers": ["age", "town"], "sensitive": ["pay"]}
    fast = {"models": ("logistic",), "draws": 0, "ways": (1, 2)}
    plan = la.Plan(backtest=False, estimators=("entropy",))
    return la.compare(la.read(original, **roles), release, plan=plan, how="changed", linked=True, **fast, **choices)


@cache
def ranged() -> Compared:
    return in_ranges(population=9000)


def test_columns_in_ranges_or_groups_are_told_on_the_page_in_the_terminal_and_in_the_evidence() -> None:
    values = ranged().utility.coarse["age"].values
    part = next(s for s in page_of(ranged()).sections if s.title == COARSE)
    assert part.grids[0].rows == (
        ("age", "in the ranges of the release", f"{values}", "7"),
        ("town", "in the groups of the release", "3", "2"),
    )
    assert "keeps its tables by construction" in part.means
    assert "What is lost is the detail inside a range or group" in part.means
    said = " ".join(as_text(ranged(), width=200).split())
    assert COARSE in said
    assert f"age in the ranges of the release {values} 7" in said
    assert "keeps its tables by construction" in said
    assert compared_document(ranged())["utility"]["coarse"] == {
        "age": {"read": "in the ranges of the release", "values": values, "classes": 7},
        "town": {"read": "in the groups of the release", "values": 3, "classes": 2},
    }


def test_a_release_without_ranges_has_no_such_part() -> None:
    assert not any(part.title == COARSE for part in page().sections)
    assert COARSE not in as_text(compared())
    assert compared_document(compared())["utility"]["coarse"] == {}


def test_the_map_of_tables_is_told_by_how_the_release_was_made() -> None:
    drawn, changed = section("Tables"), next(s for s in page_of(ranged()).sections if s.title == "Tables")
    assert drawn.means == MEANS["tables_sampled"]
    assert "drawing" not in changed.means + " ".join(changed.more)
    assert "which share of the records would have to move" in changed.means
    assert changed.folded[0].heads == ("columns", "cells", "total variation")
    assert "VW ratio" in drawn.folded[0].heads


def test_the_first_screen_says_what_decides() -> None:
    """B where the population is known; without it nothing, and attacks never."""
    assert f"{BY_B} {TRIED}" in page_of(ranged()).lead
    assert f"{UNKNOWN_SIZE} {TRIED}" in page().lead
    for result, said in ((ranged(), BY_B), (compared(), UNKNOWN_SIZE)):
        assert said in " ".join(as_text(result, width=300).replace("│", " ").split())


@pytest.mark.parametrize(("limit", "how", "mood"), [(0.01, "fails", "bad"), (0.9, "holds", "good")])
def test_a_verdict_on_the_release_is_its_first_sentence(limit: float, how: str, mood: str) -> None:
    decided = in_ranges(population=301, thresholds=la.Threshold(sample_to_population=limit))
    shown = page_of(decided)
    assert (shown.says, shown.mood) == (SAYS[how], mood)
    assert shown.lead[0].startswith("Of ")
    assert shown.headlines[-1].note.endswith(f"; threshold {limit:g}")
    assert shown.next == (NEXT_FAILS if how == "fails" else NEXT_UNJUDGED)
    assert " ".join(as_text(decided, width=200).split("│")[1].split()) == SAYS[how]
    assert page().says.startswith("Of "), "nothing was decided on"


@pytest.mark.parametrize(
    ("grade", "control", "gain", "said"),
    [
        (Grade.KEPT, True, False, NEXT_KEPT),
        (Grade.PARTLY, False, False, NEXT_UNJUDGED),
        (Grade.LOST, True, False, NEXT),
        (Grade.KEPT, True, True, NEXT_REPAIR),
        (Grade.LOST, True, True, NEXT_REPAIR),
    ],
)
def test_what_to_do_next_is_told_by_the_result(grade: Grade, control: bool, gain: bool, said: str) -> None:
    attacks = SimpleNamespace(outcomes=(1,), control=control, beyond=(1,) if gain else (), copies=None)
    result: Any = SimpleNamespace(assessed=None, attacks=attacks)
    assert next_step(result, [Finding(analysis="pairs", what="", grade=grade)]) == said


def test_without_attacks_nothing_is_judged_and_copies_name_the_repair() -> None:
    result: Any = SimpleNamespace(assessed=None, attacks=None)
    assert next_step(result, []) == NEXT_UNJUDGED
    copied = la.compare(
        la.read(people(1), quasi_identifiers=["age"]),
        people(1),
        how="complete",
        models=("logistic",),
        draws=0,
        ways=(1,),
    )
    assert page_of(copied).next == NEXT_REPAIR


@pytest.mark.parametrize(
    ("seed", "limit", "says", "mood", "then"),
    [
        (1, 0.9, EXPOSED, "middling", NEXT_REPAIR),
        (2, 0.9, HOLDS_DRAWN, "good", NEXT_UNJUDGED),
        (2, 1e-6, FAILS_DRAWN, "bad", NEXT_FAILS_DRAWN),
        (1, 1e-6, FAILS_DRAWN, "bad", NEXT_FAILS),
    ],
)
def test_thresholds_alone_let_no_drawn_file_leave(seed: int, limit: float, says: str, mood: str, then: str) -> None:
    """Neither one that holds records of the original (seed 1: all of them), nor one that does not."""
    drawn = la.compare(
        la.read(people(1), quasi_identifiers=["age"]),
        people(seed),
        how="complete",
        plan=la.Plan(population=30_000, thresholds=la.Threshold(sample_to_population=limit), backtest=False),
        models=("logistic",),
        draws=0,
        ways=(1,),
    )
    shown = page_of(drawn)
    assert (shown.says, shown.mood) == (says, mood)
    assert shown.next == then
    assert "may leave the house" not in as_text(drawn)
    assert "must not leave" not in as_text(drawn)
    assert says in " ".join(as_text(drawn, width=300).replace("│", " ").split())


def test_what_is_not_known_is_named_and_nothing_else() -> None:
    found: Any = SimpleNamespace(attacks=compared().attacks, assessed=None, plan=la.Plan())
    assert decides(found) == f"{UNKNOWN_PEOPLE} {TRIED}"
    found.plan = la.Plan(roles=la.Roles(quasi_identifiers=("age",)))
    assert decides(found) == f"{UNKNOWN_SIZE} {TRIED}"


def test_only_of_several_copies_the_risk_is_that_of_the_first() -> None:
    assert "first copy" in risk_title(2)
    assert "first copy" not in as_text(ranged())
    assert risk_title(1) in {part.title for part in page_of(ranged()).sections}


@pytest.mark.parametrize(
    ("release", "ends", "overlap", "difference", "said"),
    [
        (5.0, (4.0, 6.0), -1.5, -10.0, "sign kept, size not"),
        (9.0, (8.0, 10.0), 0.5, -2.5, "kept"),
        (-1.0, (-2.0, -0.5), -4.0, -20.0, "lost"),
    ],
)
def test_a_coefficient_may_keep_its_sign_and_not_its_size(
    release: float, ends: tuple[float, float], overlap: float, difference: float, said: str
) -> None:
    found = Coefficient(
        name="age",
        original=10.0,
        original_interval=(9.0, 11.0),
        release=release,
        release_interval=ends,
        overlap=overlap,
        difference=difference,
    )
    assert conclusion(found) == said


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        (("sample_to_population_upper",), BY_B),
        (("sample_to_population", "k_anonymity"), BY_B_AND_MORE),
        (("k_anonymity",), BY_OTHERS),
        ((), BY_NONE),
    ],
)
def test_what_decides_is_told_by_the_thresholds(measures: tuple[str, ...], said: str) -> None:
    verdicts = [SimpleNamespace(measure=measure) for measure in measures]
    found: Any = SimpleNamespace(
        attacks=compared().attacks, assessed=SimpleNamespace(verdicts=verdicts), origin=Origin(how=How.CHANGED)
    )
    assert decides(found) == f"{said} {TRIED}"
    found.origin = Origin(how=How.COMPLETE)
    by_b = said in (BY_B, BY_B_AND_MORE)
    assert decides(found) == (f"{said} {AS_IF} {TRIED}" if by_b else f"{said} {TRIED}")
    found.attacks = None
    assert decides(found) is None


@pytest.mark.parametrize("language", ["de", "fr"])
def test_what_decides_and_what_was_guessed_is_said_in_every_language(language: str) -> None:
    assert {NEXT, NEXT_FAILS, NEXT_KEPT, NEXT_REPAIR, NEXT_UNJUDGED} <= set(catalogue(language).texts)
    texts = (BY_B, BY_B_AND_MORE, BY_OTHERS, BY_NONE, UNKNOWN_PEOPLE, TRIED, NO_ROOM, *ATTRIBUTED.values())
    assert set(texts) <= set(catalogue(language).texts)


def test_the_first_screen_has_no_names_of_measures_of_attribution() -> None:
    share, other = Share(successes=80, of=100, what="records"), Share(successes=10, of=100, what="records")
    worst = Outcome(attack="attribution", measure="DCAP of pay", main=share, control=other, baseline=other)
    found: Any = SimpleNamespace(outcomes=(worst,), beyond=(worst,), control=True)
    said = gained(found)
    assert said is not None
    assert "most gains attribution (pay guessed from known columns): 0.78." in said
    matched = replace(worst, attack="matching", measure="a row fits")
    assert in_plain_words(matched) == "matching (a row fits)"
    for line in (page().says, *page().lead, *(v.says for v in page().verdicts), *(s.means for s in page().sections)):
        assert "CAP" not in line
    assert not any("CAP" in f.table.title for s in page().sections for f in s.figures)


def test_long_names_are_folded_in_a_narrow_terminal_not_cut() -> None:
    text = as_text(compared(), width=60)
    assert "…" not in text
    lines = [line.rstrip() for line in text.splitlines()]
    folded = [first + second.strip() for first, second in pairwise(lines) if first.startswith(LONG[:4])]
    assert LONG in folded, "a name that is longer than a line goes on in the next one"
    assert all(len(line) <= 60 for line in lines)
