"""Simulated hospital discharges, as many as asked for, shaped like those of California in 2009.

The quasi-identifiers, their codes and their sizes follow the supplement of Sanchez, Martinez and
Domingo-Ferrer, "Comment on 'Unique in the shopping mall'", Science 351 (2016), tables S1, S2 and S4:
3,985,166 discharges, almost 75 % of them unique on the nine attributes, a correlation of 0.81 between
hospital and county of residence. No record is about anyone.

The law is fixed and every record is drawn from it alone, so that only the number of records changes
uniqueness. Records come in blocks, each with its own stream: a longer file begins with the shorter one.

    python benchmarks/discharges.py 4000000 discharges.parquet
    python benchmarks/discharges.py 4000000 discharges.parquet --measure
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

BLOCK = 250_000
CENSUS = ("age_yrs", "sex", "ethncty", "race", "patzip", "patcnty")
SPATIAL = ("oshpd_id",)
TEMPORAL = ("los", "adm_qtr")
KEYS = CENSUS + SPATIAL + TEMPORAL
GROUPS = {
    "census": CENSUS,
    "census + spatial": CENSUS + SPATIAL,
    "census + temporal": CENSUS + TEMPORAL,
    "all nine": KEYS,
}
SCHEMA: dict[str, type[pl.DataType]] = {
    "oshpd_id": pl.Int32,
    "age_yrs": pl.Int8,
    "sex": pl.Int8,
    "ethncty": pl.Int8,
    "race": pl.Int8,
    "patzip": pl.Int32,
    "patcnty": pl.Int8,
    "los": pl.Int16,
    "adm_qtr": pl.Int8,
    "charge": pl.Int32,
}

# Inhabitants of the 58 counties in thousands, in the order of their names: county 1 to county 58.
# fmt: off
COUNTIES = np.array([
    1510, 1, 38, 220, 46, 21, 1049, 29, 181, 930, 28, 135, 175, 19, 840, 153, 65, 35, 9819, 151,
    252, 18, 88, 256, 10, 14, 415, 136, 99, 3010, 348, 20, 2190, 1419, 55, 2035, 3095, 805, 685, 270,
    718, 424, 1782, 262, 177, 3, 45, 413, 484, 514, 95, 63, 14, 442, 55, 823, 201, 72,
], np.float64)
# fmt: on
AGES = np.arange(86)
# First age of each band in which the ethnic mix is the same: newborns, young, middle, old.
BANDS = (0, 1, 45, 65)
# Ethnicity (1 Hispanic, 2 not, 3 unknown) and race (1 White, 2 Black, 3 Native, 4 Asian, 5 other,
# 6 unknown) together, with the weight of each pair in a usual place, for each band of ages.
PAIRS = np.array([(1, 1), (1, 5), (1, 6), (2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (3, 1), (3, 6)])
MIXES = np.array(
    [
        [0.26, 0.26, 0.006, 0.26, 0.050, 0.003, 0.105, 0.025, 0.008, 0.016],
        [0.21, 0.21, 0.005, 0.38, 0.080, 0.004, 0.075, 0.020, 0.008, 0.012],
        [0.09, 0.08, 0.003, 0.64, 0.085, 0.004, 0.060, 0.015, 0.008, 0.008],
        [0.05, 0.04, 0.002, 0.76, 0.050, 0.002, 0.075, 0.010, 0.008, 0.006],
    ]
)
# Chosen so that the file has the paper's figures: 75 % unique, and 0.8 between hospital and county.
HOME = 0.81  # share treated in their own county
NEAR = 4.0  # how much the patients of a ZIP code prefer some hospitals of their county
FAR = 6.0  # the same, for those who go elsewhere
SKEW = 0.65  # shape of the sizes of ZIP codes: smaller is more skewed
APART = 1.2  # how much ethnic mixes differ between ZIP codes


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """What a record is drawn from: codes, and cumulated shares ready to be searched (see `steps`)."""

    hospitals: Ints
    zips: Ints
    counties: Ints
    age: Floats
    sex: Floats
    zip: Floats
    pair: Floats
    hospital: Floats
    quarter: Floats


@cache
def law() -> Law:
    """The law of the file; drawn once, from its own seed.

    >>> len(law().hospitals), len(law().zips), len(set(law().counties))
    (447, 1739, 58)
    """
    # Of thirty seeds tried, one that puts ZIP codes and counties near the paper's correlation (0.18).
    rng = default_rng(2012)
    county = np.repeat(np.arange(1, 59), np.maximum(1, np.rint(COUNTIES / 86)).astype(int))
    home = np.concatenate([np.repeat(c, zips_of(c)) for c in rng.permutation(np.arange(1, 59))])
    return Law(
        hospitals=county * 10_000 + serials(county),
        zips=90_001 + np.sort(rng.choice(6_160, len(home), replace=False)),
        counties=home,
        age=steps(ages()[None, :]),
        sex=steps(sexes()),
        zip=steps(zip_sizes(rng, home)[None, :]),
        pair=steps(pairs(rng, home)),
        hospital=steps(admissions(rng, home, county)),
        quarter=steps(np.array([[0.256, 0.25, 0.248, 0.246]])),
    )


def zips_of(county: int) -> int:
    """How many ZIP codes a county has: the crowded ones have fewer for their people."""
    return max(2, int(np.rint(0.36 * COUNTIES[county - 1] ** 0.72)))


def zip_sizes(rng: Generator, county: Ints) -> Floats:
    """Weight of each ZIP code: skewed inside the county, the county's people in all."""
    size = rng.gamma(SKEW, 1, len(county)) + 0.02
    total = np.bincount(county, size, 59)
    return np.asarray(size / total[county] * COUNTIES[county - 1], np.float64)


