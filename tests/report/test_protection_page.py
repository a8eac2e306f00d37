"""The page of a protected file: the verdict first, charts with tables, nothing of a few records, names escaped."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.anonymize.cells import Done
from lookalike.errors import LookalikeError
from lookalike.estimate import Estimate
from lookalike.evaluate.protection import ProtectedRun
from lookalike.report.assessment.first import told_cautions
from lookalike.report.html import Page, render
from lookalike.report.language import translated
from lookalike.report.protection import words
from lookalike.report.protection.measures import in_words
from lookalike.report.protection.page import page_of

from .pages import HOSTILE, assert_is_a_report

NO_B = la.Threshold(sample_to_population=None, k_anonymity=3)
NEVER = la.Threshold(sample_to_population=None, l_diversity=4)
"""The file has three illnesses."""


def people(rows: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(rows)],
            "age": rng.integers(18, 80, rows),
            HOSTILE: rng.choice(["<b>a</b>", "{{b}}", "c"], rows),
            "illness": rng.choice(["x", "y", "<i>z</i>"], rows),
        }
    )


ROLES = {"identifiers": ["id"], "quasi_identifiers": ["age", HOSTILE], "sensitive": ["illness"]}


@cache
def generalized() -> ProtectedRun:
    choices = {"population": 600, "population_counts": "eligible"}
    return la.protect(people(), la.Generalization(), until=la.Threshold(), **choices, **ROLES)


@cache
def page() -> Page:
    return page_of(generalized())


@cache
def text() -> str:
    return render(page())


def test_the_page_is_a_report() -> None:
    assert_is_a_report(text())


def test_the_first_screen_has_verdict_risk_cost_and_what_to_do_next() -> None:
    assert page().says == words.SAYS["holds"]
    assert page().mood == "good"
    b, cells, records, loss = page().headlines
    risk = generalized().assessed.risk.sample_to_population
    assert b.value == f"{risk.value:.3g}"
    assert f"interval {risk.low:.3g} to {risk.high:.3g}; threshold 0.09; before: " in b.note
    assert cells.note == "generalized 300, suppressed 0, perturbed 0"
    assert records.value == "300"
    assert loss.value.endswith("%")
    assert "lookalike compare " in page().next
    assert len(page().verdicts) == 1


def test_the_sections_stand_in_their_order_and_each_says_what_it_means() -> None:
    titles = [section.title for section in page().sections]
    assert titles[:7] == [
        words.RISK_TITLE,
        words.CELLS_TITLE,
        words.COLUMNS_TITLE,
        words.LOSS_TITLE,
        words.FRONTIER_TITLE,
        words.BUYS_TITLE,
        words.STEPS_TITLE,
    ]
    own = page().sections[:7]
    assert all(section.means and section.more for section in own)
    after = page().sections[titles.index(words.RELEASE_RISK) + 1 :]
    assert after
    assert {section.level for section in after} == {3}


def test_names_and_values_from_the_file_are_escaped_everywhere() -> None:
    assert HOSTILE not in text()
    assert "&lt;script&gt;" in text()
    assert "49$" not in text()
    assert not any(value in text() for value in ("<b>a</b>", "<i>z</i>"))


def test_the_frontier_marks_the_choice_and_the_threshold() -> None:
    section = next(s for s in page().sections if s.title == words.FRONTIER_TITLE)
    (figure,) = section.figures
    points = generalized().release.taken[0].details["frontier"]
    assert len(figure.table.rows) == len(points)
    assert [row[1] for row in figure.table.rows].count(words.YES) == 1
    assert "The line is the threshold of B, 0.09." in figure.says
    assert "threshold 0.09" in figure.svg


def test_a_method_without_a_search_has_no_frontier() -> None:
    made = la.protect(people(), "mondrian", until=NO_B, **ROLES)
    grouped = page_of(made)
    assert words.FRONTIER_TITLE not in [section.title for section in grouped.sections]
    assert words.B_LABEL not in [headline.label for headline in grouped.headlines]
    assert_is_a_report(render(grouped))


def test_few_changed_cells_are_not_told() -> None:
    table = pl.DataFrame({"age": [30] * 40 + [31] * 40 + [99, 98, 97], "sex": ["F"] * 83})
    made = la.protect(table, "suppress", until=NO_B, quasi_identifiers=["age", "sex"])
    assert made.release.cells["age"][Done.SUPPRESSED] == 3
    few = page_of(made)
    cells = next(h for h in few.headlines if h.label == words.CELLS_LABEL)
    assert "suppressed <5" in cells.note
    assert cells.value == "<5"
    grid = next(s for s in few.sections if s.title == words.CELLS_TITLE).figures[0].table
    assert grid.rows == (("age", "not told", "0", "<5", "0"),)
    assert "80" not in grid.rows[0]
    lost = next(s for s in few.sections if s.title == words.LOSS_TITLE)
    assert lost.figures[0].table.rows[0][2] == "<5"


def test_the_seed_of_drawn_values_is_kept_secret() -> None:
    made = la.protect(people(), "noise", until=NO_B, seed=987654321, **{**ROLES, "quasi_identifiers": ["age"]})
    noisy = page_of(made)
    assert dict(noisy.facts)["seed"] == words.SECRET_SEED
    assert "987654321" not in render(noisy)
    assert dict(page().facts)["seed"] == "1"


def test_a_limit_that_fails_is_said_first() -> None:
    made = la.protect(people(60), la.Coarsening(resolution=30), until=la.Threshold(k_anonymity=20), **ROLES)
    failed = page_of(made)
    assert failed.says == words.SAYS["fails"]
    assert failed.mood == "bad"
    last = words.FAILS_NEXT["last"]
    assert failed.next == f"{words.FAILS_NEXT['method'].format(method='coarsen')} {last}", "it does not search"


@pytest.mark.parametrize(
    ("options", "tries"),
    [
        ({}, ("few",)),
        ({"levels": {"age": 1, HOSTILE: 0}}, ("levels",)),
    ],
)
def test_what_to_try_next_fits_what_was_tried(options: dict[str, Any], tries: tuple[str, ...]) -> None:
    made = la.protect(people(60), la.Generalization(**options), until=NEVER, **ROLES)
    said = page_of(made).next
    expected = [words.FAILS_NEXT[key].split("{")[0] for key in (*tries, "last")]
    assert [said.find(part) >= 0 for part in expected] == [True] * len(expected)
    assert sum(text.split("{")[0] in said for text in words.FAILS_NEXT.values() if text[0] != "{") == len(expected)


def test_a_file_that_is_safe_already_is_said_to_be_unchanged() -> None:
    made = la.protect(people(60), until=la.Threshold(sample_to_population=None, unique_records=1.0), **ROLES)
    shown = page_of(made)
    assert (made.release.removed, made.release.count(Done.KEPT)) == (0, 0)
    assert shown.says == words.UNCHANGED
    assert words.SAFER in shown.next


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"age": [30], "sex": ["F"]}),
        pl.DataFrame({"age": [30, 31, 30, 31], "sex": ["F"] * 4}),
        pl.DataFrame({"age": [30, 31, 32, 31], "sex": pl.Series([None] * 4, dtype=pl.String)}),
    ],
)
def test_small_and_empty_files_have_a_page(table: pl.DataFrame) -> None:
    made = la.protect(table, la.Coarsening(resolution=2), until=NO_B, quasi_identifiers=["age", "sex"])
    assert "<h1>" in render(page_of(made))


def test_a_page_is_not_overwritten_unless_told(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("mine")
    with pytest.raises(LookalikeError, match=re.escape("report.html exists")):
        generalized().to_html(path)
    assert path.read_text() == "mine"
    assert generalized().to_html(path, force=True).read_text(encoding="utf-8") == text(), (
        "the same result, the same page"
    )


def test_an_estimate_without_an_answer_is_told_by_what_it_is_at_most() -> None:
    assert in_words(Estimate(value=None, low=0.1, high=0.5, method="posterior")) == "at most 0.5"
    assert in_words(Estimate(value=0.2, low=0.2, high=0.2, method="exact")) == "0.2"


@cache
def coded() -> ProtectedRun:
    rows = 300
    table = (
        people(rows)
        .rename({HOSTILE: "area"})
        .with_columns(
            zip_code=pl.int_range(rows) % 90 + 10_000,
            pay=pl.when(pl.int_range(rows) < 3).then(-8).otherwise(7),
            income=pl.when(pl.int_range(rows) < 60).then(-8).otherwise(9),
        )
    )
    roles = {"identifiers": ["id"], "quasi_identifiers": ["age", "area"], "sensitive": ["illness"]}
    codes = {"pay": ("-8",), "income": ("-8",)}
    return la.protect(table, la.Generalization(), until=la.Threshold(), population=600, missing_codes=codes, **roles)


def test_the_lead_gives_the_cautions_of_the_assessment_without_counts_of_few() -> None:
    told = told_cautions(coded().assessed)
    assert "Not counted, though it looks like something an attacker may know: zip_code." in told
    assert set(told) <= set(page_of(coded()).lead)


def test_every_column_is_listed_with_what_became_of_it() -> None:
    section = next(s for s in page_of(coded()).sections if s.title == words.COLUMNS_TITLE)
    (grid,) = section.grids
    assert {name: (role, became) for name, role, became in grid.rows} == {
        "id": ("identifier", "left out"),
        "age": ("quasi-identifier", "generalized"),
        "area": ("quasi-identifier", "as it was"),
        "illness": ("sensitive", "as it was"),
        "zip_code": ("none", "as it was"),
        "pay": ("none", "as it was; codes for missing are empty"),
        "income": ("none", "as it was; codes for missing are empty"),
    }


def test_many_columns_are_listed_in_a_folded_table() -> None:
    wide = people(40).drop("id", HOSTILE).with_columns(**{f"c{i}": pl.lit(i) for i in range(40)})
    made = la.protect(wide, "mondrian", until=NO_B, quasi_identifiers=["age"])
    section = next(s for s in page_of(made).sections if s.title == words.COLUMNS_TITLE)
    assert section.grids == ()
    assert len(section.folded[0].rows) == 42


def test_cells_with_codes_for_missing_are_said_to_be_written_empty() -> None:
    said = "{}: {} of 300 cells were read as missing, by a code or as empty, and are written empty."
    assert {said.format("pay", 3), said.format("income", 60)} <= set(coded().warnings)
    assert {said.format("pay", "<5"), said.format("income", 60)} <= set(page_of(coded()).notes)


@pytest.mark.parametrize("language", ["de", "fr"])
def test_columns_and_codes_are_told_in_other_languages(language: str) -> None:
    missing: set[str] = set()
    translated(page_of(coded()), language, missing=missing)
    assert missing == set()
