"""A study as two short tables in the terminal."""

from __future__ import annotations

from typing import Any

import polars as pl
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lookalike.evaluate.simulation import Studied
from lookalike.report.study.charts import ranking
from lookalike.report.study.figures import NONE, few, significant

_EXPLAINED = (
    "Error is B̂ − B: above 0 the risk is overstated, below 0 understated. none: points without an answer. "
    "covers: how often an estimator's interval contains the truth. –: fewer than 10 points, which say nothing."
)


def render_study(studied: Studied) -> RenderableType:
    """The error of every estimator over all fractions, then its mean size in each band."""
    return Group(_overall(studied), _by_band(studied), Text(_EXPLAINED, style="dim"))


def _overall(studied: Studied) -> Table:
    source = studied.source
    title = f"{source.name}: {source.records:,} records as population, {len(studied.variables)} quasi-identifiers"
    table = _table(title, "points", "none", "median", "5 %", "95 %", "mean |.|", "covers", "s")
    overall = studied.table.filter(pl.col("band") == "all")
    rows = {row["estimator"]: row for row in overall.iter_rows(named=True)}
    for key in ranking(studied):
        table.add_row(Text(key), *_figures(rows[key]))
    return table


def _by_band(studied: Studied) -> Table:
    found = {(row["estimator"], row["band"]): row["mean_absolute"] for row in studied.table.iter_rows(named=True)}
    bands = [band for band in studied.table["band"].unique(maintain_order=True) if band != "all"]
    table = _table("Mean |error| by sampling fraction", *bands)
    for key in ranking(studied):
        table.add_row(Text(key), *(_size(found.get((key, band))) for band in bands))
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(
        title=Text(title, style="bold"),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        show_edge=False,
        padding=0,
    )
    table.add_column("estimator", no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _figures(row: dict[str, Any]) -> tuple[str, ...]:
    errors = (_error(row, name) for name in ("median", "p05", "p95"))
    covers = "" if row["coverage"] is None else NONE if few(row, "coverage") else f"{100 * row['coverage']:.0f} %"
    none = f"{row['not_assessable']:,}" if row["not_assessable"] else ""
    return (f"{row['points']:,}", none, *errors, _size(row["mean_absolute"]), covers, _seconds(row["seconds"]))


def _error(row: dict[str, Any], name: str) -> str:
    if row[name] is None:
        return ""
    return NONE if few(row, name) else significant(row[name], signed=True)


def _size(error: float | None) -> str:
    return "" if error is None else significant(error)


def _seconds(mean: float) -> str:
    return f"{mean:.3f}" if mean < 10 else f"{mean:.0f}"
