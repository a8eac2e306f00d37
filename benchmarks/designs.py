"""Who could have been in the file: B where the file is no simple random sample of N, against the truth.

The population is the ACS file (3,422,888 people, `../shared/data`). Each case is drawn 20 times and assessed as a
custodian would, with the limit at 0.95 times the true B: "holds" is then a false assurance, and what the report says
is counted. Each case is shown as a custodian first meets it, and with what the plan can say of it.

    ./run bench designs         all cases
    ./run bench designs --few   three draws each
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import lookalike as la

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "acs2024_person_us12.parquet"
KNOWN = ("AGEP", "SEX", "STATE", "RAC1P", "SCHL")
FOLDER = Path(tempfile.mkdtemp())


@dataclass(frozen=True)
class Case:
    """How a file comes about: its rows, and what is told of it."""

    name: str
    rows: Callable[[pl.DataFrame, np.random.Generator], pl.DataFrame]
    told: dict[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    """Kept beside the quasi-identifiers."""
    known: tuple[str, ...] = KNOWN


def one_by_one(size: int, chance: pl.Expr) -> Callable[[pl.DataFrame, np.random.Generator], pl.DataFrame]:
    """A sample with these relative chances, and the weights that undo them."""

    def rows(people: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        relative = people.select(chance.cast(pl.Float64).alias("p"))["p"].to_numpy()
        chances = relative * (size / relative.sum())
        kept = np.flatnonzero(rng.random(len(people)) < chances)
        return people[kept].with_columns(pl.Series("WEIGHT", 1 / chances[kept]))

    return rows


def households(size: int) -> Callable[[pl.DataFrame, np.random.Generator], pl.DataFrame]:
    """Whole households, so that they hold about so many people."""

    def rows(people: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        numbers = people["HOUSEHOLD"].max()
        assert isinstance(numbers, int)
        kept = np.zeros(numbers + 1, bool)
        kept[rng.choice(numbers + 1, round(size * (numbers + 1) / len(people)), replace=False)] = True
        return people[np.flatnonzero(kept[people["HOUSEHOLD"].to_numpy()])]

    return rows


def twice(size: int, share: float) -> Callable[[pl.DataFrame, np.random.Generator], pl.DataFrame]:
    """A file of so many records in which this share of the people stands twice."""

    def rows(people: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        once = rng.choice(len(people), round(size / (1 + share)), replace=False)
        return people[np.concatenate([once, once[: size - len(once)]])]

    return rows


def margin(people: pl.DataFrame, name: str) -> str:
    path = FOLDER / f"{name}.csv"
    people.group_by(name).len("PEOPLE").sort(name).write_csv(path)
    return str(path)


def cases(people: pl.DataFrame) -> list[Case]:
    women, adults = people["SEX"].eq(2).sum(), people["AGEP"].ge(18).sum()
    any_one, old = pl.col("AGEP") >= 0, pl.when(pl.col("AGEP") >= 60).then(10.0).otherwise(1.0)
    only_women, only_adults = (pl.col("SEX") == 2), (pl.col("AGEP") >= 18)
    sex, age = margin(people, "SEX"), margin(people, "AGEP")
    weighted = {"weight": "WEIGHT"}
    doubled = {**weighted, "population": 2 * len(people)}
    return [
        Case("a random sample", one_by_one(2_000, any_one)),
        Case("women only, N of all", one_by_one(2_000, only_women)),
        Case("women only, N of all, margin by sex", one_by_one(2_000, only_women), {"margins": (sex,)}),
        Case("women only, N of women", one_by_one(2_000, only_women), {"population": women, "counts": "eligible"}),
        Case("adults only, N of all", one_by_one(2_000, only_adults)),
        Case("adults only, N of adults", one_by_one(2_000, only_adults), {"population": adults, "counts": "eligible"}),
        Case("over 60 ten times, no weights", one_by_one(2_000, old)),
        Case("over 60 ten times, margin by age", one_by_one(2_000, old), {"margins": (age,)}),
        Case("over 60 ten times, weights, n 2,000", one_by_one(2_000, old), weighted, ("WEIGHT",)),
        Case("over 60 ten times, weights, n 20,000", one_by_one(20_000, old), weighted, ("WEIGHT",)),
        Case("N twice what the weights sum to", one_by_one(2_000, any_one), doubled, ("WEIGHT",)),
        *(Case(f"{share:.0%} of the people twice", twice(5_000, share)) for share in (0.02, 0.1, 0.3)),
        *(
            Case(f"whole households, n {size:,}{said}", households(size), told, ("HOUSEHOLD",), known)
            for size, known in ((500, ("AGEP", "SEX", "AREA")), (2_000, KNOWN), (10_000, KNOWN))
            for said, told in (("", {}), (", household named", {"household": "HOUSEHOLD"}))
        ),
    ]


def assessed(case: Case, people: pl.DataFrame, seed: int) -> tuple[float, la.Evaluation]:
    drawn = case.rows(people, np.random.default_rng([seed, 7]))
    told = dict(case.told)
    population, counts = told.pop("population", len(people)), told.pop("counts", None)
    alike = people.group_by(case.known).len("_alike")
    joined = drawn.select(case.known).join(alike, on=case.known, how="left", maintain_order="left")["_alike"]
    truth = float((1 / joined).mean())
    evaluation = la.assess(
        drawn.select(*case.known, *case.columns),
        quasi_identifiers=list(case.known),
        population=population,
        population_counts=counts,
        threshold=0.95 * truth,
        suda_size=None,
        **told,
    )
    return truth, evaluation


def row(case: Case, found: list[tuple[float, la.Evaluation]]) -> str:
    rates = [(truth, e.risk.sample_to_population) for truth, e in found]
    inside = sum(rate.low <= truth <= rate.high for truth, rate in rates if rate.low is not None)
    above = sum(truth > rate.high for truth, rate in rates if rate.high is not None)
    outcomes = Counter(e.outcome.value for _, e in found)
    said = Counter(doubt.name for _, e in found for doubt in e.verdicts[0].doubts if doubt.name != "interval")
    for _, e in found:
        estimates = e.risk.estimates
        said["contradicted margin"] += bool(estimates and estimates.contradicted)
        said["asked who N counts"] += bool(estimates and estimates.narrowed)
        said["weights off"] += bool(estimates and estimates.weighted and abs(estimates.weighted - 1) > 0.1)
    means = [float(np.mean([x for x in values if x is not None])) for values in zip(*_ends(rates), strict=True)]
    told = ", ".join(f"{name} {count}" for name, count in outcomes.most_common())
    notes = ", ".join(f"{name} {count}" for name, count in said.most_common() if count)
    return (
        f"{case.name:42s} {means[0]:6.4f}  {means[1]:6.4f} ({means[2]:.4f} to {means[3]:.4f})  "
        f"{inside:2d} of {len(found)}, {above:2d}  {told}; {notes}"
    )


def _ends(rates: list[tuple[float, Any]]) -> list[tuple[float | None, ...]]:
    return [(truth, rate.value, rate.low, rate.high) for truth, rate in rates]


def main() -> None:
    repeats = 3 if "--few" in sys.argv else 20
    frame = pl.read_parquet(DATA)
    people = frame.with_columns(
        (pl.col("STATE") + pl.col("PUMA")).alias("AREA"),
        (pl.col("SERIALNO").rank("dense") - 1).cast(pl.Int64).alias("HOUSEHOLD"),
    )
    print(
        "case, true B, reported (interval), covered and truth above, outcomes at 0.95 times the truth; notes",
        flush=True,
    )
    false = 0
    for case in cases(people):
        found = [assessed(case, people, seed) for seed in range(repeats)]
        false += sum(e.outcome.value == "holds" for _, e in found)
        print(row(case, found), flush=True)
    print(f"files above their limit that were said to hold: {false}")


if __name__ == "__main__":
    main()
