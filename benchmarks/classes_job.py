"""One contender of `classes.py`: python classes_job.py CONTENDER FILE."""

import sys
from pathlib import Path

from measure import repeat

KEYS = ["oshpd_id", "age_yrs", "sex", "ethncty", "race", "patzip", "patcnty", "los", "adm_qtr"]
LIMIT = 100_000


def lookalike(file: str, engine: str):
    import lookalike as la
    from lookalike import risk as r

    def work():
        data = la.read(file, quasi_identifiers=KEYS, sensitive=["charge"], engine=engine)
        classes = la.EquivalenceClasses.of(data)
        sizes = classes.size_per_record()
        spread = la.Spread.of(classes, "charge")
        rate = r.attribute_disclosure(spread, r.in_range(spread, above=LIMIT))
        return {
            "classes": len(classes),
            "uniques": r.unique_records(classes).count,
            "k": r.k_anonymity(classes),
            "l": int(r.distinct_diversity(spread).minimum),
            "disclosed": rate.count,
            "sizes": int(sizes.sum()),
        }

    return work


def plain_duckdb(file: str):
    import duckdb

    def work():
        inner = f"SELECT count(*) f FROM '{file}' GROUP BY {', '.join(KEYS)}"
        found = duckdb.sql(f"SELECT count(*), count(*) FILTER (f = 1), min(f) FROM ({inner})").fetchall()[0]
        return {"classes": found[0], "uniques": found[1], "k": found[2]}

    return work


def plain_polars(file: str):
    import polars as pl

    def work():
        sizes = pl.scan_parquet(file).group_by(KEYS).agg(pl.len().alias("f"))
        summary = sizes.select(
            pl.len().alias("classes"), (pl.col("f") == 1).sum().alias("uniques"), pl.col("f").min().alias("k")
        )
        return summary.collect(engine="streaming").row(0, named=True)

    return work


def whole_duckdb(file: str):
    import duckdb

    keys = ", ".join(KEYS)

    def work():
        inner = (
            f"SELECT count(*) f, count(DISTINCT charge) l, count(*) FILTER (charge > {LIMIT}) z "
            f"FROM '{file}' GROUP BY {keys}"
        )
        found = duckdb.sql(
            f"SELECT count(*), count(*) FILTER (f = 1), min(f), min(l), sum(z) FILTER (z = f)::BIGINT FROM ({inner})"
        ).fetchall()[0]
        sizes = duckdb.sql(
            f"SELECT f FROM (SELECT file_row_number r, count(*) OVER (PARTITION BY {keys}) f "
            f"FROM read_parquet('{file}', file_row_number = true)) ORDER BY r"
        ).fetchnumpy()["f"]
        names = ("classes", "uniques", "k", "l", "disclosed")
        return {**dict(zip(names, found, strict=True)), "sizes": int(sizes.sum())}

    return work


def pandas(file: str):
    import pandas as pd

    def work():
        table = pd.read_parquet(file)
        table["z"] = table["charge"] > LIMIT
        groups = table.groupby(KEYS, sort=False, observed=True)
        found = groups.agg(f=("charge", "size"), l=("charge", "nunique"), z=("z", "sum"))
        sizes = groups["charge"].transform("size")
        return {
            "classes": len(found),
            "uniques": int((found.f == 1).sum()),
            "k": int(found.f.min()),
            "l": int(found.l.min()),
            "disclosed": int(found.z[found.z == found.f].sum()),
            "sizes": int(sizes.sum()),
        }

    return work


def pycanon(file: str):
    import pandas as pd
    from pycanon import anonymity

    table = pd.read_parquet(file)
    return lambda: {"k": int(anonymity.k_anonymity(table, KEYS))}


if __name__ == "__main__":
    contender, path = sys.argv[1], str(Path(sys.argv[2]).absolute())
    times = int(sys.argv[3]) if len(sys.argv) > 3 else {"pycanon": 1, "lookalike-spark": 2}.get(contender, 8)
    if contender.startswith("lookalike-"):
        repeat(lookalike(path, contender.removeprefix("lookalike-")), times)
    else:
        repeat(globals()[contender.replace("-", "_")](path), times)
