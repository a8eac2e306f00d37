"""The page of an assessment: what stands on it, that it is sound, and what it must not tell."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.estimate import Estimate, Rate
from lookalike.evaluate.decide import decide
from lookalike.plan import Target, Threshold
from lookalike.report.assessment.page import first_screen, page_of, sections_of
from lookalike.report.assessment.people import above_of, safe_groups
from lookalike.report.html import Page, Section, render
from lookalike.report.tables import percent
from report.html_pages import assert_sound, seen_in

NAMES = ["age", "sex", "area"]


def table(records: int, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 70, records),
            "sex": rng.choice(["F", "M"], records),
            "area": rng.choice(["north", "south", "west"], records, p=[0.6, 0.3, 0.1]),
            "illness": rng.choice(["Q1zz", "Q2zz", "Q3zz"], records),
            "house": rng.integers(0, records // 2 + 1, records),
        }
    )


def assessed(frame: pl.DataFrame, **choices: object) -> la.Evaluation:
    options = {
        "quasi_identifiers": NAMES,
        "population": 20_000,
        "estimators": ["entropy"],
        "backtest": False,
        **choices,
    }
    return la.assess(frame, **options)


@pytest.fixture(scope="module")
def full() -> la.Evaluation:
    """Everything at once: a population file, several estimators, sensitive variables, households, groups, targets."""
    frame = table(400)
    people = pl.concat([frame.select(NAMES), table(4000, seed=2).select(NAMES)])
    return la.assess(
        frame,
        population=people,
        quasi_identifiers=NAMES,
        sensitive=["illness"],
        household="house",
        groups={"person": ["age", "sex"], "place": ["area"]},
        targets=[Target(variable="illness", equals=("Q1zz",))],
        estimators=["posterior", "entropy", "chao"],
        threshold=Threshold(sample_to_population=0.09, k_anonymity=5),
    )


@pytest.fixture(scope="module")
def page(full: la.Evaluation) -> str:
    return render(page_of(full))


def test_the_mean_of_many_choices_is_the_one_of_the_terminal(full: la.Evaluation) -> None:
    grid = next(s for s in sections_of(full) if s.title == "What an attacker needs to know").figures[0].table
    for size in (1, 2):
        found = [k.unique_records for k in full.risk.knowledge if not k.group and len(k.variables) == size]
        mean = sum(rate.count for rate in found) / len(found)
        row = next(row for row in grid.rows if row[0] == f"{size} of 3")
        assert row[2] == ("<1.3 %" if 0 < mean < 5 else percent(mean / 400))


# --- what stands on it ----------------------------------------------------------------------------------


def test_the_page_is_sound_for_eyes_ears_and_keyboards(page: str) -> None:
    seen = assert_sound(page)
    assert seen.language == "en"
    assert len(seen.figures) >= 10
    assert "nav" in seen.tags
    assert "main" in seen.tags
    assert "report" in seen.ids  # where the skip link leads


def test_every_part_is_there_and_says_what_it_means(full: la.Evaluation) -> None:
    parts = {section.title: section for section in page_of(full).sections}
    assert list(parts) == [
        "Risk by attack",
        "What the estimators say",
        "Risk of single records",
        "Who carries the risk",
        "If the population size is wrong",
        "Backtest: would it have been right here?",
        "What drives the risk",
        "What an attacker needs to know",
        "What the file gives away without a match",
        "Special uniques",
        "Households",
        "Records that look alike",
        "The plan that ran",
    ]
    for title, section in parts.items():
        assert section.means.count(". ") >= 1, title
        assert section.more or title == "The plan that ran", title


def test_where_no_variable_drives_the_risk_none_is_named() -> None:
    """Two columns that say the same: without one of them nothing changes."""
    twice = pl.DataFrame({"age": range(60), "born": [1990 - i for i in range(60)]})
    found = la.assess(twice, quasi_identifiers=["age", "born"], population=9_000, backtest=False)
    last = page_of(found).headlines[-1]
    assert (last.label, last.value) == ("Drives the risk most", "no one variable")


def test_the_first_screen_has_the_verdict_the_number_the_threshold_the_driver_and_the_next_step(
    full: la.Evaluation,
) -> None:
    first = first_screen(full)
    assert first.says == "The file must not leave the house as it is: a threshold does not hold."
    assert first.mood == "bad"
    assert [headline.value for headline in first.headlines][1] == "0.09"
    assert first.headlines[0].value == f"{full.risk.exact:.3g}"
    assert first.headlines[0].note == "exact: counted, not estimated"
    assert first.headlines[3].value == full.risk.drivers[0].variable
    assert first.next.startswith("Change the file before it leaves")
    assert [verdict.word for verdict in first.verdicts] == ["holds", "fails"]


def test_parts_without_anything_to_show_are_left_out() -> None:
    found = assessed(table(200), population=None)
    titles = [section.title for section in sections_of(found)]
    assert "What the estimators say" not in titles
    assert "Households" not in titles
    assert "What the file gives away without a match" not in titles
    first = first_screen(found)
    assert first.headlines[0].value == "not known"
    assert first.mood == "middling"
    assert "is not known" in first.lead[0]
    assert_sound(render(page_of(found)))


def test_what_was_not_assessed_is_told_with_its_reason() -> None:
    found = assessed(table(200), suda_size=None)
    part = next(section for section in sections_of(found) if section.title == "Not assessed")
    assert part.lines == ("suda: not asked for.",)


def test_the_figures_of_a_chart_stand_in_its_table(full: la.Evaluation) -> None:
    for section in sections_of(full):
        for figure in section.figures:
            assert figure.table.rows, section.title
            assert all(len(row) == len(figure.table.heads) for row in figure.table.rows), section.title
            assert "<desc" in figure.svg


@pytest.mark.parametrize(
    ("estimate", "value", "note"),
    [
        (
            Estimate(value=0.05, low=0.04, high=0.06, method="posterior"),
            "0.05",
            "likely between 0.04 and 0.06 (method: posterior)",
        ),
        (Estimate(value=0.05, method="entropy"), "0.05", "by entropy, without an interval"),
        (
            Estimate(value=0.05, low=0.05, high=0.3, method="chao", lower_limit=True),
            "0.05",
            "a lower limit, by chao; at most 0.3",
        ),
        (
            Estimate(value=0.05, low=0.0, high=0.05, method="upper bound"),
            "0.05",
            "at most so much; some records are not in the population file",
        ),
        (
            Estimate.not_assessable("no law", method="posterior", low=0.001, high=0.4),
            "not known",
            "0.001 to 0.4 is certain, whatever the population looks like",
        ),
    ],
)
def test_the_number_says_how_it_was_come_by(estimate: Estimate, value: str, note: str) -> None:
    base = assessed(table(200))
    risk = replace(base.risk, sample_to_population=estimate, exact=None)
    found = replace(base, risk=risk, verdicts=decide(Threshold(sample_to_population=0.09), risk))
    headline = first_screen(found).headlines[0]
    assert (headline.value, headline.note) == (value, note)
    assert next(iter(sections_of(found))).figures[0].table.rows[1][1] in (value, "not assessable")


def test_one_record_one_variable_and_an_empty_column_have_a_page() -> None:
    one = la.assess(pl.DataFrame({"age": [30]}), quasi_identifiers=["age"], population=10, backtest=False)
    assert_sound(render(page_of(one)))
    empty = pl.DataFrame(
        {"age": [None] * 40, "sex": ["F", "M"] * 20, "same": [1] * 40}, schema_overrides={"age": pl.Int64}
    )
    found = la.assess(
        empty, quasi_identifiers=["age", "sex", "same"], population=500, estimators=["entropy"], backtest=False
    )
    assert_sound(render(page_of(found)))


# --- what it must not tell ------------------------------------------------------------------------------


def numbers_of(page: Page) -> list[str]:
    """Cells of tables that count records or classes."""
    heads = {"records", "unique records left", "records in them", "classes", "sets", "records or classes"}
    found = []
    for section in page.sections:
        for grid in (*section.grids, *section.folded, *(figure.table for figure in section.figures)):
            places = [i for i, head in enumerate(grid.heads) if head in heads]
            found += [row[i] for row in grid.rows for i in places]
    return found


def test_counts_of_one_to_four_are_shown_as_fewer_than_five() -> None:
    frame = pl.DataFrame({"age": [30] * 50 + [31] * 50 + [40, 41, 42], "sex": ["F", "M"] * 50 + ["F", "M", "F"]})
    found = la.assess(frame, quasi_identifiers=["age", "sex"], population=5000, estimators=["entropy"], backtest=False)
    assert found.risk.unique_records.count == 3
    page = page_of(found)
    counts = numbers_of(page)
    assert "<5" in counts
    assert not {"1", "2", "3", "4"} & set(counts)
    assert page.headlines[2].value == "<4.9 %"
    assert page.headlines[2].note == "<5 of 103 records"
    assert any(line.startswith("<5 records are alone") for line in page.lead)


SMALL = st.integers(5, 60).flatmap(
    lambda n: st.tuples(
        st.lists(st.sampled_from("abcdefgh"), min_size=n, max_size=n),
        st.lists(st.sampled_from("xyz"), min_size=n, max_size=n),
    )
)


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SMALL)
def test_no_small_count_no_value_and_no_rest_is_on_the_page_of_a_small_file(
    columns: tuple[list[str], list[str]],
) -> None:
    frame = pl.DataFrame({"first": [f"{v}CELLq" for v in columns[0]], "second": [f"{v}CELLw" for v in columns[1]]})
    found = la.assess(
        frame.with_columns(third=pl.col("first")),
        quasi_identifiers=["first", "second"],
        sensitive=["third"],
        population=1000,
        estimators=["entropy"],
        backtest=False,
    )
    page = page_of(found)
    exact = [int(c.replace(",", "")) for c in numbers_of(page) if re.fullmatch(r"[\d,]+", c)]
    assert not [count for count in exact if 0 < count < 5]
    assert "CELL" not in render(page)
    below = next(s for s in page.sections if s.title == "Records that look alike").figures[0].table
    shown = [int(row[1].replace(",", "")) for row in below.rows if re.fullmatch(r"[\d,]+", row[1])]
    told = sorted({0, frame.height, *shown})
    assert not [b - a for a, b in pairwise(told) if 0 < b - a < 5]


def test_a_group_of_values_that_would_tell_a_left_out_one_is_left_out_too() -> None:
    rare = pl.DataFrame({"area": ["a"] * 300 + ["b"] * 100 + [f"x{i}" for i in range(3)] + ["c"] * 20})
    found = la.assess(rare, quasi_identifiers=["area"], population=5000, estimators=["entropy"], backtest=False)
    assert found.risk.estimates is not None
    assert found.risk.estimates.records is not None
    groups = found.risk.estimates.records.groups
    assert {g.records for g in groups} == {20, 400}
    assert [g.records for g in safe_groups(groups, 423)] == [400]
    assert [g.records for g in safe_groups(groups, 420)] == [20, 400]


def test_the_share_above_a_threshold_does_not_tell_the_rest_of_a_bin(full: la.Evaluation) -> None:
    assert full.risk.estimates is not None
    assert full.risk.estimates.records is not None
    records = replace(
        full.risk.estimates.records,
        distribution=((0.0, 0.01, 0.9), (0.01, 0.05, 0.1)),
        share_above_threshold=0.12,
    )
    assert above_of(records, 100).count == "10–14"


def test_notes_are_told_without_counts_of_few() -> None:
    found = replace(assessed(table(100)), warnings=("3 of 100 records equal another in every column.", "4 columns."))
    assert page_of(found).notes == ("<5 of 100 records equal another in every column.", "4 columns.")


def test_a_share_that_decides_is_told_with_care() -> None:
    base = assessed(table(100))
    risk = replace(base.risk, unique_records=Rate(count=2, of=100, what="records"))
    limits = Threshold(sample_to_population=None, unique_records=0.01)
    found = replace(base, risk=risk, verdicts=decide(limits, risk))
    assert first_screen(found).verdicts[0].says.endswith("<5.0 %, threshold 0.01.")


# --- names that mean harm -------------------------------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script>",
    "{{ 7*7 }}{% raw %}",
    "a.b[0]:Q",
    "]]><svg onload=alert(1)>",
    "\"q' onmouseover=alert(1)",
    "name\u202egnp.exe",
    "<img src=http://evil.example/x.png>",
    "&lt;b&gt;\x07",
]


def test_hostile_names_and_cells_are_text_wherever_they_stand(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            name: [f"<b onclick=x>{{{{ 1+1 }}}}{i % step}CELLq" for i in range(120)]
            for step, name in enumerate(HOSTILE, 2)
        }
    )
    file = tmp_path / "<img src=x onerror=alert(1)>{{ 7*7 }}.csv"
    frame.write_csv(file)
    found = la.assess(
        file,
        quasi_identifiers=HOSTILE[:6],
        sensitive=HOSTILE[6:7],
        population=5000,
        estimators=["entropy"],
        backtest=False,
        groups={"<i>g</i>": HOSTILE[:2], "{{ x }}": HOSTILE[2:4]},
    )
    written = found.to_html(tmp_path / "report.html").read_text(encoding="utf-8")
    seen = assert_sound(written)
    text = "".join(seen.text)
    assert "<script>alert(1)</script>" in text  # as words
    assert "{{ 7*7 }}{% raw %}" in text
    assert "CELLq" not in written
    assert "\u202e" not in written
    assert "\x07" not in written
    assert "a.b[0]:Q" in "".join(figure.svg for section in sections_of(found) for figure in section.figures)


# --- the file -------------------------------------------------------------------------------------------


def test_the_page_is_one_file_and_is_not_written_over_another(tmp_path: Path) -> None:
    found = assessed(table(60))
    path = found.to_html(tmp_path / "report.html")
    assert path == tmp_path / "report.html"
    with pytest.raises(la.LookalikeError, match=r"report\.html"):
        found.to_html(path)
    assert found.to_html(str(path), force=True) == path
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_a_page_in_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises((la.LookalikeError, OSError)):
        assessed(table(60)).to_html(tmp_path / "nowhere" / "report.html")


def test_the_same_assessment_gives_the_same_page(full: la.Evaluation, page: str) -> None:
    assert render(page_of(full)) == page


def test_a_part_may_stand_below_another() -> None:
    parts = (Section(title="One", means="m"), Section(title="Two", means="m", level=3))
    seen = seen_in(render(Page(title="t", says="s", sections=parts)))
    assert seen.headings == [(1, "t"), (2, "One"), (3, "Two")]
