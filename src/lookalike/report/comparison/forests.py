"""Intervals of both files under each other: coefficients of a regression, shares of levels."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.evaluate.comparison.rare import FEWEST, hidden_levels
from lookalike.report.charts import GREY, ORIGINAL, RELEASE, dressed, nothing
from lookalike.report.comparison.number_charts import FILES
from lookalike.utility.proportions import Proportion, Proportions
from lookalike.utility.regression_overlap import Coefficient, RegressionOverlap

if TYPE_CHECKING:
    import altair as alt

MOST_ROWS = 40
"""Rows of a forest plot: those that overlap least."""


def coefficient_forest(
    found: RegressionOverlap,
    *,
    rare: Collection[str] = (),
    title: str | None = None,
    description: str | None = None,
) -> alt.LayerChart:
    """Coefficients with intervals in both files, and the overlap in words.

    `rare` are coefficients that rest on a cell of few records (see `rare_coefficients`): not shown.
    """
    title = title or f"{found.formula}: coefficients"
    kept = [(row.name, row) for row in found.coefficients if row.name not in rare]
    kept_same = sum(row.same_conclusion for _, row in kept)
    said = f"{title}. {kept_same} of {len(kept)} keep their sign or their lack of one."
    made: alt.LayerChart = _forest(
        kept, len(found.coefficients) - len(kept), title, description or said, "coefficient", zero=True
    )
    return made


def proportion_forest(
    found: Proportions, *, records: int, title: str | None = None, description: str | None = None
) -> alt.LayerChart:
    """Shares of levels with intervals in both files, and the overlap in words.

    Levels with one to four of the original's `records` are not shown, nor the next smallest one if it would tell them.
    """
    columns: dict[str, list[Proportion]] = {}
    for row in found.rows:
        columns.setdefault(row.column, []).append(row)
    kept = []
    for name, rows in columns.items():
        hidden = hidden_levels([round(row.original * records) for row in rows])
        kept += [(f"{name}: {row.level}", row) for i, row in enumerate(rows) if i not in hidden]
    title = title or "Shares of levels"
    said = f"{title}. The mean overlap of the intervals is {found.overlap:.2f}."
    made: alt.LayerChart = _forest(
        kept, len(found.rows) - len(kept), title, description or said, "share of records", zero=False
    )
    return made


def _forest(
    rows: Sequence[tuple[str, Coefficient | Proportion]],
    hidden: int,
    title: str,
    description: str,
    what: str,
    *,
    zero: bool,
) -> Any:
    import altair as alt

    least = sorted(range(len(rows)), key=lambda i: rows[i][1].overlap)[:MOST_ROWS]
    shown = [rows[i] for i in sorted(least)]
    if not shown:
        return nothing(title, f"Nothing rests on {FEWEST} records or more: not drawn.")
    order = [name for name, _ in shown]
    y = alt.Y("name:N", sort=order, title=None)
    offset = alt.YOffset("file:N", sort=list(FILES))
    domain = _wide([end for _, row in shown for end in (*row.original_interval, *row.release_interval)])
    scale = alt.Scale(domain=domain, zero=False)
    x = alt.X("value:Q", title=what, scale=scale)
    files = alt.Scale(domain=list(FILES), range=[ORIGINAL, RELEASE])
    top = alt.Legend(orient="top", title=None)
    colour = alt.Color("file:N", scale=files, legend=top)
    shape = alt.Shape("file:N", scale=alt.Scale(domain=list(FILES), range=["circle", "diamond"]), legend=top)
    base = alt.Chart(alt.InlineData(values=[line for name, row in shown for line in _lines(name, row)]))
    line = base.mark_rule(clip=True, strokeWidth=2).encode(
        y=y, yOffset=offset, x=alt.X("low:Q", title=what, scale=scale), x2="high:Q", color=colour
    )
    point = base.mark_point(clip=True, filled=True, opacity=1, size=45)
    point = point.encode(y=y, yOffset=offset, x=x, color=colour, shape=shape)
    words = alt.Chart(alt.InlineData(values=[{"name": name, "words": f"{row.overlap:.2f}"} for name, row in shown]))
    beside = words.mark_text(align="left", color=GREY, fontSize=10).encode(y=y, x=alt.value(368), text="words:N")
    layers: list[Any] = [line, point, beside]
    if zero:
        layers.insert(
            0, alt.Chart(alt.InlineData(values=[{}])).mark_rule(color=GREY, strokeDash=[3, 3]).encode(x=alt.datum(0))
        )
    notes = ["beside: overlap of the intervals"]
    notes += [f"{hidden} with fewer than {FEWEST} records, or that would tell them, are not shown"] * bool(hidden)
    notes += [f"the {len(shown)} that overlap least of {len(rows)}"] * (len(shown) < len(rows))
    return dressed(alt.layer(*layers).properties(width=360, height=alt.Step(10)), title, description, tuple(notes))


def _lines(name: str, row: Coefficient | Proportion) -> list[dict[str, Any]]:
    ends = (row.original, row.original_interval), (row.release, row.release_interval)
    return [
        {"name": name, "file": file, "value": value, "low": low, "high": high}
        for file, (value, (low, high)) in zip(FILES, ends, strict=True)
        if isfinite(value)
    ]


def _wide(ends: Sequence[float]) -> list[float]:
    """What the axis spans: all ends but those far out, which a level with hardly a record has."""
    known = np.array([end for end in ends if isfinite(end)])
    if not len(known):
        return [-1.0, 1.0]
    low, high = np.quantile(known, [0.05, 0.95])
    room = 2 * (high - low) or 1.0
    near = known[(known >= low - room) & (known <= high + room)]
    edge = 0.05 * float(near.max() - near.min()) or 0.5
    return [float(near.min()) - edge, float(near.max()) + edge]
