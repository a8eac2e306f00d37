"""Charts of a protected file, without titles: risk before and after, what became of cells, what was lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lookalike.estimate import Estimate
from lookalike.report.chart_parts import NAMES, WIDTH, axis, folded, legend, named
from lookalike.report.charts import FAINT, GREY, ORIGINAL, PALETTE, RELEASE
from lookalike.report.protection import words
from lookalike.report.protection.measures import Change

FATE_COLOURS = ("#8a8a8a66", "#56b4e9", RELEASE, "#cc79a7", GREY)


def b_chart(before: Estimate, after: Estimate, threshold: float | None) -> Any:
    """B of both files with intervals, and the threshold as a line."""
    import altair as alt

    files = (words.FILE, words.RELEASE)
    rows = [
        {"file": file, "value": e.value, "low": e.low, "high": e.high}
        for file, e in zip(files, (before, after), strict=True)
    ]
    ends = [v for e in (before, after) for v in (e.value, e.low, e.high) if v is not None]
    top = max([*ends, threshold or 0.0, 0.01]) * 1.05
    scale = alt.Scale(domain=[0, top], nice=False)
    base = alt.Chart(alt.InlineData(values=rows), width=WIDTH, height=alt.Step(26))
    y = named("file", files)
    colour = alt.Color("file:N", scale=alt.Scale(domain=list(files), range=[ORIGINAL, RELEASE]), legend=None)
    x = alt.X("low:Q", title=words.B_AXIS, scale=scale, axis=axis(tickCount=5))
    span = base.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(strokeWidth=3)
    point = base.transform_filter("isValid(datum.value)").mark_point(filled=True, opacity=1, size=90)
    layers: list[Any] = [
        span.encode(y=y, x=x, x2="high:Q", color=colour),
        point.encode(y=y, x=alt.X("value:Q", title=words.B_AXIS, scale=scale, axis=axis(tickCount=5)), color=colour),
    ]
    if threshold is not None:
        layers.insert(0, _limit(alt, threshold))
    return alt.layer(*layers)


def _limit(alt: Any, threshold: float) -> Any:
    """The threshold upright, with its words above the frame, where no interval lies."""
    line = alt.Chart(alt.InlineData(values=[{"told": words.THRESHOLD.format(value=f"{threshold:g}")}]))
    rule = line.mark_rule(color=GREY, strokeDash=[4, 3]).encode(x=alt.datum(threshold))
    text = line.mark_text(color=GREY, dy=-7, fontSize=10)
    return alt.layer(rule, text.encode(x=alt.datum(threshold), y=alt.value(0), text="told:N"))


def risk_dumbbells(found: Sequence[Change]) -> Any:
    """Each measure that is a share or a chance in both files: a line from one to the other."""
    import altair as alt

    files = (words.FILE, words.RELEASE)
    pairs = [(folded(change.name), change.shares) for change in found if change.shares is not None]
    lines = [{"name": name, "before": shares[0], "after": shares[1]} for name, shares in pairs if shares]
    points = [
        {"name": name, "file": file, "value": value}
        for name, shares in pairs
        if shares
        for file, value in zip(files, shares, strict=True)
    ]
    scale = alt.Scale(type="sqrt", domain=[0, 1])
    ticks = axis(values=[0, 0.02, 0.1, 0.3, 0.6, 1], format=".3~g")
    y = named("name", [name for name, _ in pairs], limit=NAMES + 30)
    x = alt.X("value:Q", title=words.RISK_AXIS, scale=scale, axis=ticks)
    between = alt.Chart(alt.InlineData(values=lines), width=WIDTH, height=alt.Step(30)).mark_rule(color=GREY)
    between = between.encode(y=y, x=alt.X("before:Q", title=words.RISK_AXIS, scale=scale, axis=ticks), x2="after:Q")
    point = alt.Chart(alt.InlineData(values=points)).mark_point(filled=True, opacity=1, size=70)
    point = point.encode(y=y, x=x, color=_by_file(alt, files), shape=_shape(alt, files))
    return alt.layer(between, point)


def _by_file(alt: Any, files: Sequence[str]) -> Any:
    top = legend()
    return alt.Color("file:N", scale=alt.Scale(domain=list(files), range=[ORIGINAL, RELEASE]), legend=top)


def _shape(alt: Any, files: Sequence[str]) -> Any:
    """Told apart without colour too."""
    top = legend()
    return alt.Shape("file:N", scale=alt.Scale(domain=list(files), range=["circle", "diamond"]), legend=top)


def fate_bars(columns: Mapping[str, Mapping[str, float]]) -> Any:
    """The cells of each column by what became of them, as shares that add up to 1."""
    import altair as alt

    fates = [*words.FATES.values(), words.UNTOLD]
    shown = [fate for fate in fates if any(shares.get(fate) for shares in columns.values())]
    rows = [
        {"name": name, "fate": fate, "share": share, "place": fates.index(fate)}
        for name, shares in columns.items()
        for fate, share in shares.items()
        if share
    ]
    colours = [FATE_COLOURS[fates.index(fate)] for fate in shown]
    base = alt.Chart(alt.InlineData(values=rows), width=WIDTH, height=alt.Step(22))
    return base.mark_bar(stroke=GREY, strokeWidth=0.5).encode(
        y=named("name", list(columns)),
        x=alt.X("share:Q", title=words.CELLS_AXIS, axis=axis(format="%", tickCount=5), scale=alt.Scale(domain=[0, 1])),
        color=alt.Color(
            "fate:N",
            scale=alt.Scale(domain=shown, range=colours),
            legend=legend(columns=3),
        ),
        order="place:Q",
    )


def loss_bars(columns: Mapping[str, float]) -> Any:
    """The share of its column that a cell stands for, column by column."""
    import altair as alt

    rows = [{"name": name, "share": share, "told": f"{share:.1%}"} for name, share in columns.items()]
    base = alt.Chart(alt.InlineData(values=rows), width=WIDTH, height=alt.Step(22))
    top = min(1.0, 1.25 * max([*columns.values(), 0.04]))
    y = named("name", list(columns))
    scale = alt.Scale(domain=[0, top], nice=False)
    x = alt.X("share:Q", title=words.LOSS_AXIS, axis=axis(format="%", tickCount=5), scale=scale)
    bars = base.mark_bar(color=PALETTE[1], stroke=FAINT).encode(y=y, x=x)
    told = base.mark_text(align="left", dx=4, color=GREY, fontSize=10).encode(y=y, x=x, text="told:N")
    return alt.layer(bars, told)
