"""Local suppression, MDAV and Mondrian against sdcMicro 5.8.1 and Algorithm S2 of seed 004.

CPU seconds are those of a whole process: start, imports, reading the file and the work, on all cores. `warm` has the
compiled kernels on disk, `cold` compiles them, which happens once on a machine; `work` is the method alone, kernels
loaded from disk included. sdcMicro's figures are those of ../shared/reference (a machine of this kind). `--large` adds
files of millions of records, with the peak memory above that of a process which only holds the data.

    python benchmarks/protect_cells.py
    python benchmarks/protect_cells.py --large
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Nothing else here: these imports count in every job.
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
KEY7 = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass"]
FIVE = ["age", "education_num", "capital_gain", "capital_loss", "hours_per_week"]
MILLIONS = 4_000_000
ROUNDS = 3

SMALL = {
    # job: what it is, CPU seconds of sdcMicro, its cells or its loss
    "suppress-7-wildcard": ("local suppression, KEY7, k = 3, wildcards", 179.0, 11_273),
    "suppress-5-wildcard": ("local suppression, five keys, k = 3, wildcards", 37.0, 5_101),
    "suppress-7-alone": ("the same, KEY7, each record by its own cells", None, None),
    "suppress-7-own": ("the same, KEY7, blanks as a value", None, None),
    "suppress-5-own": ("the same, five keys, blanks as a value", None, None),
    "mdav-3": ("MDAV, Adult, five columns, k = 3", 5.5, 0.38120),
    "mdav-5": ("MDAV, Adult, five columns, k = 5", 2.6, 0.69327),
    "mdav-10": ("MDAV, Adult, five columns, k = 10", 1.5, 1.28036),
    "mdav-5-refined": ("MDAV with exchange of places, k = 5", None, None),
    "mondrian-5": ("Mondrian, Adult, nine columns, k = 5", None, None),
}
LARGE = {
    "data": "the data alone",
    "mondrian-large": "Mondrian, 4,000,000 × 9, k = 5",
    "own-large": "local suppression, 4,000,000 × 9, k = 3, blanks as a value",
    "wildcard-large": "local suppression, 400,000 × 9, k = 3, wildcards",
    "mdav-large": "MDAV, 1,000,000 × 5 normal numbers, k = 5",
    "mdav-large-block": "the same, cut into parts of 10,000 first",
}


def job(name: str) -> dict:
    """One job in this process; what it found."""
    import numpy as np
    import polars as pl

    import lookalike as la
    from lookalike.anonymize.method import Asked
    from lookalike.classes import Missing

    def run(method, table, missing=Missing.OWN):
        file = la.read(table, quasi_identifiers=table.columns)
        start = time.process_time()
        made = method.change(Asked(file=file, rng=np.random.default_rng(1), missing=missing))
        return {**{key: float(value) for key, value in made.figures.items()}, "work": time.process_time() - start}

    what, _, rest = name.partition("-")
    if rest.startswith("large"):
        return run(*_large(name))
    if what == "suppress":
        from lookalike.anonymize.suppressing.suppression import LocalSuppression

        keys, reading = rest.split("-")
        table = pl.read_csv(SHARED / "adult_arx.csv", columns=KEY7[: int(keys)])
        missing = Missing.OWN if reading == "own" else Missing.WILDCARD
        return run(LocalSuppression(k=3, others=reading != "alone"), table, missing)
    if what == "mdav":
        from lookalike.anonymize.grouping.mdav import Mdav

        k, _, refined = rest.partition("-")
        table = pl.read_csv(SHARED / "adult.csv", n_rows=32_561).drop_nulls().select(FIVE)
        return run(Mdav(k=int(k), refine=10 if refined else 0), table)
    from lookalike.anonymize.grouping.mondrian import Mondrian

    return run(Mondrian(k=int(rest)), pl.read_csv(SHARED / "adult_arx.csv"))


def _large(name: str):
    """Method, table and reading of a job on a large file."""
    import numpy as np
    import polars as pl

    from classes import file_of
    from discharges import KEYS
    from lookalike.anonymize.grouping.mdav import Mdav
    from lookalike.anonymize.grouping.mondrian import Mondrian
    from lookalike.anonymize.suppressing.suppression import LocalSuppression
    from lookalike.classes import Missing

    if name.startswith("mdav"):
        numbers = np.random.default_rng(1).standard_normal((5, 1_000_000))
        block = 10_000 if name.endswith("block") else None
        return Mdav(k=5, block=block), pl.DataFrame(dict(zip("abcde", numbers, strict=True)))
    table = pl.read_parquet(file_of(MILLIONS), columns=list(KEYS))
    if name == "wildcard-large":
        return LocalSuppression(k=3), table.head(400_000), Missing.WILDCARD
    return (Mondrian(k=5) if name == "mondrian-large" else LocalSuppression(k=3)), table


def child(name: str, **environment: str) -> tuple[float, float, dict]:
    """CPU seconds and peak megabytes of a process that does one job, and what it found."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, __file__, "job", name],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return seconds, found.pop("peak"), found


