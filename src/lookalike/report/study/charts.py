"""Pictures of a study, made from its tables: each a small SVG without scripts or references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from lookalike.evaluate.simulation import BANDS, Studied
from lookalike.evaluate.simulation.choices import band_of
from lookalike.report.charts import svg
from lookalike.report.study.figures import FEWEST

if TYPE_CHECKING:
    import altair as alt

_INK, _SHADE, _ZERO = "#20435c", "#7fb0cf", "#b03a2e"
_ORDER = band_of([low for low, _ in BANDS])


def pictures(studied: Studied) -> dict[str, str]:
    """SVG by name: the errors of all estimators, those of each by true risk, and what a wrong N does."""
    ranked = ranking(studied)
    made = {"errors": _overview(studied.table, ranked)}
    for key in ranked:
        cells = studied.cells.filter(pl.col("estimator") == key).drop_nulls("median")
        if cells.height:
            made[f"errors_{key}"] = _boxes(cells)
    wrong = studied.sensitivity.drop_nulls("median")
    if wrong.height:
        made["sensitivity"] = _sensitivity(wrong, [key for key in ranked if key in wrong["estimator"]])
    return {name: _svg(chart, name) for name, chart in made.items()}


def ranking(studied: Studied) -> list[str]:
    """The estimators, the one with the smallest mean |error| first; those without an answer last."""
    overall = studied.table.filter(pl.col("band") == "all")
    return overall.sort("mean_absolute", "estimator", nulls_last=True)["estimator"].to_list()


def _overview(table: pl.DataFrame, ranked: Sequence[str]) -> alt.FacetChart:
    """By band: the median error of each estimator as a dot, from 5 to 95 % as a line."""
    import altair as alt

    enough = pl.col("points") - pl.col("not_assessable") >= FEWEST
    rows = table.filter(pl.col("band") != "all").drop_nulls("median")
    rows = rows.select("band", "estimator", "median", pl.when(enough).then(pl.col("p05", "p95")))
    y = alt.Y("estimator:N", sort=list(ranked), title=None)
    base = alt.Chart(rows, width=150, height=alt.Step(18))
    line = base.mark_rule(color=_SHADE, strokeWidth=4).encode(y=y, x=_x("p05"), x2="p95")
    dot = base.mark_point(filled=True, color=_INK, size=40, opacity=1).encode(y=y, x=_x("median"))
    zero = base.mark_rule(color=_ZERO, strokeDash=[3, 3]).encode(x=alt.datum(0))
    return alt.layer(line, zero, dot).facet(column=_bands("sampling fraction"))


def _boxes(cells: pl.DataFrame) -> alt.FacetChart:
    """By band and true risk: box from the first to the third quartile, line from 5 to 95 %, the median in white."""
    import altair as alt

    enough = pl.col("points") - pl.col("not_assessable") >= FEWEST
    rows = cells.select(
        "band",
        "q1",
        "median",
        "q3",
        pl.when(enough).then(pl.col("p05", "p95")),
        risk=pl.col("risk_bin").map_elements(_bin, pl.String),
    )
    x = alt.X("risk:N", title="true B", axis=alt.Axis(labelAngle=-60), scale=alt.Scale(domain=_bins(cells)))
    base = alt.Chart(rows, width=150, height=170)
    ends = base.mark_rule(color=_INK).encode(x=x, y=_y("p05"), y2="p95")
    box = base.mark_bar(color=_SHADE, stroke=_INK, strokeWidth=0.5, size=9).encode(x=x, y=_y("q1"), y2="q3")
    middle = base.mark_tick(color=_INK, thickness=2, size=11).encode(x=x, y=_y("median"))
    zero = base.mark_rule(color=_ZERO, strokeDash=[3, 3]).encode(y=alt.datum(0))
    return alt.layer(ends, box, middle, zero).facet(column=_bands("sampling fraction"))


def _sensitivity(wrong: pl.DataFrame, ranked: Sequence[str]) -> alt.FacetChart:
    """The median error against the N an estimator is told, in percent of the true one; a line a band."""
    import altair as alt

    rows = wrong.select("band", "estimator", "median", told=(pl.col("ratio") * 100).round(0))
    x = alt.X("told:Q", title="N told, % of the true N", scale=alt.Scale(domain=[70, 130]))
    y = alt.Y("median:Q", title="median of estimate − truth")
    base = alt.Chart(rows, width=180, height=120)
    colour = alt.Color("band:N", sort=_ORDER, title="fraction", scale=alt.Scale(scheme="viridis"))
    line = base.mark_line(point=True).encode(x=x, y=y, color=colour)
    zero = base.mark_rule(color=_ZERO, strokeDash=[3, 3]).encode(y=alt.datum(0))
    return alt.layer(line, zero).facet(alt.Facet("estimator:N", sort=list(ranked), title=None), columns=3)


def _bands(title: str) -> alt.Column:
    import altair as alt

    return alt.Column("band:N", sort=_ORDER, title=title)


def _x(name: str) -> alt.X:
    import altair as alt

    return alt.X(f"{name}:Q", title="estimate − truth")


def _y(name: str) -> alt.Y:
    import altair as alt

    return alt.Y(f"{name}:Q", title="estimate − truth")


def _bin(low: float) -> str:
    return f"{low:.1f}–{low + 0.1:.1f}"


def _bins(cells: pl.DataFrame) -> list[str]:
    """All bins up to the highest true risk, those without a point too."""
    highest = cells["risk_bin"].max()
    assert isinstance(highest, float)
    return [_bin(i / 10) for i in range(round(highest * 10) + 1)]


def _svg(chart: Any, name: str) -> str:
    return svg(chart.configure_view(stroke="#ddd").configure_axis(grid=True, gridColor="#eee"), name)
