"""Is the risk of single records right? Predicted against true in ten bins, and how far seeds move the answer.

Samples of files that are taken as populations (those of `study.py`, `../shared/data`). Every record of a sample has a
predicted risk; its true one is 1/F. In each bin of the predicted risk the two means are compared: bar 0.03. Then the
same sample with ten seeds: the spread (standard deviation) of B against the width of its interval, and of that width.

    ./run bench calibration
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

import lookalike as la
from study import ACS, ADULT, NEXOID, PCS, SD2011, TESTDATA, TEXAS
from thin import people, thinned

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FILES = {
    "adult": ("adult.csv", ADULT),
    "texas": ("texas.csv", TEXAS),
    "nexoid": ("nexoid_subset.csv", NEXOID),
    "sd2011": ("synthpop_SD2011.csv", SD2011),
    "testdata": ("sdcMicro_testdata.csv", TESTDATA),
    "pcs": ("pcs2019_recoded.parquet", PCS),
    "acs": ("acs2024_person_us12.parquet", ACS),
}
FRACTIONS = (0.02, 0.1, 0.3)
SETS = 3
MOST = 20_000
SEEDS = 10
EDGES = np.linspace(0, 1, 11)


def read(file: str) -> pl.DataFrame:
    path = DATA / file
    return pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path, infer_schema_length=None)


def assessed(sample: pl.DataFrame, population: int, seed: int = 1) -> la.Evaluation:
    return la.assess(
        sample,
        quasi_identifiers=sample.columns,
        population=population,
        seed=seed,
        records=True,
        suda_size=None,
        backtest=False,
    )


def bins() -> None:
    """Predicted and true risk by bin, over all files and sets of quasi-identifiers."""
    print("file, fraction: records and predicted − true in each of ten bins (– below 100 records)")
    worst = 0.0
    for name, (file, known) in FILES.items():
        frame = read(file)
        names = known.split(",")
        for fraction in FRACTIONS:
            if not 100 < fraction * len(frame) <= MOST:
                continue
            rng = np.random.default_rng([len(frame), int(100 * fraction)])
            told, true = [], []
            for _ in range(SETS):
                chosen = [names[j] for j in np.sort(rng.choice(len(names), rng.integers(3, len(names) + 1), False))]
                alike = frame.select(*chosen, pl.len().over(chosen).alias("_alike"))
                drawn = alike[rng.choice(len(frame), round(fraction * len(frame)), replace=False)]
                records = assessed(drawn.drop("_alike"), len(frame)).records
                assert records is not None
                told.append(records["sample_to_population_posterior"])
                true.append(1 / drawn["_alike"].to_numpy())
            predicted, exact = np.concatenate(told), np.concatenate(true)
            place = np.clip(np.digitize(predicted, EDGES) - 1, 0, 9)
            cells = []
            for b in range(10):
                inside = place == b
                if inside.sum() < 100:
                    cells.append("    –  ")
                    continue
                gap = float(predicted[inside].mean() - exact[inside].mean())
                worst = max(worst, abs(gap))
                cells.append(f"{gap:+.3f} ")
            print(f"{name:9s} {fraction:4.2f} {len(predicted):6d}  {' '.join(cells)}", flush=True)
    print(f"largest gap: {worst:.3f} (bar 0.03)")


def seeds() -> None:
    """The same sample with ten seeds."""
    print("sample: value (sd over seeds as a share of the interval's width, bar 0.2), width (sd as a share, bar 0.2)")
    whole = people()
    half = thinned(whole, 1.0)
    cases = [
        ("adult, 2,442", read("adult.csv").select(ADULT.split(",")), 2_442),
        ("texas, 1,000", read("texas.csv").select(TEXAS.split(",")), 1_000),
        ("nexoid, 1,158", read("nexoid_subset.csv").select(NEXOID.split(",")), 1_158),
        ("acs, 3,000", read("acs2024_person_us12.parquet").select(ACS.split(",")), 3_000),
        ("acs areas, 500", whole.select("AGE", "SEX", "AREA"), 500),
        ("thinned 1.0 areas, 500", half.select("AGE", "SEX", "AREA"), 500),
        ("thinned 1.0 areas, 3,000", half.select("AGE", "SEX", "AREA", "RAC1P"), 3_000),
    ]
    for name, frame, size in cases:
        sample = frame[np.random.default_rng(3).choice(len(frame), size, replace=False)]
        found = [assessed(sample, len(frame), seed).risk.sample_to_population for seed in range(1, SEEDS + 1)]
        values = np.array([f.value for f in found], float)
        widths = np.array([f.high - f.low for f in found], float)
        print(
            f"{name:26s} {values.mean():.4f} (sd {values.std() / widths.mean():.2f} of the width)  "
            f"width {widths.mean():.4f} (sd {widths.std() / widths.mean():.2f} of it)",
            flush=True,
        )


if __name__ == "__main__":
    bins()
    seeds()
