"""Charts of attribution: the surface of a sweep is what was measured, and no small cell of the scatter is told."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.attacks import Attribution, EqualFrequency, Files, sweep
from lookalike.errors import BadPlan
from lookalike.report.charts import svg
from lookalike.report.comparison.attack_charts import (
    VALUES,
    Spread,
    cap_scatter,
    cap_sweep,
    spread_of,
    sweep_lines,
    sweep_map,
)

NAME = '<pay> & "more"'


@cache
def surface() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    key = rng.normal(size=600)
    original = pl.DataFrame({"key": key, "target": key + rng.normal(0, 0.5, 600)})
    release = original.with_columns(pl.col("target") + pl.Series(rng.exponential(1, 600)))
    return sweep(original, release, ["key"], "target", rule=EqualFrequency, bins=range(1, 7))


@cache
def records() -> tuple[Any, Any]:
    rng = np.random.default_rng(2)
    original = pl.DataFrame({"k": rng.choice(list("abcdefgh"), 900), "t": rng.choice(["y", "n"], 900, p=[0.3, 0.7])})
    release = pl.DataFrame({"k": rng.choice(list("abcdefg"), 900), "t": rng.choice(["y", "n"], 900, p=[0.5, 0.5])})
    found = Attribution(known=("k",), target="t").attack(Files(original=original, releases=(release,)))
    return found.before, found.after


CHARTS: dict[str, Callable[..., Any]] = {
    **{value: lambda value=value, **told: cap_sweep(surface(), value=value, target=NAME, **told) for value in VALUES},
    "scatter": lambda **told: cap_scatter(*records(), target=NAME, **told),
    "no sweep": lambda **told: cap_sweep(surface().clear(), target=NAME, **told),
    "no records": lambda **told: cap_scatter([], [], target=NAME, **told),
}


@cache
def drawn(name: str) -> str:
    return svg(CHARTS[name]())


def words(text: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(text).iter() if element.text]


def described(chart: Any) -> str:
    return str(chart.description)


def rows_of(chart: Any, column: str) -> list[dict[str, Any]]:
    """All rows of a chart that have the column."""
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows if column in row]


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_has_a_text_alternative_and_no_ground_of_its_own(name: str) -> None:
    text = drawn(name)
    root = ElementTree.fromstring(text)
    title, description = root[0], root[1]
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == f"{title.attrib['id']} {description.attrib['id']}"
    assert title.text
    assert (description.text or "").startswith(title.text)
    assert 'fill="white"' not in text
    assert "<script" not in text
    assert "aria-label=" not in text


@pytest.mark.parametrize("name", CHARTS)
def test_a_name_is_text_and_never_a_mark(name: str) -> None:
    assert "<pay>" not in drawn(name)
    assert NAME in " ".join(words(drawn(name)))


@pytest.mark.parametrize("name", ["release", "scatter", "no sweep", "no records"])
def test_a_title_and_a_description_of_the_page_are_taken_and_escaped(name: str) -> None:
    text = svg(CHARTS[name](title="A < B & 'C'"), "here")
    assert '<title id="here-title">A &lt; B &amp; &#x27;C&#x27;</title>' in text


def test_the_description_of_the_page_is_taken() -> None:
    for name in ("release", "scatter"):
        assert '<desc id="here-text">D &gt; E�</desc>' in svg(CHARTS[name](description="D > E\x01"), "here")


def test_the_same_chart_is_the_same_text() -> None:
    assert drawn("release") == svg(CHARTS["release"]())
    inner = [set(re.findall(r'\bid="([^"]+)"', drawn(name))) for name in CHARTS]
    assert len(set.union(*inner)) == sum(map(len, inner))


def test_the_map_and_the_lines_hold_the_sweep() -> None:
    frame = surface()
    fields = rows_of(sweep_map(frame), "v")
    assert len(fields) == frame.height
    told = {(round(f["x"] + 1.5), round(f["y"] + 1.5)): f["v"] for f in fields}
    assert told == {(k, t): v for k, t, v in frame.select("key_bins", "target_bins", "release").iter_rows()}
    points = {(r["x"], r["t"]): r["y"] for r in rows_of(sweep_lines(frame), "t")}
    assert points == told
    lowest = frame.sort("release").row(0, named=True)
    where = f"Lowest {lowest['release']:.2f} at {lowest['key_bins']} by {lowest['target_bins']} bins"
    assert where in described(cap_sweep(frame))


def test_contours_lie_where_the_surface_has_their_height() -> None:
    grid = [(k, t) for k in range(1, 6) for t in range(1, 6)]
    plane = pl.DataFrame({"key_bins": [k for k, _ in grid], "target_bins": [t for _, t in grid]})
    plane = plane.with_columns(release=(pl.col("key_bins") - 1) * 0.2 + 0.05)
    points = rows_of(sweep_map(plane), "place")
    assert points
    for point in points:
        height = point["x"] * 0.2 + 0.05
        assert height == pytest.approx(float(point["line"].split("-")[0]))


def test_numbers_of_bins_with_gaps_stand_side_by_side() -> None:
    frame = surface().filter(pl.col("key_bins").is_in([1, 5]) & pl.col("target_bins").is_in([2, 6]))
    assert {f["x"] for f in rows_of(sweep_map(frame), "v")} == {-0.5, 0.5}
    assert {"1", "5", "2", "6"} <= set(words(svg(cap_sweep(frame))))


def test_what_was_not_measured_is_grey_and_said() -> None:
    frame = surface().with_columns(
        least_drop=pl.when(pl.col("key_bins") == 1).then(None).otherwise(pl.col("least_drop"))
    )
    assert len(rows_of(sweep_map(frame, value="least_drop"), "v")) == 30
    assert not rows_of(sweep_map(frame, value="least_drop"), "place")  # no lines over a hole
    assert "grey: not measured" in words(svg(cap_sweep(frame, value="least_drop")))
    none = frame.with_columns(least_drop=pl.lit(None, pl.Float64))
    assert "Nothing was measured." in words(svg(cap_sweep(none, value="least_drop")))


@pytest.mark.parametrize("value", [0.0, 1.0, -0.3])
def test_a_flat_surface_and_a_single_pair_are_drawn(value: float) -> None:
    frame = surface().with_columns(change=pl.lit(value), release=pl.lit(abs(value)))
    assert svg(cap_sweep(frame, value="change"))
    assert svg(cap_sweep(frame.head(1)))
    scale = spread_of(frame, "change")
    assert scale.low <= value <= scale.high
    assert scale.levels


def test_scales_are_round_and_equal_for_probabilities() -> None:
    assert spread_of(surface(), "original") == spread_of(surface(), "release") == Spread(0.0, 1.0, 10)
    assert Spread(-0.4, 0.0, 4).levels == [-0.3, -0.2, -0.1]


def test_numbers_at_the_ends_of_lines_do_not_cover_one_another() -> None:
    frame = surface().with_columns(release=0.5 + pl.col("target_bins") * 0.01)
    ends = [rows for rows in sweep_lines(frame).to_dict()["datasets"].values() if len(rows) < frame.height]
    assert [row["t"] for row in ends[0]] == [6, 2]


def test_an_unknown_figure_is_told() -> None:
    with pytest.raises(BadPlan, match=r"A sweep has no figure 'cap'\. Take one of: release, original, change"):
        cap_sweep(surface(), value="cap")


def test_cells_of_the_scatter_are_counted_by_hand() -> None:
    before = [0.0] * 5 + [0.15] * 12 + [1.0] * 60 + [0.5] * 4
    after = [0.0] * 5 + [0.3] * 12 + [0.6] * 60 + [0.7] * 4
    chart = cap_scatter(before, after)
    cells = {(r["x"], r["y"]): r["least"] for r in rows_of(chart, "least")}
    assert cells == {(0.0, 0.0): 5, (0.15, 0.3): 10, (0.95, 0.6): 50}  # 0.15 begins a cell; 1 is in the last one
    said = "19.8% above the diagonal (easier to guess); 6.2% on it; 74.1% below it (harder)"
    assert f"Of 81 records: {said}. Cells of 1 to 4 records are not shown." in described(chart)
    assert "cells of 1 to 4 records are not shown" in words(svg(chart))
    assert "Cells" not in described(cap_scatter(before[:-4], after[:-4]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=80))
def test_no_cell_of_a_few_records_is_shown(pairs: list[tuple[int, int]]) -> None:
    before, after = np.array([p[0] for p in pairs]) / 8, np.array([p[1] for p in pairs]) / 8
    chart = cap_scatter(before, after)
    places = [(min(int(a * 20), 19), min(int(b * 20), 19)) for a, b in zip(before, after, strict=True)]
    counts = {place: places.count(place) for place in places}
    shown = {(round(r["x"] * 20), round(r["y"] * 20)): r["least"] for r in rows_of(chart, "least")}
    assert set(shown) == {place for place, count in counts.items() if count >= 5}
    assert all(5 <= least <= counts[place] < 2.5 * least for place, least in shown.items())


def test_the_share_of_a_few_records_is_not_told_and_cannot_be_worked_out() -> None:
    before, after = np.full(100, 0.5), np.full(100, 0.5)
    after[:3], after[3:43] = 0.9, 0.1
    said = described(cap_scatter(before, after))
    assert "57.0% on it; not told, as few records are in one of them: above the diagonal, below it" in said
    assert "3.0%" not in said
    assert "40.0%" not in said
    after[:43] = np.nan
    assert "57.0% on it; 0.0% below it (harder); 43.0% without a CAP after" in described(cap_scatter(before, after))


def test_the_limit_of_the_scatter_can_be_raised() -> None:
    before = [0.2] * 7 + [0.8] * 30
    assert len(rows_of(cap_scatter(before, before), "least")) == 2
    (cell,) = rows_of(cap_scatter(before, before, fewest=8), "least")
    assert cell["least"] == 20
    assert "1 to 7 records" in described(cap_scatter(before, before, fewest=8))


def test_a_scatter_of_nothing_of_a_few_and_of_equal_records() -> None:
    assert "No record has a CAP in both." in words(svg(cap_scatter([], [])))
    assert "No record has a CAP in both." in words(svg(cap_scatter([0.5], [np.nan])))
    few = cap_scatter([0.1, 0.5], [0.2, 0.5])
    assert "No cell has 5 records or more: not drawn." in words(svg(few))
    assert "100.0% on it" in described(cap_scatter([0.5] * 9, [0.5] * 9))


def test_lists_of_other_records_are_refused() -> None:
    with pytest.raises(BadPlan, match="the two lists differ in length"):
        cap_scatter([0.1], [0.1, 0.2])