def small() -> None:
    """Each job: the best of some processes with compiled kernels on disk, and one that compiles them."""
    print(
        f"{'job':52s} {'warm s':>7s} {'work s':>7s} {'cold s':>7s} {'sdcMicro s':>10s} {'ratio':>6s}  found (sdcMicro)"
    )
    for name, (what, theirs, result) in SMALL.items():
        rounds = [child(name) for _ in range(ROUNDS + 1)]
        seconds = min(one[0] for one in rounds)
        found = rounds[0][2]
        work = min(one[2]["work"] for one in rounds)
        with tempfile.TemporaryDirectory() as folder:
            cold = child(name, NUMBA_CACHE_DIR=folder)[0]
        figure = found.get("cells suppressed", found.get("loss", found.get("groups")))
        told = f"{theirs:10.1f} {theirs / seconds:6.1f}" if theirs else f"{'':17s}"
        more = found.get("records that fit fewer than k")
        print(
            f"{what:52s} {seconds:7.2f} {work:7.2f} {cold:7.2f} {told}  {figure:,.5g}"
            + (f" ({result:,})" if result else "")
            + (f"; records that fit fewer than k: {more:,.0f}" if more is not None else ""),
            flush=True,
        )


def losses() -> None:
    """Equation 3 of seed 004 for Mondrian and Algorithm S2, on Adult and on discharges."""
    import polars as pl

    import lookalike as la
    from classes import file_of
    from discharges import KEYS
    from lookalike.anonymize.columns.coded import axis_of
    from lookalike.anonymize.columns.distance import by_distance_to_zero
    from lookalike.anonymize.columns.groups import Groups
    from lookalike.anonymize.grouping.mondrian import parts

    files = {
        "Adult, nine columns": pl.read_csv(SHARED / "adult_arx.csv"),
        "4,000,000 discharges, nine columns": pl.read_parquet(file_of(MILLIONS), columns=list(KEYS)),
    }
    for what, table in files.items():
        axes = [axis_of(la.read(table), name) for name in table.columns]
        for k in (2, 5, 10):
            s2 = loss(axes, Groups.cut(by_distance_to_zero(axes), k))
            ours, strict = (loss(axes, parts(axes, k, strict=strict)) for strict in (False, True))
            print(
                f"{what}, k = {k}: S2 {s2:.4f}, Mondrian {ours:.4f} (strict {strict:.4f}), ratio {ours / s2:.3f}",
                flush=True,
            )


def loss(axes, groups) -> float:
    """(1/(nm)) Σ_i √(Σ_j ((a − a')/σ)²), a' the farther end of the group's range."""
    import numpy as np

    total = np.zeros(len(groups.order))
    for axis in axes:
        at = axis.positions[axis.codes[groups.order]] / (axis.deviation or 1.0)
        low, high = (np.repeat(end.reduceat(at, groups.starts), groups.sizes) for end in (np.minimum, np.maximum))
        total += np.maximum(high - at, at - low) ** 2
    return float(np.sqrt(total).mean() / len(axes))


def large() -> None:
    held = None
    for name, what in LARGE.items():
        seconds, peak, found = child(name)
        held = peak if held is None else held
        work = found.pop("work", 0.0)
        told = {key: round(value, 4) for key, value in found.items()}
        print(
            f"{what:60s} {seconds:8.1f} CPU s, work {work:8.1f}; {peak - held:6.0f} MB above the data; {told}",
            flush=True,
        )


def data_alone() -> dict:
    import polars as pl

    import lookalike as la
    from classes import file_of
    from discharges import KEYS

    table = pl.read_parquet(file_of(MILLIONS), columns=list(KEYS))
    return {"records": la.read(table, quasi_identifiers=table.columns).records}


if __name__ == "__main__":
    if sys.argv[1:2] == ["job"]:
        found = data_alone() if sys.argv[2] == "data" else job(sys.argv[2])
        print(json.dumps({**found, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}))
    else:
        small()
        losses()
        if "--large" in sys.argv:
            large()
