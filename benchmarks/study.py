"""Seed 001's simulation on five data sets: runs `lookalike study`, then prints the tables of docs/concepts/study.md.

    python benchmarks/study.py [FOLDER]            all studies, resumed where they stopped; hours on two cores
    python benchmarks/study.py FOLDER --tables     the tables of what is in FOLDER

The posterior was tuned on Adult and Texas; the other sets are reported as they come. Needs ../shared/data.
"""

import subprocess
import sys
from pathlib import Path

import polars as pl

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "shared" / "data"
ACS = "STATE,AGEP,RAC1P,HISP,SCHL,SEX,CIT,DIS"
PCS = (
    "Age Group,Household Composition,Special Education Services,Criminal Justice Status,Program_Category,"
    "Religion_Category,Employment_Status,Education_Category,RACE,hispanic_ethnicity,Living_Situation,"
    "Gender_Identity_Orientation,Insured_or_Not,Receiving Cash Assistance"
)
ADULT = "age,workclass,education,marital_status,occupation,relationship,race,sex,native_country,capital_gain,income"
TEXAS = "DISCHARGE,PAT_STATE,SEX_CODE,RACE,ETHNICITY,ADMIT_WEEKDAY,PAT_AGE,LENGTH_OF_STAY,TYPE_OF_ADMISSION,PAT_STATUS"
NEXOID = "country,gender,age,height,weight,income,blood_type,region"
LOW, WIDE = "0.001,0.05", "0.01,0.99"
# name: file, quasi-identifiers, fractions, points for the posterior, points for the others
STUDIES = {
    "adult": ("adult.csv", ADULT, WIDE, 110, 1000),
    "texas": ("texas.csv", TEXAS, WIDE, 110, 1000),
    "nexoid": ("nexoid_subset.csv", NEXOID, WIDE, 150, 1000),
    "pcs": ("pcs2019_recoded.parquet", PCS, WIDE, 50, 200),
    "acs": ("acs2024_person_us12.parquet", ACS, WIDE, 30, 60),
    "pcslow": ("pcs2019_recoded.parquet", PCS, LOW, 80, 200),
    "acslow": ("acs2024_person_us12.parquet", ACS, LOW, 60, 60),
}
FAST = (
    "average,gaussian_copula,d_vine,entropy,hypothesis_test,benedetti_franconi,pitman_yor,zayatz,"
    "slide_negative_binomial,dankar,chao,log_linear"
)
BANDS = ("below 0.1", "0.1 and more")


def run(folder: Path) -> None:
    for name, (file, known, fractions, slow, fast) in STUDIES.items():
        for points, estimators in ((slow, "posterior,average"), (fast, FAST)):
            command = [str(Path(sys.executable).parent / "lookalike"), "study", str(DATA / file), "--qi", known, "-o"]
            command += [str(folder / name), "--points", str(points), "--fractions", fractions]
            subprocess.run([*command, "--estimators", estimators, "--quiet"], check=True)


def points_of(folder: Path) -> pl.DataFrame:
    found = []
    for name in STUDIES:
        file = folder / name / "points.csv"
        if file.exists():
            wide = pl.read_csv(file, infer_schema_length=None, schema_overrides={"low": pl.Float64, "high": pl.Float64})
            found.append(wide.filter(pl.col("ratio") == 1).with_columns(pl.lit(name).alias("data")))
    low = pl.when(pl.col("fraction") < 0.1).then(pl.lit(BANDS[0])).otherwise(pl.lit(BANDS[1]))
    return pl.concat(found, how="diagonal_relaxed").with_columns(
        low.alias("fractions"),
        (pl.col("value") - pl.col("truth")).alias("error"),
        pl.col("truth").is_between(pl.col("low") - 1e-12, pl.col("high") + 1e-12).alias("covered"),
    )


def markdown(rows: list[tuple[object, ...]], heads: tuple[str, ...]) -> None:
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for row in rows:
        print("| " + " | ".join(f"{v:.4f}" if isinstance(v, float) else str(v) for v in row) + " |")
    print()


def tables(points: pl.DataFrame) -> None:
    error, size = pl.col("error"), pl.col("error").abs()
    figures = (
        pl.len().alias("points"),
        pl.col("value").null_count().alias("none"),
        error.median().alias("median"),
        error.quantile(0.05).alias("5 %"),
        error.quantile(0.95).alias("95 %"),
        size.median().alias("median size"),
        size.quantile(0.95).alias("95 % size"),
        size.mean().alias("mean size"),
        size.max().alias("largest"),
        pl.col("seconds").mean().alias("seconds"),
    )
    for name in STUDIES:
        part = points.filter(pl.col("data") == name)
        if part.height:
            print(f"\n### {name}\n")
            found = part.group_by("fractions", "estimator").agg(*figures).sort("fractions", "mean size")
            markdown(found.rows(), tuple(found.columns))
    print("\n### the posterior against the average copula, on the same points\n")
    asked = points.filter(pl.col("estimator") == "posterior").select("data", "point")
    same = points.join(asked, on=["data", "point"])
    both = same.group_by("data", "estimator").agg(size.mean().alias("mean size"))
    pair = both.filter(pl.col("estimator") == "posterior").join(
        both.filter(pl.col("estimator") == "average"), on="data", suffix=" of average"
    )
    ratio = (pl.col("mean size") / pl.col("mean size of average")).alias("ratio")
    markdown(pair.select("data", "mean size", "mean size of average", ratio).sort("data").rows(), (
        "data", "posterior", "average", "ratio"))  # fmt: skip
    print("\n### the 90 % interval of the posterior\n")
    mine = points.filter((pl.col("estimator") == "posterior") & pl.col("covered").is_not_null())
    found = mine.group_by("data", "fractions").agg(pl.len().alias("cases"), pl.col("covered").mean().alias("covered"))
    markdown(found.sort("data", "fractions").rows(), ("data", "fractions", "cases", "covered"))
    held = mine.filter(~pl.col("data").is_in(["adult", "texas"]))
    print(
        f"not used for tuning: {held['covered'].mean():.3f} of {held.height} cases; all: {mine['covered'].mean():.3f}"
    )
    print("\n### largest median error of the posterior in a cell with 10 points or more\n")
    cells = mine.group_by("data", "fractions", (pl.col("truth") * 10).floor().alias("bin")).agg(
        pl.len().alias("points"), error.median().alias("median")
    )
    worst = cells.filter(pl.col("points") >= 10).sort(pl.col("median").abs(), descending=True)
    markdown(worst.head(8).rows(), ("data", "fractions", "true risk × 10", "points", "median error"))


if __name__ == "__main__":
    named = [a for a in sys.argv[1:] if not a.startswith("-")]
    folder = Path(named[0]) if named else HERE / "data" / "study"
    if "--tables" not in sys.argv:
        run(folder)
    tables(points_of(folder))
