"""What a model tells of itself: the chain of latent classes, the sequence of columns, the privacy budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from lookalike.models.latent_diagnostics import Diagnostics, effective_size
from lookalike.report.chart_parts import axis, folded, legend, named
from lookalike.report.charts import GREY, ORIGINAL, PALETTE
from lookalike.report.html import Figure, Grid
from lookalike.report.simple_charts import figure
from lookalike.report.synthesis import words
from lookalike.synthesis import Release

NAMED = 12
"""Predictors that are named; of more, how many."""
MOST_COLUMNS = 40
"""Columns up to which the predictors are drawn; the table has all."""
POINTS = 250
PARTS = 10
"""Parts of the chain in the table of a trace."""


def fit_grid(release: Release) -> Grid | None:
    """The model's own figures; None if it tells none."""
    if not release.figures:
        return None
    rows = tuple((words.FIGURES.get(name, name), _number(float(value))) for name, value in release.figures.items())
    return Grid(title=words.FIT_GRID, heads=words.FIT_HEADS, rows=rows)


def _number(value: float) -> str:
    """Whole and large numbers without decimals, others with four digits."""
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.4g}"


def trace_figures(release: Release) -> tuple[Figure, ...]:
    """The chain of a model by latent classes; nothing for other models."""
    told = getattr(release.laws[0], "diagnostics", None) if release.laws else None
    if not isinstance(told, Diagnostics):
        return ()
    return tuple(_trace(told, name) for name in words.TRACES)


def _trace(told: Diagnostics, name: str) -> Figure:
    series = np.asarray(getattr(told, name), np.float64)
    kept = series[told.burn_in :]
    what = words.TRACES[name]
    says = words.TRACE_SAYS.format(
        what=what,
        sweeps=f"{len(series):,}",
        burn_in=f"{told.burn_in:,}",
        mean=_number(float(kept.mean())),
        effective=f"{effective_size(kept):,.0f}",
    )
    ends = np.linspace(0, len(series), min(PARTS, len(series)) + 1).astype(int)
    rows = tuple(
        (
            words.TRACE_SPAN.format(first=f"{a + 1:,}", last=f"{b:,}"),
            *(_number(float(v)) for v in (series[a:b].mean(), series[a:b].min(), series[a:b].max())),
        )
        for a, b in pairwise(ends)
        if b > a
    )
    title = words.TRACE_CHART.format(what=what)
    table = Grid(title=title, heads=words.TRACE_HEADS, rows=rows)
    return figure(_line(series, told.burn_in), says=says, table=table)


