"""The checks that many tests share find what they look for."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import lookalike as la
from evidence_watch import Watch
from report.pages import Outline, assert_is_a_report

FIGURE = "<figure><svg><title>t</title><desc>d</desc></svg><table></table></figure>"


def test_a_sound_page_is_one() -> None:
    assert_is_a_report(f"<h1>a</h1>{FIGURE}<h2>b</h2><a href='#b'>b</a>")


@pytest.mark.parametrize(
    "bad",
    [
        *(
            "<script>1</script>",
            "<img src=x>",
            "<a href='https://example.org'>a</a>",
            "<p onclick='x()'>",
            "<h3>c</h3>",
        ),
        *("<style>@import 'x'</style>", "<p style='background: url(x)'>", "<h1>again</h1>", "<figure></figure>"),
    ],
)
def test_a_page_that_fetches_or_runs_or_is_out_of_order_is_found(bad: str) -> None:
    with pytest.raises(AssertionError):
        assert_is_a_report(f"<h1>a</h1>{FIGURE}{bad}")


def test_what_a_page_would_fetch_is_told() -> None:
    assert Outline("<use xlink:href='x.svg#a'/><p title='a > b'>").outside == ["use xlink:href=x.svg#a"]


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    file = tmp_path / f"{tmp_path.name}.csv"  # no other test has one of this name, in whose folder it would be found
    pl.DataFrame({"age": [30, 30, 31, 40]}).write_csv(file)
    data = la.read(file, quasi_identifiers=["age"])
    return la.assess(data, thresholds=la.Threshold(k_anonymity=2)).to_json(tmp_path / "evidence.json")


def seen(path: Path, folder: Path, allowed: int = 0) -> Watch:
    folder.mkdir()
    watching = Watch(folder, {"a test": (allowed, "of this test")})
    watching.saw(str(path), str(path))
    return watching


def test_evidence_that_is_right_passes_the_watch(evidence: Path, tmp_path: Path) -> None:
    watching = seen(evidence, tmp_path / "kept")
    watching.verify("a test")
    assert watching.verified == {"assess": 1}


def test_evidence_with_another_figure_or_without_its_input_fails_the_watch(evidence: Path, tmp_path: Path) -> None:
    document = json.loads(evidence.read_text())
    document["risk"]["sample_uniques"] += 1
    spoiled = tmp_path / "spoiled.json"
    spoiled.write_text(json.dumps(document, indent=2))
    with pytest.raises(AssertionError, match=r"does not verify(.|\n)*spoiled\.json"):
        seen(spoiled, tmp_path / "one").verify("a test")
    (tmp_path / f"{tmp_path.name}.csv").unlink()
    with pytest.raises(AssertionError, match=rf"{tmp_path.name}\.csv"):
        seen(evidence, tmp_path / "two").verify("a test")


def test_an_exemption_that_nothing_needs_fails_the_watch(evidence: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="allows 1"):
        seen(evidence, tmp_path / "kept", allowed=1).verify("a test")
