"""High-cardinality areas: B by the posterior with and without known margins, against the truth.

The population is the US survey file itself (3,422,888 persons), an area is state and PUMA together (2,400 of them).
Samples of 20,000 and 3,400 persons; the margin is the number of persons by area. Needs ../shared/data.
"""

import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
import polars as pl

from lookalike.classes import encode, group
from lookalike.population import Margin, Posterior, Sample

FILE = Path(__file__).resolve().parents[2] / "shared" / "data" / "acs2024_person_us12.parquet"
KEYS = {"age, sex, area": ["AGEP", "SEX"], "with race and schooling": ["AGEP", "SEX", "RAC1P", "SCHL"]}


def drawn(codes: np.ndarray, n: int, rng: np.random.Generator) -> tuple[Sample, float, Margin]:
    """A sample, its true B, and the people by area (column 0)."""
    labels = group(list(codes.T))
    people = np.bincount(labels)
    rows = rng.choice(len(codes), n, replace=False)
    _, at, sizes = np.unique(labels[rows], return_index=True, return_counts=True)
    first = rows[at]
    sample = Sample.from_codes(codes[first], sizes)
    truth = float((sizes / people[labels[first]]).sum()) / n
    counts = np.bincount(codes[:, 0])
    seen, place = np.unique(codes[first, 0], return_inverse=True)
    margin = Margin(
        name="areas",
        variables=(0,),
        cells=np.arange(len(seen), dtype=np.int32)[:, None],
        people=counts[seen].astype(float),
        elsewhere=float(counts.sum() - counts[seen].sum()),
        of_class=place,
    )
    return sample, truth, margin


def main() -> None:
    if not FILE.exists():
        sys.exit("needs the real data beside the project")
    data = pl.read_parquet(FILE)
    area = encode(data.select(pl.concat_str("STATE", "PUMA")).to_series())
    print(f"{len(np.unique(area)):,} areas, {data.height:,} persons")
    for name, keys in KEYS.items():
        codes = np.column_stack([area, *(encode(data[k].fill_null(-1)) for k in keys)])
        for n in (20_000, 3_400):
            sample, truth, margin = drawn(codes, n, np.random.default_rng(1))
            told = []
            for margins in ((), (margin,)):
                clock = perf_counter()
                found = (
                    Posterior()
                    .estimate(replace(sample, margins=margins), data.height, rng=np.random.default_rng(2))
                    .match_rate
                )
                told.append(
                    f"{found.value:.4f} ({found.low:.4f} to {found.high:.4f}; error {found.value - truth:+.4f}; "
                    f"{perf_counter() - clock:.0f} s)"
                )
            print(f"{name}, n = {n:,}: B = {truth:.4f}; without {told[0]}; with margins {told[1]}", flush=True)


if __name__ == "__main__":
    main()
