"""Four kinds of charts that a phone can show: dots with intervals, bars, columns and a line.

They are drawn 340 pixels wide and scaled by the page, so that words stay readable at any width. Names of columns are
data in them, never names of fields: dots, brackets and colons in a name mean nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from lookalike.report.charts import FAINT, GREY, ORIGINAL, RELEASE, looking_plain, svg
from lookalike.report.html import Figure, Grid

if TYPE_CHECKING:
    import altair as alt

PLOT, LABELS = 160, 125
"""Pixels of the plot and of the names beside it."""
STEP = 22
LEAST = 1e-9
SHORTEST = 0.001
"""What a scale of shares reaches at least, so that nothing looks like much."""
_FONT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A row of a chart of dots: a value with its interval, a second value to compare it with, and what is written."""

    label: str
    value: float | None
    words: str
    low: float | None = None
    high: float | None = None
    other: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A row of a chart of bars: its length, what is written beside it, and a second value as a tick."""

    label: str
    value: float
    words: str
    other: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A threshold, and how it is written."""

    value: float
    words: str


def figure(chart: Any, *, says: str, table: Grid) -> Figure:
    """The chart with its words and its table; the title of the table is that of the chart."""
    return Figure(
        svg=svg(looking_plain(chart, limit=LABELS - 15), title=table.title, description=says), says=says, table=table
    )


def dots(rows: Sequence[Dot], *, axis: str, limit: Limit | None = None) -> Any:
    """Values between 0 and 1 on a scale of powers of ten, intervals as lines; a second value is an upright tick."""
    import altair as alt

    known = [v for r in rows for v in (r.value, r.low, r.high, r.other) if v is not None and v > 0]
    ends, ticks = _powers([*known, *([limit.value] if limit and limit.value > 0 else [])])
    scale = alt.Scale(type="log", domain=ends, nice=False)
    data = [
        {"label": r.label, "words": r.words}
        | {
            name: None if value is None else max(value, ends[0])
            for name, value in (("v", r.value), ("low", r.low), ("high", r.high), ("other", r.other))
        }
        for r in rows
    ]
    x = alt.X("v:Q", title=axis, scale=scale, axis=_axis(values=ticks, format=".3~g"))
    base = alt.Chart(alt.InlineData(values=data), width=PLOT, height=alt.Step(STEP))
    y = _names(r.label for r in rows)
    spans = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    layers = [
        spans.mark_rule(color=ORIGINAL, strokeWidth=4, opacity=0.5).encode(y=y, x=_on("low", axis), x2="high"),
        _ticks(base).encode(y=y, x=_on("other", axis)),
        _there(base, "v").mark_point(filled=True, color=ORIGINAL, size=50, opacity=1).encode(y=y, x=x),
        _written(base, y),
    ]
    return alt.layer(*_upright(limit), *layers)


def bars(rows: Sequence[Bar], *, axis: str, limit: Limit | None = None, shares: bool = True) -> Any:
    """Bars from 0; a second value is a tick across the bar."""
    import altair as alt

    data = [{"label": r.label, "words": r.words, "v": r.value, "other": r.other} for r in rows]
    most = max([SHORTEST, *(v for r in rows for v in (r.value, r.other or 0.0)), *([limit.value] if limit else [])])
    scale = alt.Scale(domain=[0, most], nice=True)
    x = alt.X("v:Q", title=axis, scale=scale, axis=_axis(format="~%" if shares else ".3~g", tickCount=4))
    base = alt.Chart(alt.InlineData(values=data), width=PLOT, height=alt.Step(STEP))
    y = _names(r.label for r in rows)
    layers = [
        base.mark_bar(color=ORIGINAL, size=12).encode(y=y, x=x),
        _ticks(base).encode(y=y, x=_on("other", axis)),
        _written(base, y),
    ]
    return alt.layer(*layers, *_upright(limit))


def columns(rows: Sequence[Bar], *, axis: str, heights: str) -> Any:
    """Columns side by side in the order given, each with what is written above it."""
    import altair as alt

    data = [{"label": r.label, "words": r.words, "v": r.value} for r in rows]
    base = alt.Chart(alt.InlineData(values=data), width=280, height=130)
    order = alt.Scale(domain=[r.label for r in rows])
    x = alt.X("label:N", scale=order, title=axis, axis=_axis(labelAngle=0, labelOverlap=False, labelFontSize=8))
    y = alt.Y("v:Q", title=heights, axis=_axis(format="~%", tickCount=4))
    drawn = base.mark_bar(color=ORIGINAL).encode(x=x, y=y)
    written = base.mark_text(dy=-6, fontSize=8, color=GREY).encode(x=x, y=y, text="words:N")
    return alt.layer(drawn, written)


