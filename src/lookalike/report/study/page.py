"""A study as one page: no network, no script; every text from outside is escaped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.evaluate.simulation import Studied
from lookalike.report.html import filled
from lookalike.report.study.charts import ranking
from lookalike.report.study.figures import NONE, few, significant

_FIGURES = {
    "points": "points",
    "not_assessable": "no answer",
    "median": "median",
    "p05": "5 %",
    "p95": "95 %",
    "maximum": "maximum",
    "mean_absolute": "mean |.|",
    "median_absolute": "median |.|",
    "p95_absolute": "95 % |.|",
    "coverage": "covers",
    "seconds": "seconds",
}
_SIGNED = ("median", "p05", "p95", "maximum")


def render_page(studied: Studied, pictures: Mapping[str, str]) -> str:
    """The page of a study with its pictures inside."""
    from markupsafe import Markup

    ranked = ranking(studied)
    return filled(
        Path(__file__).parent / "page.html",
        name=studied.source.name,
        settings=_settings(studied),
        headings=list(_FIGURES.values()),
        rows=_rows(studied.table, ranked),
        reasons=_reasons(studied.points),
        ranked=ranked,
        cells=studied.cells.select("band", "risk_bin", "estimator", "points", "median").rows(),
        pictures={key: Markup(svg) for key, svg in pictures.items()},
    )


def _settings(studied: Studied) -> dict[str, str]:
    source, choices = studied.source, studied.choices
    least, most = choices.sizes
    return {
        "file": source.name,
        "SHA-256": source.sha256 or "none: data in memory",
        "records (N)": f"{source.records:,}",
        "quasi-identifiers": ", ".join(studied.variables),
        "known at a time": f"{least} to {most or len(studied.variables)}, drawn at random",
        "points": f"{studied.points['point'].n_unique():,}",
        "sampling fractions": f"{choices.fractions[0]:g} to {choices.fractions[1]:g}, uniform",
        "points with a wrong N too": f"{choices.sensitivity:.0%} of those with a fraction up to 0.7",
        "missing values": "a category of their own",
        "seed": f"{choices.seed}",
    }


def _rows(table: pl.DataFrame, ranked: list[str]) -> list[dict[str, Any]]:
    """One row a band and estimator, the best estimator first in each band."""
    rank = {key: place for place, key in enumerate(ranked)}
    rows: list[dict[str, Any]] = []
    for part in table.partition_by("band", maintain_order=True):
        ordered = sorted(part.iter_rows(named=True), key=lambda row: rank[row["estimator"]])
        for i, row in enumerate(ordered):
            cells = [NONE if few(row, name) else _cell(name, row[name]) for name in _FIGURES]
            rows.append(
                {"band": row["band"], "span": 0 if i else len(ordered), "name": row["estimator"], "cells": cells}
            )
    return rows


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return ""
    if name in ("points", "not_assessable"):
        return f"{value:,}"
    if name == "coverage":
        return f"{100 * value:.0f} %"
    if name == "seconds":
        return f"{value:.2g}"
    return significant(value, digits=3, signed=name in _SIGNED)


def _reasons(points: pl.DataFrame) -> list[tuple[str, str, int]]:
    """Why there is no answer, by estimator, the most frequent first."""
    lacking = points.filter((pl.col("ratio") == 1) & pl.col("value").is_null())
    counted = (
        lacking.group_by("estimator", "reason")
        .len()
        .sort("len", "estimator", "reason", descending=[True, False, False])
    )
    return counted.rows()
