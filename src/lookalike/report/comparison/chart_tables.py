"""The figures of charts as tables: what a chart draws and no more, so that they tell no cell that it hides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from math import isfinite
from typing import Any

import numpy as np
import polars as pl

from lookalike.evaluate.comparison.rare import FEWEST
from lookalike.report.comparison.heat_map import fields_of
from lookalike.report.comparison.number_charts import FILES
from lookalike.report.html import Grid
from lookalike.report.tables import percent
from lookalike.utility.density import DensityPair
from lookalike.utility.relative_differences import RelativeDifferences
from lookalike.utility.table_utility import TableUtility

ROWS = 12
"""Points of a curve in its table."""
MOST = 60
HEAT = "Two-way tables, field by field"
HEAT_HEADS = ("column", "column", "value")
HEAT_NOTE = "The {shown} of {all} fields that are farthest off."
DIFFERENCES = "Relative differences of frequencies: {ways}-way tables"
DIFFERENCES_HEADS = ("cells", "mean |D|", "mean D", "median D")
ECDF = "{name}: distribution functions"
ECDF_HEADS = ("at or below", "original", "release")
HISTOGRAM = "{name}: histograms"
HISTOGRAM_HEADS = ("from", "to", "original", "release")
CONTOURS = "{one} and {other}: contours"
CONTOUR_HEADS = ("line", "share of the original inside", "share of the release as dense")
CONTOUR_LINE = "around {mass}"
SCATTER = "How surely {name} is guessed, record by record"
SCATTER_HEADS = ("CAP in the original", "CAP in the release", "records, at least")
SPAN = "{low} to {high}"
SWEEP = "How surely {name} is guessed, by numbers of classes"
SWEEP_HEAD, SWEEP_CLASSES = "classes of the keys", "{count} of the target"
SCATTER_NOTE = "The {shown} fullest of {all} fields."


def heat_grid(found: TableUtility) -> Grid:
    """The fields of the map, the farthest off first."""
    rows, expected = fields_of(found)
    order = sorted(rows, key=lambda row: -row["value"])
    told = tuple(
        (row["a"], row["b"], f"{row['value']:.2f}" if expected else percent(row["value"])) for row in order[:MOST]
    )
    note = HEAT_NOTE.format(shown=len(told), all=len(rows)) if len(told) < len(rows) else ""
    return Grid(title=HEAT, heads=HEAT_HEADS, rows=told, names=2, note=note)


def difference_grid(ways: int, found: Sequence[RelativeDifferences]) -> Grid:
    """How the relative differences of tables of so many columns spread."""
    d = np.concatenate([one.differences for one in found]) if found else np.empty(0)
    figures = (f"{len(d):,}", f"{np.abs(d).mean():.3f}", f"{d.mean():+.3f}", f"{np.median(d):+.3f}")
    rows = (figures,) if len(d) >= FEWEST else ()
    return Grid(title=DIFFERENCES.format(ways=ways), heads=DIFFERENCES_HEADS, rows=rows, names=0)


def ecdf_grid(chart: Any, name: str, *, dates: bool) -> Grid:
    """Some points of both distribution functions, where both are drawn."""
    rows = _rows(chart)
    one, other = ({row["x"]: row["y"] for row in rows if row.get("file") == file} for file in FILES)
    both = [x for x in sorted(one) if x in other]
    at = sorted({round(i) for i in np.linspace(0, len(both) - 1, min(ROWS, len(both)))}) if both else []
    told = tuple((_number(both[i], dates), percent(one[both[i]]), percent(other[both[i]])) for i in at)
    return Grid(title=ECDF.format(name=name), heads=ECDF_HEADS, rows=told, names=0)


def histogram_grid(chart: Any, name: str, *, dates: bool) -> Grid:
    """The bars of both files, bin by bin; a bar of the original is the left half of its bin."""
    rows = _rows(chart)
    one, other = ([row for row in rows if row.get("file") == file] for file in FILES)
    told = tuple(
        (_number(a["x"], dates), _number(b["end"], dates), f"{a['y']:.4f}", f"{b['y']:.4f}")
        for a, b in zip(one, other, strict=True)
    )
    return Grid(title=HISTOGRAM.format(name=name), heads=HISTOGRAM_HEADS, rows=told, names=0)


def contour_grid(found: DensityPair, names: tuple[str, str]) -> Grid:
    """The share of the release whose density is as high as that on a line of the original."""
    cell = float((found.x[1] - found.x[0]) * (found.y[1] - found.y[0]))
    rows = tuple(
        (
            CONTOUR_LINE.format(mass=f"{mass:.0%}"),
            percent(mass),
            percent(min(float(found.release[found.release >= level].sum() * cell), 1.0)),
        )
        for mass, level in zip(found.masses, found.levels, strict=True)
    )
    return Grid(title=CONTOURS.format(one=names[0], other=names[1]), heads=CONTOUR_HEADS, rows=rows)


def scatter_grid(chart: Any, target: str) -> Grid:
    """The fields of the scatter, the fullest first."""
    rows = [row for row in _rows(getattr(chart, "layer", [chart])[0]) if "least" in row]
    order = sorted(rows, key=lambda row: -row["least"])[:MOST]
    told = tuple((_span(row["x"], row["x2"]), _span(row["y"], row["y2"]), f"{row['least']:,}") for row in order)
    note = SCATTER_NOTE.format(shown=len(told), all=len(rows)) if len(told) < len(rows) else ""
    return Grid(title=SCATTER.format(name=target), heads=SCATTER_HEADS, rows=told, names=2, note=note)


def sweep_grid(frame: pl.DataFrame, target: str, value: str) -> Grid:
    """The figure by the number of classes of the keys, down, and of the target, across."""
    keys, targets = (sorted(frame[name].unique().to_list()) for name in ("key_bins", "target_bins"))
    found = {(k, t): v for k, t, v in frame.select("key_bins", "target_bins", value).iter_rows()}
    heads = (SWEEP_HEAD, *(SWEEP_CLASSES.format(count=t) for t in targets))
    rows = tuple((f"{k}", *(_share(found.get((k, t))) for t in targets)) for k in keys)
    return Grid(title=SWEEP.format(name=target), heads=heads, rows=rows)


def _rows(chart: Any) -> list[Mapping[str, Any]]:
    return [row for row in chart.data.values if row]


def _number(value: float, dates: bool) -> str:
    return str(date(1970, 1, 1) + timedelta(days=round(value))) if dates else f"{value:,.6g}"


def _span(low: float, high: float) -> str:
    return SPAN.format(low=f"{low:.2f}", high=f"{high:.2f}")


def _share(value: float | None) -> str:
    return "-" if value is None or not isfinite(value) else f"{value:.2f}"
