"""Algorithms S2, S3 and S4 and the measures on 3,985,166 discharges × 9 quasi-identifiers, data in memory.

Times are told as ratios to one Polars sort of the same nine columns by all of them (the faster of its two engines).
Memory is the peak of a process of its own, less that of a process which only holds the data.

    python benchmarks/protect_scale.py
"""

import sys
from pathlib import Path

from classes import OURS, file_of
from measure import repeat, run

RECORDS = 3_985_166
TIMES = 3
JOBS = {
    "sort": "Polars sort of all nine columns",
    "sort-streaming": "the same, streaming engine",
    "cluster": "S2, k = 2",
    "cluster-safe": "S2, k = 2, safe classes kept",
    "coarsen": "S3, 1/8",
    "t-close": "S4, k = 2, t measured",
    "t-close-10": "S4, k = 10, t measured",
    "safe-harbor": "masking order of table S3",
    "measures": "classes, unique records, k, attribute disclosure of S2's release",
    "losses": "information loss and the other losses of S2's release",
}


def job(name: str, path: str) -> None:
    """One job in this process."""
    import numpy as np
    import polars as pl

    from discharge_study import KEYS, LIMIT, MASKING, microdata
    from lookalike import EquivalenceClasses, Spread, risk
    from lookalike.anonymize.generalizing.coarsening import Coarsening
    from lookalike.anonymize.grouping.clustering import Microaggregation
    from lookalike.anonymize.grouping.t_close import TClose
    from lookalike.anonymize.method import Asked
    from lookalike.utility import losses

    table = pl.read_parquet(path)
    nine, file = table.select(KEYS), microdata(table)
    methods = {
        "cluster": Microaggregation(k=2),
        "cluster-safe": Microaggregation(k=2, keep_safe=True),
        "coarsen": Coarsening(resolution=8),
        "t-close": TClose(k=2),
        "t-close-10": TClose(k=10),
        "safe-harbor": MASKING,
    }

    def change():
        made = methods[name].change(Asked(file=file, rng=np.random.default_rng(1)))
        return {key: float(value) for key, value in made.figures.items()}

    def measures():
        classes = EquivalenceClasses.of(release)
        spread = Spread.of(classes, "charge")
        disclosed = risk.attribute_disclosure(spread, risk.in_range(spread, above=LIMIT))
        uniques = risk.unique_records(classes).count
        return {"unique": uniques, "k": int(risk.k_anonymity(classes)), "disclosed": disclosed.count}

    works = {
        "data": lambda: {"records": table.height},
        "sort": lambda: {"rows": nine.sort(KEYS).height},
        "sort-streaming": lambda: {"rows": nine.lazy().sort(KEYS).collect(engine="streaming").height},
        "measures": measures,
        "losses": lambda: {"information_loss": losses(file, release).information_loss},
        **dict.fromkeys(methods, change),
    }
    if name in ("measures", "losses"):
        release = microdata(table.with_columns(**methods["cluster"].change(Asked(file=file, rng=None)).columns))
    repeat(works[name], TIMES)


def main() -> None:
    path = str(file_of(RECORDS).absolute())
    here = Path(__file__)
    base = run(OURS, here, "data", path).peak_mb
    print(f"the data alone: {base:.0f} MB")
    found = {}
    for name, what in JOBS.items():
        m = found[name] = run(OURS, here, name, path)
        sort = min(found[n].seconds for n in ("sort", "sort-streaming") if n in found)
        print(
            f"{what:65s} {m.seconds:7.2f} s  ratio {m.seconds / sort:5.2f}  {m.peak_mb - base:6.0f} MB  {m.answer}",
            flush=True,
        )
    print("bars: S2, S4 and the measures at most 6 times one sort, and below 2,000 MB above the data")


if __name__ == "__main__":
    job(*sys.argv[1:]) if len(sys.argv) > 1 else main()
