"""The study of Sánchez, Martínez and Domingo-Ferrer (2016) on simulated discharges: figures S3 to S7 as tables.

    python benchmarks/discharge_study.py                      3,985,166 records, some minutes
    python benchmarks/discharge_study.py --records 100000

Writes benchmarks/data/discharge-study.json, which docs/pictures/discharges.py draws, and prints the tables of
docs/concepts/discharge-study.md.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

import lookalike as la
from discharges import CENSUS, KEYS, SPATIAL, TEMPORAL, discharges
from lookalike import risk
from lookalike.anonymize.columns.coded import axis_of
from lookalike.anonymize.generalizing.coarsening import Coarsening
from lookalike.anonymize.grouping.clustering import Microaggregation
from lookalike.anonymize.grouping.mondrian import Mondrian
from lookalike.anonymize.grouping.t_close import TClose
from lookalike.anonymize.method import Asked
from lookalike.anonymize.suppressing.safe_harbor import SafeHarbor
from lookalike.classes import group
from lookalike.data import Microdata, spans
from lookalike.engine import records
from lookalike.utility import Covers, losses, squared_distances
from measure import HERE

RECORDS = 3_985_166
LIMIT = 100_000
KS = (2, 3, 5, 10)
RESOLUTIONS = (2, 4, 8, 16, 32, None)
PARTS = {"census": CENSUS, "spatial": SPATIAL, "temporal": TEMPORAL}
JUDGED = 20_000
"""Records of the masked file whose fitting uniqueness is looked at."""
OUT = HERE / "data" / "discharge-study.json"
MASKING = SafeHarbor.hipaa(
    age="age_yrs",
    ethnicity="ethncty",
    race="race",
    sex="sex",
    quarter="adm_qtr",
    zip_code="patzip",
    county="patcnty",
)
METHODS: dict[str, Any] = {
    **{f"k = {k}": Microaggregation(k=k) for k in KS},
    **{f"k = {k}, safe kept": Microaggregation(k=k, keep_safe=True) for k in KS},
    **{f"k = {k}, t-close": TClose(k=k) for k in KS},
    **{f"k = {k}, t kept": TClose(k=k, keep_t=True, remainder="spread") for k in KS},
    **{f"k = {k}, Mondrian": Mondrian(k=k) for k in KS},
    **{f"coarsened 1/{r}": Coarsening(resolution=r) for r in (32, 16, 8)},
    "safe harbor": MASKING,
    "safe harbor, all nine compared": replace(MASKING, columns=KEYS),
}


def microdata(table: pl.DataFrame) -> Microdata:
    return la.read(table, quasi_identifiers=list(KEYS), sensitive=["charge"], kinds={"charge": "numeric"})


def known_sets() -> dict[str, list[str]]:
    """Every union of census, spatial and temporal attributes."""
    names = [c for size in (1, 2, 3) for c in combinations(PARTS, size)]
    return {" + ".join(chosen): [key for name in chosen for key in PARTS[name]] for chosen in names}


def unique_share(file: Microdata, keys: list[str]) -> float:
    return risk.unique_records(la.EquivalenceClasses.of(file, keys)).value


def measured(original: Microdata, release: Microdata) -> dict[str, float]:
    """Risk and loss of a release (figures S4 and S7)."""
    classes = la.EquivalenceClasses.of(release)
    spread = la.Spread.of(classes, "charge")
    lost = losses(original, release)
    return {
        "unique": risk.unique_records(classes).value,
        "unique_records": risk.unique_records(classes).count,
        "k": risk.k_anonymity(classes),
        "random": len(classes) / classes.records,
        "disclosure": risk.attribute_disclosure(spread, risk.in_range(spread, above=LIMIT)).value,
        "t": risk.earth_mover_closeness(spread).t,
        "loss": lost.information_loss,
        "granularity": lost.granularity,
        "suppressed": lost.suppressed,
    }


def released(file: Microdata, table: pl.DataFrame, method: Any) -> tuple[Microdata, dict[str, float]]:
    made = method.change(Asked(file=file, rng=np.random.default_rng(1)))
    return microdata(table.with_columns(**made.columns)), dict(made.figures)


def fitting(release: Microdata) -> dict[str, float]:
    """The share of records that may be unique if intervals and wildcards are followed, by a sample of the records."""
    table = records(release.table, list(KEYS))
    ends = [spans(table[key].cast(pl.String)) for key in KEYS]
    low, high = np.column_stack([a for a, _ in ends]), np.column_stack([b for _, b in ends])
    sizes = la.EquivalenceClasses.of(release).size_per_record()
    alone = np.flatnonzero(sizes == 1)
    chosen = np.random.default_rng(1).choice(alone, min(JUDGED, len(alone)), replace=False)
    marked = np.full(len(sizes), 2)
    marked[chosen] = 1
    found = risk.fitting_uniques(low, high, marked)
    share = np.count_nonzero(found.unique[chosen]) / max(len(chosen), 1)
    return {"fitting": share * len(alone) / len(sizes), "undecided": found.undecided / max(len(chosen), 1)}


def surface(file: Microdata) -> list[dict[str, Any]]:
    """Uniqueness and loss by the resolution of spatiotemporal and census attributes (figures S5 and S6)."""
    sides = {"spatiotemporal": SPATIAL + TEMPORAL, "census": CENSUS}
    labels: dict[tuple[str, int | None], Any] = {}
    squares: dict[tuple[str, int | None], Any] = {}
    for side, keys in sides.items():
        for resolution in RESOLUTIONS:
            labels[side, resolution], squares[side, resolution] = coarse(file, keys, resolution)
    rows = []
    for place in RESOLUTIONS:
        for census in RESOLUTIONS:
            both = [labels["spatiotemporal", place], labels["census", census]]
            sizes = np.bincount(group(both))
            distance = np.sqrt(squares["spatiotemporal", place] + squares["census", census])
            rows.append(
                {
                    "spatiotemporal": place,
                    "census": census,
                    "unique_records": int((sizes == 1).sum()),
                    "unique": int((sizes == 1).sum()) / file.records,
                    "loss": float(distance.mean()) / len(KEYS),
                }
            )
    return rows


def coarse(file: Microdata, keys: tuple[str, ...], resolution: int | None) -> tuple[Any, Any]:
    """The classes of some columns at a resolution, and the squared distances to the original."""
    axes = [axis_of(file, key) for key in keys]
    if resolution is None:
        return group(axis.codes.astype(np.int64) for axis in axes).astype(np.int64), np.zeros(file.records)
    made = Coarsening(resolution=resolution, columns=keys).change(Asked(file=file, rng=np.random.default_rng(1)))
    covers = [Covers.of(axis, made.columns[axis.name]) for axis in axes]
    total = np.zeros(file.records)
    for cover in covers:
        total += squared_distances(cover)
    return group(cover.codes.astype(np.int64) for cover in covers).astype(np.int64), total


def study(n: int) -> dict[str, Any]:
    """All of it; what an earlier run on as many records has found is not computed again."""
    table = discharges(n)
    file = microdata(table)
    found = earlier(n)
    if "original" not in found["releases"]:
        found["releases"]["original"] = measured(file, file)
        found["knowledge"] = {name: {"original": unique_share(file, keys)} for name, keys in known_sets().items()}
        found["high"] = float((table["charge"] > LIMIT).mean())
    for name, method in METHODS.items():
        if name in found["releases"]:
            continue
        start = time.perf_counter()
        release, figures = released(file, table, method)
        seconds = time.perf_counter() - start
        row = measured(file, release)
        if name.startswith("safe harbor"):
            for known, keys in known_sets().items():
                found["knowledge"][known][name] = unique_share(release, keys)
            row |= fitting(release)
        found["releases"][name] = {**row, "seconds": seconds}
        found["figures"][name] = figures
        OUT.write_text(json.dumps(found, indent=1))
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    if "surface" not in found:
        found["surface"] = surface(file)
        OUT.write_text(json.dumps(found, indent=1))
    return found


def earlier(n: int) -> dict[str, Any]:
    OUT.parent.mkdir(exist_ok=True)
    found = json.loads(OUT.read_text()) if OUT.exists() else {}
    return found if found.get("records") == n else {"records": n, "releases": {}, "figures": {}}


def markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def percent(share: float | None) -> str:
    if share is None:
        return ""
    return "0" if share == 0 else f"{share:.2%}" if share >= 0.0005 else f"{share:.5%}"


def tables(found: dict[str, Any]) -> str:
    """The tables of docs/concepts/discharge-study.md."""
    known = markdown(
        ["known to the attacker", "original", "masked in order", "masked, all nine compared"],
        [[name, *(percent(share) for share in shares.values())] for name, shares in found["knowledge"].items()],
    )
    head = ["release", "unique records", "k", "mean 1/f", "charges above 100,000 disclosed", "t", "information loss"]
    risks = markdown(
        [*head, "granularity"],
        [
            [
                name,
                f"{row['unique_records']:,} ({percent(row['unique'])})",
                f"{row['k']:.0f}",
                f"{row['random']:.4f}",
                percent(row["disclosure"]),
                f"{row['t']:.4f}",
                f"{row['loss']:.4f}",
                f"{row['granularity']:.4f}",
            ]
            for name, row in found["releases"].items()
        ],
    )
    names = ("t", "t bound", "t of ranks", "t bound of ranks", "t of equation 6")
    bounds = markdown(
        ["release", "group size", *names],
        [
            [name, f"{row['group size']:.0f}", *(f"{row[n]:.4f}" for n in names)]
            for name, row in found["figures"].items()
            if "t bound" in row
        ],
    )
    surfaces = [grid(found, "unique", percent), grid(found, "loss", "{:.4f}".format)]
    return "\n".join([known, risks, bounds, *surfaces])


def grid(found: dict[str, Any], what: str, said: Any) -> str:
    """One figure for every pair of resolutions."""
    at = {(row["spatiotemporal"], row["census"]): row[what] for row in found["surface"]}
    shown = ["all" if r is None else str(r) for r in RESOLUTIONS]
    rows = [[name, *(said(at[place, c]) for c in RESOLUTIONS)] for name, place in zip(shown, RESOLUTIONS, strict=True)]
    return markdown(["spatiotemporal \\ census", *shown], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Repeat the study of seed 004 on simulated discharges.")
    parser.add_argument("--records", type=int, default=RECORDS)
    print(tables(study(parser.parse_args().records)))


if __name__ == "__main__":
    main()
