"""A map of all two-way tables: which pairs of variables the release keeps, and which not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lookalike.report.chart_parts import axis, legend
from lookalike.report.charts import GREY, dressed
from lookalike.utility.table_utility import FINE, GOOD, TableUtility

if TYPE_CHECKING:
    import altair as alt

Floats = NDArray[np.float64]

_TOP = 30.0
"""The ratio that has the last colour, unless a table goes beyond."""
_WIDTH = 252
"""Pixels of the map: with the names beside it what a phone shows without shrinking it."""
_INSIDE = 220
"""Pixels of a map from which its legend has room in its empty corner."""
_CROWDED = 14
"""Pixels of a field below which names are small and stand upright, so that they do not cover one another."""
_SIZES = (9, 8, 7)
"""Sizes of letters of figures; smaller ones nobody reads."""
_LETTERS = {".": 0.32, "%": 0.95}
"""Widths of signs to their size, in a wide font; digits have 0.64."""
NO_ROOM = "figures without room in their field: in the table"


def heat_map(
    found: TableUtility, *, measure: str = "VW", title: str | None = None, description: str | None = None
) -> alt.LayerChart:
    """The two-way tables (diagonal: variables alone) by the ratio of a measure to its expectation, in logarithms.

    Where nothing is expected of the release, by total variation. Grey: not measured. A field is a whole table; no cell
    of a table is shown.
    """
    import altair as alt

    names = found.heat(measure)[0]
    rows, expected = fields_of(found, measure)
    title = title or (
        "Two-way tables: times the expected difference" if expected else "Two-way tables: total variation"
    )
    empty = [{"a": a, "b": b} for i, a in enumerate(names) for j, b in enumerate(names[: i + 1])]
    side = max(8, min(32, _WIDTH // max(len(names), 1)))
    x, y = _axes(names, side)
    ground = alt.Chart(alt.InlineData(values=empty), width=alt.Step(side), height=alt.Step(side))
    top: float = max([_TOP if expected else 0.01, *(row["value"] for row in rows)])
    place = "top-right" if side * len(names) >= _INSIDE else "right"
    colour = _ratio_scale(top, place) if expected else _distance_scale(top, place)
    field = alt.Chart(alt.InlineData(values=rows)).mark_rect().encode(x=x, y=y, color=colour)
    layers: list[Any] = [ground.mark_rect(color=GREY, opacity=0.35).encode(x=x, y=y), field]
    size, fitting = figures_that_fit(rows, side)
    if fitting:
        bright = f"datum.value > {top**0.5 if expected else top / 2}"
        ink = alt.condition(bright, alt.value("#111"), alt.value("#fff"))
        figures = alt.Chart(alt.InlineData(values=fitting)).mark_text(fontSize=size)
        layers.append(figures.encode(x=x, y=y, text="words:N", color=ink))
    notes = [*(["grey: not measured"] if len(rows) < len(empty) else []), *([NO_ROOM] * (len(fitting) < len(rows)))]
    made: alt.LayerChart = dressed(
        alt.layer(*layers), title, description or _heat_words(title, rows, expected=expected), tuple(notes)
    )
    return made


def _axes(names: Sequence[str], side: int) -> tuple[alt.X, alt.Y]:
    """The names of the columns on both sides; of narrow fields small and upright."""
    import altair as alt

    small = {"labelFontSize": 7} if side < _CROWDED else {}
    scale = alt.Scale(domain=list(names))
    below = axis(labelAngle=-90 if side < _CROWDED else -60, labelLimit=90, **small)
    x = alt.X("b:N", sort=list(names), title=None, axis=below, scale=scale)
    return x, alt.Y("a:N", sort=list(names), title=None, axis=axis(labelLimit=90, **small), scale=scale)


def figures_that_fit(rows: Sequence[Mapping[str, Any]], side: int) -> tuple[int, list[Mapping[str, Any]]]:
    """The size of the figures in fields of so many pixels, and the fields whose figure has room in it.

    >>> rows = [{"words": "1.2"}, {"words": "1234"}]
    >>> figures_that_fit(rows, 32)[0], figures_that_fit(rows, 16), figures_that_fit(rows, 8)
    (9, (7, [{'words': '1.2'}]), (7, []))
    """
    widths = [sum(_LETTERS.get(letter, 0.64) for letter in row["words"]) for row in rows]
    room = side - 2 if side >= _CROWDED else 0
    size = next((size for size in _SIZES if size * max(widths, default=0.0) <= room), _SIZES[-1])
    return size, [row for row, width in zip(rows, widths, strict=True) if size * width <= room]


def fields_of(found: TableUtility, measure: str = "VW") -> tuple[list[dict[str, Any]], bool]:
    """The fields of the map that were measured, and whether they are ratios to what is expected."""
    names, ratios = found.heat(measure)
    expected = bool(np.isfinite(ratios).any())
    values = ratios if expected else _total_variation(found, names)
    rows: list[dict[str, Any]] = [
        {
            "a": a,
            "b": b,
            "value": float(values[i, j]),
            "words": _short(values[i, j]) if expected else _share(values[i, j]),
        }
        for i, a in enumerate(names)
        for j, b in enumerate(names[: i + 1])
        if isfinite(values[i, j])
    ]
    return rows, expected


def _total_variation(found: TableUtility, names: Sequence[str]) -> Floats:
    values = np.full((len(names), len(names)), np.nan)
    for table in found.tables:
        if len(table.variables) <= 2:
            i, j = names.index(table.variables[0]), names.index(table.variables[-1])
            values[i, j] = values[j, i] = table.values["SPECKS"]
    return values


def _ratio_scale(top: float, place: str) -> alt.Color:
    """Colours by logarithm, the rule of thumb (below 3 good, below 10 fine) in words at its limits."""
    import altair as alt

    words = {1.0: "1 as expected", GOOD: f"{GOOD:g} good below", FINE: f"{FINE:g} fine below"}
    text = "".join(f"datum.value == {value} ? '{label}' : " for value, label in words.items())
    marked = [*words, *(v for v in (30.0, 100.0, 1000.0) if v <= top)]
    return alt.Color(
        "value:Q",
        scale=alt.Scale(type="log", domain=[1, top], scheme="cividis", clamp=True),
        legend=_ramp(
            orient=place,
            title=["times what is", "expected"],
            values=marked,
            labelExpr=f"{text}format(datum.value, ',')",
        ),
    )


def _distance_scale(top: float, place: str) -> alt.Color:
    import altair as alt

    return alt.Color(
        "value:Q",
        scale=alt.Scale(domain=[0, top], scheme="cividis"),
        legend=_ramp(orient=place, title="total variation", format="%"),
    )


def _ramp(**options: Any) -> alt.Legend:
    looks = {"direction": "vertical", "gradientLength": 76, "gradientThickness": 10}
    return legend(**looks, labelFontSize=9, titleFontSize=9, **options)


def _short(value: float) -> str:
    return (
        ""
        if not isfinite(value)
        else f"{value:.0f}"
        if value >= 10
        else f"{value:.1f}"
        if value >= 1
        else f"{value:.2f}"
    )


def _share(value: float) -> str:
    """A share as short as it says something.

    >>> _share(0.0), _share(0.0123), _share(0.123)
    ('0', '1.2%', '12%')
    """
    return "0" if value == 0 else f"{value:.0%}" if value >= 0.0995 else f"{value:.1%}"


def _heat_words(title: str, rows: Sequence[Mapping[str, Any]], *, expected: bool) -> str:
    if not rows:
        return f"{title}. Nothing was measured."
    worst = max(rows, key=lambda row: row["value"])
    where = worst["a"] if worst["a"] == worst["b"] else f"{worst['b']} by {worst['a']}"
    if not expected:
        return f"{title} of {len(rows)} tables. The largest is {worst['value']:.1%}, {where}."
    good, fine = (sum(row["value"] < limit for row in rows) for limit in (GOOD, FINE))
    return (
        f"{title}. Of {len(rows)} tables {good} are good (below {GOOD:g}), {fine - good} fine (below {FINE:g}), "
        f"{len(rows) - fine} neither. The worst is {where}, {worst['value']:.1f} times what is expected."
    )