def line(points: Sequence[tuple[float, float]], *, across: str, up: str, limit: Limit | None = None) -> Any:
    """Values by a share, as dots on a line; a limit lies across."""
    import altair as alt

    data = [{"x": x, "v": y} for x, y in points]
    values = [y for _, y in points] + ([limit.value] if limit else [])
    base = alt.Chart(alt.InlineData(values=data), width=270, height=140)
    x = alt.X("x:Q", title=across, scale=alt.Scale(zero=False), axis=_axis(format="~%", tickCount=7))
    y = alt.Y("v:Q", title=up, scale=alt.Scale(domain=[0, max(values) * 1.1]), axis=_axis(format=".3~g", tickCount=5))
    layers = [base.mark_line(point=alt.OverlayMarkDef(color=ORIGINAL), color=ORIGINAL).encode(x=x, y=y)]
    if limit:
        at = {"y": alt.datum(limit.value)}
        one = alt.Chart(alt.InlineData(values=[{}]))
        layers.append(one.mark_rule(color=RELEASE, strokeDash=[4, 3], strokeWidth=1.5).encode(**at))
        words = one.mark_text(text=limit.words, align="left", dy=-6, dx=4, fontSize=_FONT, color=GREY)
        layers.append(words.encode(**at, x=alt.value(0)))
    return alt.layer(*layers)


def _there(base: alt.Chart, name: str) -> alt.Chart:
    found: alt.Chart = base.transform_filter(f"isValid(datum.{name})")
    return found


def _ticks(base: alt.Chart) -> alt.Chart:
    made: alt.Chart = _there(base, "other").mark_tick(color=RELEASE, thickness=3, size=16, opacity=1)
    return made


def _on(name: str, axis: str) -> alt.X:
    import altair as alt

    return alt.X(f"{name}:Q", title=axis)


def _names(labels: Iterable[str]) -> alt.Y:
    """Rows in the order given, all charts with as much room for names."""
    import altair as alt

    axis = _axis(labelFontSize=_FONT, domain=False, ticks=False, minExtent=LABELS, maxExtent=LABELS, labelPadding=5)
    return alt.Y("label:N", scale=alt.Scale(domain=list(labels)), title=None, axis=axis)


def _written(base: alt.Chart, y: alt.Y) -> alt.Chart:
    import altair as alt

    text = base.mark_text(align="left", fontSize=_FONT, color=GREY)
    made: alt.Chart = text.encode(y=y, x=alt.value(PLOT + 6), text="words:N")
    return made


def _upright(limit: Limit | None) -> list[alt.Chart]:
    """The threshold as an upright line with its words above."""
    import altair as alt

    if limit is None:
        return []
    one = alt.Chart(alt.InlineData(values=[{}]))
    rule = one.mark_rule(color=RELEASE, strokeDash=[4, 3], strokeWidth=1.5).encode(x=alt.datum(limit.value))
    words = one.mark_text(text=limit.words, dy=-7, fontSize=_FONT, color=GREY)
    return [rule, words.encode(x=alt.datum(limit.value), y=alt.value(0))]


def _axis(**options: Any) -> alt.Axis:
    import altair as alt

    return alt.Axis(**{"labelFontSize": 9, "titleFontSize": _FONT, "gridColor": FAINT, "labelFlush": False, **options})


def _powers(values: Sequence[float]) -> tuple[list[float], list[float]]:
    """The ends of a scale of powers of ten that holds the values, up to 1 at least, and its ticks; not more than six.

    >>> _powers([0.02, 0.3])
    ([0.01, 1.0], [1.0, 0.1, 0.01])
    """
    low = floor(log10(max(min(values, default=0.1), LEAST)) - 0.05)
    high = max(0, ceil(log10(max(max(values, default=1.0), LEAST))))
    every = max(1, ceil((high - low) / 4))
    return [10.0**low, 10.0**high], [10.0**power for power in range(high, low - 1, -every)]