def _line(series: Any, burn_in: int) -> Any:
    import altair as alt

    step = max(1, len(series) // POINTS)
    rows = [{"sweep": i, "value": float(series[i])} for i in range(0, len(series), step)]
    x = alt.X("sweep:Q", title=words.TRACE_SWEEP, axis=axis(tickCount=5))
    y = alt.Y("value:Q", title=None, scale=alt.Scale(zero=False), axis=axis(tickCount=5))
    base = alt.Chart(alt.InlineData(values=rows), width=280, height=100)
    line = base.mark_line(color=ORIGINAL, strokeWidth=1).encode(x=x, y=y)
    rule = alt.Chart(alt.InlineData(values=[{}])).mark_rule(color=GREY, strokeDash=[4, 3])
    return alt.layer(line, rule.encode(x=alt.datum(burn_in)))


def sequence_figure(details: Mapping[str, Any]) -> Figure:
    """The order of the columns, their methods, and which predictors were asked for and used."""
    names = details["columns"]
    order = [n for n in details.get("order", names) if details["methods"].get(n) not in (None, "given")]
    used = {name: _named(details["predictors_used"], names, name) for name in order}
    asked = {name: _named(details.get("predictors_asked", details["predictors_used"]), names, name) for name in order}
    counts = [sum(n if isinstance(n, int) else len(n) for n in some.values()) for some in (used, asked)]
    template = words.SEQUENCE_SAYS if "predictors_asked" in details else words.OTHERS_SAYS
    says = template.format(columns=len(order), used=f"{counts[0]:,}", asked=f"{counts[1]:,}")
    rows = tuple((n, details["methods"][n], *_predicted(used[n], asked[n])) for n in order)
    table = Grid(title=words.SEQUENCE_CHART, heads=words.SEQUENCE_HEADS, rows=rows, names=4)
    return figure(_matrix(details.get("order", names), order, used, asked), says=says, table=table)


def _named(matrix: Any, names: Sequence[str], name: str) -> Any:
    """The predictors of a column by name; their number where the matrix is not told whole."""
    if isinstance(matrix, Mapping):
        return int(matrix[name])
    return [other for other, taken in zip(names, matrix[names.index(name)], strict=True) if taken]


def _predicted(used: Any, asked: Any) -> tuple[str, str]:
    if isinstance(used, int):
        return words.SEQUENCE_COUNT.format(count=used), words.SEQUENCE_COUNT.format(count=asked - used)
    return few(used), few([name for name in asked if name not in used])


def few(names: Sequence[str]) -> str:
    """The first of many names, and how many more."""
    told, more = ", ".join(names[:NAMED]), len(names) - NAMED
    return told if more <= 0 else words.MORE_NAMES.format(names=told, count=more)


def _matrix(columns: Sequence[str], order: Sequence[str], used: Mapping[str, Any], asked: Mapping[str, Any]) -> Any:
    import altair as alt

    shown = list(order[:MOST_COLUMNS])
    kinds = [words.USED, words.NOT_USED]
    rows = [
        {"name": name, "by": other, "kind": kinds[other not in used[name]]}
        for name in shown
        if not isinstance(asked[name], int)
        for other in asked[name]
    ]
    across = [name for name in columns if any(row["by"] == name for row in rows)] or shown
    step = alt.Step(max(7, min(22, 210 // max(len(shown), 1))))
    base = alt.Chart(alt.InlineData(values=rows), width=step, height=step)
    return base.mark_rect(stroke=GREY, strokeWidth=0.5).encode(
        x=alt.X(
            "by:N",
            title=None,
            sort=across,
            scale=alt.Scale(domain=across),
            axis=axis(labelAngle=-60, labelLimit=100, labelOverlap=False),
        ),
        y=alt.Y(
            "name:N",
            title=None,
            sort=shown,
            scale=alt.Scale(domain=shown),
            axis=axis(labelLimit=110, labelOverlap=False),
        ),
        color=alt.Color(
            "kind:N",
            scale=alt.Scale(domain=kinds, range=[ORIGINAL, "#8a8a8a66"]),
            legend=legend(),
        ),
    )


def ledger_figure(account: Mapping[str, Any]) -> Figure:
    """The privacy budget, look by look; looks of the same kind and price are told together."""
    spends = [(_kind(spend), spend) for spend in account["spends"]]
    together = [(kind, [s for _, s in some]) for kind, some in groupby(spends, key=lambda pair: pair[0])]
    says = words.LEDGER_SAYS.format(
        epsilon=f"{account['epsilon']:g}",
        delta=f"{account['delta']:g}",
        spent=f"{account['epsilon_spent']:.4g}",
        looks=len(spends),
    )
    rows = tuple((_what(some), some[0]["mechanism"], f"{len(some):,}", *_costs(some)) for _, some in together)
    table = Grid(title=words.LEDGER_CHART, heads=words.LEDGER_HEADS, rows=rows, names=2)
    return figure(_spent([some for _, some in together]), says=says, table=table)


def _kind(spend: Mapping[str, Any]) -> tuple[Any, ...]:
    return spend["mechanism"], spend["epsilon"], spend["delta"], spend["rho"]


def _what(some: Sequence[Mapping[str, Any]]) -> str:
    first = str(some[0]["what"])
    return first if len(some) == 1 else words.LEDGER_SAME.format(what=first, count=len(some))


def _costs(some: Sequence[Mapping[str, Any]]) -> list[str]:
    """What they cost together, each in its own currency."""
    sums = [sum(s[key] or 0.0 for s in some) for key in ("epsilon", "delta", "rho")]
    return [f"{value:.4g}" if value else "-" for value in sums]


def _spent(groups: Sequence[Sequence[Mapping[str, Any]]]) -> Any:
    import altair as alt

    costs = [sum(s["rho"] if s["rho"] is not None else (s["epsilon"] or 0.0) ** 2 / 2 for s in some) for some in groups]
    whole = sum(costs) or 1.0
    names = [folded(_what(some)) for some in groups]
    rows = [{"name": name, "share": cost / whole} for name, cost in zip(names, costs, strict=True)]
    base = alt.Chart(alt.InlineData(values=rows[:MOST_COLUMNS]), width=190, height=alt.Step(30))
    return base.mark_bar(color=PALETTE[2]).encode(
        y=named("name", names, limit=130),
        x=alt.X("share:Q", title=words.LEDGER_AXIS, axis=axis(format="~%", tickCount=4), scale=alt.Scale(domainMin=0)),
    )


def domain_grid(account: Mapping[str, Any]) -> Grid:
    """What was taken for known of each column, and who said so."""
    rows = tuple(
        (str(one["column"]), str(one["what"]), words.DOMAIN_GIVEN if one["given"] else words.DOMAIN_READ)
        for one in account["domains"]
    )
    return Grid(title=words.DOMAINS_GRID, heads=words.DOMAINS_HEADS, rows=rows, names=3)
