"""How relative differences of frequencies spread: figure 1 of the study of the Patient Characteristics Survey."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lookalike.evaluate.comparison.rare import FEWEST
from lookalike.report.chart_parts import axis
from lookalike.report.charts import PALETTE, dressed, nothing
from lookalike.utility.relative_differences import RelativeDifferences

if TYPE_CHECKING:
    import altair as alt

Floats = NDArray[np.float64]

_GRID = 160
_FINE = 8
"""Bins to a width of the kernel."""


def difference_curves(
    models: Mapping[str, Sequence[RelativeDifferences]], *, title: str | None = None, description: str | None = None
) -> alt.HConcatChart:
    """Densities of the relative differences D, a panel for tables of one, two and three variables, a line a model.

    Figure 1 of the study of the Patient Characteristics Survey, with the mean (solid) and the median (dotted) of D
    upright, and the mean of |D| in words. Differences of one model and the same ways, as of m copies, are put together.
    No cell shows: a curve is drawn where at least 5 cells lie near, and D tells no count.
    """
    import altair as alt

    title = title or "Relative differences of frequencies"
    ways = sorted({found.ways for several in models.values() for found in several})
    if not ways:
        empty: alt.HConcatChart = nothing(title, "No table was asked for.")
        return empty
    parts = {w: {name: _together(several, w) for name, several in models.items()} for w in ways}
    width = 210 if len(ways) > 1 else 270
    panels = [_panel(w, {n: d for n, d in of.items() if len(d)}, list(models), width) for w, of in parts.items()]
    said = "; ".join(
        f"{w}-way tables, {name}: mean |D| {np.abs(d).mean():.3f}, median D {np.median(d):+.3f}"
        for w, of in parts.items()
        for name, d in of.items()
        if len(d)
    )
    notes = ("upright: mean of D solid, median dotted; drawn from the 1 % to the 99 % quantile",)
    made: alt.HConcatChart = dressed(alt.hconcat(*panels), title, description or f"{title}. {said}.", notes)
    return made


def _together(several: Iterable[RelativeDifferences], ways: int) -> Floats:
    of = [found.differences for found in several if found.ways == ways]
    return np.concatenate(of) if of else np.empty(0)


def _panel(ways: int, parts: Mapping[str, Floats], models: Sequence[str], width: int) -> Any:
    import altair as alt

    rows = [row for name, d in parts.items() for row in _curve(name, d)]
    marks = [
        {"model": name, "x": float(at), "what": what}
        for name, d in parts.items()
        for what, at in (("mean", d.mean()), ("median", np.median(d)))
        if rows
    ]
    scale = alt.Scale(domain=list(models), range=list(PALETTE[: len(models)]))
    colour = alt.Color("model:N", title=None, scale=scale, legend=alt.Legend() if len(models) > 1 else None)
    line = alt.Chart(alt.InlineData(values=rows), width=width, height=150).mark_line(strokeWidth=1.8)
    x = alt.X("x:Q", title="D", axis=axis(tickCount=6), scale=alt.Scale(nice=False, zero=False))
    line = line.encode(x=x, y=alt.Y("y:Q", title="density", axis=axis(tickCount=5)), color=colour)
    dash = alt.StrokeDash("what:N", scale=alt.Scale(domain=["mean", "median"], range=[[1, 0], [2, 3]]), legend=None)
    upright = alt.Chart(alt.InlineData(values=marks)).mark_rule(clip=True).encode(x=x, color=colour, strokeDash=dash)
    words = [f"{name}: mean |D| {np.abs(d).mean():.3f}" for name, d in parts.items()]
    words += [] if rows else [f"fewer than {FEWEST} cells: not drawn"]
    told = alt.TitleParams(text=f"{ways}-way tables", subtitle=words, fontSize=11, subtitleFontSize=10)
    panel: Any = alt.layer(line, upright).properties(title=told)
    return panel


def _curve(name: str, d: Floats) -> list[dict[str, Any]]:
    """A kernel density with Silverman's width; without a height where fewer than 5 cells lie within three widths."""
    if len(d) < FEWEST:
        return []
    low, first, third, high = np.quantile(d, [0.01, 0.25, 0.75, 0.99])
    spread = min(float(d.std()), float(third - first) / 1.349) or float(d.std())
    width = max(0.9 * spread * len(d) ** -0.2, 0.005)
    grid = np.linspace(max(-1.0, low - 3 * width), high + 3 * width, _GRID)
    # Counted in bins far narrower than the kernel: a file may have millions of cells.
    edges = np.arange(grid[0] - 5 * width, grid[-1] + 5 * width, width / _FINE)
    counts = np.histogram(d, edges)[0]
    apart = (grid[:, None] - (edges[:-1] + edges[1:]) / 2) / width
    heights = np.exp(-0.5 * apart**2) @ counts / (len(d) * width * np.sqrt(2 * np.pi))
    enough = (np.abs(apart) <= 3) @ counts >= FEWEST
    if not enough.any():
        return []
    ends = np.flatnonzero(enough)
    return [
        {"model": name, "x": float(grid[i]), "y": float(heights[i]) if enough[i] else None}
        for i in range(ends[0], ends[-1] + 1)
    ]
