"""The files of a study, written whole into its folder."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from lookalike.data import whole_file
from lookalike.engine import stage
from lookalike.evaluate.simulation import Studied
from lookalike.report.study.charts import pictures
from lookalike.report.study.page import render_page

PAGE = "table.html"


def write_study(studied: Studied) -> Path:
    """All tables and pictures into the study's folder, in place of older ones; gives the page to open."""
    folder = studied.folder
    for old in (*folder.glob("errors*.svg"), *folder.glob("sensitivity.*")):
        old.unlink()
    tables = {"points": studied.points, "table": studied.table, "cells": studied.cells}
    if studied.sensitivity.height:
        tables["sensitivity"] = studied.sensitivity
    for name, table in tables.items():
        _write_csv(table, folder / f"{name}.csv")
    with stage("drawing"):
        drawn = pictures(studied)
    for name, svg in drawn.items():
        _write_text(svg, folder / f"{name}.svg")
    return _write_text(render_page(studied, drawn), folder / PAGE)


def _write_csv(table: pl.DataFrame, path: Path) -> None:
    with whole_file(path) as target:
        table.write_csv(target)


def _write_text(text: str, path: Path) -> Path:
    with whole_file(path) as target:
        target.write_text(text, encoding="utf-8")
    return path