def serials(county: Ints) -> Ints:
    """A number inside the county, so that hospital codes are in the order of the counties."""
    first = np.searchsorted(county, county)
    return 17 + 31 * (np.arange(len(county)) - first)


def ages() -> Floats:
    """Births, few children, mothers, then the old; 85 stands for all above."""
    line = np.interp(AGES, [1, 5, 15, 27, 40, 55, 70, 84], [5, 2, 5, 15, 10, 12, 13, 13])
    line[[0, 85]] = 125, 70
    return np.asarray(line, np.float64)


def sexes() -> Floats:
    """Men (1) and women (2) at each age."""
    women = np.interp(AGES, [14, 20, 33, 44, 52, 70, 85], [0.48, 0.78, 0.78, 0.6, 0.5, 0.52, 0.64])
    return np.stack([1 - women, women], axis=1)


def pairs(rng: Generator, county: Ints) -> Floats:
    """Ethnicity and race in each ZIP code and band of ages: places differ, and inside a county less."""
    of_county = np.exp(rng.normal(0, 0.5, (59, len(PAIRS))))
    of_zip = np.exp(rng.normal(0, APART, (len(county), len(PAIRS))))
    place = of_county[county] * of_zip
    return np.asarray(place[:, None, :] * MIXES, np.float64).reshape(-1, len(PAIRS))


def admissions(rng: Generator, home: Ints, county: Ints) -> Floats:
    """Hospital given the ZIP code: mostly one of the same county, and of these mostly a near one."""
    size = rng.lognormal(0, 0.8, len(county))
    near = size * rng.lognormal(0, NEAR, (len(home), len(county))) * (home[:, None] == county)
    away = size * COUNTIES[county - 1] ** 0.1 * rng.lognormal(0, FAR, (len(home), len(county)))
    near /= near.sum(axis=1, keepdims=True)
    away /= away.sum(axis=1, keepdims=True)
    return np.asarray(HOME * near + (1 - HOME) * away, np.float64)


def steps(weights: Floats) -> Floats:
    """Cumulated shares of each row r, moved to (r, r + 1], so that one search serves all rows."""
    shares = np.cumsum(weights, axis=1)
    return np.asarray(shares / shares[:, -1:] + np.arange(len(shares))[:, None], np.float64)


def draw(rng: Generator, steps: Floats, row: Ints | int = 0) -> Ints:
    """One category a record of a block, by the shares of its row."""
    u = rng.random(BLOCK) * (1 - 1e-9)
    at = np.searchsorted(steps.ravel(), u + row, side="right")
    return np.asarray(at - np.asarray(row) * steps.shape[1], np.int64)


