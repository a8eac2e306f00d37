"""A report as a browser shows it: nothing asked of any host, nothing beyond the edge, contrast, a short PDF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.evaluate.synthesis import run_synthesis
from lookalike.plan import Target
from lookalike.report.html import Page, Section, write

PAGES = 12
"""The most pages that an assessment may have on paper."""
OPEN = "document.querySelectorAll('details').forEach(each => each.open = true)"
WIDE = "document.documentElement.scrollWidth"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with every part, and with long names."""
    rng = np.random.default_rng(1)
    names = [
        "age",
        "sex",
        "a_name_of_a_column_that_is_longer_than_the_room_for_it",
        *(f"variable {i}" for i in range(8)),
    ]
    table = pl.DataFrame({name: rng.integers(0, 2 + 4 * i, 500) for i, name in enumerate(names)})
    table = table.with_columns(illness=rng.choice(["a", "b", "c"], 500), house=rng.integers(0, 200, 500))
    found = la.assess(
        table,
        population=20_000,
        quasi_identifiers=names,
        sensitive=["illness"],
        household="house",
        targets=[Target(variable="illness", equals=("a",))],
        groups={"person": names[:2], "others": names[2:4]},
        estimators=["entropy", "pitman_yor", "chao", "zayatz"],
    )
    return found.to_html(tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as engine:
        shown = engine.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield shown
        shown.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_a_report_is_whole_readable_and_silent(browser: Any, report: Path, width: int, scheme: str) -> None:
    assert faults_of(browser, report, width, scheme) == []


def faults_of(browser: Any, report: Path, width: int, scheme: str) -> list[Any]:
    """What is wrong with a report at a width, folded and unfolded: too wide, not silent, or faulted by axe-core."""
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    for how in ("", OPEN):
        page.evaluate(how or "0")
        if page.evaluate(WIDE) > width:
            said.append("something is wider than the window")
    found = Axe().run(page).response["violations"]
    context.close()
    others = [url for url in asked if url != report.as_uri()]
    return [*said, *others, *((each["id"], each["nodes"][0]["html"]) for each in found)]


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The reports of the other commands, one of them in German."""
    rng = np.random.default_rng(2)
    age = rng.integers(18, 90, 300)
    table = pl.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["F", "M"], 300),
            "a_name_of_a_column_that_is_longer_than_the_room_for_it": rng.choice(["north", "south"], 300),
            "ill": np.where(rng.random(300) < age / 120, "yes", "no"),
            "pay": age * 40 + rng.integers(0, 900, 300),
        }
    )
    roles: dict[str, Any] = {"quasi_identifiers": table.columns[:3], "sensitive": ["ill", "pay"]}
    folder = tmp_path_factory.mktemp("pages")
    protected = la.protect(table, until=0.09, population=9_000, **roles)
    plan = la.Plan(
        roles=la.Roles(quasi_identifiers=tuple(table.columns[:3]), sensitive=("ill", "pay")),
        population=9_000,
        synthesis=la.Synthesis(model="sequential"),
    )
    drawn = run_synthesis(table, plan, seed_given=True)
    fast: dict[str, Any] = {"draws": 0, "ways": [1, 2], "models": ["logistic", "cart"]}
    compared = la.compare(table, drawn, population=9_000, formulas=["pay ~ age + sex"], **fast, **roles)
    repaired = la.repair(table, table, linked=True, how="changed", draws=0, ways=[1], models=["logistic"], **roles)
    runs = {"protect": protected, "synthesize": drawn, "compare": compared, "repair": repaired}
    pages = {name: run.to_html(folder / f"{name}.html") for name, run in runs.items()}
    return pages | {"german": compared.to_html(folder / "german.html", language="de")}


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (400, "dark")])
@pytest.mark.parametrize("which", ["protect", "synthesize", "compare", "repair", "german"])
def test_every_report_is_whole_readable_and_silent(
    browser: Any, others: dict[str, Path], which: str, width: int, scheme: str
) -> None:
    assert faults_of(browser, others[which], width, scheme) == []


def test_parts_of_several_steps_may_have_the_same_title(browser: Any, tmp_path: Path) -> None:
    steps = [part for n in (1, 2) for part in (_part(f"Step {n}", 2), _part("Risk by attack", 3))]
    page = write(Page(title="A journey", says="Done.", sections=tuple(steps)), tmp_path / "journey.html")
    assert faults_of(browser, page, 1400, "light") == []


def _part(title: str, level: int) -> Section:
    return Section(title=title, means="Nothing.", level=level)


def test_a_report_on_paper_is_short_and_light(browser: Any, report: Path, tmp_path: Path) -> None:
    page = browser.new_context(color_scheme="dark").new_page()
    page.goto(report.as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.pdf(path=str(tmp_path / "report.pdf"), format="A4")
    pages = len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "report.pdf").read_bytes()))
    assert 1 < pages <= PAGES


def test_the_keyboard_reaches_the_report_and_its_fold_outs(browser: Any, report: Path) -> None:
    page = browser.new_context().new_page()
    page.goto(report.as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#report"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open") is True
