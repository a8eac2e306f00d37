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
_LABELLED = 18
"""Pixels of a field from which its figure is written in it."""


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
    side = max(8, min(32, 260 // max(len(names), 1)))
    step = alt.Step(side)
    x = alt.X(
        "b:N",
        sort=list(names),
        title=None,
        axis=axis(labelAngle=-60, labelLimit=90),
        scale=alt.Scale(domain=list(names)),
    )
    y = alt.Y("a:N", sort=list(names), title=None, axis=axis(labelLimit=90), scale=alt.Scale(domain=list(names)))
    ground = alt.Chart(alt.InlineData(values=empty), width=step, height=step).mark_rect(color=GREY, opacity=0.35)
    top: float = max([_TOP if expected else 0.01, *(row["value"] for row in rows)])
    base = alt.Chart(alt.InlineData(values=rows))
    field = base.mark_rect().encode(x=x, y=y, color=_ratio_scale(top) if expected else _distance_scale(top))
    layers: list[Any] = [ground.encode(x=x, y=y), field]
    if side >= _LABELLED:
        bright = f"datum.value > {top**0.5 if expected else top / 2}"
        ink = alt.condition(bright, alt.value("#111"), alt.value("#fff"))
        layers.append(base.mark_text(fontSize=9 if side > 24 else 7).encode(x=x, y=y, text="words:N", color=ink))
    notes = ("grey: not measured",) if len(rows) < len(empty) else ()
    made: alt.LayerChart = dressed(
        alt.layer(*layers), title, description or _heat_words(title, rows, expected=expected), notes
    )
    return made


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
            "words": _short(values[i, j]) if expected else f"{values[i, j]:.1%}",
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


def _ratio_scale(top: float) -> alt.Color:
    """Colours by logarithm, the rule of thumb (below 3 good, below 10 fine) in words at its limits."""
    import altair as alt

    words = {1.0: "1 as expected", GOOD: f"{GOOD:g} good below", FINE: f"{FINE:g} fine below"}
    text = "".join(f"datum.value == {value} ? '{label}' : " for value, label in words.items())
    marked = [*words, *(v for v in (30.0, 100.0, 1000.0) if v <= top)]
    return alt.Color(
        "value:Q",
        scale=alt.Scale(type="log", domain=[1, top], scheme="cividis", clamp=True),
        legend=_ramp(title=["times what is", "expected"], values=marked, labelExpr=f"{text}format(datum.value, ',')"),
    )


def _distance_scale(top: float) -> alt.Color:
    import altair as alt

    return alt.Color(
        "value:Q",
        scale=alt.Scale(domain=[0, top], scheme="cividis"),
        legend=_ramp(title="total variation", format="%"),
    )


def _ramp(**options: Any) -> alt.Legend:
    return legend(orient="right", gradientLength=120, gradientThickness=10, labelFontSize=9, titleFontSize=9, **options)


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
