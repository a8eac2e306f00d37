"""A dressed chart as a figure of a page: its title and its notes stand above it, in words."""

from __future__ import annotations

from typing import Any

from lookalike.report.charts import svg
from lookalike.report.html import Figure, Grid


def captioned(chart: Any, table: Grid) -> Figure:
    """The chart (see `report.charts.dressed`) with its description and notes as its words, and its table."""
    import altair as alt

    title, notes = chart.title.text, chart.title.subtitle
    says = str(chart.description).removeprefix(f"{title}. ")
    new = [] if notes is alt.Undefined else [note for note in notes if note.lower() not in says.lower()]
    says = " ".join([says, *(f"{note[:1].upper()}{note[1:]}." for note in new)])
    plain = chart.copy(deep=False)
    plain.title = alt.Undefined
    return Figure(svg=svg(plain, title=table.title, description=says), says=says, table=table)
