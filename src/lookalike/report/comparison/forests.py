"""Intervals of both files under each other: coefficients of a regression, shares of levels."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.evaluate.comparison.rare import FEWEST, hidden_levels
from lookalike.report.chart_parts import WIDTH, axis, legend, named
from lookalike.report.charts import GREY, ORIGINAL, RELEASE, dressed, nothing
from lookalike.report.comparison.number_charts import FILES
from lookalike.utility.proportions import Proportion, Proportions
from lookalike.utility.regression_overlap import Coefficient, RegressionOverlap

if TYPE_CHECKING:
    import altair as alt

MOST_ROWS = 40
"""Rows of a forest plot: those that overlap least."""
ROW = 22
"""Pixels of a row of a forest plot: both files under each other."""
FAR = 12.0
"""Standard errors beyond which a coefficient is drawn at the edge."""
NORMAL = 1.959964
"""Standard errors from the middle of a 95 % interval to its end."""
COEFFICIENTS = "distance in standard errors"
SHARES = "share of records"
CROSS = "cross: where the coefficient would be 0"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A line of a forest: both values with their intervals on the axis, and where 0 lies, if it is marked."""

    name: str
    overlap: float
    original: tuple[float, float, float]
    release: tuple[float, float, float]
    nought: float | None = None


def coefficient_forest(
    found: RegressionOverlap,
    *,
    rare: Collection[str] = (),
    title: str | None = None,
    description: str | None = None,
) -> alt.LayerChart:
    """Coefficients with intervals in both files, and the overlap in words.

    One scale for all: coefficients of an intercept and of a rate may differ by powers of ten, so each is drawn as its
    distance from the original's estimate in the original's standard errors. The original lies at 0 with ±1.96; a cross
    marks where the coefficient would be 0, which an interval that tells its sign does not reach. `rare` are
    coefficients that rest on a cell of few records (see `rare_coefficients`): not shown.
    """
    title = title or f"{found.formula}: coefficients"
    kept = [row for row in found.coefficients if row.name not in rare]
    kept_same = sum(row.same_conclusion for row in kept)
    said = f"{title}. {kept_same} of {len(kept)} keep their sign or their lack of one."
    rows = [row for row in map(_shifted, kept) if row is not None]
    made: alt.LayerChart = _forest(
        rows, len(found.coefficients) - len(kept), title, description or said, COEFFICIENTS, reach=FAR
    )
    return made


def _shifted(row: Coefficient) -> _Row | None:
    """A coefficient in standard errors of the original, from its estimate; None if it has none."""
    low, high = row.original_interval
    error = (high - low) / (2 * NORMAL)
    if not (isfinite(error) and error > 0):
        return None

    def at(middle: float, ends: tuple[float, float]) -> tuple[float, float, float]:
        value, first, last = ((v - row.original) / error for v in (middle, *ends))
        return value, first, last

    return _Row(
        name=row.name,
        overlap=row.overlap,
        original=at(row.original, row.original_interval),
        release=at(row.release, row.release_interval),
        nought=-row.original / error,
    )


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
    lines = [
        _Row(
            name=name,
            overlap=row.overlap,
            original=(row.original, *row.original_interval),
            release=(row.release, *row.release_interval),
        )
        for name, row in kept
    ]
    made: alt.LayerChart = _forest(lines, len(found.rows) - len(kept), title, description or said, SHARES)
    return made


def _forest(
    rows: Sequence[_Row], hidden: int, title: str, description: str, what: str, *, reach: float | None = None
) -> Any:
    import altair as alt

    least = sorted(range(len(rows)), key=lambda i: rows[i].overlap)[:MOST_ROWS]
    shown = [rows[i] for i in sorted(least)]
    if not shown:
        return nothing(title, f"Nothing rests on {FEWEST} records or more: not drawn.")
    ends = [end for row in shown for end in (*row.original, *row.release)]
    scale = alt.Scale(domain=_wide(ends) if reach is None else _around(ends, reach), zero=False, clamp=True)
    y = named("name", [row.name for row in shown], limit=115)
    # Both files of a name lie inside its band; a scale of points has no inside, and puts the second on the next name.
    y = y.scale(type="band", paddingInner=0.2, paddingOuter=0.1)
    offset = alt.YOffset("file:N", sort=list(FILES))
    x = {name: alt.X(f"{name}:Q", title=what, scale=scale, axis=axis(tickCount=5)) for name in ("value", "low")}
    files = alt.Scale(domain=list(FILES), range=[ORIGINAL, RELEASE])
    colour = alt.Color("file:N", scale=files, legend=legend())
    shape = alt.Shape("file:N", scale=alt.Scale(domain=list(FILES), range=["circle", "diamond"]), legend=legend())
    base = alt.Chart(alt.InlineData(values=[line for row in shown for line in _lines(row)]))
    line = base.mark_rule(clip=True, strokeWidth=2)
    line = line.encode(y=y, yOffset=offset, x=x["low"], x2="high:Q", color=colour)
    point = base.mark_point(clip=True, filled=True, opacity=1, size=30)
    point = point.encode(y=y, yOffset=offset, x=x["value"], color=colour, shape=shape)
    words = alt.Chart(alt.InlineData(values=[{"name": row.name, "words": f"{row.overlap:.2f}"} for row in shown]))
    beside = words.mark_text(align="left", color=GREY, fontSize=9).encode(y=y, x=alt.value(WIDTH - 14), text="words:N")
    layers: list[Any] = [line, point, beside]
    notes = ["beside: overlap of the intervals"]
    if reach is not None:
        layers.insert(0, _noughts(alt, shown, scale.domain, y, scale, what))
        notes.append(CROSS)
    notes += [f"{hidden} with fewer than {FEWEST} records, or that would tell them, are not shown"] * bool(hidden)
    notes += [f"the {len(shown)} that overlap least of {len(rows)}"] * (len(shown) < len(rows))
    plot = alt.layer(*layers).properties(width=WIDTH - 20, height=ROW * len(shown))
    return dressed(plot, title, description, tuple(notes))


def _noughts(alt: Any, rows: Sequence[_Row], domain: Sequence[float], y: Any, scale: Any, what: str) -> Any:
    """A cross where a coefficient would be 0, as far as that lies on the axis."""
    inside = [
        {"name": row.name, "x": row.nought}
        for row in rows
        if row.nought is not None and domain[0] < row.nought < domain[1]
    ]
    marks = alt.Chart(alt.InlineData(values=inside)).mark_point(shape="cross", angle=45, color=GREY, size=40, opacity=1)
    return marks.encode(y=y, x=alt.X("x:Q", title=what, scale=scale))


def _lines(row: _Row) -> list[dict[str, Any]]:
    return [
        {"name": row.name, "file": file, "value": value, "low": low, "high": high}
        for file, (value, low, high) in zip(FILES, (row.original, row.release), strict=True)
        if isfinite(value)
    ]


def _around(ends: Sequence[float], reach: float) -> list[float]:
    """As far to both sides as the intervals go, but not beyond the reach."""
    far = max((abs(end) for end in ends if isfinite(end)), default=NORMAL)
    wide = min(max(1.05 * far, 2 * NORMAL), reach)
    return [-wide, wide]


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
