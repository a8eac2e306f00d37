"""What a study found: all answers, and the tables made of them."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lookalike.evaluate.simulation.answers import Answer
from lookalike.evaluate.simulation.choices import BANDS, band_of

ALL = "all"
_SCHEMA = {
    "point": pl.Int64,
    "variables": pl.String,
    "size": pl.Int64,
    "fraction": pl.Float64,
    "band": pl.String,
    "records": pl.Int64,
    "classes": pl.Int64,
    "truth": pl.Float64,
    "estimator": pl.String,
    "ratio": pl.Float64,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "error": pl.Float64,
    "seconds": pl.Float64,
    "reason": pl.String,
}


def points_table(answers: Sequence[Answer]) -> pl.DataFrame:
    """One row an answer: a point, an estimator, a ratio of N."""
    bands = band_of([a.fraction for a in answers])
    rows = [
        (
            a.point,
            " + ".join(a.variables),
            len(a.variables),
            a.fraction,
            band,
            a.records,
            a.classes,
            a.truth,
            a.estimator,
            a.ratio,
            a.value,
            a.low,
            a.high,
            None if a.value is None else a.value - a.truth,
            a.seconds,
            a.reason,
        )
        for a, band in zip(answers, bands, strict=True)
    ]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def error_table(points: pl.DataFrame) -> pl.DataFrame:
    """By band of the fraction and estimator, and over all bands: the error B̂ − B, coverage, time."""
    right = points.filter(pl.col("ratio") == 1)
    both = pl.concat([right, right.with_columns(band=pl.lit(ALL))])
    error, given = pl.col("error"), pl.col("low").is_not_null() & pl.col("high").is_not_null()
    inside = (pl.col("low") <= pl.col("truth")) & (pl.col("truth") <= pl.col("high"))
    has_value = pl.col("value").is_not_null()
    made = both.group_by("band", "estimator").agg(
        points=pl.len(),
        not_assessable=(~has_value).sum(),
        median=error.median(),
        p05=error.quantile(0.05, "linear"),
        p95=error.quantile(0.95, "linear"),
        maximum=error.max(),
        mean_absolute=error.abs().mean(),
        median_absolute=error.abs().median(),
        p95_absolute=error.abs().quantile(0.95, "linear"),
        intervals=(given & has_value).sum(),
        coverage=inside.filter(given & has_value).mean(),
        seconds=pl.col("seconds").mean(),
    )
    return _ordered(made)


def cell_table(points: pl.DataFrame) -> pl.DataFrame:
    """By band, bin of the true risk (0.1 wide) and estimator: the points, and the error's quartiles and ends."""
    error = pl.col("error")
    right = points.filter(pl.col("ratio") == 1).with_columns(risk_bin=risk_bin(pl.col("truth")))
    made = right.group_by("band", "risk_bin", "estimator").agg(
        points=pl.len(),
        not_assessable=pl.col("value").is_null().sum(),
        p05=error.quantile(0.05, "linear"),
        q1=error.quantile(0.25, "linear"),
        median=error.median(),
        q3=error.quantile(0.75, "linear"),
        p95=error.quantile(0.95, "linear"),
    )
    return _ordered(made, "risk_bin")


def sensitivity_table(points: pl.DataFrame) -> pl.DataFrame:
    """By band, estimator and ratio of N: the error, over the points estimated with every ratio."""
    wrong = points.filter(pl.col("ratio") != 1).select("point", "estimator").unique()
    error = pl.col("error")
    made = (
        points.join(wrong, on=["point", "estimator"], how="semi")
        .group_by("band", "estimator", "ratio")
        .agg(
            points=pl.len(),
            not_assessable=pl.col("value").is_null().sum(),
            median=error.median(),
            p05=error.quantile(0.05, "linear"),
            p95=error.quantile(0.95, "linear"),
        )
    )
    return _ordered(made, "ratio")


def risk_bin(truth: pl.Expr) -> pl.Expr:
    """The lower end of the bin of a true risk; 1 belongs to the last."""
    return (((truth * 10 + 1e-9).floor()).clip(0, 9) / 10).round(1)


def _ordered(table: pl.DataFrame, *more: str) -> pl.DataFrame:
    order = pl.Enum([*(band_of([low])[0] for low, _ in BANDS), ALL])
    return table.sort(pl.col("band").cast(order), *more, "estimator")
