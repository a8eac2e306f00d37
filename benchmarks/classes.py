"""Equivalence classes: 4 million records × 9 quasi-identifiers, and 40 million out of one file.

The job: class size of every record, uniques, k, ℓ of the charge, disclosure of charges above 100,000.
The peers: a plain group-by of the same keys (counts alone) in DuckDB and Polars; the whole job in DuckDB and
pandas; k alone in pycanon, which has no class size per record.
"""

import sys
from pathlib import Path

from discharges import write_discharges
from measure import HERE, peers, run

DATA = HERE / "data"
JOB = HERE / "classes_job.py"
OURS = Path(sys.executable)
CONTENDERS = (
    "lookalike-polars",
    "plain-duckdb",
    "plain-polars",
    "lookalike-duckdb",
    "lookalike-spark",
    "whole-duckdb",
    "pandas",
    "pycanon",
)


def file_of(records: int) -> Path:
    DATA.mkdir(exist_ok=True)
    path = DATA / f"discharges-{records}.parquet"
    if not path.exists():
        write_discharges(path, records)
    return path


def four_million() -> None:
    file = file_of(4_000_000)
    found = {}
    for name in CONTENDERS:
        found[name] = run(peers("peers.txt") if name == "pycanon" else OURS, JOB, name, str(file))
        m = found[name]
        print(
            f"{name:18s}", "failed" if m is None else f"{m.seconds:8.2f} s {m.peak_mb:8.0f} MB  {m.answer}", flush=True
        )
    ours = found["lookalike-polars"]
    plain = min(found["plain-duckdb"].seconds, found["plain-polars"].seconds)
    answers = [m.answer for n, m in found.items() if m and n.startswith(("lookalike", "whole", "pandas"))]
    print(f"all whole jobs agree: {all(a == answers[0] for a in answers)}")
    print(f"ratio to the faster plain group-by: {ours.seconds / plain:.2f} (bar: at most 1.5)")
    print(f"pandas / ours: {found['pandas'].seconds / ours.seconds:.1f} (bar: at least 5)")
    print(f"pycanon (k alone) / ours (whole job): {found['pycanon'].seconds / ours.seconds:.0f} (bar: at least 20)")
    print(f"peak memory: {ours.peak_mb:.0f} MB, interpreter and data included (bar: 2,000 above the data)")


def forty_million() -> None:
    file = file_of(40_000_000)
    for name in ("lookalike-polars", "lookalike-duckdb", "plain-duckdb"):
        m = run(OURS, JOB, name, str(file), "2")
        print(
            f"40M {name:18s}",
            "failed" if m is None else f"{m.seconds:8.2f} s {m.peak_mb:8.0f} MB  {m.answer}",
            flush=True,
        )


if __name__ == "__main__":
    four_million()
    if "--large" in sys.argv:
        forty_million()
