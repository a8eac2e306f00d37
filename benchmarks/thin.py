"""Thin samples: B where the sample never saw most values, against populations whose truth is known.

Two kinds of population, both from the ACS (`../shared/data`): all 3,422,888 people with places of similar size
(AREA = state and PUMA, 2,462 of them), and the same thinned area by area at log-normal rates, so that places differ
in size as municipalities do (standard deviation 0.5, 1 and 1.5). Month and date of birth are uniform within a year of
age; the event date is uniform on 730 days. Each row is a set of quasi-identifiers and a sample size, five samples
each, assessed as a custodian would (`la.assess`), so that the outcome is reported too.

    ./run bench thin            all rows
    ./run bench thin --few      one sample a row
    ./run bench thin --oracle   how well the number of areas could be known at best
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

import lookalike as la

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "acs2024_person_us12.parquet"
SIZES = (200, 500, 3_000, 20_000)
LIMIT = 0.09
BAR, BAR_BELOW_500 = 0.10, 0.20
TUNED = "thinned 1.0"

PLACES = (
    ("AGE", "AREA"),
    ("AGE", "SEX", "AREA"),
    ("AGE", "SEX", "AREA", "RAC1P"),
    ("AGE", "SEX", "AREA", "SCHL"),
    ("AGE", "SEX", "AREA", "RAC1P", "SCHL"),
)
WHOLE = (*PLACES, ("MONTH", "SEX", "AREA"), ("BORN", "SEX", "STATE"))
EVENT = ("AGE", "SEX", "RAC1P", "EVENT")


@dataclass(frozen=True)
class Found:
    """One sample assessed."""

    truth: float
    value: float | None
    low: float | None
    high: float | None
    outcome: str

    @property
    def error(self) -> float:
        return np.inf if self.value is None else abs(float(np.log(self.value / self.truth)))

    @property
    def covered(self) -> bool:
        return self.low is not None and self.high is not None and self.low <= self.truth <= self.high

    @property
    def above(self) -> bool:
        return self.high is not None and self.truth > self.high

    @property
    def unsafe_as_safe(self) -> bool:
        return self.truth > LIMIT and self.outcome == "holds"


def people() -> pl.DataFrame:
    """The ACS as a population, with dates."""
    rng = np.random.default_rng(7)
    frame = pl.read_parquet(DATA, columns=["STATE", "PUMA", "AGEP", "SEX", "RAC1P", "SCHL"])
    age = frame["AGEP"].to_numpy().astype(np.int64)
    born = np.datetime64("2024-01-01") - age * 365 - rng.integers(0, 365, len(age))
    event = np.datetime64("2022-01-01") + rng.integers(0, 730, len(age))
    return frame.select(
        pl.col("AGEP").alias("AGE"),
        "SEX",
        "RAC1P",
        "SCHL",
        "STATE",
        (pl.col("STATE") + pl.col("PUMA")).alias("AREA"),
        pl.Series("MONTH", (2024 - age) * 100 - rng.integers(0, 12, len(age)) - 88),
        pl.Series("BORN", born),
        pl.Series("EVENT", event),
    )


def thinned(frame: pl.DataFrame, spread: float) -> pl.DataFrame:
    """The people that are left when the areas are thinned at log-normal rates."""
    rng = np.random.default_rng(11)
    areas = frame["AREA"].unique().sort()
    rate = np.exp(spread * rng.standard_normal(len(areas)))
    rates = pl.DataFrame({"AREA": areas, "rate": np.minimum(rate / np.quantile(rate, 0.995), 1)})
    kept = frame.join(rates, on="AREA", how="left", maintain_order="left")["rate"].to_numpy() > rng.random(len(frame))
    return frame.filter(pl.Series(kept))


def samples(
    frame: pl.DataFrame, names: tuple[str, ...], size: int, repeats: int
) -> Iterator[tuple[pl.DataFrame, float]]:
    """Simple random samples with their true B."""
    alike = frame.select(*names, pl.len().over(names).alias("_alike"))
    for repeat in range(repeats):
        rows = np.random.default_rng([repeat, size, len(names)]).choice(len(frame), size, replace=False)
        drawn = alike[rows]
        yield drawn.drop("_alike"), float((1 / drawn["_alike"]).mean())


def assessed(sample: pl.DataFrame, truth: float, population: int) -> Found:
    evaluation = la.assess(
        sample, quasi_identifiers=sample.columns, population=population, suda_size=None, backtest=False
    )
    found = evaluation.risk.sample_to_population
    return Found(truth, found.value, found.low, found.high, evaluation.outcome.value)


def row(name: str, names: tuple[str, ...], size: int, found: list[Found]) -> str:
    middle = sorted(found, key=lambda f: f.error)[len(found) // 2]
    truth = float(np.mean([f.truth for f in found]))
    value = float(np.mean([np.nan if f.value is None else f.value for f in found]))
    bar = BAR if size >= 500 else BAR_BELOW_500
    return (
        f"{name:12s} {'+'.join(names):24s} {size:6d}  {truth:7.4f} {value:7.4f}  {middle.error:5.3f}"
        f"{' ' if middle.error <= bar else '*'} {sum(f.covered for f in found)}/{len(found)}"
        f" {sum(f.above for f in found)}  {','.join(sorted({f.outcome for f in found}))}"
    )


def oracle() -> None:
    """The error of an estimator that knows the shape of the distribution of sizes and finds the number of areas.

    It takes the number for which a sample is expected to have as many different areas as this one has. B of age and
    area is about proportional to the number of areas.
    """
    rng, scales = np.random.default_rng(0), np.exp(np.linspace(-2, 2, 401))
    whole = people()
    print("population   n     median |log| of the number of areas")
    for name, frame in (("ACS", whole), *((f"thinned {sd}", thinned(whole, sd)) for sd in (0.5, 1.0, 1.5))):
        sizes = frame["AREA"].value_counts()["count"].to_numpy()
        shares = sizes / sizes.sum()
        for size in SIZES[:3]:
            expected = [scale * np.sum(1 - np.exp(-size * shares / scale)) for scale in scales]
            drawn = (rng.choice(len(shares), size, p=shares) for _ in range(400))
            errors = [abs(np.log(np.interp(len(np.unique(areas)), expected, scales))) for areas in drawn]
            print(f"{name:12s} {size:5d} {np.median(errors):.3f}", flush=True)


def main() -> None:
    if "--oracle" in sys.argv:
        oracle()
        return
    repeats = 1 if "--few" in sys.argv else 5
    whole = people()
    cases = [("ACS", whole, names) for names in WHOLE]
    cases.append(("ACS 300,000", whole.sample(300_000, seed=3), EVENT))
    cases += [(f"thinned {sd}", thinned(whole, sd), names) for sd in (0.5, 1.0, 1.5) for names in PLACES]
    print("population   quasi-identifiers            n   true B   found  |log| covered above outcomes", flush=True)
    everything: list[tuple[str, tuple[str, ...], int, Found]] = []
    missed = 0
    for name, frame, names in cases:
        for size in SIZES:
            drawn = samples(frame, names, size, repeats)
            found = [assessed(sample, truth, len(frame)) for sample, truth in drawn]
            line = row(name, names, size, found)
            missed += "*" in line
            everything += [(name, names, size, f) for f in found]
            print(line, flush=True)
    print(f"rows above the bar: {missed} (0.10, below 500 records 0.20)")
    for said, part in (
        ("all", everything),
        ("500 records or more", [e for e in everything if e[2] >= 500]),
        ("not used for tuning", [e for e in everything if e[0] != TUNED]),
    ):
        found = [f for *_, f in part]
        covered, above = (float(np.mean([getattr(f, key) for f in found])) for key in ("covered", "above"))
        print(f"{said}: {len(found)} samples, covered {covered:.1%} (bar 85 %), truth above {above:.1%} (bar 8 %)")
    print(f"unsafe files reported as safe: {sum(f.unsafe_as_safe for *_, f in everything)} (bar 0)")
    silent = [names for _, names, _, f in everything if f.value is None]
    places = sum("AREA" in names for names in silent)
    print(f"not assessable: {len(silent) - places} with dates and numbers alone (bar 0), {places} with a nominal place")


if __name__ == "__main__":
    main()
