"""What a notebook shows: the report of a run in a frame, and what a release or an estimate is."""

from html import unescape
from typing import Any

import polars as pl
import pytest

import lookalike as la

PEOPLE = pl.DataFrame({"age": [30, 31, 45, 47] * 10, "<b>sex": ["F", "F", "M", "M"] * 10})
KNOWN = ["age", "<b>sex"]


@pytest.fixture(scope="module")
def runs() -> dict[str, Any]:
    limit = la.Threshold(k_anonymity=2)
    return {
        "assess": la.assess(PEOPLE, quasi_identifiers=KNOWN, population=400),
        "protect": la.protect(PEOPLE, la.Mondrian(k=2), until=limit, quasi_identifiers=KNOWN),
        "compare": la.compare(PEOPLE, la.synthesize(PEOPLE, "independent", seed=1), models=["logistic"], ways=[1]),
    }


@pytest.mark.parametrize("command", ["assess", "protect", "compare"])
def test_a_run_is_its_report_in_a_frame_of_its_own(runs: dict[str, Any], command: str) -> None:
    shown = runs[command]._repr_html_()
    assert shown.startswith('<iframe title="Report" srcdoc="')
    page = unescape(shown.split('srcdoc="')[1].split('"')[0])
    assert page.startswith("<!doctype html>")
    assert "<b>sex" not in page


def test_a_release_tells_what_was_done_and_no_cell(runs: dict[str, Any]) -> None:
    drawn = la.synthesize(PEOPLE, "independent", seed=1)._repr_html_()
    assert "1 copy of 40 records drawn by independent" in drawn
    assert "age, &lt;b&gt;sex" in drawn
    changed = runs["protect"].release._repr_html_()
    assert "40 records by mondrian" in changed
    assert "31" not in changed


def test_an_estimate_tells_how_sure_it_is() -> None:
    shown = la.Estimate(value=0.04, low=0.03, high=0.06, method="posterior", caveats=("a <b>",))._repr_html_()
    assert shown == "<p><b>0.04</b> (0.03 to 0.06), posterior</p><ul><li>a &lt;b&gt;</li></ul>"
    unknown = la.Estimate.not_assessable("no size", method="posterior")._repr_html_()
    assert "not assessable" in unknown
