"""Charts of a comparison: readable by all, and silent about small cells."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.evaluate.comparison.rare import FEWEST, Rare, hidden_levels, rare_coefficients
from lookalike.report.charts import PALETTE, svg
from lookalike.report.comparison.charts import (
    coefficient_forest,
    contour_lines,
    difference_curves,
    ecdf_curves,
    heat_map,
    histogram_bars,
    proportion_forest,
)
from lookalike.report.comparison.heat_map import NO_ROOM
from lookalike.report.comparison.small_cells import merged_bins
from lookalike.utility.density import density_pair
from lookalike.utility.ecdf import ecdf_pair
from lookalike.utility.histograms import histogram_pair
from lookalike.utility.pair import CodedPair
from lookalike.utility.proportions import proportions
from lookalike.utility.regression_overlap import regression_overlap
from lookalike.utility.relative_differences import RelativeDifferences, relative_differences
from lookalike.utility.table_utility import table_utility

NAME = '<pay> & "more"'
RARE = "astronaut"


def people(seed: int, n: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.normal(45, 12, n).round()
    return pl.DataFrame(
        {
            "age": age,
            NAME: np.exp(rng.normal(7, 1, n)).round(),
            "sex": rng.choice(["F", "M"], n),
            "job": [*rng.choice(["!clerk", "maid", "<tailor>"], n - 3, p=[0.2, 0.4, 0.4]), RARE, RARE, RARE],
            "same": ["x"] * n,
            "none": pl.Series([None] * n, dtype=pl.String),
        }
    )


ONE, OTHER = people(1), people(2)
NUMBER = ONE[NAME].to_numpy(), OTHER[NAME].to_numpy()


@cache
def tables(**settings: Any) -> Any:
    return table_utility(CodedPair.of(ONE, OTHER), **settings)


@cache
def differences() -> dict[str, list[RelativeDifferences]]:
    pair = CodedPair.of(ONE, OTHER)
    return {"<ours>": [relative_differences(pair, w) for w in (1, 2, 3)], "theirs": [relative_differences(pair, 1)]}


@cache
def density() -> Any:
    age = ONE["age"].to_numpy(), OTHER["age"].to_numpy()
    return density_pair((age[0], NUMBER[0]), (age[1], NUMBER[1]))


CHARTS: dict[str, Callable[..., Any]] = {
    "heat map": lambda **told: heat_map(tables(), **told),
    "heat map of distances": lambda **told: heat_map(tables(null=None), **told),
    "differences": lambda **told: difference_curves(differences(), **told),
    "distribution": lambda **told: ecdf_curves(ecdf_pair(*NUMBER), NAME, records=ONE.height, **told),
    "histogram": lambda **told: histogram_bars(histogram_pair(*NUMBER), NAME, **told),
    "contours": lambda **told: contour_lines(density(), ("age", NAME), records=ONE.height, **told),
    "coefficients": lambda **told: coefficient_forest(regression_overlap(ONE, OTHER, "sex ~ age + job"), **told),
    "proportions": lambda **told: proportion_forest(proportions(ONE, OTHER), records=ONE.height, **told),
}


@cache
def drawn(name: str) -> str:
    return svg(CHARTS[name]())


def words(text: str) -> list[str]:
    """Everything a reader sees or hears."""
    return [element.text or "" for element in ElementTree.fromstring(text).iter() if element.text]


def values(chart: Any) -> list[dict[str, Any]]:
    """The rows of a chart with one data set."""
    (rows,) = chart.to_dict()["datasets"].values()
    return list(rows)


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_has_a_text_alternative_and_no_ground_of_its_own(name: str) -> None:
    text = drawn(name)
    root = ElementTree.fromstring(text)
    title, description = (root[i] for i in (0, 1))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == f"{title.attrib['id']} {description.attrib['id']}"
    assert title.text
    assert description.text
    assert description.text.startswith(title.text)
    assert "<script" not in text
    assert 'fill="white"' not in text
    assert "aria-label=" not in text  # marks would tell their values there


@pytest.mark.parametrize("name", CHARTS)
def test_a_title_and_a_description_of_the_page_are_taken_and_escaped(name: str) -> None:
    text = svg(CHARTS[name](title="A < B & 'C'", description="D > E\x01"), "here")
    assert '<title id="here-title">A &lt; B &amp; &#x27;C&#x27;</title>' in text
    assert '<desc id="here-text">D &gt; E�</desc>' in text


@pytest.mark.parametrize("name", CHARTS)
def test_names_from_the_file_are_text_and_never_marks(name: str) -> None:
    text = drawn(name)
    assert "<tailor>" not in text
    assert "<pay>" not in text
    assert "<ours>" not in text
    heard = " ".join(words(text))
    assert (NAME in heard) or ("<tailor>" in heard) or ("<ours>" in heard)


@pytest.mark.parametrize("name", CHARTS)
def test_the_same_chart_is_the_same_text_and_others_have_other_inner_names(name: str) -> None:
    text = drawn(name)
    assert text == svg(CHARTS[name]())
    inner = set(re.findall(r'\bid="([^"]+)"', text))
    others = {found for other in CHARTS if other != name for found in re.findall(r'\bid="([^"]+)"', drawn(other))}
    assert not inner & others


def test_a_level_of_few_records_has_no_label_and_is_counted() -> None:
    shown = words(drawn("proportions"))
    assert not [word for word in shown if RARE in word]
    assert any("2 with fewer than 5 records" in word for word in shown)  # with the level that would tell it
    names = [c.name for c in regression_overlap(ONE, OTHER, "sex ~ age + job").coefficients]
    rare = rare_coefficients(ONE, names, response="sex")
    shown = words(svg(CHARTS["coefficients"](rare=rare)))
    assert not [word for word in shown if RARE in word]
    assert [word for word in shown if "job=" in word]


def test_the_rest_of_a_column_does_not_tell_a_hidden_level() -> None:
    assert hidden_levels([100, 3]) == {0, 1}
    assert hidden_levels([100, 50, 3, 4]) == {2, 3}
    assert hidden_levels([100, 0, 50]) == frozenset()


def test_coefficients_of_products_and_of_several_responses_are_counted_by_their_smallest_cell() -> None:
    file = pl.DataFrame({"a": ["x"] * 10 + ["y"] * 10, "b": ["u"] * 9 + ["v"] * 11, "r": ["k"] * 4 + ["l"] * 16})
    assert rare_coefficients(file, ["a=x:b=u", "a=x:b=v", "a=y", "c=1"]) == {"a=x:b=v", "c=1"}
    assert rare_coefficients(file, ["a=y"], response="r") == {"a=y"}  # no record has y and k
    three = pl.DataFrame({"a": ["x", "y"] * 30, "r": ["j"] * 28 + ["k"] * 4 + ["l"] * 28})
    assert rare_coefficients(three, ["k: a=y", "l: a=y"], response="r") == {"k: a=y"}
    against = pl.DataFrame({"a": ["first"] * 3 + ["second"] * 20 + ["third"] * 20})
    assert rare_coefficients(against, ["a=second", "a=third"]) == {"a=second", "a=third"}


def test_a_coefficient_set_against_a_rare_level_is_rare() -> None:
    """By default a is the level that others are set against; where the release lacks it, it is b, of three records."""
    file = pl.DataFrame({"x": ["a"] * 100 + ["b"] * 3 + ["c"] * 100, "y": ["k", "l"] * 101 + ["k"]})
    assert rare_coefficients(file, ["x=c"]) == frozenset()
    assert rare_coefficients(file, ["x=c"], references={"x": "b"}) == {"x=c"}
    assert rare_coefficients(file, ["c: intercept"], response="x") == frozenset()
    assert rare_coefficients(file, ["c: intercept"], response="x", references={"x": "b"}) == {"c: intercept"}


def test_the_level_a_regression_is_set_against_is_the_one_that_is_counted() -> None:
    rng = np.random.default_rng(8)
    file = pl.DataFrame({"x": ["a"] * 100 + ["b"] * 3 + ["c"] * 100, "y": rng.normal(size=203)})
    release = pl.DataFrame({"x": ["b"] * 100 + ["c"] * 100, "y": rng.normal(size=200)})
    found = regression_overlap(file, release, "y ~ x")
    assert found.references == {"x": "b"}
    assert [c.name for c in Rare.of(file, None, [found]).told(found)] == ["intercept"]


@given(st.lists(st.integers(0, 9), max_size=40))
def test_joined_bins_hold_none_or_at_least_five_and_all_records(counts: list[int]) -> None:
    starts = merged_bins(counts)
    if not len(starts):
        assert sum(counts) < FEWEST
        return
    assert starts[0] == 0
    assert starts[-1] == len(counts)
    assert all(not 0 < sum(counts[a:b]) < FEWEST for a, b in pairwise(starts))


def test_no_step_of_a_distribution_function_and_no_bar_rests_on_a_few_records() -> None:
    steps = [row["y"] for row in values(CHARTS["distribution"]()) if row["file"] == "original"]
    records = np.diff(np.rint(np.array([0.0, *steps]) * ONE.height))
    assert not ((records > 0) & (records < FEWEST)).any()
    left = ONE.height - round(steps[-1] * ONE.height)
    assert left == 0 or left >= FEWEST
    bars = [row for row in values(CHARTS["histogram"]()) if row["file"] == "original"]
    pay = ONE[NAME].to_numpy()
    for bar in bars:
        end = bar["x"] + 2 * (bar["end"] - bar["x"])
        assert not 0 < np.count_nonzero((pay >= bar["x"]) & (pay < end)) < FEWEST - 2  # edges are rounded


def test_the_smallest_and_the_largest_value_are_not_in_the_picture() -> None:
    for name in ("distribution", "histogram"):
        at = {row["x"] for row in values(CHARTS[name]())} | {row.get("end") for row in values(CHARTS[name]())}
        assert not at & {float(NUMBER[0].min()), float(NUMBER[0].max())}


def test_an_island_of_few_records_is_not_drawn() -> None:
    rng = np.random.default_rng(3)
    near = rng.normal(0, 1, (2, 60))
    far = np.concatenate([near, np.full((2, 2), 9.0)], axis=1)
    found = density_pair((far[0], far[1]), (far[0], far[1]), masses=(0.999,), cover=1.0)
    drawn = [row for row in values(contour_lines(found, ("a", "b"), records=62)) if row["x"] > 6]
    assert {row["file"] for row in drawn} == {"release"}


def test_a_constant_column_and_one_without_values_are_drawn() -> None:
    constant = np.full(50, 3.0)
    assert "100%" in words(svg(ecdf_curves(ecdf_pair(constant, constant), "x", records=50)))
    assert svg(histogram_bars(histogram_pair(constant, constant), "x"))
    found = table_utility(CodedPair.of(ONE.select("same", "none"), OTHER.select("same", "none")))
    shown = words(svg(heat_map(found)))
    assert "same" in shown
    assert "none" in shown
    shown = words(
        svg(proportion_forest(proportions(*(file.select("same", "none") for file in (ONE, OTHER))), records=400))
    )
    assert "same: x" in shown


def test_too_few_records_are_said_and_not_drawn() -> None:
    few = np.array([1.0, 2.0, 3.0, 4.0])
    for chart in (
        ecdf_curves(ecdf_pair(few, few), "x", records=4),
        histogram_bars(histogram_pair(few, few), "x"),
    ):
        assert "Fewer than 5 records: not drawn." in words(svg(chart))
    tiny = RelativeDifferences(ways=1, tables=1, differences=np.array([0.1, -0.1]), new=differences()["theirs"][0].new)
    assert "fewer than 5 cells: not drawn" in words(svg(difference_curves({"ours": [tiny]})))
    assert "No table was asked for." in words(svg(difference_curves({})))
    frame = pl.DataFrame({"a": ["x", "y", "y"]})
    assert any("not drawn" in word for word in words(svg(proportion_forest(proportions(frame, frame), records=3))))


def test_limits_stand_in_words_beside_the_colours() -> None:
    shown = words(drawn("heat map"))
    assert {"1 as expected", "3 good below", "10 fine below"} <= set(shown)
    assert "grey: not measured" in shown  # constant columns expect nothing
    assert "total variation" in words(drawn("heat map of distances"))


def many(columns: int) -> Any:
    rng = np.random.default_rng(4)
    one, other = (pl.DataFrame({f"v{i}": rng.choice(list("abc"), 200) for i in range(columns)}) for _ in range(2))
    return table_utility(CodedPair.of(one, other), null=None, ways=(1, 2))


@pytest.mark.parametrize(("columns", "figures"), [(6, True), (12, True), (30, False)])
def test_figures_of_a_map_are_written_only_where_they_have_room(columns: int, figures: bool) -> None:
    chart = heat_map(many(columns)).to_dict()
    texts = [layer["mark"] for layer in chart["layer"] if layer["mark"]["type"] == "text"]
    assert bool(texts) == figures
    side = chart["width"]["step"]
    if figures:
        rows = chart["datasets"][chart["layer"][2]["data"]["name"]]
        assert rows
        assert max(len(row["words"]) for row in rows) * 0.5 * texts[0]["fontSize"] <= side
    else:
        assert NO_ROOM in chart["title"]["subtitle"]
        axes = [chart["layer"][0]["encoding"][place]["axis"]["labelFontSize"] for place in ("x", "y")]
        assert all(size < side for size in axes), "names do not cover one another"


def test_copies_of_one_model_are_put_together() -> None:
    pair = CodedPair.of(ONE, OTHER)
    one, two = relative_differences(pair, 1), relative_differences(CodedPair.of(OTHER, ONE), 1)
    d = np.concatenate([one.differences, two.differences])
    shown = words(svg(difference_curves({"both": [one, two]})))
    assert f"both: mean |D| {np.abs(d).mean():.3f}" in shown


def test_colours_differ_in_lightness_from_white_and_from_black() -> None:
    """Contrast of at least 2 to 1 with both grounds; original and release at least 3 to 1 (WCAG 2 for graphics)."""

    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark = light("#181818")
    for place, colour in enumerate(PALETTE):
        least = 3 if place < 2 else 2
        assert 1.05 / (light(colour) + 0.05) > least
        assert (light(colour) + 0.05) / (dark + 0.05) > least


def test_both_files_of_a_coefficient_lie_on_its_own_row() -> None:
    """On a scale of points the release was drawn on the row below."""
    chart = coefficient_forest(regression_overlap(ONE, OTHER, "sex ~ age + job")).to_dict()
    scales = [layer["encoding"]["y"]["scale"]["type"] for layer in chart["layer"] if "y" in layer["encoding"]]
    assert set(scales) == {"band"}
    assert isinstance(chart["height"], int)
