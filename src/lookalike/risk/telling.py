"""How far one column tells another: what is made coarser in one can be read from the other."""

from __future__ import annotations

import polars as pl

FEWEST = 5
"""Records that a value must have: a value of fewer names the record rather than tells of it."""


def telling(column: pl.Series, of: pl.Series) -> float:
    """The share of wrong guesses of one column that knowing another saves: λ of Goodman and Kruskal (1954).

    λ = Σ_v (max_u n(u,v) − n(m,v)) / (n − n(m)), with u the values of the column told, m its commonest, and v those
    values of the telling column that at least five records have; 0 if nothing is left to guess. A missing cell is a
    value.

    >>> years, degree = pl.Series([12, 12, 12, 12, 12, 16, 16, 16, 16, 16]), pl.Series(["school"] * 5 + ["college"] * 5)
    >>> telling(years, degree), telling(degree, pl.Series([1, 2] * 5))
    (1.0, 0.2)
    """
    both = pl.DataFrame({"v": column.alias("v"), "u": of.alias("u")})
    common = of.value_counts(name="n").sort(["n", of.name], descending=[True, False], nulls_last=True)
    left = both.height - common["n"][0] if both.height else 0
    if not left:
        return 0.0
    usual = pl.col("n").filter(pl.col("u").eq_missing(pl.lit(common[of.name][0], dtype=of.dtype)))
    told = (
        both.group_by("v", "u")
        .agg(n=pl.len().cast(pl.Int64))
        .group_by("v")
        .agg(records=pl.col("n").sum(), most=pl.col("n").max(), usual=usual.sum())
        .filter(pl.col("records") >= FEWEST)
    )
    return float((told["most"] - told["usual"]).sum()) / left
