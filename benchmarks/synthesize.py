"""Synthesis: latent classes against NPBayesImputeCat's time, Gaussian copula against `copulas` and `pyvinecopulib`.

Seed 002's job (PCS 2015, 5,000 rows, five columns, 70 classes, 5,000 sweeps, five copies) in CPU seconds, compilation
left out, beside what NumPy needs for 10⁸ uniform numbers. The copulas on 1,000 records of Adult, on Adult and on a
million ACS records: seconds to fit and to draw as many records, and the mean total variation between the two-way
tables. Needs ../shared/data.
"""

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl

from measure import HERE, peers, run

SHARED = HERE.parents[1] / "shared" / "data"
DATA = HERE / "data"
JOB = HERE / "synthesize_job.py"
OURS = Path(sys.executable)
SENSITIVE = ["Alcohol Related Disorder", "Drug Substance Disorder", "Obesity", "Diabetes", "High Blood Pressure"]
KNOWN = ["Age Group", "Sex", "Race", "Hispanic Ethnicity", "Veteran Status"]
COPYING = ("interpolation", "smote", "bootstrap")
LIMIT = 300
"""Seconds a peer may take: `copulas` chooses kernel densities, whose quantiles it searches for each record drawn."""
NPBAYES = 12.6
"""CPU seconds of NPBayesImputeCat 0.5 for the five columns, on a machine of this kind (../shared/reference)."""


def tables() -> None:
    """The tables as arrays, once."""
    DATA.mkdir(exist_ok=True)
    pcs = pl.read_csv(SHARED / "pcs2015_complete_cases.csv", infer_schema=False)
    drawn = pcs[np.random.default_rng(1).choice(pcs.height, 5000, replace=False)]
    _save("five", drawn.select(SENSITIVE))
    _save("ten", drawn.select(SENSITIVE + KNOWN))
    adult = pl.read_csv(SHARED / "adult.csv")
    adult.write_parquet(DATA / "adult.parquet")
    _save("adult", adult)
    _save("thousand", adult.sample(1000, seed=1))
    acs = pl.read_parquet(SHARED / "acs2024_person_us12.parquet").drop("SERIALNO", "PWGTP")
    acs.write_parquet(DATA / "acs.parquet")
    _save("million", acs.sample(1_000_000, seed=1), numbers=("AGEP",))


def _save(name: str, frame: pl.DataFrame, numbers: tuple[str, ...] | None = None) -> None:
    columns, levels = {}, []
    for column in frame:
        number = column.name in numbers if numbers is not None else column.dtype.is_numeric()
        if number and not column.null_count():
            columns[column.name] = column.to_numpy().astype(float)
            levels.append(None)
        else:
            texts = column.cast(pl.String).fill_null("")
            columns[column.name] = (texts.rank("dense") - 1).to_numpy().astype(np.int32)
            levels.append(texts.n_unique())
    np.savez(DATA / f"{name}.npz", **columns)
    (DATA / f"{name}.json").write_text(json.dumps(levels))


def latent_classes() -> None:
    yardstick = run(OURS, JOB, "uniforms", str(DATA))
    print(f"10^8 uniforms by NumPy: {yardstick.seconds:.2f} CPU s")
    for name in ("five", "ten"):
        found = run(OURS, JOB, "dpmpm", str(DATA), name)
        against = f", {NPBAYES / found.seconds:.1f} times as fast as NPBayesImputeCat" if name == "five" else ""
        told = f"{found.seconds:.2f} CPU s{against}  {found.answer}  {found.peak_mb:.0f} MB"
        print(f"latent classes, {name} columns: {told}")
    print("bar for five columns: at most 2.5 CPU s (goal 1.3)")


def copulas() -> None:
    other = peers("peers-synthesis.txt", "synthesis")
    for data in ("thousand", "adult", "million"):
        found = {}
        for name, python in (("ours", OURS), ("copulas", other), ("pyvinecopulib", other)):
            found[name] = run(python, JOB, name, str(DATA), data, limit=LIMIT)
            told = f"no answer in {LIMIT} s" if found[name] is None else _told(found[name].answer, found[name].peak_mb)
            print(f"{data:8s} {name:14s} {told}", flush=True)
        if found["copulas"] is not None:
            mine, theirs = found["ours"].answer, found["copulas"].answer
            fit, sample = theirs["fit"] / mine["fit"], theirs["sample"] / mine["sample"]
            print(f"{data}: {fit:.0f} times as fast to fit (bar 20), {sample:.0f} times to draw (bar 5)")


def _told(answer: dict, peak: float) -> str:
    return (
        f"fit {answer['fit']:8.2f} s  draw {answer['sample']:8.2f} s  two-way {answer['two_way']:.4f}  {peak:6.0f} MB"
    )


def models() -> None:
    """Adult, 48,842 records of 15 columns, by every model that takes categories."""
    print("model            seconds  two-way  records equal to one of the file  uniques again")
    by_law = ("latent-classes", "sequential", "private-tree", "gaussian-copula", "d-vine", "independent", "parametric")
    for name in (*by_law, *COPYING):
        found = run(OURS, JOB, "model", str(DATA), name)
        told = found.answer
        print(f"{name:16s} {found.seconds:7.1f}  {told['two_way']:.4f}  {told['repeated']:.4f}  {told['uniques']:.4f}")


def memory() -> None:
    found = run(OURS, JOB, "memory", str(DATA), "acs")
    print(f"3.4 million ACS records x 10 columns: {found.seconds:.1f} s, {found.peak_mb:,.0f} MB (bar: 4,096)")


if __name__ == "__main__":
    tables()
    latent_classes()
    models()
    copulas()
    memory()