def stays(rng: Generator, age: Ints, sex: Ints) -> Ints:
    """Days of stay: two or three for newborns and most mothers, longer with age, with a long tail."""
    birth = (age == 0) | ((sex == 2) & (age >= 18) & (age <= 38))
    centre = np.where(birth, 0.95, 1.15 + 0.003 * age)
    spread = np.where(birth, 0.3, 0.62)
    long = rng.random(BLOCK) < 0.01
    days = np.exp(centre + spread * rng.standard_normal(BLOCK) + 2.2 * long)
    return np.asarray(np.minimum(days, 999), np.int64)


def charges(rng: Generator, age: Ints, days: Ints) -> Ints:
    """Dollars: lognormal around a power of the stay; newborns cost less; a tenth is above 100,000."""
    centre = np.where(age == 0, 7.5, 9.32) + 0.8 * np.log1p(days)
    dollars = np.exp(centre + 0.75 * rng.standard_normal(BLOCK))
    return np.asarray(np.minimum(dollars, 20_000_000), np.int64)


def block(number: int, *, seed: int) -> pl.DataFrame:
    """The records of one block."""
    rng, of = default_rng(SeedSequence(seed, spawn_key=(number,))), law()
    age = draw(rng, of.age)
    place = draw(rng, of.zip)
    pair = draw(rng, of.pair, place * len(BANDS) + np.searchsorted(BANDS, AGES, side="right")[age] - 1)
    sex = draw(rng, of.sex, age) + 1
    days = stays(rng, age, sex)
    columns = {
        "oshpd_id": of.hospitals[draw(rng, of.hospital, place)],
        "age_yrs": age,
        "sex": sex,
        "ethncty": PAIRS[pair, 0],
        "race": PAIRS[pair, 1],
        "patzip": of.zips[place],
        "patcnty": of.counties[place],
        "los": days,
        "adm_qtr": draw(rng, of.quarter) + 1,
        "charge": charges(rng, age, days),
    }
    return pl.DataFrame(columns).cast(pl.Schema(SCHEMA))


def blocks(records: int, *, seed: int) -> Iterator[pl.DataFrame]:
    """The file block by block; the last one is cut."""
    if records < 1:
        raise ValueError(f"{records} records are asked for: ask for at least 1.")
    for number, start in enumerate(range(0, records, BLOCK)):
        yield block(number, seed=seed).head(records - start)


def discharges(records: int, *, seed: int = 1) -> pl.DataFrame:
    """That many discharges.

    >>> discharges(1_000).columns == list(SCHEMA)
    True
    >>> discharges(1_000).equals(discharges(2_000).head(1_000))
    True
    """
    return pl.concat(blocks(records, seed=seed))


def write_discharges(path: str | Path, records: int, *, seed: int = 1) -> None:
    """Write a Parquet file, one row group a block: memory stays that of one block."""
    parts = (part.to_arrow() for part in blocks(records, seed=seed))
    first = next(parts)
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        writer.write_table(first)
        for part in parts:
            writer.write_table(part)


def uniqueness(data: pl.LazyFrame | pl.DataFrame, keys: Sequence[str]) -> float:
    """Share of the records that no other record equals on the keys (equation 1 of the supplement)."""
    sizes = data.lazy().group_by(keys).agg(pl.len())
    counts = sizes.select((pl.col("len") == 1).sum() / pl.col("len").sum())
    return float(counts.collect(engine="streaming").item())


def main() -> None:
    """Write the file, and tell its uniqueness if asked."""
    parser = argparse.ArgumentParser(description="Write simulated discharges to a Parquet file.")
    parser.add_argument("records", type=int)
    parser.add_argument("path", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--measure", action="store_true", help="also tell the share of unique records")
    options = parser.parse_args()
    start = time.perf_counter()
    write_discharges(options.path, options.records, seed=options.seed)
    print(f"{options.records:,} records written in {time.perf_counter() - start:.1f} s")
    for name, keys in GROUPS.items() if options.measure else ():
        print(f"{name}: {uniqueness(pl.scan_parquet(options.path), keys):.4f} unique")


if __name__ == "__main__":
    main()
