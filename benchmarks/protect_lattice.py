"""Generalization of Adult with ARX's hierarchies: loss and CPU seconds against ARX; `--large`: four million records.

Each run is a process of its own: Python, imports, reading the file and its hierarchies, the search, the columns. Its
CPU seconds are user and system time of the whole process. ARX's are whole runs too, JVM included (3.9.2, same data, a
machine of this kind). Losses of both solutions are computed here by a plain group-by, with one metric.

    python benchmarks/protect_lattice.py [--large]
"""

import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
SHARED = HERE.parents[1] / "shared" / "data"
NINE = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
# Run, quasi-identifiers, suppression limit, other limits, ARX's levels, its CPU seconds.
RUNS = [
    ("k = 5, nine, limit 0", 9, 0.0, {}, (0, 4, 1, 1, 3, 2, 2, 1, 0), 6.8),
    ("k = 5, nine, limit 2 %", 9, 0.02, {}, (0, 3, 0, 2, 2, 1, 1, 2, 0), 10.1),
    ("k = 5, nine, limit 100 %", 9, 1.0, {}, (0, 3, 0, 0, 2, 1, 1, 1, 0), 11.8),
    ("k = 5, KEY7, limit 2 %", 7, 0.02, {}, (0, 3, 0, 1, 2, 1, 1), 7.6),
    ("... and l = 3", 7, 0.02, {"l_diversity": 3}, (0, 3, 0, 1, 2, 1, 1), 8.5),
    ("... and t = 0.2", 7, 0.02, {"t_closeness": 0.2}, (1, 4, 1, 1, 3, 1, 2), 7.3),
]
BAR = 1 / 3
REPEATS = 3


def job(keys: int, limit: float, more: dict) -> None:
    """One run: its last line is what it found."""
    import numpy as np

    import lookalike as la
    from lookalike.anonymize.generalizing.generalization import Generalization
    from lookalike.anonymize.method import Asked
    from lookalike.threshold import Threshold

    sensitive = ["occupation"] if more else []
    file = la.read(SHARED / "adult_arx.csv", quasi_identifiers=NINE[:keys], sensitive=sensitive)
    until = Threshold(sample_to_population=None, k_anonymity=5, **more)
    method = Generalization(hierarchies=str(SHARED / "hierarchies"), max_suppression=limit, drop=True)
    changed = method.change(Asked(file=file, rng=np.random.default_rng(1), until=until))
    told = {k: changed.details[k] for k in ("levels", "nodes", "nodes_checked", "seconds", "complete")}
    print(json.dumps(told | {"suppressed": changed.figures["suppressed_records"], "numba": "numba" in sys.modules}))


def large() -> None:
    """Four million simulated discharges (`discharges.py`), hierarchies suggested, a minute of search."""
    import numpy as np

    import lookalike as la
    from discharges import KEYS
    from lookalike.anonymize.generalizing.generalization import Generalization
    from lookalike.anonymize.method import Asked
    from lookalike.threshold import Threshold

    file = la.read(HERE / "data" / "discharges-4000000.parquet", quasi_identifiers=list(KEYS))
    until = Threshold(sample_to_population=None, k_anonymity=5)
    method = Generalization(max_suppression=0.02, time_limit=60)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    start = time.perf_counter()
    changed = method.change(Asked(file=file, rng=np.random.default_rng(1), until=until))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    told = {k: changed.details[k] for k in ("levels", "nodes", "nodes_checked", "seconds", "complete")}
    print(json.dumps(told | {"loss": changed.figures["loss"], "all": seconds, "peak_mb": peak, "before_mb": before}))


def measured(*args: str, **environment: str) -> tuple[float, dict]:
    """CPU seconds of a child, and its last line."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(
        [sys.executable, __file__, *args], capture_output=True, text=True, check=True, env=os.environ | environment
    ).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, json.loads(out.strip().splitlines()[-1])


def evaluated(keys: int, levels: dict[str, int], more: dict) -> tuple[float, int]:
    """Loss and suppressed records of levels by a group-by of the file: records of classes that fail go."""
    with (SHARED / "adult_arx.csv").open() as file:
        rows = list(csv.DictReader(file))
    whole = Counter(row["occupation"] for row in rows)
    total, shares, cells = 0.0, [], []
    for name in NINE[:keys]:
        with (SHARED / "hierarchies" / f"adult_hierarchy_{name}.csv").open() as file:
            table = {row[0]: row for row in csv.reader(file, delimiter=";")}
        covered = Counter(row[levels[name]] for row in table.values())
        cells.append([table[row[name]][levels[name]] for row in rows])
        shares.append([(covered[cell] - 1) / (len(table) - 1) for cell in cells[-1]])
    classes: dict[tuple, list[int]] = {}
    for i, key in enumerate(zip(*cells, strict=True)):
        classes.setdefault(key, []).append(i)
    suppressed = 0
    for members in classes.values():
        own = Counter(rows[i]["occupation"] for i in members)
        far = sum(abs(own[v] / len(members) - n / len(rows)) for v, n in whole.items()) / 2
        fails = len(members) < 5 or len(own) < more.get("l_diversity", 1) or far > more.get("t_closeness", 1)
        suppressed += len(members) if fails else 0
        total += len(members) if fails else sum(share[i] for share in shares for i in members) / keys
    return total / len(rows), suppressed


def main() -> None:
    if "--large" in sys.argv:
        used, told = measured("large")
        print(f"4,000,000 records: {used:.1f} CPU s; {told}")
        return
    for name, keys, limit, more, arx, seconds in RUNS:
        given = (str(keys), str(limit), json.dumps(more))
        used, told = min((measured("job", *given) for _ in range(REPEATS)), key=lambda pair: pair[0])
        with tempfile.TemporaryDirectory() as empty:
            cold, _ = measured("job", *given, NUMBA_CACHE_DIR=empty)
        ours, gone = evaluated(keys, told["levels"], more)
        theirs, also = evaluated(keys, dict(zip(NINE, arx, strict=False)), more)
        speed = told["nodes_checked"] / told["seconds"]
        print(
            f"{name:26s} loss {ours:.6f} ({gone:,} suppressed), ARX {theirs:.6f} ({also:,}): "
            f"{'not above' if ours <= theirs + 1e-12 else 'ABOVE'}; CPU {used:.2f} s (cold {cold:.2f}), ARX {seconds}: "
            f"{used / seconds:.2f} (bar {BAR:.2f}); {told['nodes_checked']} of {told['nodes']:,} versions judged, "
            f"{speed:,.0f} a second; kernels loaded: {told['numba']}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["job"]:
        job(int(sys.argv[2]), float(sys.argv[3]), json.loads(sys.argv[4]))
    elif sys.argv[1:2] == ["large"]:
        large()
    else:
        main()
