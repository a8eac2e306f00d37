"""The page of a synthetic release: what it repeats first, the model's own figures, no seed, names escaped."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from lookalike.errors import LookalikeError
from lookalike.estimate import Rate
from lookalike.evaluate.synthesis import Synthesized, run_synthesis
from lookalike.plan import Plan, Roles
from lookalike.report.html import Page, Section, render
from lookalike.report.synthesis import words
from lookalike.report.synthesis.page import page_of
from lookalike.report.words import risk_title
from lookalike.synthesis import Synthesis

from .pages import HOSTILE, assert_is_a_report

ROLES = Roles(identifiers=("id",), quasi_identifiers=("age", HOSTILE), sensitive=("pay",))
NOTHING_KNOWN = Roles(identifiers=("id",))
"""Without quasi-identifiers nothing is assessed, which saves time."""
SEED = 987654321


def people(rows: int = 200) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    age = rng.integers(18, 60, rows)
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(rows)],
            "age": age,
            HOSTILE: rng.choice(["<b>a</b>", "{{b}}"], rows),
            "pay": age * 10 + rng.integers(0, 300, rows),
        }
    )


@cache
def drawn(
    model: str = "gaussian-copula", *, roles: Roles = ROLES, population: int | None = 4000, **more: Any
) -> Synthesized:
    options = {"options": dict(more.pop("options"))} if "options" in more else {}
    plan = Plan(roles=roles, population=population, seed=SEED, backtest=False)
    return run_synthesis(people(), plan.changed(synthesis=Synthesis(model=model, **options, **more)))


@cache
def page() -> Page:
    return page_of(drawn())


def section(page: Page, title: str) -> Section:
    return next(s for s in page.sections if s.title == title)


def test_the_page_is_a_report_and_names_are_escaped() -> None:
    text = render(page())
    assert_is_a_report(text)
    assert HOSTILE not in text
    assert "&lt;script&gt;" in text
    assert "<b>a</b>" not in text


def test_the_first_screen_warns_of_what_is_repeated() -> None:
    assert "drawn from a model of" in page().title
    assert [h.label for h in page().headlines] == [
        words.REPEATED_LABEL,
        words.UNIQUES_LABEL,
        words.B_LABEL,
        words.COPIES_LABEL,
    ]
    assert page().lead[0].startswith("A synthetic file is not safe by name")
    assert words.NOBODY in page().lead
    assert page().says in words.SAYS.values()
    assert len(page().verdicts) == 1


def test_the_seed_is_a_secret() -> None:
    assert dict(page().facts)["seed"] == words.SECRET_SEED
    assert str(SEED) not in render(page())


def test_few_repeated_records_are_not_told() -> None:
    found = drawn(roles=NOTHING_KNOWN, population=None)
    (like,) = found.release.likeness
    few = Rate(count=2, of=200, what="records")
    release = replace(found.release, likeness=(replace(like, repeated=few, repeated_uniques=few),))
    told = page_of(replace(found, release=release))
    assert told.headlines[0].value == "<2.5 % (<5 of 200)"
    assert section(told, words.LIKE_TITLE).figures[0].table.rows[0][1] == "<2.5 % (<5 of 200)"


def test_the_chain_of_latent_classes_is_drawn() -> None:
    found = drawn(
        "latent-classes",
        roles=NOTHING_KNOWN,
        population=None,
        copies=2,
        options=(("sweeps", 60), ("burn_in", 20), ("classes", 8)),
    )
    page = page_of(found)
    model = section(page, words.MODEL_TITLE)
    assert [figure.table.title for figure in model.figures] == [
        words.TRACE_CHART.format(what=what) for what in words.TRACES.values()
    ]
    assert "over 60 sweeps; after the first 20 (dashed line)" in model.figures[0].says
    assert len(model.grids[0].rows) == len(found.release.figures)
    assert page.title.startswith("2 copies")
    assert words.COMBINING["COMPLETE_PROPER"] in section(page, words.COMBINING_TITLE).lines
    assert_is_a_report(render(page))


def test_a_sequence_tells_order_methods_and_predictors() -> None:
    page = page_of(drawn("sequential", roles=NOTHING_KNOWN, population=None, impossible=("pay > 100000",)))
    (figure,) = section(page, words.SEQUENCE_TITLE).figures
    assert [row[0] for row in figure.table.rows] == ["age", HOSTILE, "pay"]
    assert figure.table.rows[2][2] == f"age, {HOSTILE}"
    assert section(page, words.RULES_TITLE).grids[0].rows == (("pay > 100000", words.RULES_IMPOSSIBLE),)
    assert section(page, words.RULES_TITLE).lines == (words.RULES_REDRAWN.format(count="0"),)
    assert_is_a_report(render(page))


def test_all_others_have_predictors_and_no_order() -> None:
    page = page_of(drawn("all-others", roles=NOTHING_KNOWN, population=None))
    (figure,) = section(page, words.OTHERS_TITLE).figures
    assert len(figure.table.rows) == 3


def test_a_private_model_tells_its_account() -> None:
    pytest.importorskip("opendp")
    page = page_of(drawn("private-tree", roles=NOTHING_KNOWN, population=None, options=(("epsilon", 1.0),)))
    account = section(page, words.LEDGER_TITLE)
    assert account.figures[0].says.startswith("Allowed: ε = 1, δ = ")
    told = {row[2] for row in account.folded[0].rows}
    assert told == {words.DOMAIN_READ}
    assert_is_a_report(render(page))


def test_a_partial_release_tells_equal_cells_and_what_is_kept() -> None:
    found = drawn("sequential", roles=NOTHING_KNOWN, population=None, columns=("pay",), copies=4)
    page = page_of(found)
    assert page.says == words.SAYS["nothing"]
    like = section(page, words.LIKE_TITLE)
    assert [figure.table.title for figure in like.figures] == [words.LIKE_CHART, words.EQUAL_CHART]
    assert like.figures[0].table.heads[1:] == (words.LOWEST, words.HIGHEST)
    columns = dict(section(page, words.COLUMNS_TITLE).grids[0].rows)
    assert columns == {
        "pay": words.BECAME["drawn"],
        "age": words.BECAME["kept"],
        HOSTILE: words.BECAME["kept"],
        "id": words.BECAME["left_out"],
    }
    assert section(page, words.COMBINING_TITLE).lines == (words.COMBINING["PARTIAL"],)
    assert risk_title(1) not in [s.title for s in page.sections]
    assert_is_a_report(render(page))


def test_every_model_of_a_plan_has_words() -> None:
    from lookalike.synthesis.models import MODELS

    assert set(words.LEARNS) == set(MODELS)


def test_a_page_is_not_overwritten_unless_told(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("mine")
    with pytest.raises(LookalikeError, match=r"report\.html exists"):
        drawn().to_html(path)
    assert path.read_text() == "mine"
    assert "<h1>" in drawn().to_html(path, force=True).read_text(encoding="utf-8")
